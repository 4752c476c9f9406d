//===- Messages.h - What memplan says about plans ---------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_MESSAGES_H
#define TPU_MLIR_TOOLS_MEMPLAN_MESSAGES_H

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/Planning/PlanCache.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/tools/memplan/Files.h"

namespace tpu_mlir::memplan {

/// Steps of the schedule: the end of the last life.
int64_t numSteps(const planning::Problem &problem);

/// Tells on standard error why there is no plan and what would help; returns an
/// ExitCode.
int showNotFit(const ProblemFile &file, const planning::Infeasible &infeasible,
               const planning::Remedies &help,
               const planning::SolveOptions &options);
int showInvalid(const ProblemFile &file, const planning::InvalidProblem &why);
int showInvalid(const ProblemFile &file, const planning::InvalidPlan &why);

/// What lies in one file: solve() and, when there is no plan, the message. A
/// capacity that the live sum alone exceeds is told as "does not fit" even
/// where a pin makes the problem ill-formed under it. SIGINT and SIGTERM end
/// the search: what it has found is the plan, kInterrupted the code. With a
/// cache plans of equal problems come from there.
struct Solved {
  std::optional<planning::Plan> plan;
  int exitCode = 0;
  /// Where it does not fit.
  std::optional<planning::Remedies> help = std::nullopt;
};
/// `isWatched`: a terminal shows how far the search is.
Solved solveOrExplain(const ProblemFile &file,
                      const planning::SolveOptions &options,
                      bool isWatched = false,
                      planning::PlanCache *cache = nullptr);
/// What lifts a bound above the live sum, and a verb.
inline const std::string kForcesMore =
    "alignments, pins or pairs that must not share force";

/// The bound of the first pool whose live sum leaves its capacity.
std::optional<planning::Infeasible> overBound(const planning::Problem &problem);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_MESSAGES_H
