//===- ExecutionTest.cpp - Buffers on the stack change no result ----------===//
//
// Random programs before and after memref-promote-to-stack, and what MLIR's
// pass of that kind does wrong. JIT_PROGRAMS and JIT_FIRST_SEED run more or
// others.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/PipelineCheck.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tpu_mlir/Transforms/HoistAllocs.h"
#include "tpu_mlir/Transforms/PromoteToStack.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstring>
#include <iostream>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kShards = 4;

class RandomPrograms : public ::testing::TestWithParam<int> {
protected:
  static void SetUpTestSuite() { registerPromoteToStack(); }
};

TEST_P(RandomPrograms, GiveTheSameBits) {
  int total = fromEnvironment("JIT_PROGRAMS", 640) / kShards;
  int first = fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * total;
  PipelineCheck check;
  check.pipeline = "memref-promote-to-stack";
  check.comparison.noMoreAllocations = true;
  check.isIdempotent = true;
  PipelineTotals totals;
  for (bool deallocs : {false, true}) {
    check.program.deallocs = deallocs;
    for (const std::string &wrong :
         checkPrograms(first + deallocs * total / 2, total / 2, check, totals))
      ADD_FAILURE() << wrong;
  }
  EXPECT_GT(totals.changed * 2, totals.programs);
  EXPECT_LT(totals.allocationsAfter, totals.allocationsBefore);
  std::cerr << totals.describe() << "\n";
}

INSTANTIATE_TEST_SUITE_P(Quarter, RandomPrograms, ::testing::Range(0, kShards));

//===----------------------------------------------------------------------===//
// Programs that need the heap
//===----------------------------------------------------------------------===//

class OnePipeline : public ::testing::Test {
protected:
  OnePipeline() {
    registerForJit(context);
    registerPromoteToStack();
    registerHoistAllocs();
  }

  /// Runs @f after the passes; integers of the inputs are `number`.
  RunResult run(const std::string &text, const std::string &pipeline,
                int64_t number) {
    RunResult result;
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      result.error = "does not parse";
      return result;
    }
    std::string error = runPasses(*module, pipeline);
    CompileResult compiled = compile(*module);
    if (!error.empty() || !compiled.module) {
      result.error = error + compiled.error;
      return result;
    }
    auto inputs = *compiled.module->makeInputs("f", 1);
    for (Data &data : inputs)
      if (data.type.isIntOrIndex())
        std::memcpy(data.bytes.data(), &number, data.bytes.size());
    RunOptions options;
    options.heap.limitBlocks = 200'000;
    return compiled.module->run("f", inputs, options);
  }

  static constexpr const char *kPromote = "memref-promote-to-stack";
  MLIRContext context;
};

/// 1 KiB in each of 100,000 iterations: more than there is of the stack.
constexpr int64_t kIterations = 100'000;

constexpr const char *kRegions = R"(
func.func @f(%n: index, %out: memref<256xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<128xindex>
    memref.store %i, %a[%c1] : memref<128xindex>
    %v = memref.load %a[%c1] : memref<128xindex>
    memref.store %v, %out[%c0] : memref<256xindex>
  }
  return
}
)";

constexpr const char *kBlocks = R"(
func.func @f(%n: index, %out: memref<256xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %a = memref.alloc() : memref<128xindex>
  memref.store %i, %a[%c1] : memref<128xindex>
  %v = memref.load %a[%c1] : memref<128xindex>
  memref.store %v, %out[%c0] : memref<256xindex>
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next : index)
^exit:
  return
}
)";

int64_t firstElement(const RunResult &result) {
  int64_t value = 0;
  std::memcpy(&value, result.outputs.front().bytes.data(), sizeof(value));
  return value;
}

TEST_F(OnePipeline, LeavesBuffersOfLoopsOnTheHeap) {
  for (const char *program : {kRegions, kBlocks}) {
    RunResult result = run(program, kPromote, kIterations);
    ASSERT_TRUE(result.clean()) << result.describe();
    EXPECT_EQ(result.heap.allocations, kIterations);
    EXPECT_EQ(firstElement(result), kIterations - 1);
    // It has to matter: MLIR's pass runs out of stack.
    EXPECT_TRUE(run(program, "func.func(promote-buffers-to-stack)", kIterations)
                    .error.has_value());
  }
}

TEST_F(OnePipeline, PutsThemOnTheStackOnceTheyAreOutOfTheLoop) {
  std::string both = std::string("memref-hoist,") + kPromote;
  for (const char *program : {kRegions, kBlocks}) {
    RunResult result = run(program, both, kIterations);
    ASSERT_TRUE(result.clean()) << result.describe();
    EXPECT_EQ(result.heap.allocations, 0);
    EXPECT_EQ(firstElement(result), kIterations - 1);
  }
}

/// A fresh buffer or the argument, after a join.
constexpr const char *kJoin = R"(
func.func @f(%n: i1, %in: memref<4xf32>, %out: memref<4xf32>) {
  %x = arith.constant 1.5 : f32
  cf.cond_br %n, ^given, ^fresh
^given:
  cf.br ^join(%in : memref<4xf32>)
^fresh:
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.br ^join(%a : memref<4xf32>)
^join(%b: memref<4xf32>):
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  return
}
)";

TEST_F(OnePipeline, LeavesWhatLeavesItsBlockOnTheHeap) {
  for (int64_t flag : {0, 1}) {
    RunResult before = run(kJoin, "", flag);
    RunResult after = run(kJoin, kPromote, flag);
    ASSERT_TRUE(before.clean() && after.clean()) << after.describe();
    EXPECT_FALSE(firstDifference(before.outputs, after.outputs));
    EXPECT_EQ(after.heap.allocations, 1 - flag);
    RunResult upstream =
        run(kJoin, "func.func(promote-buffers-to-stack)", flag);
    EXPECT_EQ(upstream.heap.allocations, 0)
        << "MLIR's pass is more careful now";
  }
}

} // namespace
} // namespace tpu_mlir::jit
