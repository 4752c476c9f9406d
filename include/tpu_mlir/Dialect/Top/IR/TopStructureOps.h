//===- TopStructureOps.h - Inputs, weights, control flow --------*- C++ -*-===//
//
// The few ops that memory planning looks at by name; much cheaper to compile
// than all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPSTRUCTUREOPS_H
#define TPU_MLIR_DIALECT_TOP_IR_TOPSTRUCTUREOPS_H

#include "tpu_mlir/Dialect/Interfaces/OpSupport.h"
#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h.inc"

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPSTRUCTUREOPS_H
