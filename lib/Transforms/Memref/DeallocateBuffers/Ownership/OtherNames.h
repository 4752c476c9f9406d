//===- OtherNames.h - Ops that give a memref another name -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_OTHERNAMES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_OTHERNAMES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace tpu_mlir::deallocation {

inline bool isMemref(mlir::Value value) {
  return mlir::isa<mlir::BaseMemRefType>(value.getType());
}

/// The memref that `op` gives its only memref result another name of; null if
/// it is no view.
inline mlir::Value viewSource(mlir::Operation *op) {
  auto view = mlir::dyn_cast<mlir::ViewLikeOpInterface>(op);
  if (!view || !isMemref(view.getViewSource()))
    return nullptr;
  return view.getViewSource();
}

inline bool isSelect(mlir::Operation *op) {
  return mlir::isa<mlir::arith::SelectOp>(op) && isMemref(op->getResult(0));
}

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_OTHERNAMES_H
