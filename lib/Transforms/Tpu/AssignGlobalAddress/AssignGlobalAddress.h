//===- AssignGlobalAddress.h - Addresses of neuron tensors ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_ASSIGNGLOBALADDRESS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_ASSIGNGLOBALADDRESS_H

#include "lib/Transforms/Tpu/AssignGlobalAddress/RecordPlan.h"
#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/Pass/Pass.h"

#include <functional>

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/AssignGlobalAddress/AssignGlobalAddress.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/AssignGlobalAddress/AssignGlobalAddress.h.inc"

/// Takes what a module was planned by, weights included, once for each module
/// of functions; of several calls for one module the last one counts.
using RecordSink =
    std::function<void(mlir::ModuleOp module, const GlobalRecord &record)>;

namespace planning {
class PlanCache;
} // namespace planning

/// The pass, which also hands over what it would write to a problem file, with
/// a cache of the caller's, which outlives it; nullptr: one of its own.
std::unique_ptr<mlir::Pass>
createAssignGlobalAddress(AssignGlobalAddressOptions options, RecordSink sink,
                          planning::PlanCache *cache = nullptr);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_ASSIGNGLOBALADDRESS_H
