//===- TpuDialect.h - The Tpu dialect ---------------------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPUDIALECT_H
#define TPU_MLIR_DIALECT_TPU_IR_TPUDIALECT_H

#include "tpu_mlir/Dialect/Interfaces/KeptText.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h.inc"

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUDIALECT_H
