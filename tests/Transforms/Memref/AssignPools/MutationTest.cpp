//===- MutationTest.cpp - Plans that are wrong are found ------------------===//
//
// A buffer that is put elsewhere, or that is said to live for shorter than it
// does: the referee of plans objects, and where bytes are really lost, so do
// programs when they run.
//
//===----------------------------------------------------------------------===//

#include "PoolDriver.h"

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tests/exec/jit/programs/RandomProgram.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Transforms/AssignPools.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <iostream>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::jit {
namespace {

/// The views that the pass has made, in the order of the problem's buffers.
std::vector<memref::ViewOp> poolViews(ModuleOp module) {
  std::vector<memref::ViewOp> views;
  module.walk<WalkOrder::PreOrder>([&](memref::ViewOp view) {
    auto global = view.getSource().getDefiningOp<memref::GetGlobalOp>();
    auto argument = dyn_cast<BlockArgument>(view.getSource());
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    if ((global && global.getName() == "tpu_workspace") ||
        (function && function.getArgAttr(argument.getArgNumber(), "tpu.pool")))
      views.push_back(view);
  });
  return views;
}

void setOffset(memref::ViewOp view, int64_t bytes) {
  OpBuilder builder(view);
  view.getByteShiftMutable().assign(
      arith::ConstantIndexOp::create(builder, view.getLoc(), bytes));
}

/// A program, what the pass makes of it, and the problem that it solved.
class Planned {
public:
  explicit Planned(int seed) {
    registerForJit(context);
    ProgramOptions options;
    options.functions = 2 + seed % 3;
    options.parallel = false;
    options.dynamic = false;
    RandomProgram program = makeRandomProgram(seed, 0, options);
    function = program.function;
    before = parseSourceString<ModuleOp>(program.text, &context);
    after = before->clone();
    std::string file = ::testing::TempDir() + "problem.json";
    error = runPasses(
        *after, "tpu-assign-pools{alignment=1 in-place=false problem-file=" +
                    file + "}");
    auto text = readWholeFile(file);
    auto parsed = parseProblemJson(std::get<std::string>(text));
    problem = std::get<Problem>(std::move(parsed));
    // What the caller hands over is no view. It comes last.
    llvm::erase_if(problem.buffers, [&](const Buffer &buffer) {
      return problem.pools[size_t(buffer.pools.front())].isCallers;
    });
    llvm::erase_if(problem.pools,
                   [](const Pool &pool) { return pool.isCallers; });
    compiled = compile(*before);
  }

  /// What is wrong with a plan, when the program runs.
  bool showsWrong(const Plan &plan) {
    OwningOpRef<ModuleOp> mutant = after->clone();
    std::vector<memref::ViewOp> views = poolViews(*mutant);
    for (auto [view, placement] : llvm::zip_equal(views, plan.placements))
      setOffset(view, placement.offsetBytes);
    poisonInternalPool(*mutant);
    CompileResult rewritten = compile(*mutant);
    EXPECT_TRUE(rewritten.module) << rewritten.error;
    Comparison compared = compareCompiled(*compiled.module, *rewritten.module,
                                          {function}, ComparisonOptions());
    EXPECT_EQ(compared.error, "");
    return !compared.mismatches.empty();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> before, after;
  CompileResult compiled;
  std::string function, error;
  Problem problem;
};

Plan solved(const Problem &problem) {
  return std::get<Plan>(solve(problem, SolveOptions()));
}

struct Tally {
  int mutants = 0;
  int refused = 0; ///< By the referee.
  int shown = 0;   ///< When the program ran.
};

/// The referee sees all that shows.
void count(Planned &planned, const Plan &mutant, Tally &tally) {
  Plan honest = mutant;
  // Without P8: only the high-water mark has changed.
  honest.pools[0].usedBytes = 0;
  for (auto [placement, buffer] :
       llvm::zip(honest.placements, planned.problem.buffers))
    honest.pools[0].usedBytes = std::max(
        honest.pools[0].usedBytes, placement.offsetBytes + buffer.sizeBytes);
  bool isRefused = !validate(planned.problem, honest).empty();
  bool isShown = planned.showsWrong(mutant);
  ++tally.mutants;
  tally.refused += isRefused;
  tally.shown += isShown;
  EXPECT_TRUE(isRefused || !isShown);
}

int programs() { return fromEnvironment("JIT_PROGRAMS", 40); }

class Mutation : public ::testing::Test {
protected:
  static void SetUpTestSuite() { registerAssignPools(); }
};

TEST_F(Mutation, BuffersPutElsewhere) {
  Tally tally;
  for (int seed = 0; seed < programs(); ++seed) {
    Planned planned(seed);
    ASSERT_EQ(planned.error, "");
    Plan plan = solved(planned.problem);
    ASSERT_FALSE(planned.showsWrong(plan)) << "seed " << seed;
    const std::vector<Buffer> &buffers = planned.problem.buffers;
    for (size_t i = seed % 3; i < buffers.size(); i += 3) {
      // In the place of another one, if there is room.
      size_t other = (i * 7 + seed) % buffers.size();
      int64_t offset = plan.placements[other].offsetBytes;
      if (offset % buffers[i].alignment ||
          offset == plan.placements[i].offsetBytes ||
          offset + buffers[i].sizeBytes > plan.pools[0].usedBytes)
        continue;
      Plan mutant = plan;
      mutant.placements[i].offsetBytes = offset;
      count(planned, mutant, tally);
    }
  }
  std::cerr << tally.mutants << " mutants, " << tally.refused << " refused, "
            << tally.shown << " show\n";
  EXPECT_GT(tally.refused * 2, tally.mutants);
  EXPECT_GT(tally.shown * 5, tally.refused);
}

/// The last or the first part of a life is cut off, and the plan made anew.
TEST_F(Mutation, ShorterLives) {
  Tally tally;
  int lower = 0;
  for (int seed = 0; seed < programs(); ++seed) {
    Planned planned(seed);
    ASSERT_EQ(planned.error, "");
    int64_t used = solved(planned.problem).pools[0].usedBytes;
    Problem shorter = planned.problem;
    for (auto [index, buffer] : llvm::enumerate(shorter.buffers)) {
      for (Interval &life : buffer.lifespans) {
        int64_t half = (life.length() + 1) / 2;
        if ((index + seed) % 2)
          life.end = life.begin + half;
        else
          life.begin = life.end - half;
      }
      buffer.readSteps.clear();
    }
    Plan mutant = solved(shorter);
    lower += mutant.pools[0].usedBytes < used;
    if (mutant.pools[0].usedBytes <= used)
      count(planned, mutant, tally);
  }
  std::cerr << tally.mutants << " mutants, " << tally.refused << " refused, "
            << tally.shown << " show, " << lower << " lower\n";
  EXPECT_GT(tally.refused * 10, tally.mutants * 9);
  EXPECT_GT(tally.shown * 2, tally.refused);
}

} // namespace
} // namespace tpu_mlir::jit
