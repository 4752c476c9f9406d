#include "tpu_mlir/Analysis/PlanErrors.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "llvm/Support/MathExtras.h"

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

std::string whyNoLayout(const Infeasible &infeasible, StringRef what) {
  if (infeasible.boundExceeds)
    return ", so no layout can fit";
  if (infeasible.isProved)
    return ", which would fit, but it is proved that no layout can";
  return ", which would fit: only the packing by '" + infeasible.strategy +
         "' failed; try another " + what.str();
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
