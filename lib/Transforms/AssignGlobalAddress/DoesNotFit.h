//===- DoesNotFit.h - The message for a pool that is too small --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_DOESNOTFIT_H
#define TPU_MLIR_LIB_TRANSFORMS_DOESNOTFIT_H

#include "tpu_mlir/Analysis/BuildProblem.h"

#include "mlir/IR/Diagnostics.h"

namespace tpu_mlir {

/// E001 at the op that runs at the peak, with notes at the largest tensors
/// that are alive there.
mlir::InFlightDiagnostic emitDoesNotFit(mlir::ModuleOp module,
                                        const GlobalFacts &facts,
                                        const GlobalProblem &global,
                                        const planning::Infeasible &infeasible);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_DOESNOTFIT_H
