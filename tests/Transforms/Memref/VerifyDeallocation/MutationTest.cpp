//===- MutationTest.cpp - Mistakes in deallocation are found --------------===//
//
// Random programs are given deallocations, which have to be accepted. Then one
// of them is forgotten, repeated, moved or frees something else, and the
// program runs on a heap that finds leaks, double frees and late accesses: what
// goes wrong there must have been rejected. VERIFY_PROGRAMS runs more.
//
//===----------------------------------------------------------------------===//

#include "tests/Transforms/Memref/VerifyDeallocation/Mutations.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tests/exec/jit/harness/JitHarness.h"
#include "tests/exec/jit/programs/RandomProgram.h"

#include "lib/Analysis/Memref/Deallocation/FreshResults.h"
#include "tpu_mlir/Transforms/DeallocateBuffers.h"
#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <iostream>
#include <map>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kBatch = 16;
/// Tests that programs are shared out to.
constexpr int kParts = 8;
constexpr uint64_t kInputs = 4;

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (Operation &op : *module.getBody())
    out << op << "\n";
  return text;
}

struct PassResult {
  bool succeeded = false;
  int remarks = 0;
  std::string said;
};

PassResult runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassResult result;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        result.remarks +=
            diagnostic.getSeverity() == DiagnosticSeverity::Remark;
        result.said += diagnostic.str() + "\n";
        return success();
      });
  PassManager manager(module.getContext());
  manager.addPass(std::move(pass));
  result.succeeded = succeeded(manager.run(module));
  return result;
}

PassResult check(ModuleOp module, bool strict, bool leaks) {
  VerifyDeallocationOptions options;
  options.strict = strict;
  options.leaks = leaks ? "error" : "ignore";
  return runPass(module, createVerifyDeallocation(options));
}

/// A program with its deallocations.
struct Program {
  std::string name;
  OwningOpRef<ModuleOp> module;
  bool leaks = false; ///< A remark said so.
  /// No function returns what may be its argument or something else: that is
  /// not followed any further.
  bool isFollowed = true;
};

struct Mutant {
  const Program *program;
  std::string text;
  bool isRejected = false; ///< With `strict`.
  bool isCertain = false;  ///< Without.
};

struct Tally {
  int mutants = 0;
  int wrong = 0;       ///< Went wrong when they ran.
  int missed = 0;      ///< Of these, those that were accepted.
  int uncertain = 0;   ///< Of these, those that `strict` alone rejects.
  int falseAlarms = 0; ///< Rejected, but ran well.
};

class Mutations : public ::testing::TestWithParam<int> {
protected:
  Program makeProgram(int seed, int number, MLIRContext &context) {
    ProgramOptions options;
    options.deallocs = false;
    options.parallel = seed / kBatch % 4 == 0;
    options.statements = 16 + 4 * (number % 4);
    // Also such in which it depends on the path who owns a buffer.
    RandomProgram random = seed / kBatch % 2
                               ? makeOwnershipProgram(seed, number)
                               : makeRandomProgram(seed, number, options);
    Program program;
    program.name = random.function;
    program.module = parseSourceString<ModuleOp>(random.text, &context);
    PassResult result = runPass(*program.module, createDeallocateBuffers());
    EXPECT_TRUE(result.succeeded) << "seed " << seed;
    program.leaks = result.remarks > 0;
    verify_deallocation::FreshResults fresh(*program.module);
    program.module->walk([&](CallOpInterface call) {
      auto isArgument = [&](OpResult result) {
        return llvm::any_of(call.getArgOperands(), [&](Value operand) {
          return fresh.returns(result, operand) ==
                 verify_deallocation::Returns::Always;
        });
      };
      for (OpResult result : call->getResults())
        program.isFollowed &= !isa<MemRefType>(result.getType()) ||
                              fresh.isFresh(result) || isArgument(result);
    });
    PassResult found = check(*program.module, /*strict=*/true, !program.leaks);
    EXPECT_TRUE(found.succeeded) << "seed " << seed << ":\n" << found.said;
    undecided += StringRef(found.said).count("not decided");
    return program;
  }

