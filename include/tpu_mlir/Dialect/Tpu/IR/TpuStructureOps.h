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

namespace tpu_mlir::tpu {

/// Whether the op's regions run at the same time and what they yield is its
/// results: parts of a layer on several cores, or of a network.
inline bool isParallel(mlir::Operation *op) {
  return mlir::isa<CoreParallelOp, ParallelOp, GroupParallelOp>(op);
}

/// Whether the op cuts a tensor into the cores' parts or puts these together:
/// without an instruction where each is one run of memory of the whole, else by
/// copies.
inline bool isForCores(mlir::Operation *op) {
  return mlir::isa<CoreSplitOp, CoreJoinOp, JoinOp>(op) ||
         (mlir::isa<SplitOp>(op) && (op->getParentOfType<CoreParallelOp>() ||
                                     op->getParentOfType<ParallelOp>()));
}

} // namespace tpu_mlir::tpu

#endif // TPU_MLIR_DIALECT_TPU_IR_TPUSTRUCTUREOPS_H
