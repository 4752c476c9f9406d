//===- OwnershipTest.cpp - Nothing is freed that is not owned -------------===//
//
// Programs in which it depends on the path who owns a buffer, and programs that
// free some of their buffers, run before and after the pass alone and after
// others: the same results, no error on the heap, and nothing left on it unless
// a remark says so. OWNERSHIP_PROGRAMS and OWNERSHIP_FIRST_SEED run more or
// others; one shard is one pipeline on one kind of programs.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/PipelineCheck.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tpu_mlir/Pipelines/Pipelines.h"

#include "gtest/gtest.h"

#include <iostream>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

struct Case {
  const char *name;
  const char *pipeline;
  OwnershipOptions programs;
};

const Case kCases[] = {
    {"Alone", "memref-deallocate", {false, true}},
    {"Flags", "memref-deallocate{prefer-flags=true}", {false, true}},
    {"Hoisted",
     "memref-hoist{mode=dominator},memref-deallocate",
     {false, true}},
    {"Promoted", "memref-promote-to-stack,memref-deallocate", {false, true}},
    {"Merged", "merge-alloc,memref-deallocate", {false, true}},
    {"FunctionByFunction",
     "func.func(memref-hoist,memref-promote-to-stack,merge-alloc),"
     "memref-deallocate",
     {false, true}},
    {"Pipeline", "memref-memory", {true, true}},
};

/// Half of the buffers are freed, or all of them.
ProgramOptions halfFreed(int seed) {
  ProgramOptions options;
  options.parallel = seed / 16 % 2 == 0;
  options.functions = seed / 32 % 2 == 0 ? 0 : 2;
  return options;
}

class Ownership : public ::testing::TestWithParam<std::tuple<Case, bool>> {
protected:
  static void SetUpTestSuite() { registerAllPassesAndPipelines(); }
};

TEST_P(Ownership, IsKept) {
  auto [which, isHalfFreed] = GetParam();
  OwnershipOptions programs = which.programs;
  int total = fromEnvironment("OWNERSHIP_PROGRAMS", 128);
  int first = fromEnvironment("OWNERSHIP_FIRST_SEED", 0);
  PipelineCheck check;
  check.pipeline = which.pipeline;
  if (isHalfFreed)
    check.programOf = halfFreed;
  else
    check.make = [programs](int seed, int number) {
      return makeOwnershipProgram(seed, number, programs);
    };
  check.comparison.guardPages = true;
  check.freesAllWithoutRemark = true;
  // Under the same options, so that what was lent is so again.
  check.changesNothing = StringRef(which.pipeline).contains("prefer-flags")
                             ? which.pipeline
                             : "memref-deallocate";
  PipelineTotals totals;
  for (const std::string &wrong : checkPrograms(first, total, check, totals))
    ADD_FAILURE() << wrong;
  std::cerr << totals.describe() << "\n";
  for (const auto &[remark, seeds] : totals.remarks)
    std::cerr << seeds.size() << " times, first for seed " << seeds.front()
              << ": " << remark << "\n";
  EXPECT_EQ(totals.programs, total);
  // In some of them a buffer is kept on purpose.
  EXPECT_GT(totals.leakFree, totals.programs / 3);
}

INSTANTIATE_TEST_SUITE_P(Programs, Ownership,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Bool()),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) ? "HalfFreed"
                                                           : "Joined");
                         });

} // namespace
} // namespace tpu_mlir::jit