  /// What the run does wrong that the program without the mistake does not.
  static bool goesWrong(const CompiledModule &good, const CompiledModule &bad,
                        const Program &program) {
    for (uint64_t seed = 1; seed <= kInputs; ++seed) {
      auto inputs = good.makeInputs(program.name, seed);
      RunOptions options;
      RunResult expected = good.run(program.name, *inputs, options);
      options.heap.guardPages = true;
      RunResult actual = bad.run(program.name, *inputs, options);
      if (!actual.clean() || (!program.leaks && actual.heap.leakedBlocks > 0) ||
          firstDifference(expected.outputs, actual.outputs))
        return true;
    }
    return false;
  }

  void countMutants(std::vector<Program> &programs, const CompiledModule &good,
                    Mistake mistake, int seed, MLIRContext &context) {
    Tally &tally = tallies[nameOf(mistake)];
    std::mt19937 random(seed);
    std::vector<Mutant> mutants;
    std::string text;
    for (Program &program : programs) {
      OwningOpRef<ModuleOp> copy(program.module->clone());
      Mutant mutant{&program, ""};
      if (program.isFollowed && mutate(*copy, mistake, random)) {
        mutant.isRejected = !check(*copy, true, !program.leaks).succeeded;
        mutant.isCertain = !check(*copy, false, !program.leaks).succeeded;
        mutant.text = textOf(*copy);
        mutants.push_back(mutant);
        text += mutant.text;
      }
    }
    if (mutants.empty())
      return;
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    CompileResult bad = compile(*module);
    ASSERT_TRUE(bad.module) << bad.error;
    for (const Mutant &mutant : mutants) {
      bool isWrong = goesWrong(good, *bad.module, *mutant.program);
      ++tally.mutants;
      tally.wrong += isWrong;
      tally.missed += isWrong && !mutant.isRejected;
      tally.uncertain += isWrong && mutant.isRejected && !mutant.isCertain;
      tally.falseAlarms += !isWrong && mutant.isRejected;
      if (isWrong && !mutant.isRejected)
        ADD_FAILURE() << nameOf(mistake) << ", seeds from " << seed << ": @"
                      << mutant.program->name << "\n"
                      << mutant.text;
    }
  }

  std::map<std::string, Tally> tallies;
  int undecided = 0;
};

TEST_P(Mutations, ThatGoWrongAreRejected) {
  int total = fromEnvironment("VERIFY_PROGRAMS", 768) / kParts;
  int first = fromEnvironment("VERIFY_FIRST_SEED", 0) + GetParam() * total;
  for (int start = first; start < first + total && !HasFailure();
       start += kBatch) {
    MLIRContext context;
    registerForJit(context);
    std::vector<Program> programs;
    std::string text;
    for (int i = 0; i < kBatch; ++i) {
      programs.push_back(makeProgram(start + i, i, context));
      text += textOf(*programs.back().module);
    }
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    CompileResult good = compile(*module);
    ASSERT_TRUE(good.module) << good.error;
    for (Mistake mistake : kMistakes)
      countMutants(programs, *good.module, mistake, start, context);
  }
  EXPECT_EQ(undecided, 0);
  for (const auto &[name, tally] : tallies) {
    std::cerr << name << ": " << tally.mutants << " mutants, " << tally.wrong
              << " go wrong, " << tally.missed << " of them accepted, "
              << tally.uncertain << " rejected by strict alone; "
              << tally.falseAlarms << " rejected that ran well\n";
    // Only what is done late is harmless.
    EXPECT_TRUE(tally.wrong > 0 || name == "late") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Part, Mutations, ::testing::Range(0, kParts));

/// Examples that are known to be hard, as the pass leaves them.
TEST(Examples, AreAccepted) {
  MLIRContext context;
  registerForJit(context);
  for (const char *file :
       {"seed.mlir", "faults.mlir", "ownership.mlir", "copies.mlir"}) {
    auto module = parseSourceFile<ModuleOp>(
        std::string("tests/Transforms/Memref/DeallocateBuffers/") + file,
        &context);
    ASSERT_TRUE(module) << file;
    PassResult freed = runPass(*module, createDeallocateBuffers());
    ASSERT_TRUE(freed.succeeded);
    PassResult found = check(*module, true, freed.remarks == 0);
    EXPECT_TRUE(found.succeeded) << file << ":\n" << found.said;
  }
}

} // namespace
} // namespace tpu_mlir::jit
