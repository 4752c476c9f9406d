//===- Overlaps.h - Results that begin below their operands -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_TENSOR_OVERLAPS_H
#define TPU_MLIR_LIB_ANALYSIS_TENSOR_OVERLAPS_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

namespace tpu_mlir::detail {

/// Gives `global` the overlaps of ops with the attribute `in_order`, between
/// buffers that are alive together while the op runs and at no other time, and
/// are not pinned. Distances that alignment makes as large as the result are
/// left out. O(ops + extents of their results).
void addOverlaps(const GlobalFacts &facts, bool fourN, GlobalProblem &global);

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_TENSOR_OVERLAPS_H
