//===- Driver.cpp - One entry as a libFuzzer program ----------------------===//

#include "tests/fuzz/Entries.h"

#include <cstdint>
#include <cstdio>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto outcome = tpu_mlir::planning::FUZZ_ENTRY(
      {reinterpret_cast<const char *>(data), size});
  if (!outcome.broken.empty()) {
    std::fprintf(stderr, "%s\n", outcome.broken.c_str());
    __builtin_trap();
  }
  // -1: not worth keeping in the corpus. All inputs are.
  return 0;
}
