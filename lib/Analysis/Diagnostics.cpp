//===- Diagnostics.cpp - Errors with codes, names and places --------------===//

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Support/Utf8.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLExtras.h"
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

llvm::LogicalResult checkAtLeast(Location location, llvm::StringRef name,
                                 int64_t value, int64_t least) {
  if (value >= least)
    return success();
  return emitCodedError(location, ErrorCode::BadOption,
                        "option '" + name + "' is " + llvm::Twine(value) +
                            ", expected at least " + llvm::Twine(least));
}

/// "TPUMEM-E012".
static std::string codeName(ErrorCode code) {
  return llvm::formatv("TPUMEM-E{0,0+3}", static_cast<int>(code)).str();
}

Location shownLocation(Location location) {
  // Whoever hides a place of its own in it shows that.
  if (!isa<FusedLoc>(location) || location->findInstanceOf<OpaqueLoc>())
    return location;
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return file;
  if (auto name = location->findInstanceOf<NameLoc>())
    return name;
  return location;
}

/// In the metadata of a diagnostic, before its code.
constexpr StringLiteral kCodeKey = "tpu_mlir.error_code";

InFlightDiagnostic emitCodedError(Location location, ErrorCode code,
                                  const llvm::Twine &message) {
  InFlightDiagnostic diagnostic = emitError(shownLocation(location))
                                  << asUtf8(message.str()) << " ["
                                  << codeName(code) << "]";
  if (Diagnostic *carrier = diagnostic.getUnderlyingDiagnostic()) {
    carrier->getMetadata().emplace_back(kCodeKey);
    carrier->getMetadata().emplace_back(static_cast<int64_t>(code));
  }
  return diagnostic;
}

std::optional<ErrorCode> errorCodeOf(Diagnostic &diagnostic) {
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  const ArrayRef<DiagnosticArgument> metadata = diagnostic.getMetadata();
  for (size_t i = 0; i + 1 < metadata.size(); ++i)
    if (metadata[i].getKind() == Kind::String &&
        metadata[i].getAsString() == kCodeKey &&
        metadata[i + 1].getKind() == Kind::Integer)
      return static_cast<ErrorCode>(metadata[i + 1].getAsInteger());
  return std::nullopt;
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

/// location->findInstanceOf<T>(), at a hundredth of its cost where names stand
/// in front of something, as they mostly do.
template <typename T> static T findIn(Location location) {
  for (;;) {
    if (auto found = dyn_cast<T>(location))
      return found;
    auto name = dyn_cast<NameLoc>(location);
    if (!name)
      break;
    location = name.getChildLoc();
  }
  return isa<UnknownLoc>(location) ? T() : location->findInstanceOf<T>();
}

std::string valueName(Value value) {
  if (auto name = findIn<NameLoc>(locationOf(value)))
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
  auto file = findIn<FileLineColLoc>(locationOf(value));
  if (!file)
    return "";
  return (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
          ":" + llvm::Twine(file.getColumn()))
      .str();
}

InFlightDiagnostic emitShortage(const Shortage &shortage,
                                const ShortagePlaces &places) {
  InFlightDiagnostic diagnostic = emitCodedError(
      places.error,
      shortage.isCertain ? ErrorCode::DoesNotFit : ErrorCode::NoPlanFound,
      shortage.message);
  if (!shortage.peak.empty())
    diagnostic.attachNote(places.peak) << shortage.peak;
  for (const auto &[id, text] : shortage.buffers)
    diagnostic.attachNote(places.buffer(id)) << asUtf8(text);
  if (!shortage.others.empty())
    diagnostic.attachNote(places.whole) << shortage.others;
  return diagnostic;
}

InFlightDiagnostic emitNoStaticSize(Value value, StringRef what) {
  std::string type;
  llvm::raw_string_ostream(type) << value.getType();
  return emitCodedError(value.getLoc(), ErrorCode::NoStaticSize,
                        what + "'" + valueName(value) + "' of type '" + type +
                            "' has no static size in bytes; planning needs "
                            "fixed shapes, sized elements and less than 2^63 "
                            "bits a tensor");
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

LogicalResult checkAlignment(Location location, const Twine &what,
                             int64_t alignment) {
  if (alignment >= 1 && alignment <= int64_t(1) << 31 &&
      llvm::isPowerOf2_64(alignment))
    return success();
  return emitCodedError(location, ErrorCode::BadOption,
                        what + " is " + Twine(alignment) +
                            ", expected a power of two from 1 to 2^31");
}

} // namespace tpu_mlir
