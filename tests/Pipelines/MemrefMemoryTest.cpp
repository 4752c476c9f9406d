//===- MemrefMemoryTest.cpp - memref-memory changes no result -------------===//
//
// Random programs that free nothing run before and after the whole pipeline, on
// a heap where a late access faults: the same bits, nothing freed twice, and
// nothing left but what a remark names. JIT_PROGRAMS and JIT_FIRST_SEED run
// more or others.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/PipelineCheck.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "gtest/gtest.h"

#include <iostream>

namespace tpu_mlir::jit {
namespace {

constexpr int kShards = 8;

/// What parts of the programs are tried with, beside the defaults.
const std::vector<std::string> &optionSets() {
  static const std::vector<std::string> kSets = {
      "", "merge=false", "promote=false merge=false", "hoist=false"};
  return kSets;
}

class MemrefMemory : public ::testing::TestWithParam<int> {
protected:
  static void SetUpTestSuite() { registerAllPassesAndPipelines(); }
};

TEST_P(MemrefMemory, RandomProgramsAreFreedAndGiveTheSameBits) {
  int total = fromEnvironment("JIT_PROGRAMS", 1024) / kShards;
  int first = fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * total;
  int part = total / static_cast<int>(optionSets().size());
  PipelineTotals totals;
  for (const std::string &options : optionSets()) {
    PipelineCheck check;
    check.pipeline = "memref-memory{" + options + "}";
    check.program.deallocs = false;
    check.freesAllWithoutRemark = true;
    check.comparison.guardPages = true;
    for (const std::string &wrong : checkPrograms(first, part, check, totals))
      ADD_FAILURE() << wrong;
    first += part;
  }
  EXPECT_GT(totals.leakFree * 4, totals.programs);
  std::cerr << totals.describe() << "\n";
}

INSTANTIATE_TEST_SUITE_P(Eighth, MemrefMemory, ::testing::Range(0, kShards));

} // namespace
} // namespace tpu_mlir::jit
