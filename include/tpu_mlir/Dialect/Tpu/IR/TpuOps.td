//===- TpuOps.td - All ops of the Tpu dialect --------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUOPS_TD
#define TPU_MLIR_DIALECT_TPU_IR_TPUOPS_TD

include "tpu_mlir/Dialect/Tpu/IR/TpuMath.td"
include "tpu_mlir/Dialect/Tpu/IR/TpuNN.td"
include "tpu_mlir/Dialect/Tpu/IR/TpuShape.td"
include "tpu_mlir/Dialect/Tpu/IR/TpuStructure.td"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUOPS_TD
