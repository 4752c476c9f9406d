//===- OracleTest.cpp - Never more bytes than merging by walk order -------===//

#include "tests/Transforms/Memref/MergeAlloc/TickOracle.h"

#include "tests/exec/jit/programs/RandomProgram.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Dialect/RegisterUpstream.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

using namespace mlir;

namespace tpu_mlir {
namespace {

void prepare(MLIRContext &context) {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerBufferFlowModels(registry);
  context.appendDialectRegistry(registry);
  context.allowUnregisteredDialects();
}

LogicalResult merge(ModuleOp module,
                    const MergeAllocationOptions &options = {}) {
  PassManager manager(module.getContext());
  manager.addPass(createMergeAllocPass(options));
  return manager.run(module);
}

struct Compared {
  OracleResult oracle;
  int64_t bytesBefore = 0;
  int64_t bytes = 0;
};

Compared compare(const std::string &text, const std::string &name) {
  MLIRContext context;
  prepare(context);
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  auto function = module->lookupSymbol<func::FuncOp>(name);
  Compared result;
  result.oracle = runTickOracle(function);
  result.bytesBefore = allocatedBytes(function);
  EXPECT_TRUE(succeeded(merge(*module))) << text;
  result.bytes = allocatedBytes(function);
  return result;
}

TEST(Oracle, IsNeverBelow) {
  int compared = 0, smaller = 0, wrong = 0, refused = 0;
  jit::ProgramOptions options;
  options.unstructured = false;
  for (int seed = 0; seed < 1500; ++seed) {
    options.statements = 8 + seed % 40;
    jit::RandomProgram program = jit::makeRandomProgram(seed, 0, options);
    Compared result = compare(program.text, program.function);
    if (result.oracle.refusal)
      ++refused;
    else if (result.oracle.isWrong)
      ++wrong;
    if (result.oracle.refusal || result.oracle.isWrong)
      continue;
    ++compared;
    smaller += result.bytes < result.oracle.bytes;
    ASSERT_LE(result.bytes, result.oracle.bytes) << "seed " << seed << "\n"
                                                 << program.text;
  }
  std::cout << compared << " compared, " << smaller
            << " of them smaller; of the others the oracle refuses " << refused
            << " and gets " << wrong << " wrong\n";
  EXPECT_GE(compared, 300);
  EXPECT_GE(smaller, 50);
  EXPECT_GE(wrong, 1);
}

TEST(Oracle, LosesWhereBranchesExcludeEachOther) {
  Compared result = compare(R"(
    func.func @f(%p: i1) {
      %a = memref.alloc() : memref<64xf32>
      %b = memref.alloc() : memref<64xf32>
      scf.if %p {
        "test.use"(%a) : (memref<64xf32>) -> ()
      } else {
        "test.use"(%b) : (memref<64xf32>) -> ()
      }
      return
    })",
                            "f");
  EXPECT_EQ(result.oracle.bytes, 512);
  EXPECT_FALSE(result.oracle.isWrong);
  EXPECT_EQ(result.bytes, 256);
}

TEST(Oracle, LosesWhereBothBranchesYield) {
  Compared result = compare(R"(
    func.func @f(%p: i1) {
      %r = scf.if %p -> memref<64xf32> {
        %a = memref.alloc() : memref<64xf32>
        "test.use"(%a) : (memref<64xf32>) -> ()
        scf.yield %a : memref<64xf32>
      } else {
        %b = memref.alloc() : memref<64xf32>
        "test.use"(%b) : (memref<64xf32>) -> ()
        scf.yield %b : memref<64xf32>
      }
      "test.use"(%r) : (memref<64xf32>) -> ()
      return
    })",
                            "f");
  EXPECT_EQ(result.oracle.bytes, 512);
  EXPECT_EQ(result.bytes, 256);
}

TEST(Oracle, LosesWhereNobodyAccesses) {
  Compared result = compare(R"(
    func.func @f() {
      %dead = memref.alloc() : memref<1024xf32>
      %a = memref.alloc() : memref<64xf32>
      "test.use"(%a) : (memref<64xf32>) -> ()
      %b = memref.alloc() : memref<64xf32>
      "test.use"(%b) : (memref<64xf32>) -> ()
      return
    })",
                            "f");
  EXPECT_EQ(result.oracle.bytes, 4096);
  EXPECT_EQ(result.bytes, 256);
}

