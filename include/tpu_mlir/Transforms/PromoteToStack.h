//===- PromoteToStack.h - Small buffers on the stack ------------*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_PROMOTETOSTACK_H
#define TPU_MLIR_TRANSFORMS_PROMOTETOSTACK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/PromoteToStack/PromoteToStack.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Memref/PromoteToStack/PromoteToStack.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_PROMOTETOSTACK_H
