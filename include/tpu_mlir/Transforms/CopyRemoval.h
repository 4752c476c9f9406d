//===- CopyRemoval.h - One buffer instead of two and a copy -----*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_COPYREMOVAL_H
#define TPU_MLIR_TRANSFORMS_COPYREMOVAL_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/CopyRemoval/CopyRemoval.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Memref/CopyRemoval/CopyRemoval.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_COPYREMOVAL_H
