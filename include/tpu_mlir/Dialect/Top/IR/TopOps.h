//===- TopOps.h - All ops of the Top dialect --------------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPOPS_H
#define TPU_MLIR_DIALECT_TOP_IR_TOPOPS_H

#include "tpu_mlir/Dialect/Top/IR/TopLayerOps.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPOPS_H
