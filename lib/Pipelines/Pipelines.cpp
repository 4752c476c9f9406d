//===- Pipelines.cpp - Register all passes and pipelines ------------------===//
//
// For tools that run any pass by name.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Pipelines/Pipelines.h"

#include "lib/Pipelines/HandOn.h"
#include "lib/Pipelines/NetworkPasses.h.inc"

#include "tpu_mlir/Transforms/AssignPools.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace tpu_mlir {

/// Weights and tensors of a network have addresses, not offsets in arguments.
static void buildNetworkPools(mlir::OpPassManager &manager,
                              const AssignPoolsOptions &options) {
  manager.addPass(
      createAssignWeightAddress(handedOn<AssignWeightAddressOptions>(options)));
  auto tensors = handedOn<AssignGlobalAddressOptions>(options);
  tensors.alignment = 0; // The chip's: that of memrefs is another one.
  manager.addPass(createAssignGlobalAddress(tensors));
}

void registerAllPassesAndPipelines() {
  registerNetworkPasses();
  // Before the same pass for memrefs alone: the first one stays.
  mlir::registerPass([] { return createAssignPools(buildNetworkPools); });
  registerMemrefPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerStripDebugInfoPass();
  static mlir::PassPipelineRegistration<LocalMemoryOptions> localMemory(
      "tpu-local-memory",
      "Run stretches of layers from local memory and check the groups",
      buildLocalMemoryPipeline);
  static mlir::PassPipelineRegistration<GlobalMemoryOptions> globalMemory(
      "tpu-global-memory",
      "Give weights and neuron tensors addresses and check them",
      buildGlobalMemoryPipeline);
}

} // namespace tpu_mlir
