//===- CopyOps.h - Copies of ops for late readers ---------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REMATERIALIZE_COPYOPS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REMATERIALIZE_COPYOPS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace tpu_mlir {

/// Copies the op that makes `tensor`, and up to `depth - 1` levels of ops that
/// make what it reads, in front of the first reader after the longest pause
/// between two readers; it and those after it read the copy. Not of what the
/// function returns. Returns why that cannot be, or "" when it is done. O(ops
/// of the block).
std::string computeAgain(mlir::Value tensor, int64_t depth);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REMATERIALIZE_COPYOPS_H
