//===- Messages.h - What memplan says about plans ---------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_MESSAGES_H
#define TPU_MLIR_TOOLS_MEMPLAN_MESSAGES_H

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/tools/memplan/Files.h"

namespace tpu_mlir::memplan {

/// "2.34 %" of `bound`; "-" when that is 0.
std::string shownGap(int64_t used, int64_t bound);
/// Steps of the schedule: the end of the last life.
int64_t numSteps(const planning::Problem &problem);
/// "41.3 %"; "-" when `whole` is 0.
std::string shownShare(int64_t part, int64_t whole);
/// Used, lower bound, gap of each pool, a line each; where there are several
/// also how full they are and what part of the accesses they serve.
std::string describePools(const planning::Problem &problem,
                          const planning::Plan &plan);
/// describePools() and what is known about the plan: proof, strategy, nodes.
std::string describePlan(const planning::Problem &problem,
                         const planning::Plan &plan);

/// Tells on standard error why there is no plan and what would help; returns an
/// ExitCode.
int showNotFit(const ProblemFile &file, const planning::Infeasible &infeasible,
               const planning::Remedies &help,
               const planning::SolveOptions &options);
int showInvalid(const ProblemFile &file, const planning::InvalidProblem &why);
int showInvalid(const ProblemFile &file, const planning::InvalidPlan &why);

/// What lies in one file: solve() and, when there is no plan, the message. A
/// capacity that the live sum alone exceeds is told as "does not fit" even
/// where a pin makes the problem ill-formed under it.
struct Solved {
  std::optional<planning::Plan> plan;
  int exitCode = 0;
  /// Where it does not fit.
  std::optional<planning::Remedies> help = std::nullopt;
};
Solved solveOrExplain(const ProblemFile &file,
                      const planning::SolveOptions &options);
/// The bound of the first pool whose live sum leaves its capacity.
std::optional<planning::Infeasible> overBound(const planning::Problem &problem);

} // namespace tpu_mlir::memplan

#endif // TPU_MLIR_TOOLS_MEMPLAN_MESSAGES_H
