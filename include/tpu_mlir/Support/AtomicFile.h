//===- AtomicFile.h - Files written whole or not at all ---------*- C++ -*-===//

#ifndef TPU_MLIR_SUPPORT_ATOMICFILE_H
#define TPU_MLIR_SUPPORT_ATOMICFILE_H

#include <optional>
#include <string>
#include <string_view>

namespace tpu_mlir {

/// Writes `content` to a temporary file beside `path` and renames it: whoever
/// looks sees the old file or the whole new one. nullopt on success, else the
/// system's reason; then `path` is as it was and no temporary file is left.
std::optional<std::string> writeFileAtomically(const std::string &path,
                                               std::string_view content);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_ATOMICFILE_H
