//===- TopOps.td - The whole Top dialect -------------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPOPS_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPOPS_TD

include "tpu_mlir/Dialect/Top/IR/TopLayerOps.td"
include "tpu_mlir/Dialect/Top/IR/TopStructureOps.td"

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPOPS_TD
