//===- MutationTest.cpp - Mistakes in merging are found -------------------===//

#include "tests/exec/jit/NaiveMerge.h"
#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/programs/RandomProgram.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <iostream>
#include <map>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kBatch = 16;

int programCount() {
  const char *wanted = std::getenv("JIT_PROGRAMS");
  return wanted ? std::atoi(wanted) : 256;
}

struct Tally {
  int rewritten = 0;
  int detected = 0;
};

/// A batch of programs, compiled.
class Batch {
public:
  explicit Batch(int start) : start(start) {
    registerForJit(context);
    std::string text;
    for (int i = 0; i < kBatch; ++i) {
      RandomProgram program = makeRandomProgram(start + i, i);
      text += program.text;
      names.push_back(program.function);
      if (program.freesAll)
        comparison.leakFree.push_back(program.function);
    }
    before = parseSourceString<ModuleOp>(text, &context);
    if (before)
      compiled = compile(*before);
  }

  /// Programs that change under the rewriting, and those whose change shows.
  void count(const NaiveMergeOptions &options, Tally &tally) {
    ASSERT_TRUE(compiled.module) << compiled.error;
    OwningOpRef<ModuleOp> after = before->clone();
    for (auto function : after->getOps<func::FuncOp>())
      if (mergeNaively(function, options, start) && !function.isPrivate())
        ++tally.rewritten;
    CompileOptions lockstep;
    lockstep.order = ParallelOrder::Lockstep;
    CompileResult rewritten = compile(*after, lockstep);
    ASSERT_TRUE(rewritten.module) << rewritten.error;
    Comparison compared =
        compareCompiled(*compiled.module, *rewritten.module, names, comparison);
    EXPECT_EQ(compared.error, "") << "seeds from " << start;
    tally.detected += compared.mismatches.size();
  }

private:
  int start;
  MLIRContext context;
  std::vector<std::string> names;
  ComparisonOptions comparison;
  OwningOpRef<ModuleOp> before;
  CompileResult compiled;
};

/// The part of the rewritten programs, in percent, that has to show each
/// mistake. Most programs hold no place where a mistake matters: the numbers
/// are somewhat below what is measured.
const std::map<std::string, int> kLeastPercent = {
    {"overlap", 30},       {"no-loops", 8},      {"innermost-loop", 1},
    {"no-blocks", 6},      {"no-select", 2},     {"no-yields", 2},
    {"no-calls", 1},       {"kept-dealloc", 20}, {"small-slots", 50},
    {"shared-threads", 6}, {"unaligned", 1},
};

TEST(Mutation, MistakesInMergingShow) {
  std::map<std::string, Tally> tallies;
  for (int start = 0; start < programCount(); start += kBatch) {
    Batch batch(start);
    batch.count({}, tallies["careful"]);
    for (const auto &[name, options] : naiveMistakes())
      batch.count(options, tallies[name]);
    if (HasFatalFailure())
      return;
  }
  // The same without a mistake: what shows is the mistake.
  EXPECT_EQ(tallies["careful"].detected, 0);
  EXPECT_GT(tallies["careful"].rewritten, programCount() / 2);
  for (const auto &[name, options] : naiveMistakes()) {
    Tally found = tallies[name];
    std::cerr << name << ": " << found.detected << " of " << found.rewritten
              << "\n";
    EXPECT_GT(found.detected, 0) << name;
    EXPECT_GE(100 * found.detected, kLeastPercent.at(name) * found.rewritten)
        << name;
  }
}

} // namespace
} // namespace tpu_mlir::jit
