//===- RegionFlow.h - Where control goes between regions --------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_REGIONFLOW_H
#define TPU_MLIR_ANALYSIS_MEMREF_REGIONFLOW_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace tpu_mlir {

/// Calls `follow` for every way that control may take into the regions of an
/// op, from one to another and out of them: `from` is the region that it
/// leaves, null for the op as such, and comes in order. Empty regions are left
/// out as a start. O(regions, and the ways that each has).
void forEachRegionFlow(
    mlir::RegionBranchOpInterface branch,
    llvm::function_ref<void(mlir::Region *from, mlir::RegionSuccessor to)>
        follow);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_REGIONFLOW_H
