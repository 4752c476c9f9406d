//===- TopOps.h - The ops of the Top dialect --------------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPOPS_H
#define TPU_MLIR_DIALECT_TOP_IR_TOPOPS_H

#include "tpu_mlir/Dialect/Interfaces/OpSupport.h"
#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Top/IR/TopOps.h.inc"

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPOPS_H
