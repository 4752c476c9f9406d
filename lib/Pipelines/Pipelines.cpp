#include "tpu_mlir/Pipelines/Pipelines.h"

#include "lib/Transforms/AssignGlobalAddress/AssignGlobalAddress.h"
#include "lib/Transforms/AssignLocalAddress/AssignLocalAddress.h"
#include "lib/Transforms/AssignWeightAddress/AssignWeightAddress.h"
#include "lib/Transforms/ConvertTopToTpu/ConvertTopToTpu.h"
#include "lib/Transforms/LayerGroup/LayerGroup.h"
#include "lib/Transforms/LocalReport/LocalReport.h"
#include "lib/Transforms/MemoryReport/MemoryReport.h"
#include "lib/Transforms/StripIoCast/StripIoCast.h"
#include "lib/Transforms/VerifyAddresses/VerifyAddresses.h"
#include "lib/Transforms/VerifyLocal/VerifyLocal.h"
#include "lib/Transforms/VerifyPlan/VerifyPlan.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace tpu_mlir {

void registerAllPassesAndPipelines() {
  registerConvertTopToTpu();
  registerStripIoCast();
  registerAssignWeightAddress();
  registerAssignGlobalAddress();
  registerAssignLocalAddress();
  registerVerifyAddresses();
  registerVerifyLocal();
  registerVerifyPlan();
  registerLayerGroup();
  registerMemoryReport();
  registerLocalReport();
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
