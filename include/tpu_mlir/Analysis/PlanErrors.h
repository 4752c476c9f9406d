//===- PlanErrors.h - What passes say when there is no plan -----*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_PLANERRORS_H
#define TPU_MLIR_ANALYSIS_PLANERRORS_H

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "mlir/IR/Diagnostics.h"

namespace tpu_mlir {

/// E001 when no layout can fit, E022 when a search gave up, and the words for
/// it: "does not fit", "got no plan, though one may exist".
ErrorCode codeOf(const planning::Infeasible &infeasible);
llvm::StringRef wordsOf(const planning::Infeasible &infeasible);

/// The live sum of the peak and what it says: "1.0 KiB, so no layout can fit",
/// or that it would fit and what failed. `what` is the user's word for a
/// strategy. O(i log i) for i intervals of `problem`.
std::string describePeak(const planning::Problem &problem,
                         const planning::Infeasible &infeasible,
                         llvm::StringRef what);

/// `result` is an InvalidProblem (E002) or an InvalidPlan (E015).
mlir::InFlightDiagnostic emitNoPlan(mlir::Location location,
                                    const planning::SolveResult &result,
                                    llvm::StringRef strategy);

/// Fails with E018 unless `alignment` is a power of two from 1 to 2^31, which
/// is more than any memory asks for, and far from 63 bits.
llvm::LogicalResult checkAlignment(mlir::Location location, int64_t alignment);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_PLANERRORS_H
