//===- Lowering.h - Memref programs to the LLVM dialect ---------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_LOWERING_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_LOWERING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace tpu_mlir::jit {

/// In which order the iterations of `scf.forall` and `scf.parallel` run. A
/// program has to give the same results in all of them.
enum class ParallelOrder {
  /// One iteration after the other, the first one first.
  Forward,
  /// One iteration after the other, the last one first.
  Reversed,
  /// All iterations step by step: the first op of every body, then the second
  /// op of every body. Buffers that threads share by mistake show. Loops with
  /// bounds that are not constants, or with more than 64 iterations, run
  /// Reversed.
  Lockstep,
};

/// Loads the dialects that the harness lowers and what translates them. Call it
/// before a program is parsed.
void registerForJit(mlir::MLIRContext &context);

/// Rewrites parallel loops without results to sequential ones in that order.
void sequentialize(mlir::ModuleOp module, ParallelOrder order);

/// Lowers memref, linalg, scf, cf, affine, arith, math, complex, vector and
/// func to the LLVM dialect, in place. Heap memory comes from
/// `_mlir_memref_to_llvm_alloc` and goes to `_mlir_memref_to_llvm_free`; each
/// request is announced by `tpu_jit_announce(alignment, slackBytes)`. False and
/// diagnostics if something is left that cannot be lowered.
bool lowerToLLVM(mlir::ModuleOp module, ParallelOrder order);

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_LOWERING_H
