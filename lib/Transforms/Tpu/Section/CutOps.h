//===- CutOps.h - A stretch of ops, part by part ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_SECTION_CUTOPS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_SECTION_CUTOPS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <cstdint>
#include <string>
#include <variant>

namespace tpu_mlir::section {

/// How ops of one block run in parts.
struct Cut {
  /// Each op, in the order of the block, and the dimension of its result that
  /// is cut; all of them are equally long.
  llvm::MapVector<mlir::Operation *, int64_t> dims;
  int64_t length = 0;
};

/// Looks whether the ops can run in parts of dimension `dim` of the result of
/// the last of them: a plan, or why not. O(ops * operands).
std::variant<Cut, std::string> planCut(llvm::ArrayRef<mlir::Operation *> ops,
                                       int64_t dim);

/// Replaces the ops by copies for each of `parts` parts, the first ones the
/// longer. 2 <= parts <= length. O(ops * parts).
void applyCut(const Cut &cut, int64_t parts);

} // namespace tpu_mlir::section

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_SECTION_CUTOPS_H
