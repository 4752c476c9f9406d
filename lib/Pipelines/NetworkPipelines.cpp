//===- NetworkPipelines.cpp - Build the pipelines of networks -------------===//
//
// Hands the options of a pipeline on to its passes: local memory first, then
// weights, neurons and verification.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Pipelines/NetworkPipelines.h"

#include "lib/Transforms/Tpu/AssignGlobalAddress/AssignGlobalAddress.h"
#include "lib/Transforms/Tpu/AssignWeightAddress/AssignWeightAddress.h"
#include "lib/Transforms/Tpu/LayerGroup/LayerGroup.h"
#include "lib/Transforms/Tpu/VerifyAddresses/VerifyAddresses.h"
#include "lib/Transforms/Tpu/VerifyLocal/VerifyLocal.h"

namespace tpu_mlir {

void buildLocalMemoryPipeline(mlir::OpPassManager &manager,
                              const LocalMemoryOptions &options) {
  auto groups = options.of<LayerGroupOptions>();
  groups.search = options.search;
  groups.objective = options.objective;
  groups.maxLayers = options.maxLayers;
  groups.keepLocal = options.keepLocal;
  groups.maxRecompute = options.maxRecompute;
  groups.regroup = options.regroup;
  groups.remarks = options.remarks;
  manager.addPass(createLayerGroup(groups));

  if (!options.verify)
    return;
  manager.addPass(createVerifyLocal(options.of<VerifyLocalOptions>()));
}

void buildGlobalMemoryPipeline(mlir::OpPassManager &manager,
                               const GlobalMemoryOptions &options) {
  buildRecordedGlobalMemoryPipeline(manager, options, nullptr);
}

void buildRecordedGlobalMemoryPipeline(mlir::OpPassManager &manager,
                                       const GlobalMemoryOptions &options,
                                       RecordSink sink) {
  auto weights = options.of<AssignWeightAddressOptions>();
  weights.dedup = options.dedup;
  weights.pack = options.pack;
  weights.gmemBytes = options.gmemBytes;
  weights.pools = options.pools;
  weights.pins = options.pins;
  manager.addPass(createAssignWeightAddress(weights));

  auto neurons = options.of<AssignGlobalAddressOptions>();
  neurons.strategy = options.strategy;
  neurons.ioMode = options.ioMode;
  neurons.sameAddr = options.sameAddr;
  neurons.pools = options.pools;
  neurons.pins = options.pins;
  neurons.poolIo = options.poolIo;
  neurons.l2 = options.l2;
  neurons.alignment = options.alignment;
  neurons.gmemBytes = options.gmemBytes;
  neurons.share = options.share;
  neurons.strict = options.strict;
  manager.addPass(createAssignGlobalAddress(neurons, std::move(sink)));

  if (!options.verify)
    return;
  auto verifier = options.of<VerifyAddressesOptions>();
  verifier.alignment = options.alignment;
  manager.addPass(createVerifyAddresses(verifier));
}

} // namespace tpu_mlir
