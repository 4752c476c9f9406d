//===- LayerGroup.h - Groups of layers as a pass ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_LAYERGROUP_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_LAYERGROUP_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h.inc"

namespace planning {
class PlanCache;
} // namespace planning

/// The pass with a cache of the caller's, which outlives it; nullptr: one of
/// its own.
std::unique_ptr<mlir::Pass> createLayerGroup(LayerGroupOptions options,
                                             planning::PlanCache *cache);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_LAYERGROUP_H
