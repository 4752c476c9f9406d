//===- DissolveGroups.h - Groups back into single layers --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_DISSOLVEGROUPS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_DISSOLVEGROUPS_H

#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/Block.h"

#include <cstdint>
#include <string>

namespace tpu_mlir::grouping {

/// Replaces each tpu.Group of `block` that `isMeant` by its layers, without
/// `ginfo`; loads and stores disappear. Types keep what they say about global
/// addresses, so addresses have to be assigned anew. Groups with ops that have
/// no meaning outside (moves within local memory, merges of slices) stay.
/// Returns how many are gone. O(ops).
int64_t dissolveGroups(mlir::Block &block,
                       llvm::function_ref<bool(tpu::GroupOp)> isMeant);

/// Why `group` is still there after dissolveGroups on the blocks of its
/// function. O(ops).
std::string whyNotDissolved(tpu::GroupOp group);

} // namespace tpu_mlir::grouping

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LAYERGROUP_DISSOLVEGROUPS_H
