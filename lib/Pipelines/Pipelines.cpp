//===- Pipelines.cpp - Register all passes and pipelines ------------------===//
//
// For tools that run any pass by name.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Pipelines/Pipelines.h"

#include "lib/Pipelines/NetworkPasses.h.inc"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace tpu_mlir {

void registerAllPassesAndPipelines() {
  registerNetworkPasses();
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
