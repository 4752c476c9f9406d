//===- TopDialect.h - The Top dialect ---------------------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPDIALECT_H
#define TPU_MLIR_DIALECT_TOP_IR_TOPDIALECT_H

#include "tpu_mlir/Dialect/Interfaces/KeptText.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h.inc"

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPDIALECT_H
