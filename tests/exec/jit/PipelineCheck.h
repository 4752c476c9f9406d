//===- PipelineCheck.h - Random programs through a pipeline -----*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_PIPELINECHECK_H
#define TPU_MLIR_TESTS_EXEC_JIT_PIPELINECHECK_H

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/programs/RandomProgram.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tpu_mlir::jit {

/// What programs have to stand.
struct PipelineCheck {
  /// As in runPasses().
  std::string pipeline;
  ProgramOptions program;
  /// Unless empty, instead of `program`, by seed.
  std::function<ProgramOptions(int)> programOf;
  /// Unless empty, makes the program of a seed; the second is its number.
  std::function<RandomProgram(int, int)> make;
  /// Functions in `leakFree` are added to it.
  ComparisonOptions comparison;
  /// Changes the program before and the one after the passes, to be compared.
  std::function<void(mlir::ModuleOp, mlir::ModuleOp)> adjust;
  /// Which programs must not leave anything allocated: those for which the
  /// pipeline made no remark; else those that free everything to begin with.
  bool freesAllWithoutRemark = false;
  /// A second run of the pipeline changes nothing.
  bool isIdempotent = false;
  /// What changes nothing after the pipeline; empty: nothing is asked.
  std::string changesNothing;
  /// A program that fails is reduced to what still does; takes a while.
  bool reduces = true;
};

struct PipelineTotals {
  int64_t programs = 0;
  int64_t changed = 0;  ///< Programs that the pipeline changed.
  int64_t leakFree = 0; ///< Programs that had to free everything.
  int64_t runs = 0;
  int64_t allocationsBefore = 0;
  int64_t allocationsAfter = 0;
  /// Seeds of the programs that the pipeline made a remark on, by its words.
  std::map<std::string, std::vector<int>> remarks;
  std::string describe() const;
};

/// Runs the programs of `count` seeds from `first` on before and after the
/// pipeline, in a context of their own. Everything that is wrong, with its
/// seed; stops after a few.
std::vector<std::string> checkPrograms(int first, int count,
                                       const PipelineCheck &check,
                                       PipelineTotals &totals);

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_PIPELINECHECK_H
