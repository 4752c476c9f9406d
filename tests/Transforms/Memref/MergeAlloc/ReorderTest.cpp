//===- ReorderTest.cpp - Ops in another order give the same bits ----------===//
//
// Random programs run before and after merge-alloc=reorder, on a heap that
// finds wrong uses of it; and need no more bytes than in the order of the text.
// JIT_PROGRAMS and JIT_FIRST_SEED run more or others.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/PipelineCheck.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tests/exec/jit/programs/RandomProgram.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <iostream>
#include <random>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kShards = 4;

class Reorder : public ::testing::TestWithParam<int> {
protected:
  static void SetUpTestSuite() { registerMergeAllocPass(); }
  int count() const { return fromEnvironment("JIT_PROGRAMS", 800) / kShards; }
  int first() const {
    return fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * count();
  }
};

PipelineCheck checkOf(const std::string &options) {
  PipelineCheck check;
  check.pipeline = "merge-alloc{" + options + "}";
  check.make = [](int seed, int number) {
    return makeOrderProgram(seed, number);
  };
  return check;
}

TEST_P(Reorder, GivesTheSameBits) {
  PipelineTotals totals;
  const int half = count() / 2;
  for (const std::string &wrong :
       checkPrograms(first(), half, checkOf("reorder"), totals))
    ADD_FAILURE() << wrong;
  for (const std::string &wrong :
       checkPrograms(first() + half, half,
                     checkOf("reorder in-place=false alignment=4"), totals))
    ADD_FAILURE() << wrong;
  EXPECT_GT(totals.changed * 10, totals.programs * 9);
  std::cerr << totals.describe() << "\n";
}

/// What merging leaves of the program, with the options.
int64_t bytesAfter(ModuleOp module, const std::string &options,
                   int64_t alignment) {
  OwningOpRef<ModuleOp> trial = module.clone();
  EXPECT_EQ(runPasses(*trial, "merge-alloc{" + options + "}"), "");
  return staticBytes(*trial, "g0", alignment);
}

TEST_P(Reorder, NeedsNoMoreThanTheText) {
  MLIRContext context;
  registerForJit(context);
  int fewer = 0;
  for (int seed = first(); seed < first() + count(); ++seed) {
    auto module =
        parseSourceString<ModuleOp>(makeOrderProgram(seed, 0).text, &context);
    ASSERT_TRUE(module) << "seed " << seed;
    for (int64_t alignment : {1, 64}) {
      const int64_t text = bytesAfter(*module, "", alignment),
                    ordered = bytesAfter(*module, "reorder", alignment);
      EXPECT_LE(ordered, text) << "seed " << seed;
      fewer += alignment == 1 && ordered < text;
    }
  }
  std::cerr << fewer << " of " << count() << " programs need fewer bytes\n";
  EXPECT_GT(fewer * 5, count());
}

/// Puts ops wherever their operands allow it.
void shuffle(Block &block) {
  std::mt19937 random(1);
  std::vector<Operation *> ops, ready;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  const auto isBehind = [&](Operation *op, Operation *made) {
    bool uses = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        uses |= operand.getDefiningOp() == made;
    });
    return uses;
  };
  while (!ops.empty()) {
    ready.clear();
    for (Operation *op : ops)
      if (llvm::none_of(ops, [&](Operation *o) { return isBehind(op, o); }))
        ready.push_back(op);
    Operation *next = ready[random() % ready.size()];
    next->moveBefore(block.getTerminator());
    ops.erase(llvm::find(ops, next));
  }
}

/// The programs see it when ops change places that must not.
TEST_P(Reorder, OtherOrdersAreWrong) {
  PipelineCheck check = checkOf("");
  check.pipeline = "merge-alloc{analysis-only}";
  check.reduces = false;
  check.adjust = [&](ModuleOp, ModuleOp after) {
    for (auto function : after.getOps<func::FuncOp>())
      if (function.getName().starts_with("g"))
        shuffle(function.getBody().front());
  };
  PipelineTotals totals;
  EXPECT_GE(checkPrograms(first(), 16, check, totals).size(), 12u);
}

INSTANTIATE_TEST_SUITE_P(Quarter, Reorder, ::testing::Range(0, kShards));

} // namespace
} // namespace tpu_mlir::jit
