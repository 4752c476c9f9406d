//===- Measures.cpp - What a piece of work took ---------------------------===//

#include "tests/Planning/bench/Measures.h"

#include <linux/perf_event.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace tpu_mlir::planning {

InstructionCounter::InstructionCounter() {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  file = int(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

InstructionCounter::~InstructionCounter() {
  if (file >= 0)
    close(file);
}

std::optional<int64_t> InstructionCounter::count() const {
  int64_t value = 0;
  if (file < 0 || read(file, &value, sizeof value) != ssize_t(sizeof value))
    return std::nullopt;
  return value;
}

/// The high-water mark of the resident set.
static std::optional<int64_t> highWaterMark() {
  std::FILE *file = std::fopen("/proc/self/status", "r");
  if (!file)
    return std::nullopt;
  std::optional<int64_t> bytes;
  char line[256];
  long long kibibytes = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "VmHWM: %lld kB", &kibibytes) == 1)
      bytes = kibibytes * 1024;
  std::fclose(file);
  return bytes;
}

PeakMemory::PeakMemory() {
  malloc_trim(0);
  std::FILE *file = std::fopen("/proc/self/clear_refs", "w");
  if (!file)
    return;
  // 5: the mark becomes what is resident now.
  const bool isWritten = std::fputs("5", file) >= 0;
  if (std::fclose(file) == 0 && isWritten)
    before = highWaterMark();
}

std::optional<int64_t> PeakMemory::bytes() const {
  const std::optional<int64_t> now = highWaterMark();
  if (!before || !now)
    return std::nullopt;
  return *now - *before;
}

} // namespace tpu_mlir::planning
