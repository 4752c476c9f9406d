//===- MemrefPassesTest.cpp - The passes on memrefs in another tool -------===//
//
// Nothing but public headers, as a compiler of its own would use them.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Pipelines/MemrefPasses.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Transforms/AssignPools.h"
#include "tpu_mlir/Transforms/CopyRemoval.h"
#include "tpu_mlir/Transforms/DeallocateBuffers.h"
#include "tpu_mlir/Transforms/HoistAllocs.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"
#include "tpu_mlir/Transforms/PackSharedMemory.h"
#include "tpu_mlir/Transforms/PromoteToStack.h"
#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir {
namespace {

constexpr const char *kTwoBuffers = R"(
func.func @f(%x: memref<400xf32>, %y: memref<400xf32>) {
  %a = memref.alloc() : memref<400xf32>
  linalg.exp ins(%x : memref<400xf32>) outs(%a : memref<400xf32>)
  linalg.exp ins(%a : memref<400xf32>) outs(%y : memref<400xf32>)
  %b = memref.alloc() : memref<400xf32>
  linalg.exp ins(%y : memref<400xf32>) outs(%b : memref<400xf32>)
  linalg.exp ins(%b : memref<400xf32>) outs(%y : memref<400xf32>)
  return
}
)";

class MemrefPasses : public ::testing::Test {
protected:
  MemrefPasses() {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kTwoBuffers, &context);
  }
  template <typename Op> int64_t count() {
    int64_t number = 0;
    module->walk([&](Op) { ++number; });
    return number;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(MemrefPasses, AreKnownByNameOnceRegistered) {
  registerMemrefPasses();
  registerMemrefPasses();
  for (const char *name : {"merge-alloc", "copy-removal", "memref-hoist",
                           "memref-promote-to-stack", "memref-deallocate",
                           "memref-verify-deallocation",
                           "gpu-pack-shared-memory", "tpu-assign-pools"})
    EXPECT_TRUE(PassInfo::lookup(name)) << name;
  PassManager manager(&context);
  ASSERT_TRUE(succeeded(parsePassPipeline("memref-memory", manager)));
  ASSERT_TRUE(module && succeeded(manager.run(*module)));
  EXPECT_EQ(count<memref::AllocOp>(), 1);
  EXPECT_EQ(count<memref::DeallocOp>(), 1);
}

TEST_F(MemrefPasses, AreMadeWithTheirOptions) {
  PassManager manager(&context);
  HoistAllocsOptions hoisting;
  hoisting.mode = HoistMode::Dominator;
  PromoteToStackOptions promotion;
  promotion.maxBytes = 100;
  manager.addPass(createHoistAllocs(hoisting));
  manager.addPass(createPromoteToStack(promotion));
  manager.addNestedPass<func::FuncOp>(createCopyRemoval());
  manager.addPass(createPackSharedMemory());
  manager.addPass(createMergeAllocPass(MergeAllocationOptions()));
  manager.addPass(createDeallocateBuffers());
  manager.addPass(createVerifyDeallocation());
  ASSERT_TRUE(module && succeeded(manager.run(*module)));
  EXPECT_EQ(count<memref::AllocOp>(), 1);

  PassManager pools(&context);
  pools.addPass(createAssignPools());
  module = parseSourceString<ModuleOp>(kTwoBuffers, &context);
  ASSERT_TRUE(module && succeeded(pools.run(*module)));
  EXPECT_EQ(count<memref::AllocOp>(), 0);
}

} // namespace
} // namespace tpu_mlir
