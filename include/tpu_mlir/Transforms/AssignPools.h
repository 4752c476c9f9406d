//===- AssignPools.h - Memory pools for a tree of calls ---------*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_ASSIGNPOOLS_H
#define TPU_MLIR_TRANSFORMS_ASSIGNPOOLS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/AssignPools/AssignPools.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Memref/AssignPools/AssignPools.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_ASSIGNPOOLS_H
