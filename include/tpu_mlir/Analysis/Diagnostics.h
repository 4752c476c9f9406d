//===- Diagnostics.h - Coded errors ------------------------------*- C++
//-*-===//
//
// Every error ends in a code in brackets; tpu_mlir/docs/guide/Errors.md has a
// section for each.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_DIAGNOSTICS_H
#define TPU_MLIR_ANALYSIS_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/Twine.h"

namespace tpu_mlir {

enum class ErrorCode {
  DoesNotFit = 1,        ///< A pool is smaller than what has to live in it.
  NoStaticSize = 2,      ///< Dynamic, unranked, or more than 63 bits of bytes.
  UnknownChip = 3,       ///< No chip, an unknown one, or a bad chip file.
  CyclicCall = 4,        ///< A function reaches itself through calls.
  BadAttribute = 5,      ///< An attribute that planning needs is ill-typed.
  SeveralCalls = 6,      ///< One function is called from several places.
  ModeNotSupported = 7,  ///< The chip has no such I/O mode.
  InPlaceImpossible = 8, ///< An op must share bytes but cannot.
  SameAddressConflict = 9, ///< A requested shared I/O address is not sound.
  UnknownOp = 10,          ///< An op that is not defined, in strict mode.
  NoAddress = 11,          ///< A tensor that needs an address has none.
  Overwritten = 12,        ///< A read finds bytes of another tensor.
  BadRange = 13,     ///< Outside its region, misaligned, or regions overlap.
  WeightsFirst = 14, ///< Weights have no addresses yet.
  PlanRejected = 15, ///< A strategy's plan failed validation: our bug.
  BadStrategy = 16,  ///< No strategy of that name.
  NotReadable = 17,  ///< A file cannot be read, parsed or written.
  BadOption = 18,    ///< The value of an option makes no sense.
  UseAfterFree = 19, ///< A memref is used after its deallocation.
  FreedTwice = 20,   ///< A memref is freed that is free already.
  Leak = 21,         ///< An allocated memref is never freed.
  NoPlanFound = 22,  ///< No plan within the limits of a search; one may exist.
  NoKernel = 23,     ///< An op that cannot be run.
  NoMemory = 24,     ///< The machine has not enough memory to run in.
  NotImported = 25,  ///< A node of a model file that cannot become layers.

  // Layer groups: 40 + n is the n-th of the local-memory invariants.
  LocalForm = 40,     ///< A group cannot be read.
  LocalCoverage = 41, ///< I1: stored sections leave a gap.
  LocalNeed = 42,     ///< I2: a section reads what is not stored.
  LocalPadding = 43,  ///< I3: padding is read inside the tensor.
  LocalSize = 44,     ///< I4: too small, misaligned, or beyond the lane.
  LocalOverlap = 45,  ///< I5: two live buffers share bytes.
  LocalOrder = 46,    ///< I6: something is read before it is there.
  LocalEngines = 47,  ///< I7: the two engines use the same bytes at once.
  LocalHeld = 48,     ///< I8: what is loaded once is overwritten.
  LocalStores = 49,   ///< I9: not every output is stored once.
  LocalFlow = 50,     ///< I10: the schedule is not one.
};

/// A fused location prints as all of its parts: a file position among them says
/// more to people, or else the first name.
mlir::Location shownLocation(mlir::Location location);

/// `location: error: <message> [TPUMEM-E012]`.
mlir::InFlightDiagnostic emitCodedError(mlir::Location location, ErrorCode code,
                                        const llvm::Twine &message);
/// E002 for a value whose bytes are no number that planning knows: its name and
/// type, after `what` ("weight ") if that is given.
mlir::InFlightDiagnostic emitNoStaticSize(mlir::Value value,
                                          llvm::StringRef what = "");

/// What emitCodedError() was given for this one; nullopt for all others.
std::optional<ErrorCode> errorCodeOf(mlir::Diagnostic &diagnostic);

/// Emits E018 and fails when the option `name` is below `least`.
llvm::LogicalResult checkAtLeast(mlir::Location location, llvm::StringRef name,
                                 int64_t value, int64_t least);

/// Writes a report to `file`, all or nothing; to standard error when `file` is
/// empty. Emits E017 at `location` and fails when it cannot be written.
llvm::LogicalResult writeReport(mlir::Location location, llvm::StringRef file,
                                const std::string &text);

/// The name that people know a value by: the name of its location (the
/// `index`-th of a fused location for result `index` of several), or
/// "<op>#<result>" without one.
std::string valueName(mlir::Value value);
/// "model.mlir:31:10" when the location says so, else "".
std::string valuePosition(mlir::Value value);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_DIAGNOSTICS_H
