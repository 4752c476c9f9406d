//===- MemrefPasses.cpp - Register the passes on memrefs ------------------===//
//
// The list comes from passes.bzl; the pipeline memref-memory is put together
// here.
//
//===----------------------------------------------------------------------===//

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

/// An option of a part that is switched off; empty: there is none.
static llvm::StringRef optionWithoutEffect(const MemrefMemoryOptions &options) {
  if (!options.hoist && options.hoistMode.hasValue())
    return "'hoist-mode' has no effect with 'hoist=false'";
  if (!options.removeCopies && !options.copyOps.empty())
    return "'copy-ops' has no effect with 'remove-copies=false'";
  return "";
}

/// By hand: a pipeline whose options contradict each other cannot be built.
static bool registerMemrefMemory() {
  using Fail = llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>;
  mlir::registerPassPipeline(
      "memref-memory",
      "Few allocations for the memrefs of a function, and each of them freed",
      [](mlir::OpPassManager &manager, llvm::StringRef text, Fail fail) {
        MemrefMemoryOptions options;
        if (failed(options.parseFromString(text)))
          return llvm::failure();
        if (llvm::StringRef why = optionWithoutEffect(options); !why.empty())
          return fail("memref-memory: " + why + " [TPUMEM-E018]");
        buildMemrefMemoryPipeline(manager, options);
        return llvm::success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> show) {
        show(MemrefMemoryOptions());
      });
  return true;
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
  static const bool isRegistered = registerMemrefMemory();
  (void)isRegistered;
}

} // namespace tpu_mlir
