//===- TopLayerOps.td - The ops that compute ---------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPLAYEROPS_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPLAYEROPS_TD

include "tpu_mlir/Dialect/Top/IR/TopMath.td"
include "tpu_mlir/Dialect/Top/IR/TopNN.td"
include "tpu_mlir/Dialect/Top/IR/TopShape.td"

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPLAYEROPS_TD
