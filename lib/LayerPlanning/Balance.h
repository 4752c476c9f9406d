//===- Balance.h - Loads where the DMA engine has time --------------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_BALANCE_H
#define TPU_MLIR_LIB_LAYERPLANNING_BALANCE_H

#include "tpu_mlir/LayerPlanning/TimeSteps.h"

namespace tpu_mlir::layer {

/// Moves loads of every section to earlier rows where that makes the rows of
/// one section shorter in sum (a row takes as long as its slower engine) and
/// local memory has room for the longer life. Held loads stay. Greedy: the
/// largest load first, each to the row that saves most, the nearest of equals.
/// O(loads * rows).
void balanceLoads(const LayerGraph &graph, const LayerRange &range,
                  const GroupSlices &slices, const target::ChipSpec &chip,
                  TimeSteps &steps);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_BALANCE_H
