//===- TpuOps.h - The ops of the Tpu dialect --------------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUOPS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPUOPS_H

#include "tpu_mlir/Dialect/Interfaces/OpSupport.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h.inc"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUOPS_H
