#include "tpu_mlir/Pipelines/Pipelines.h"

#include "lib/Transforms/AssignGlobalAddress/AssignGlobalAddress.h"
#include "lib/Transforms/AssignLocalAddress/AssignLocalAddress.h"
#include "lib/Transforms/AssignPools/AssignPools.h"
#include "lib/Transforms/AssignWeightAddress/AssignWeightAddress.h"
#include "lib/Transforms/ConvertTopToTpu/ConvertTopToTpu.h"
#include "lib/Transforms/CopyRemoval/CopyRemoval.h"
#include "lib/Transforms/DeallocateBuffers/DeallocateBuffers.h"
#include "lib/Transforms/HoistAllocs/HoistAllocs.h"
#include "lib/Transforms/LayerGroup/LayerGroup.h"
#include "lib/Transforms/LocalReport/LocalReport.h"
#include "lib/Transforms/MemoryReport/MemoryReport.h"
#include "lib/Transforms/PackSharedMemory/PackSharedMemory.h"
#include "lib/Transforms/PromoteToStack/PromoteToStack.h"
#include "lib/Transforms/StripIoCast/StripIoCast.h"
#include "lib/Transforms/VerifyAddresses/VerifyAddresses.h"
#include "lib/Transforms/VerifyDeallocation/VerifyDeallocation.h"
#include "lib/Transforms/VerifyLocal/VerifyLocal.h"
#include "lib/Transforms/VerifyPlan/VerifyPlan.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace tpu_mlir {

void buildMemrefMemoryPipeline(mlir::OpPassManager &manager,
                               const MemrefMemoryOptions &options) {
  // The old buffer of a realloc is freed by it, whoever frees the new one.
  manager.addPass(mlir::memref::createExpandReallocPass());
  if (options.hoist) {
    HoistAllocsOptions hoisting;
    hoisting.assumeLoopsRun = false;
    manager.addNestedPass<mlir::func::FuncOp>(createHoistAllocs(hoisting));
  }
  if (options.promote)
    manager.addNestedPass<mlir::func::FuncOp>(createPromoteToStack());
  if (options.merge)
    manager.addNestedPass<mlir::func::FuncOp>(createMergeAllocPass());
  manager.addPass(createDeallocateBuffers());
  if (options.removeCopies)
    manager.addNestedPass<mlir::func::FuncOp>(createCopyRemoval());
  if (options.verify) {
    // Deallocation has said what it leaves, and why.
    VerifyDeallocationOptions verifier;
    verifier.leaks = "ignore";
    manager.addPass(createVerifyDeallocation(verifier));
  }
}

void registerAllPassesAndPipelines() {
  registerConvertTopToTpu();
  registerStripIoCast();
  registerAssignWeightAddress();
  registerAssignGlobalAddress();
  registerAssignLocalAddress();
  registerAssignPools();
  registerVerifyAddresses();
  registerVerifyLocal();
  registerVerifyPlan();
  registerLayerGroup();
  registerMemoryReport();
  registerLocalReport();
  registerMergeAllocPass();
  registerCopyRemoval();
  registerPromoteToStack();
  registerPackSharedMemory();
  registerDeallocateBuffers();
  registerVerifyDeallocation();
  registerHoistAllocs();
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
  static mlir::PassPipelineRegistration<MemrefMemoryOptions> memrefMemory(
      "memref-memory",
      "Few allocations for the memrefs of a function, and each of them freed",
      buildMemrefMemoryPipeline);
}

} // namespace tpu_mlir
