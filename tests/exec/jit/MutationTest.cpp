//===- MutationTest.cpp - Mistakes in merging are found -------------------===//

#include "Comparison.h"
#include "NaiveMerge.h"
#include "RandomProgram.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <iostream>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kBatch = 16;

int programCount() {
  const char *wanted = std::getenv("JIT_PROGRAMS");
  return wanted ? std::atoi(wanted) : 160;
}

struct Tally {
  int rewritten = 0;
  int detected = 0;
};

/// Programs that change under the rewriting, and those whose change shows.
Tally tally(const NaiveMergeOptions &options) {
  Tally result;
  for (int start = 0; start < programCount(); start += kBatch) {
    MLIRContext context;
    registerForJit(context);
    std::string text;
    std::vector<std::string> names;
    ComparisonOptions comparison;
    for (int i = 0; i < kBatch; ++i) {
      RandomProgram program = makeRandomProgram(start + i, i);
      text += program.text;
      names.push_back(program.function);
      if (program.freesAll)
        comparison.leakFree.push_back(program.function);
    }
    OwningOpRef<ModuleOp> before = parseSourceString<ModuleOp>(text, &context);
    OwningOpRef<ModuleOp> after = before->clone();
    std::vector<std::string> rewritten;
    for (auto function : after->getOps<func::FuncOp>())
      if (mergeNaively(function, options, start) && !function.isPrivate())
        rewritten.push_back(function.getName().str());
    if (std::getenv("JIT_DUMP"))
      after->dump();
    comparison.order = ParallelOrder::Lockstep;
    Comparison compared = compareModules(*before, *after, names, comparison);
    EXPECT_EQ(compared.error, "") << "seeds from " << start;
    result.rewritten += rewritten.size();
    result.detected += compared.mismatches.size();
    if (std::getenv("JIT_VERBOSE"))
      for (const std::string &name : rewritten) {
        bool missed = true;
        for (const Mismatch &mismatch : compared.mismatches)
          missed = missed && mismatch.function != name;
        if (missed)
          std::cerr << start << " " << name << " is missed\n";
      }
    if (std::getenv("JIT_VERBOSE"))
      for (const Mismatch &mismatch : compared.mismatches)
        std::cerr << start << " " << mismatch.function << ": " << mismatch.what
                  << "\n";
  }
  return result;
}

TEST(Mutation, CarefulMergingIsRight) {
  Tally careful = tally({});
  EXPECT_EQ(careful.detected, 0);
  EXPECT_GT(careful.rewritten, programCount() / 2);
}

class Mistakes : public ::testing::TestWithParam<int> {};

TEST_P(Mistakes, AreFound) {
  auto [name, options] = naiveMistakes()[GetParam()];
  Tally found = tally(options);
  std::cerr << name << ": " << found.detected << " of " << found.rewritten
            << "\n";
  EXPECT_GT(found.detected, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    ::testing::Range(0, static_cast<int>(naiveMistakes().size())),
    [](const ::testing::TestParamInfo<int> &info) {
      std::string name = naiveMistakes()[info.param].first;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
} // namespace tpu_mlir::jit
