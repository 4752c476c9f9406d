//===- TopOps.td - All ops of the Top dialect --------------*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPOPS_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPOPS_TD

include "tpu_mlir/Dialect/Top/IR/TopMath.td"
include "tpu_mlir/Dialect/Top/IR/TopNN.td"
include "tpu_mlir/Dialect/Top/IR/TopShape.td"
include "tpu_mlir/Dialect/Top/IR/TopStructure.td"

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPOPS_TD
