#include "tpu_mlir/Pipelines/MemrefPasses.h"

#include "tpu_mlir/Transforms/AssignPools.h"
#include "tpu_mlir/Transforms/CopyRemoval.h"
#include "tpu_mlir/Transforms/DeallocateBuffers.h"
#include "tpu_mlir/Transforms/HoistAllocs.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"
#include "tpu_mlir/Transforms/PackSharedMemory.h"
#include "tpu_mlir/Transforms/PromoteToStack.h"
#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"

namespace tpu_mlir {

void buildMemrefMemoryPipeline(mlir::OpPassManager &manager,
                               const MemrefMemoryOptions &options) {
  // The old buffer of a realloc is freed by it, whoever frees the new one.
  manager.addPass(mlir::memref::createExpandReallocPass());
  if (options.hoist) {
    HoistAllocsOptions hoisting;
    hoisting.mode = options.hoistMode;
    hoisting.assumeLoopsRun = false;
    manager.addPass(createHoistAllocs(hoisting));
  }
  if (options.promote)
    manager.addPass(createPromoteToStack());
  if (options.merge)
    manager.addPass(createMergeAllocPass());
  manager.addPass(createDeallocateBuffers());
  if (options.removeCopies) {
    CopyRemovalOptions copies;
    copies.copyOps.assign(options.copyOps.begin(), options.copyOps.end());
    manager.addNestedPass<mlir::func::FuncOp>(createCopyRemoval(copies));
  }
  if (options.verify) {
    // Deallocation has said what it leaves, and why.
    VerifyDeallocationOptions verifier;
    verifier.leaks = "ignore";
    manager.addPass(createVerifyDeallocation(verifier));
  }
}

void registerMemrefPasses() {
  registerAssignPools();
  registerMergeAllocPass();
  registerCopyRemoval();
  registerPromoteToStack();
  registerPackSharedMemory();
  registerDeallocateBuffers();
  registerVerifyDeallocation();
  registerHoistAllocs();
  static mlir::PassPipelineRegistration<MemrefMemoryOptions> memrefMemory(
      "memref-memory",
      "Few allocations for the memrefs of a function, and each of them freed",
      buildMemrefMemoryPipeline);
}

} // namespace tpu_mlir
