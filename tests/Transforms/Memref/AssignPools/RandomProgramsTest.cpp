//===- RandomProgramsTest.cpp - Pools change no result --------------------===//
//
// Random programs of several functions run before and after tpu-assign-pools,
// on a heap that finds wrong uses of it: the same bits. JIT_PROGRAMS and
// JIT_FIRST_SEED run more or others.
//
//===----------------------------------------------------------------------===//

#include "PoolDriver.h"

#include "tests/exec/jit/PipelineCheck.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tpu_mlir/Transforms/AssignPools.h"

#include "gtest/gtest.h"

#include <iostream>

namespace tpu_mlir::jit {
namespace {

constexpr int kShards = 4;

class RandomPrograms : public ::testing::TestWithParam<int> {
protected:
  static void SetUpTestSuite() { registerAssignPools(); }

  /// Programs that free what they allocate, and others; with few functions and
  /// with many; some run things in parallel.
  PipelineTotals run(const std::string &options, PipelineCheck check) {
    int total = fromEnvironment("JIT_PROGRAMS", 256) / kShards;
    int first = fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * total;
    check.pipeline = "tpu-assign-pools{" + options + "}";
    check.comparison.noMoreAllocations = false;
    PipelineTotals totals;
    for (int quarter = 0; quarter < 4; ++quarter) {
      check.program.deallocs = quarter % 2;
      check.program.functions = 1 + 2 * quarter;
      check.program.parallel = quarter >= 2;
      check.program.dynamic = quarter == 3;
      for (const std::string &wrong :
           checkPrograms(first + quarter * total / 4, total / 4, check, totals))
        ADD_FAILURE() << wrong;
    }
    std::cerr << totals.describe() << "\n";
    return totals;
  }

  PipelineTotals runInternal(const std::string &options) {
    PipelineCheck check;
    check.isIdempotent = true;
    check.adjust = [](mlir::ModuleOp, mlir::ModuleOp after) {
      poisonInternalPool(after);
    };
    return run(options, check);
  }

  /// The pools are blocks of the checked heap.
  PipelineTotals runPools(const std::string &pools, bool guardPages) {
    PipelineCheck check;
    check.comparison.guardPages = guardPages;
    check.adjust = [](mlir::ModuleOp, mlir::ModuleOp after) {
      allocatePools(after);
    };
    return run("pools=" + pools, check);
  }
};

TEST_P(RandomPrograms, InternalPool) {
  PipelineTotals totals = runInternal("");
  EXPECT_GT(totals.changed * 10, totals.programs * 9);
  EXPECT_LT(totals.allocationsAfter * 4, totals.allocationsBefore * 3);
}

/// No padding between buffers.
TEST_P(RandomPrograms, InternalPoolWithoutAlignment) {
  runInternal("alignment=1 strategy=first-fit-decreasing");
}

/// Calls that count as one tick.
TEST_P(RandomPrograms, ShortTimeAxis) { runInternal("max-ticks=60"); }

TEST_P(RandomPrograms, OnePool) {
  PipelineTotals totals = runPools("name=sram", /*guardPages=*/true);
  EXPECT_GT(totals.changed * 10, totals.programs * 9);
}

TEST_P(RandomPrograms, SeveralPools) {
  runPools("name=tiny,size=96,align=4,cost=1;name=fast,size=512,align=8,"
           "cost=2;name=slow,cost=10",
           /*guardPages=*/false);
}

INSTANTIATE_TEST_SUITE_P(Quarter, RandomPrograms, ::testing::Range(0, kShards));

} // namespace
} // namespace tpu_mlir::jit
