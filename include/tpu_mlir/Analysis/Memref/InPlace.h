//===- InPlace.h - Ops that may work in one buffer --------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_INPLACE_H
#define TPU_MLIR_ANALYSIS_MEMREF_INPLACE_H

#include "mlir/IR/Value.h"

namespace tpu_mlir {

/// Without casts and views: an allocation, an argument, a result of something.
mlir::Value stripViews(mlir::Value memref);

/// `op` is a linalg op on buffers with parallel loops alone that overwrites all
/// of `written`, each place once and whatever was there, and whose body touches
/// no memory. Where it reads `read`, it does so by the same map, so each place
/// is read before it is written. It touches neither by another view. Whether
/// the two have the same form is not looked at. O(operands + body).
bool readsWhereItWrites(mlir::Operation *op, mlir::Value read,
                        mlir::Value written);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_INPLACE_H
