//===- ExecutionTest.cpp - Removal of copies changes no result ------------===//

#include "CopyPrograms.h"

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tests/exec/jit/harness/Shrink.h"
#include "tests/exec/jit/programs/RandomProgram.h"
#include "tpu_mlir/Transforms/CopyRemoval.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <iostream>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kBatch = 16;

std::string pipeline(const std::string &options) {
  return "func.func(copy-removal{" + options + "})";
}

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

int64_t copies(ModuleOp module) {
  int64_t count = 0;
  module.walk([&](Operation *op) {
    count += isa<memref::CopyOp, linalg::CopyOp, bufferization::CloneOp>(op);
  });
  return count;
}

struct Totals {
  int64_t runs = 0, copiesBefore = 0, copiesAfter = 0;
};

/// The programs of one module, before and after. Everything that is wrong.
std::vector<std::string> check(const std::string &text,
                               const std::vector<std::string> &names,
                               const std::vector<std::string> &leakFree,
                               const std::string &options, Totals &totals) {
  MLIRContext context;
  registerForJit(context);
  OwningOpRef<ModuleOp> before = parseSourceString<ModuleOp>(text, &context);
  if (!before)
    return {"does not parse:\n" + text};
  OwningOpRef<ModuleOp> after = before->clone();
  std::string error = runPasses(*after, pipeline(options));
  if (!error.empty())
    return {error + text};
  ComparisonOptions comparison;
  comparison.leakFree = leakFree;
  comparison.inputSeeds = {1, 2, 3, 4};
  Comparison compared = compareModules(*before, *after, names, comparison);
  std::vector<std::string> wrong;
  if (!compared.error.empty())
    wrong.push_back(compared.error + text);
  for (const Mismatch &mismatch : compared.mismatches)
    wrong.push_back(mismatch.function + ": " + mismatch.what);
  if (copies(*after) > copies(*before))
    wrong.push_back("more copies than before");
  std::string once = textOf(*after);
  error = runPasses(*after, pipeline(options));
  if (!error.empty() || textOf(*after) != once)
    wrong.push_back("a second run changes something\n" + once);
  totals.runs += compared.runs;
  totals.copiesBefore += copies(*before);
  totals.copiesAfter += copies(*after);
  return wrong;
}

/// A program of its own, as small as it gets.
std::string reduced(uint64_t seed, const std::string &options) {
  MLIRContext context;
  registerForJit(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      copyProgramHelpers() + makeCopyProgram(seed, 0), &context);
  auto goesWrong = [&](ModuleOp trial) {
    ComparisonOptions comparison;
    comparison.leakFree = {"p0"};
    comparison.guardPages = true;
    comparison.timeoutSeconds = 2;
    Comparison self = compareModules(trial, trial, {"p0"}, comparison);
    if (!self.error.empty() || !self.mismatches.empty())
      return false;
    OwningOpRef<ModuleOp> after = trial.clone();
    comparison.guardPages = false;
    return !runPasses(*after, pipeline(options)).empty() ||
           !compareModules(trial, *after, {"p0"}, comparison)
                .mismatches.empty();
  };
  std::string head = "seed " + std::to_string(seed) + "\n";
  if (!module || !goesWrong(*module))
    return head + "not repeated alone\n";
  return head + textOf(*shrink(*module, goesWrong));
}

class Execution : public ::testing::TestWithParam<int> {
protected:
  static void SetUpTestSuite() { registerCopyRemoval(); }
};

TEST_P(Execution, ProgramsFullOfCopies) {
  int count = fromEnvironment("JIT_PROGRAMS", 1024) / 4, failures = 0;
  int first = fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * count;
  Totals totals;
  for (int start = first; start < first + count && failures < 3;
       start += kBatch) {
    std::string text = copyProgramHelpers();
    std::vector<std::string> names;
    for (int i = 0; i < kBatch; ++i) {
      text += makeCopyProgram(start + i, i);
      names.push_back("p" + std::to_string(i));
    }
    for (const std::string &wrong : check(text, names, names, "", totals)) {
      ++failures;
      size_t colon = wrong.find(": ");
      int number = wrong[0] == 'p' ? std::atoi(wrong.c_str() + 1) : -1;
      ADD_FAILURE() << "seeds from " << start << ": " << wrong << "\n"
                    << (number >= 0 && colon < 4 ? reduced(start + number, "")
                                                 : "");
    }
  }
  EXPECT_LT(totals.copiesAfter * 10, totals.copiesBefore * 9);
  std::cerr << totals.runs << " comparisons, " << totals.copiesBefore
            << " copies before, " << totals.copiesAfter << " after\n";
}

TEST_P(Execution, RandomPrograms) {
  int count = fromEnvironment("JIT_PROGRAMS", 512) / 4, failures = 0;
  int first = fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * count;
  Totals totals;
  for (int start = first; start < first + count && failures < 3;
       start += kBatch) {
    std::string text;
    std::vector<std::string> names, leakFree;
    for (int i = 0; i < kBatch; ++i) {
      RandomProgram program = makeRandomProgram(start + i, i);
      text += program.text;
      names.push_back(program.function);
      if (program.freesAll)
        leakFree.push_back(program.function);
    }
    std::string options =
        start / kBatch % 2 ? "assume-no-argument-overlap=true" : "";
    // Its helpers may get overlapping arguments.
    if (text.find("func.func private") != std::string::npos)
      options = "";
    for (const std::string &wrong :
         check(text, names, leakFree, options, totals)) {
      ++failures;
      ADD_FAILURE() << "seeds from " << start << ", {" << options
                    << "}: " << wrong;
    }
  }
  std::cerr << totals.runs << " comparisons, " << totals.copiesBefore
            << " copies before, " << totals.copiesAfter << " after\n";
}

INSTANTIATE_TEST_SUITE_P(Quarter, Execution, ::testing::Range(0, 4));

} // namespace
} // namespace tpu_mlir::jit
