//===- StagesTest.cpp - Each stage of merge-alloc can be replaced ---------===//

#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tpu_mlir {
namespace {

class Stages : public ::testing::Test {
protected:
  Stages() {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
    module = parseSourceString<ModuleOp>(R"(
      func.func @f() {
        %a = memref.alloc() : memref<64xf32>
        "test.use"(%a) : (memref<64xf32>) -> ()
        %b = memref.alloc() : memref<64xf32>
        "test.use"(%b) : (memref<64xf32>) -> ()
        return
      })",
                                         &context);
  }

  LogicalResult run(const MergeAllocationOptions &options) {
    PassManager manager(&context);
    manager.addNestedPass<func::FuncOp>(createMergeAllocPass(options));
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
    });
    return manager.run(*module);
  }
  SmallVector<memref::AllocOp> allocs() {
    SmallVector<memref::AllocOp> found;
    module->walk([&](memref::AllocOp op) { found.push_back(op); });
    return found;
  }
  SmallVector<memref::ViewOp> views() {
    SmallVector<memref::ViewOp> found;
    module->walk([&](memref::ViewOp op) { found.push_back(op); });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string messages;
};

/// A trace of its own: the allocs and nothing else.
struct OwnTrace : LifetimeTrace {
  Block *scope = nullptr;
  SmallVector<Operation *> buffers;
  Block *getAllocScope() const override { return scope; }
  Attribute getMemorySpace() const override { return {}; }
};

FailureOr<MemoryTraceScopes> collectAll(Operation *function,
                                        const BufferViewFlowAnalysis &,
                                        const MergeAllocationOptions &) {
  auto trace = std::make_unique<OwnTrace>();
  trace->scope = &function->getRegion(0).front();
  function->walk([&](memref::AllocOp op) { trace->buffers.push_back(op); });
  MemoryTraceScopes scopes;
  scopes.scopeTraces.push_back(std::move(trace));
  return scopes;
}

TEST_F(Stages, AreTheDefaultsWhenEmpty) {
  ASSERT_TRUE(succeeded(run({})));
  ASSERT_EQ(allocs().size(), 1u);
  EXPECT_EQ(allocs()[0].getType().getNumElements(), 256);
  EXPECT_EQ(views().size(), 2u);
}

TEST_F(Stages, CollectorAndPlannerCanBeReplaced) {
  MergeAllocationOptions options;
  options.tracer = collectAll;
  options.planner = [](Operation *, const LifetimeTrace &trace,
                       const MergeAllocationOptions &options) {
    MemorySchedule schedule;
    for (Operation *op : static_cast<const OwnTrace &>(trace).buffers) {
      schedule.allocToOffset[op] = schedule.totalSize;
      schedule.totalSize += 1024;
    }
    return FailureOr<MemorySchedule>(std::move(schedule));
  };
  options.alignment = 32;
  ASSERT_TRUE(succeeded(run(options)));
  ASSERT_EQ(allocs().size(), 1u);
  EXPECT_EQ(allocs()[0].getType().getNumElements(), 2048);
  EXPECT_EQ(allocs()[0].getAlignment(), 32u);
  ASSERT_EQ(views().size(), 2u);
}

TEST_F(Stages, ThePlannerAloneSeesTicks) {
  int64_t seen = 0;
  MergeAllocationOptions options;
  options.planner = [&](Operation *function, const LifetimeTrace &trace,
                        const MergeAllocationOptions &options) {
    const auto &ticks = dynamic_cast<const TickTrace &>(trace);
    for (const TickBuffer &buffer : ticks.buffers) {
      EXPECT_EQ(buffer.sizeBytes, 256);
      EXPECT_EQ(buffer.life, std::vector<Interval>{buffer.hull});
      ++seen;
    }
    return planTicks(function, trace, options);
  };
  ASSERT_TRUE(succeeded(run(options)));
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(allocs().size(), 1u);
}

TEST_F(Stages, TheMutatorCanBeReplaced) {
  size_t totalBytes = 0;
  MergeAllocationOptions options;
  options.mutator = [&](Operation *, Block *scope,
                        const MemorySchedule &schedule,
                        const MergeAllocationOptions &) {
    totalBytes = schedule.totalSize;
    // Offsets as attributes, for somebody else.
    for (auto [op, offset] : schedule.allocToOffset)
      op->setAttr("offset",
                  IntegerAttr::get(IndexType::get(op->getContext()), offset));
    return success();
  };
  ASSERT_TRUE(succeeded(run(options)));
  EXPECT_EQ(totalBytes, 256u);
  ASSERT_EQ(allocs().size(), 2u);
  EXPECT_TRUE(allocs()[0]->hasAttr("offset"));
  EXPECT_TRUE(views().empty());
}

TEST_F(Stages, TheDefaultPlannerNeedsTheDefaultCollector) {
  MergeAllocationOptions options;
  options.tracer = collectAll;
  EXPECT_TRUE(failed(run(options)));
  EXPECT_NE(messages.find("[TPUMEM-E018]"), std::string::npos) << messages;
}

TEST_F(Stages, AStageThatFailsFailsThePass) {
  MergeAllocationOptions options;
  options.tracer =
      [](Operation *op, const BufferViewFlowAnalysis &,
         const MergeAllocationOptions &) -> FailureOr<MemoryTraceScopes> {
    return op->emitError("no trace today");
  };
  EXPECT_TRUE(failed(run(options)));
  EXPECT_EQ(messages, "no trace today\n");
  EXPECT_EQ(allocs().size(), 2u);
}

/// Orders are tried with the stages that are given; what goes wrong is said
/// once.
TEST_F(Stages, ReorderingAsksTheStages) {
  MergeAllocationOptions options;
  options.reorder = true;
  int asked = 0;
  options.tracer =
      [&](Operation *op, const BufferViewFlowAnalysis &,
          const MergeAllocationOptions &) -> FailureOr<MemoryTraceScopes> {
    ++asked;
    return op->emitError("no trace today");
  };
  EXPECT_TRUE(failed(run(options)));
  EXPECT_EQ(messages, "no trace today\n");
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(allocs().size(), 2u);
}

TEST_F(Stages, OptionsReachTheStages) {
  MergeAllocationOptions options;
  options.checkOnly = true;
  ASSERT_TRUE(succeeded(run(options)));
  ASSERT_EQ(allocs().size(), 2u);
  EXPECT_TRUE(allocs()[0]->hasAttr("__mergealloc_lifetime"));

  options.checkOnly = false;
  options.capacity = {"default:128"};
  EXPECT_TRUE(failed(run(options)));
  EXPECT_NE(messages.find("[TPUMEM-E001]"), std::string::npos) << messages;
}

TEST_F(Stages, CanMergeWhereItSavesNothing) {
  module = parseSourceString<ModuleOp>(R"(
    func.func @f() {
      %a = memref.alloc() : memref<64xf32>
      %b = memref.alloc() : memref<64xf32>
      "test.use"(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
      return
    })",
                                       &context);
  MergeAllocationOptions options;
  ASSERT_TRUE(succeeded(run(options)));
  EXPECT_EQ(allocs().size(), 2u);
  options.mergeAlways = true;
  ASSERT_TRUE(succeeded(run(options)));
  EXPECT_EQ(allocs().size(), 1u);
}

} // namespace
} // namespace tpu_mlir
