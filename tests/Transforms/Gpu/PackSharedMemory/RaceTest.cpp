//===- RaceTest.cpp - Packed kernels on threads that run apart ------------===//

#include "tests/Transforms/Gpu/PackSharedMemory/RandomKernel.h"
#include "tests/Transforms/Gpu/PackSharedMemory/Simulator.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Transforms/PackSharedMemory.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace tpu_mlir {
namespace {

constexpr int kThreads = 3;
constexpr int64_t kTrips = 3;
constexpr uint64_t kKernels = 200;

std::vector<Schedule> schedules() {
  std::vector<Schedule> all;
  for (int thread = 0; thread < kThreads; ++thread) {
    all.push_back({Schedule::First, thread, 0});
    all.push_back({Schedule::Last, thread, 0});
  }
  for (uint64_t seed = 1; seed <= 2; ++seed)
    all.push_back({Schedule::Random, 0, seed});
  return all;
}

class Race : public testing::Test {
protected:
  Race() {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }
  /// Null when the pass fails.
  OwningOpRef<ModuleOp> packed(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    PassManager manager(&context);
    manager.addPass(createPackSharedMemory());
    if (!module || failed(manager.run(*module)))
      return nullptr;
    return module;
  }

  static gpu::GPUFuncOp kernelOf(ModuleOp module) {
    gpu::GPUFuncOp found;
    module.walk([&](gpu::GPUFuncOp kernel) { found = kernel; });
    return found;
  }
  static std::vector<memref::ViewOp> viewsOf(ModuleOp module) {
    std::vector<memref::ViewOp> views;
    module.walk([&](memref::ViewOp view) { views.push_back(view); });
    return views;
  }
  /// Those that the pass inserted.
  static std::vector<gpu::BarrierOp> addedBarriers(ModuleOp module) {
    std::vector<gpu::BarrierOp> added;
    module.walk([&](gpu::BarrierOp barrier) {
      if (!barrier->hasAttr("given"))
        added.push_back(barrier);
    });
    return added;
  }

  /// All schedules, with loops that run and loops that do not; what they found
  /// together.
  static RunResult runAll(ModuleOp module) {
    RunResult sum;
    for (int64_t trips : {kTrips, int64_t(0)})
      for (const Schedule &schedule : schedules()) {
        RunResult one = simulate(kernelOf(module), kThreads, trips, schedule);
        sum.wrongLoads += one.wrongLoads;
        sum.races += one.races;
        sum.loads += one.loads;
        if (sum.stuck.empty())
          sum.stuck = one.stuck;
        sum.passed.insert(one.passed.begin(), one.passed.end());
        sum.liveTogether.insert(one.liveTogether.begin(),
                                one.liveTogether.end());
      }
    return sum;
  }

