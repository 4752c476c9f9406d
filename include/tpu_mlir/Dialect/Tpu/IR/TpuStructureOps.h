//===- TpuStructureOps.h - Groups, transfers, control flow ------*- C++ -*-===//
//
// The few ops that memory planning looks at by name; much cheaper to compile
// than all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUSTRUCTUREOPS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPUSTRUCTUREOPS_H

#include "tpu_mlir/Dialect/Interfaces/OpSupport.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h.inc"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUSTRUCTUREOPS_H
