#include "tpu_mlir/Analysis/PlanErrors.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

ErrorCode codeOf(const Infeasible &infeasible) {
  return infeasible.isCertain() ? ErrorCode::DoesNotFit
                                : ErrorCode::NoPlanFound;
}

StringRef wordsOf(const Infeasible &infeasible) {
  return infeasible.isCertain() ? "does not fit"
                                : "got no plan, though one may exist";
}

static std::string whyNoLayout(const Infeasible &infeasible, StringRef what) {
  if (infeasible.boundExceeds)
    return ", so no layout can fit";
  if (infeasible.isProved)
    return ", which would fit, but it is proved that no layout can";
  return ", which would fit: only the packing by '" + infeasible.strategy +
         "' failed; try another " + what.str();
}

/// The live sum counts what can be in no other pool only.
static bool hasChoice(const Problem &problem, const Infeasible &infeasible) {
  return llvm::any_of(infeasible.witness, [&](BufferId id) {
    return problem.buffers[size_t(id)].pools.size() > 1;
  });
}

std::string describePeak(const Problem &problem, const Infeasible &infeasible,
                         StringRef what) {
  const LiveBound bound = liveBound(problem, infeasible.pool);
  const std::string sum =
      formatSum(bound.leaves63Bits ? std::numeric_limits<int64_t>::max()
                                   : bound.liveSumBytes);
  if (infeasible.boundExceeds || !hasChoice(problem, infeasible))
    return sum + whyNoLayout(infeasible, what);
  return sum + ", which would fit; of what may be in other pools, too, some " +
         "finds no room in any of them" +
         (infeasible.isProved ? ", as a search has shown"
                              : ": try another " + what.str());
}

InFlightDiagnostic emitNoPlan(Location location, const SolveResult &result,
                              StringRef strategy) {
  if (auto *invalid = std::get_if<InvalidProblem>(&result))
    return emitCodedError(location, ErrorCode::NoStaticSize,
                          "this cannot be planned: " +
                              invalid->errors.front().message);
  return emitCodedError(location, ErrorCode::PlanRejected,
                        "the plan of strategy '" + strategy +
                            "' was rejected: " +
                            std::get<InvalidPlan>(result).violations.front());
}

LogicalResult checkAlignment(Location location, int64_t alignment) {
  if (alignment >= 1 && alignment <= int64_t(1) << 31 &&
      llvm::isPowerOf2_64(alignment))
    return success();
  return emitCodedError(location, ErrorCode::BadOption,
                        "alignment " + Twine(alignment) +
                            " is no power of two from 1 to 2^31");
}

} // namespace tpu_mlir
