//===- EmitGroup.h - From a plan to tpu.Group -------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_EMITGROUP_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_EMITGROUP_H

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/LayerPlanning/GroupPlan.h"

namespace tpu_mlir::grouping {

/// Moves the ops of `plan` into a new tpu.Group where the last of them was,
/// with loads, stores, `ginfo` (addresses included) and `flow`, and replaces
/// their results by the group's, in `layers` too. The ops are contiguous in
/// their block but for ops that are no layers. O(ops + sections).
tpu::GroupOp emitGroup(BlockLayers &layers, const layer::GroupPlan &plan);

} // namespace tpu_mlir::grouping

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_EMITGROUP_H
