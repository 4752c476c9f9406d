//===- PlanErrors.h - What passes say when there is no plan -----*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_PLANERRORS_H
#define TPU_MLIR_ANALYSIS_PLANERRORS_H

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Planning/Shortage.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tpu_mlir {

/// Where the lines of a shortage point; those it has not are never asked for.
struct ShortagePlaces {
  mlir::Location error;
  mlir::Location peak;
  llvm::function_ref<mlir::Location(planning::BufferId)> buffer;
  /// Of the buffers that are not told one by one.
  mlir::Location whole;
};

/// E001 when no layout can fit, E022 when a search gave up, and its notes; the
/// caller may attach more.
mlir::InFlightDiagnostic emitShortage(const planning::Shortage &shortage,
                                      const ShortagePlaces &places);

/// `result` is an InvalidProblem (E002) or an InvalidPlan (E015).
mlir::InFlightDiagnostic emitNoPlan(mlir::Location location,
                                    const planning::SolveResult &result,
                                    llvm::StringRef strategy);

/// Fails with E018 unless `alignment` is a power of two from 1 to 2^31, which
/// is more than any memory asks for, and far from 63 bits. `what` says where
/// the number stands: "option 'alignment'".
llvm::LogicalResult checkAlignment(mlir::Location location,
                                   const llvm::Twine &what, int64_t alignment);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_PLANERRORS_H
