//===- TpuOps.h - All ops of the Tpu dialect --------------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUOPS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPUOPS_H

#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUOPS_H
