//===- TpuAttrs.h - Attributes of the Tpu dialect ---------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_H

#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h.inc"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUATTRS_H
