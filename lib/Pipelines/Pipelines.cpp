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

void buildLocalMemoryPipeline(mlir::OpPassManager &manager,
                              const LocalMemoryOptions &options) {
  LayerGroupOptions groups;
  groups.chip = options.chip;
  groups.chipFile = options.chipFile;
  groups.search = options.search;
  groups.objective = options.objective;
  groups.regroup = options.regroup;
  groups.remarks = options.remarks;
  manager.addPass(createLayerGroup(groups));

  if (!options.verify)
    return;
  VerifyLocalOptions verifier;
  verifier.chip = options.chip;
  verifier.chipFile = options.chipFile;
  manager.addPass(createVerifyLocal(verifier));
}

void buildGlobalMemoryPipeline(mlir::OpPassManager &manager,
                               const GlobalMemoryOptions &options) {
  buildRecordedGlobalMemoryPipeline(manager, options, nullptr);
}

void buildRecordedGlobalMemoryPipeline(mlir::OpPassManager &manager,
                                       const GlobalMemoryOptions &options,
                                       RecordSink sink) {
  AssignWeightAddressOptions weights;
  weights.chip = options.chip;
  weights.chipFile = options.chipFile;
  weights.dedup = options.dedup;
  weights.gmemBytes = options.gmemBytes;
  weights.pools = options.pools;
  weights.pins = options.pins;
  manager.addPass(createAssignWeightAddress(weights));

  AssignGlobalAddressOptions neurons;
  neurons.chip = options.chip;
  neurons.chipFile = options.chipFile;
  neurons.strategy = options.strategy;
  neurons.ioMode = options.ioMode;
  neurons.sameAddr = options.sameAddr;
  neurons.pools = options.pools;
  neurons.pins = options.pins;
  neurons.poolIo = options.poolIo;
  neurons.alignment = options.alignment;
  neurons.gmemBytes = options.gmemBytes;
  neurons.strict = options.strict;
  manager.addPass(createAssignGlobalAddress(neurons, std::move(sink)));

  if (!options.verify)
    return;
  VerifyAddressesOptions verifier;
  verifier.chip = options.chip;
  verifier.chipFile = options.chipFile;
  verifier.alignment = options.alignment;
  manager.addPass(createVerifyAddresses(verifier));
}

void buildMemrefMemoryPipeline(mlir::OpPassManager &manager,
                               const MemrefMemoryOptions &options) {
  mlir::memref::ExpandReallocPassOptions reallocs;
  reallocs.emitDeallocs = false;
  manager.addPass(mlir::memref::createExpandReallocPass(reallocs));
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
