//===- AssignPools.h - Memory pools for a tree of calls ---------*- C++ -*-===//

#ifndef TPU_MLIR_TRANSFORMS_ASSIGNPOOLS_H
#define TPU_MLIR_TRANSFORMS_ASSIGNPOOLS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Memref/AssignPools/AssignPools.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Memref/AssignPools/AssignPools.h.inc"

/// Adds the passes for a network with the options that it takes.
using NetworkPipeline =
    std::function<void(mlir::OpPassManager &, const AssignPoolsOptions &)>;
/// A pass that runs `network` where it finds one; the others, which know of
/// functions on memrefs alone, refuse it (E018).
std::unique_ptr<mlir::Pass> createAssignPools(NetworkPipeline network);

} // namespace tpu_mlir

#endif // TPU_MLIR_TRANSFORMS_ASSIGNPOOLS_H
