//===- RandomProgramsTest.cpp - Hoisting changes no result ----------------===//
//
// Random programs run before and after memref-hoist, on a heap that finds wrong
// uses of it: the same bits, and no more allocations than promised.
// JIT_PROGRAMS and JIT_FIRST_SEED run more or others.
//
//===----------------------------------------------------------------------===//

#include "ZeroTrips.h"

#include "tests/exec/jit/PipelineCheck.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tpu_mlir/Transforms/HoistAllocs.h"

#include "gtest/gtest.h"

#include <iostream>

namespace tpu_mlir::jit {
namespace {

constexpr int kShards = 8;

class RandomPrograms : public ::testing::TestWithParam<int> {
protected:
  static void SetUpTestSuite() { registerHoistAllocs(); }

  /// Half of the programs free some or all of their buffers.
  PipelineTotals run(PipelineCheck check) {
    int total = fromEnvironment("JIT_PROGRAMS", 512) / kShards;
    int first = fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * total;
    check.isIdempotent = true;
    PipelineTotals totals;
    for (bool deallocs : {false, true}) {
      check.program.deallocs = deallocs;
      for (const std::string &wrong : checkPrograms(
               first + deallocs * total / 2, total / 2, check, totals))
        ADD_FAILURE() << wrong;
    }
    std::cerr << totals.describe() << "\n";
    return totals;
  }
};

TEST_P(RandomPrograms, OutOfLoopsThatRun) {
  PipelineCheck check;
  check.pipeline = "memref-hoist{assume-loops-run=false}";
  check.comparison.noMoreAllocations = true;
  PipelineTotals totals = run(check);
  EXPECT_GT(totals.changed * 20, totals.programs);
  EXPECT_LT(totals.allocationsAfter, totals.allocationsBefore);
}

/// A loop that does not run costs one allocation for each that left it.
TEST_P(RandomPrograms, OutOfAllLoops) {
  PipelineCheck check;
  check.pipeline = "memref-hoist";
  check.adjust = allocateForIdleLoops;
  check.reduces = false;
  check.comparison.noMoreAllocations = true;
  PipelineTotals totals = run(check);
  EXPECT_GT(totals.changed * 20, totals.programs);
}

TEST_P(RandomPrograms, AsFarUpAsPossible) {
  PipelineCheck check;
  check.pipeline = "memref-hoist{mode=dominator}";
  PipelineTotals totals = run(check);
  EXPECT_GT(totals.changed * 2, totals.programs);
}

INSTANTIATE_TEST_SUITE_P(Eighth, RandomPrograms, ::testing::Range(0, kShards));

} // namespace
} // namespace tpu_mlir::jit
