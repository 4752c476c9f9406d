//===- TpuOps.td - The whole Tpu dialect -------------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUOPS_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUOPS_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.td"
include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.td"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUOPS_TD
