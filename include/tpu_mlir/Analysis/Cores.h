//===- Cores.h - Ops that several cores work on -----------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_CORES_H
#define TPU_MLIR_ANALYSIS_CORES_H

#include "mlir/IR/Operation.h"

namespace tpu_mlir {

/// Whether several cores work on the op, or on pieces of its operands and
/// result, at the same time: its kernel divides itself (`multicore`) in a
/// module that runs on several cores (`module.cores`), or it is in a parallel
/// op. What one core reads and what another one writes are in no order then.
/// O(depth).
bool runsOnSeveralCores(mlir::Operation *op);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_CORES_H
