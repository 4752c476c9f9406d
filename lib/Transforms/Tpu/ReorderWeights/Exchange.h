//===- Exchange.h - Other weights for an op ---------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_EXCHANGE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_EXCHANGE_H

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Quantization/WeightStore.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tpu_mlir::reorder_weights {

/// The weight that an operand is; null for anything else.
top::WeightOp weightAt(mlir::Operation *op, unsigned index);

/// A weight in front of `op`, called as its first result and `suffix`. Numbers
/// go to `weights`, if they are known (`bytes`) and the op has a name.
mlir::Value addWeight(mlir::Operation *op, llvm::StringRef suffix,
                      mlir::RankedTensorType type,
                      execution::ElementType stored,
                      const std::vector<uint8_t> *bytes,
                      quantization::WeightStore *weights);

/// A top.None that `op` may read.
mlir::Value noneFor(mlir::Operation *op);

/// Sets the operand; a weight that nobody reads any more goes.
void exchange(mlir::Operation *op, unsigned index, mlir::Value value);

} // namespace tpu_mlir::reorder_weights

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_EXCHANGE_H
