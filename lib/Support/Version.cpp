//===- Version.cpp - Which release this is --------------------------------===//

#include "tpu_mlir/Support/Version.h"

#include "llvm/Config/llvm-config.h"

namespace tpu_mlir {

const char *versionText() {
  return TPU_MEMORY_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

} // namespace tpu_mlir
