//===- NaiveMerge.h - Merging of buffers, right and wrong -------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_NAIVEMERGE_H
#define TPU_MLIR_TESTS_EXEC_JIT_NAIVEMERGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tpu_mlir::jit {

/// A plain way to merge the allocations of a function into one, by the first
/// and the last access of each in the order of the text, and the mistakes that
/// one can make with it. The default makes none: it is careful and wasteful,
/// and shares no code with any pass.
struct NaiveMergeOptions {
  /// How far an access in a loop is widened: to every loop between it and the
  /// allocation, to the loop right around it, or not at all.
  enum class Loops { All, Innermost, None } loops = Loops::All;
  /// Blocks of a region may run in any order, and again.
  bool knowsBlocks = true;
  /// Accesses through arith.select count for both sides.
  bool followsSelect = true;
  /// Buffers that are yielded, carried or branched with are left alone.
  bool knowsYields = true;
  /// Buffers passed to functions are used there.
  bool knowsCalls = true;
  /// Deallocations of merged buffers are dropped.
  bool dropsDeallocs = true;
  /// Slots are as large as their buffers.
  bool fullSize = true;
  /// Buffers of threads are left alone; else threads share them.
  bool knowsThreads = true;
  /// Slots start at multiples of 64.
  bool aligns = true;
  /// Two buffers that live at the same time share their memory.
  bool overlapsOnePair = false;
};

/// Merges allocations of `function`. The number that were merged. `seed`
/// chooses the pair to overlap.
int mergeNaively(mlir::func::FuncOp function, const NaiveMergeOptions &options,
                 uint64_t seed = 0);

/// The mistakes, by name.
std::vector<std::pair<std::string, NaiveMergeOptions>> naiveMistakes();

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_NAIVEMERGE_H
