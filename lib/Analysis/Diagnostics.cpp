//===- Diagnostics.cpp - Coded errors, and why there is no plan -----------===//

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Support/AtomicFile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

llvm::LogicalResult writeReport(Location location, llvm::StringRef file,
                                const std::string &text) {
  if (file.empty()) {
    llvm::errs() << text;
    return success();
  }
  if (auto error = writeFileAtomically(file.str(), text))
    return emitCodedError(location, ErrorCode::NotReadable, error->message);
  return success();
}

std::string codeName(ErrorCode code) {
  return llvm::formatv("TPUMEM-E{0,0+3}", static_cast<int>(code)).str();
}

Location shownLocation(Location location) {
  if (!isa<FusedLoc>(location))
    return location;
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return file;
  if (auto name = location->findInstanceOf<NameLoc>())
    return name;
  return location;
}

InFlightDiagnostic emitCodedError(Location location, ErrorCode code,
                                  const llvm::Twine &message) {
  return emitError(shownLocation(location))
         << message << " [" << codeName(code) << "]";
}

/// The location that names result `index` of an op with several results: such
/// an op carries one fused location with one part a result.
static Location resultLocation(Location location, unsigned index,
                               unsigned numResults) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    if (numResults > 1 && fused.getLocations().size() == numResults)
      return fused.getLocations()[index];
  return location;
}

static Location locationOf(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return resultLocation(result.getLoc(), result.getResultNumber(),
                          result.getOwner()->getNumResults());
  return value.getLoc();
}

std::string valueName(Value value) {
  if (auto name = locationOf(value)->findInstanceOf<NameLoc>())
    return name.getName().str();
  // Before locations were names, ops had an attribute.
  if (auto result = dyn_cast<OpResult>(value);
      result && result.getOwner()->getNumResults() == 1)
    if (auto name = result.getOwner()->getAttrOfType<StringAttr>("name"))
      return name.getValue().str();
  if (auto result = dyn_cast<OpResult>(value))
    return (result.getOwner()->getName().getStringRef() + "#" +
            llvm::Twine(result.getResultNumber()))
        .str();
  return ("arg" + llvm::Twine(cast<BlockArgument>(value).getArgNumber())).str();
}

std::string valuePosition(Value value) {
  auto file = locationOf(value)->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
          ":" + llvm::Twine(file.getColumn()))
      .str();
}

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
