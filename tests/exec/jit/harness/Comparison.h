//===- Comparison.h - Programs before and after a rewriting -----*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_COMPARISON_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_COMPARISON_H

#include "tests/exec/jit/harness/JitHarness.h"

#include <functional>
#include <string>
#include <vector>

namespace tpu_mlir::jit {

struct ComparisonOptions {
  ParallelOrder order = ParallelOrder::Forward;
  unsigned optLevel = 0;
  /// Each function runs with these inputs.
  std::vector<uint64_t> inputSeeds = {1, 2};
  /// Changes the inputs that were made from a seed, if there is something to
  /// change.
  std::function<void(std::vector<Data> &)> prepare;
  /// Functions that must not leave anything allocated. Others may: they free
  /// only some of their buffers, or on some paths.
  std::vector<std::string> leakFree;
  /// No run may execute more allocations than before.
  bool noMoreAllocations = false;
  int timeoutSeconds = 10;
  /// Fault at once where the rewritten program leaves its memory.
  bool guardPages = false;
};

/// A function that is not as it was.
struct Mismatch {
  std::string function;
  std::string what;
};

struct Comparison {
  /// A module cannot be compiled, or the old program itself is wrong.
  std::string error;
  std::vector<Mismatch> mismatches;
  int64_t runs = 0;
  /// Executed in all runs together.
  int64_t allocationsBefore = 0;
  int64_t allocationsAfter = 0;
};

/// Runs the functions before and after with the same inputs. They have to give
/// the same bits and make no error on the heap. The rewritten ones run on two
/// heaps whose fresh memory differs: a read of what was not written shows, too.
Comparison compareModules(mlir::ModuleOp before, mlir::ModuleOp after,
                          const std::vector<std::string> &functions,
                          const ComparisonOptions &options = {});

/// The same for modules that are compiled.
Comparison compareCompiled(const CompiledModule &before,
                           const CompiledModule &after,
                           const std::vector<std::string> &functions,
                           const ComparisonOptions &options = {});

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_COMPARISON_H
