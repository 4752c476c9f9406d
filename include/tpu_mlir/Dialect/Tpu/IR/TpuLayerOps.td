//===- TpuLayerOps.td - The ops that compute ---------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPULAYEROPS_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPULAYEROPS_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuMath.td"
include "tpu_mlir/Dialect/Tpu/IR/TpuNN.td"
include "tpu_mlir/Dialect/Tpu/IR/TpuShape.td"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPULAYEROPS_TD
