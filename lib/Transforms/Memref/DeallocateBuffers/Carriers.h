//===- Carriers.h - Ops that hand on one value more -------------*- C++ -*-===//
//
// A flag beside a memref goes where the memref goes, as one more value at the
// end of each list. Whether an op with regions takes one more is tried out, on
// a copy of it that has nothing in its regions but their ends.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_CARRIERS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_CARRIERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

namespace tpu_mlir::deallocation {

/// Adds operands at the end, to the last group of them if there are several.
void appendOperands(mlir::Operation *op, mlir::ValueRange values);

/// The same op with one more i1 for each of `moreResults`, before `op` and with
/// empty regions.
mlir::Operation *cloneWithMoreResults(mlir::OpBuilder &builder,
                                      mlir::Operation *op,
                                      unsigned moreResults);

class FlagCarriers {
public:
  /// An i1 can be put beside `phi`. Amortized O(edges of the op around it).
  bool carry(mlir::Value phi);

private:
  bool takesMore(mlir::Operation *op);

  /// By name, for the types at hand: what the first such op took.
  llvm::DenseMap<mlir::OperationName, bool> known;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_CARRIERS_H