TEST(Oracle, IsWrongAboutTwoLoopsInALoop) {
  Compared result = compare(R"(
    func.func @f(%lb: index, %ub: index, %s: index) {
      %a = memref.alloc() : memref<64xf32>
      %b = memref.alloc() : memref<64xf32>
      scf.for %i = %lb to %ub step %s {
        scf.for %j = %lb to %ub step %s {
          "test.use"(%a) : (memref<64xf32>) -> ()
        }
        scf.for %j = %lb to %ub step %s {
          "test.use"(%b) : (memref<64xf32>) -> ()
        }
      }
      return
    })",
                            "f");
  EXPECT_EQ(result.oracle.bytes, 256);
  EXPECT_TRUE(result.oracle.isWrong);
  EXPECT_EQ(result.bytes, 512);
}

/// What no plan of a trace can beat.
int64_t lowerBound(const TickTrace &trace) {
  planning::Problem problem;
  problem.pools.push_back({});
  for (const TickBuffer &source : trace.buffers) {
    planning::Buffer buffer;
    buffer.sizeBytes = source.sizeBytes;
    buffer.alignment = source.alignment;
    buffer.lifespans = source.life;
    problem.buffers.push_back(buffer);
  }
  return planning::liveBound(problem, 0).bytes;
}

/// One row of the table in tpu_mlir/docs/passes/MergeAlloc.md.
void measure(const std::filesystem::path &file) {
  MLIRContext context;
  prepare(context);
  auto module = parseSourceFile<ModuleOp>(file.string(), &context);
  ASSERT_TRUE(module) << file;
  auto before = OwningOpRef<ModuleOp>(module->clone());
  int64_t countBefore = 0, countAfter = 0, bytesBefore = 0, bytesAfter = 0;
  bool isRefused = false;
  int64_t oracleBytes = 0, boundBytes = 0, plainBytes = 0, mergedBytes = 0;
  module->walk([&](func::FuncOp function) {
    OracleResult oracle = runTickOracle(function);
    EXPECT_FALSE(oracle.isWrong);
    isRefused |= oracle.refusal.has_value();
    oracleBytes += oracle.bytes;
    bytesBefore += allocatedBytes(function);
    function.walk([&](memref::AllocOp) { ++countBefore; });
  });

  MergeAllocationOptions options;
  auto planner = [&](int64_t &sum) {
    return [&](Operation *function, const LifetimeTrace &trace,
               const MergeAllocationOptions &given) {
      auto schedule = planTicks(function, trace, given);
      if (succeeded(schedule))
        sum += schedule->totalSize;
      return schedule;
    };
  };
  options.inPlace = false;
  options.planner = [&](Operation *function, const LifetimeTrace &trace,
                        const MergeAllocationOptions &given) {
    boundBytes += lowerBound(static_cast<const TickTrace &>(trace));
    return planner(plainBytes)(function, trace, given);
  };
  ASSERT_TRUE(succeeded(merge(*before, options)));
  EXPECT_EQ(plainBytes, boundBytes) << file;

  options.inPlace = true;
  options.planner = planner(mergedBytes);
  ASSERT_TRUE(succeeded(merge(*module, options)));
  EXPECT_LE(mergedBytes, plainBytes);
  module->walk([&](func::FuncOp function) {
    bytesAfter += allocatedBytes(function);
    function.walk([&](memref::AllocOp) { ++countAfter; });
  });
  if (!isRefused) {
    EXPECT_LE(bytesAfter, oracleBytes) << file;
  }
  std::cout << "| `" << file.stem().string() << "` | " << countBefore << " | "
            << formatCount(bytesBefore) << " | " << countAfter << " | "
            << formatCount(bytesAfter) << " | " << formatCount(plainBytes)
            << " | " << formatCount(boundBytes) << " | "
            << formatCount(mergedBytes) << " | "
            << (isRefused ? "refused" : formatCount(oracleBytes)) << " |\n";
}

TEST(Oracle, RealModelsAreAtTheirLowerBound) {
  const char *data = std::getenv("TPU_MEMORY_DATA");
  if (!data || !std::filesystem::exists(std::string(data) + "/memref"))
    GTEST_SKIP() << "TPU_MEMORY_DATA/memref is not there";
  std::vector<std::filesystem::path> files;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::string(data) + "/memref"))
    if (entry.path().extension() == ".mlir")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::cout << "| file | allocs | bytes | allocs after | bytes after | merged "
               "without in-place reuse | lower bound of that | merged | by "
               "walk order |\n";
  EXPECT_FALSE(files.empty());
  for (const auto &file : files)
    measure(file);
}

} // namespace
} // namespace tpu_mlir