  MLIRContext context;
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

TEST_F(Race, PackedKernelsReadWhatTheyStored) {
  int64_t changed = 0, barriers = 0, loads = 0, views = 0;
  for (uint64_t seed = 1; seed <= kKernels; ++seed) {
    std::string text = randomKernel(seed);
    OwningOpRef<ModuleOp> module = packed(text);
    ASSERT_TRUE(module) << "seed " << seed << "\n" << text;
    RunResult result = runAll(*module);
    ASSERT_TRUE(result.isGood())
        << "seed " << seed << ": " << result.wrongLoads << " wrong loads, "
        << result.races << " races; " << result.stuck << "\n"
        << text << "\nbecomes\n"
        << print(*module);
    loads += result.loads;
    views += viewsOf(*module).size();
    changed += !viewsOf(*module).empty();
    barriers += addedBarriers(*module).size();
  }
  std::cout << kKernels << " kernels, " << changed << " packed, " << views
            << " buffers in them, " << barriers << " barriers added, " << loads
            << " loads\n";
  // There is something to prove.
  EXPECT_GT(changed, int64_t(kKernels) / 3);
  EXPECT_GT(barriers, int64_t(kKernels) / 3);
}

// Without any one of the barriers some schedule goes wrong; but where one is
// there for a way that these runs do not take, nobody can tell.
TEST_F(Race, WithoutABarrierItIsNoticed) {
  int64_t removed = 0, noticed = 0, read = 0;
  for (uint64_t seed = 1; seed <= kKernels; ++seed) {
    std::string text = randomKernel(seed);
    OwningOpRef<ModuleOp> module = packed(text);
    ASSERT_TRUE(module);
    std::set<Operation *> passed = runAll(*module).passed;
    std::vector<gpu::BarrierOp> added = addedBarriers(*module);
    int64_t tried = 0;
    for (size_t index = 0; index < added.size() && tried < 2; ++index) {
      // In a branch that is never taken nobody could tell.
      if (!passed.count(added[index]))
        continue;
      ++tried;
      OwningOpRef<ModuleOp> broken = module->clone();
      addedBarriers(*broken)[index].erase();
      RunResult result = runAll(*broken);
      ++removed;
      noticed += !result.isGood();
      read += result.wrongLoads > 0;
    }
  }
  std::cout << removed << " barriers removed, " << noticed << " noticed, "
            << read << " of them by what was read\n";
  EXPECT_GT(removed, 100);
  EXPECT_GE(noticed * 100, removed * 80);
}

TEST_F(Race, MovedOnTopOfAnotherItIsNoticed) {
  int64_t moved = 0, noticed = 0;
  for (uint64_t seed = 1; seed <= kKernels; ++seed) {
    OwningOpRef<ModuleOp> module = packed(randomKernel(seed));
    ASSERT_TRUE(module);
    RunResult fine = runAll(*module);
    int64_t attempts = 0;
    for (auto [first, second] : fine.liveTogether) {
      if (++attempts > 2)
        break;
      std::vector<memref::ViewOp> views = viewsOf(*module);
      auto at = [&](Operation *op) {
        return std::find(views.begin(), views.end(), op) - views.begin();
      };
      auto a = at(first), b = at(second);
      OwningOpRef<ModuleOp> broken = module->clone();
      std::vector<memref::ViewOp> copies = viewsOf(*broken);
      auto offset =
          copies[b].getByteShift().getDefiningOp<arith::ConstantIndexOp>();
      OpBuilder builder(copies[a]);
      copies[a].getByteShiftMutable().assign(arith::ConstantIndexOp::create(
          builder, copies[a].getLoc(), offset.value()));
      ++moved;
      noticed += !runAll(*broken).isGood();
    }
  }
  std::cout << moved << " buffers moved, " << noticed << " noticed\n";
  EXPECT_GT(moved, 100);
  EXPECT_GE(noticed * 100, moved * 90);
}

TEST_F(Race, ResultsAreTheSameEachTime) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    std::string text = randomKernel(seed);
    EXPECT_EQ(print(*packed(text)), print(*packed(text))) << seed;
  }
}

// A simulator that notices nothing proves nothing: faults made by hand.
TEST_F(Race, TheSimulatorSeesARace) {
  std::string head = R"(gpu.module @m { gpu.func @kernel(%n: index)
      workgroup(%bytes: memref<16xi8, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %tid = gpu.thread_id x
    %v = arith.index_cast %tid : index to i32
    %a = memref.view %bytes[%c0][] : memref<16xi8, #gpu.address_space<workgroup>> to memref<4xi32, #gpu.address_space<workgroup>>
    %b = memref.view %bytes[%c0][] : memref<16xi8, #gpu.address_space<workgroup>> to memref<4xi32, #gpu.address_space<workgroup>>
    memref.store %v, %a[%tid] : memref<4xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %x = memref.load %a[%c0] : memref<4xi32, #gpu.address_space<workgroup>>
)";
  std::string tail = R"(
    memref.store %v, %b[%tid] : memref<4xi32, #gpu.address_space<workgroup>>
    gpu.return } })";
  RunResult bad = runAll(*parse(head + tail));
  EXPECT_GT(bad.wrongLoads, 0);
  EXPECT_GT(bad.races, 0);
  RunResult good = runAll(*parse(head + "gpu.barrier" + tail));
  EXPECT_TRUE(good.isGood());
}

TEST_F(Race, TheSimulatorSeesABarrierThatSomeMiss) {
  RunResult bad = runAll(*parse(R"(gpu.module @m {
    gpu.func @kernel(%n: index) kernel {
    %c1 = arith.constant 1 : index
    %tid = gpu.thread_id x
    %few = arith.cmpi ult, %tid, %c1 : index
    scf.if %few {
      gpu.barrier
    }
    gpu.return } })"));
  EXPECT_FALSE(bad.stuck.empty());
}

} // namespace
} // namespace tpu_mlir
