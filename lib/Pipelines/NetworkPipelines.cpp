//===- NetworkPipelines.cpp - Build the pipelines of networks -------------===//
//
// Hands the options of a pipeline on to its passes: local memory first, then
// weights, neurons and verification.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "lib/Pipelines/HandOn.h"
#include "lib/Transforms/Tpu/AssignGlobalAddress/AssignGlobalAddress.h"
#include "lib/Transforms/Tpu/AssignWeightAddress/AssignWeightAddress.h"
#include "lib/Transforms/Tpu/CoreParallel/CoreParallel.h"
#include "lib/Transforms/Tpu/GroupOverlap/GroupOverlap.h"
#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h"
#include "lib/Transforms/Tpu/VerifyAddresses/VerifyAddresses.h"
#include "lib/Transforms/Tpu/VerifyLocal/VerifyLocal.h"

namespace tpu_mlir {

void buildLocalMemoryPipeline(mlir::OpPassManager &manager,
                              const LocalMemoryOptions &options) {
  buildCachedLocalMemoryPipeline(manager, options, nullptr);
}

void buildCachedLocalMemoryPipeline(mlir::OpPassManager &manager,
                                    const LocalMemoryOptions &options,
                                    planning::PlanCache *cache) {
  manager.addPass(
      createLayerGroup(handedOn<LayerGroupOptions>(options), cache));
  manager.addPass(createCoreParallel(handedOn<CoreParallelOptions>(options)));
  if (options.overlap)
    addGroupOverlap(manager, options);
  else if (options.verify)
    manager.addPass(createVerifyLocal(handedOn<VerifyLocalOptions>(options)));
}

void addGroupOverlap(mlir::OpPassManager &manager,
                     const LocalMemoryOptions &options) {
  manager.addPass(createGroupOverlap(handedOn<GroupOverlapOptions>(options)));
  if (options.verify)
    manager.addPass(createVerifyLocal(handedOn<VerifyLocalOptions>(options)));
}

void buildGlobalMemoryPipeline(mlir::OpPassManager &manager,
                               const GlobalMemoryOptions &options) {
  buildRecordedGlobalMemoryPipeline(manager, options, nullptr);
}

void buildRecordedGlobalMemoryPipeline(mlir::OpPassManager &manager,
                                       const GlobalMemoryOptions &options,
                                       RecordSink sink,
                                       planning::PlanCache *cache) {
  manager.addPass(
      createAssignWeightAddress(handedOn<AssignWeightAddressOptions>(options)));
  manager.addPass(createAssignGlobalAddress(
      handedOn<AssignGlobalAddressOptions>(options), std::move(sink), cache));
  if (options.verify)
    manager.addPass(
        createVerifyAddresses(handedOn<VerifyAddressesOptions>(options)));
}

} // namespace tpu_mlir
