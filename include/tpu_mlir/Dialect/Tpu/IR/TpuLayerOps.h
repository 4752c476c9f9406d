//===- TpuLayerOps.h - The ops that compute ---------------------*- C++ -*-===//
//
// Hundreds of classes: include it only where one of them is named.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPULAYEROPS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPULAYEROPS_H

#include "tpu_mlir/Dialect/Interfaces/OpSupport.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLocalFacts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h.inc"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPULAYEROPS_H
