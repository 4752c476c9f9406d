//===- Version.h - Which release this is ------------------------*- C++ -*-===//
//
// Apart from the other headers of this room: nearly everything is compiled
// again when one of those changes, and this one changes with each release.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_VERSION_H
#define TPU_MLIR_SUPPORT_VERSION_H

/// As in CHANGELOG.md; a test compares the two.
#define TPU_MEMORY_VERSION "0.1.0"

namespace tpu_mlir {

/// "0.1.0 (LLVM 22.1.8)": the release, and the LLVM that it was built with.
const char *versionText();

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_VERSION_H
