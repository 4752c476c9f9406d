//===- BeforeAfterTest.cpp - merge-alloc changes no result ----------------===//

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/harness/Environment.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tests/exec/jit/harness/Shrink.h"
#include "tests/exec/jit/programs/RandomProgram.h"

#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <iostream>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kBatch = 16;

/// The options that programs are tried with; the first one on all of them.
const std::vector<std::string> &optionSets() {
  static const std::vector<std::string> kSets = {
      "",
      "in-place=false",
      "alignment=1",
      "alignment=128",
      "planner-options=size-first",
      "planner-options=cost-model",
      "planner=first-fit-decreasing",
      "free=true",
      "hoist-threads=true",
      "hoist-threads=true alignment=1 free=true",
      "reorder=true",
      "reorder=true in-place=false",
  };
  return kSets;
}

std::string pipeline(const std::string &options) {
  return "merge-alloc{" + options + "}";
}

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// The program is right, and what the pass makes of it is not.
bool goesWrong(ModuleOp module, const std::string &name,
               const std::string &options, ParallelOrder order) {
  CompileResult before = compile(module);
  if (!before.module)
    return false;
  // It has to have one meaning: the same as itself on other heaps.
  ComparisonOptions comparison;
  comparison.timeoutSeconds = 2;
  comparison.guardPages = true;
  Comparison self =
      compareCompiled(*before.module, *before.module, {name}, comparison);
  if (!self.error.empty() || !self.mismatches.empty())
    return false;
  OwningOpRef<ModuleOp> after = module.clone();
  if (!runPasses(*after, pipeline(options)).empty())
    return true;
  CompileOptions compileOptions;
  compileOptions.order = order;
  CompileResult rewritten = compile(*after, compileOptions);
  comparison.guardPages = false;
  return !rewritten.module ||
         !compareCompiled(*before.module, *rewritten.module, {name}, comparison)
              .mismatches.empty();
}

/// The program of a failure, small and with a line that repeats it.
std::string report(int seed, const std::string &options, ParallelOrder order) {
  MLIRContext context;
  registerForJit(context);
  RandomProgram program = makeRandomProgram(seed);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program.text, &context);
  auto wanted = [&](ModuleOp trial) {
    return goesWrong(trial, program.function, options, order);
  };
  std::string head = "// seed " + std::to_string(seed) + ", order " +
                     std::to_string(static_cast<int>(order)) +
                     ": tpuc-opt --pass-pipeline='builtin.module(" +
                     pipeline(options) + ")'\n";
  if (!module || !wanted(*module))
    return head + "// Not repeated alone.\n" + program.text;
  OwningOpRef<ModuleOp> small = shrink(*module, wanted);
  return head + textOf(*small);
}

/// A batch of programs, before and after.
class Batch {
public:
  explicit Batch(int start) : start(start) {
    registerForJit(context);
    std::string text;
    for (int i = 0; i < kBatch; ++i) {
      programs.push_back(makeRandomProgram(start + i, i));
      text += programs.back().text;
      names.push_back(programs.back().function);
      if (programs.back().freesAll)
        comparison.leakFree.push_back(names.back());
    }
    before = parseSourceString<ModuleOp>(text, &context);
    if (before)
      compiled = compile(*before);
  }

  /// Everything that is wrong, with its seed.
  std::vector<std::string> check(const std::string &options,
                                 ParallelOrder order);

  int64_t runs = 0;

private:
  int start;
  MLIRContext context;
  std::vector<RandomProgram> programs;
  std::vector<std::string> names;
  ComparisonOptions comparison;
  OwningOpRef<ModuleOp> before;
  CompileResult compiled;
};

std::vector<std::string> Batch::check(const std::string &options,
                                      ParallelOrder order) {
  if (!compiled.module)
    return {"seeds from " + std::to_string(start) + ": " + compiled.error};
  std::vector<std::string> wrong;
  OwningOpRef<ModuleOp> after = before->clone();
  std::string seeds =
      "seeds from " + std::to_string(start) + ", {" + options + "}: ";
  std::string error = runPasses(*after, pipeline(options));
  if (!error.empty())
    return {seeds + error};
  int64_t alignment = options.find("alignment=128") != std::string::npos ? 128
                      : options.find("alignment=1") != std::string::npos ? 1
                                                                         : 64;
  if (options.find("hoist") == std::string::npos)
    for (const std::string &name : names) {
      int64_t old = staticBytes(*before, name, alignment),
              now = staticBytes(*after, name, 1);
      if (now > old)
        wrong.push_back(seeds + name + " needs " + std::to_string(now) +
                        " static bytes instead of " + std::to_string(old));
    }
  CompileOptions compileOptions;
  compileOptions.order = order;
  CompileResult rewritten = compile(*after, compileOptions);
  if (!rewritten.module)
    return {seeds + rewritten.error};
  Comparison compared =
      compareCompiled(*compiled.module, *rewritten.module, names, comparison);
  runs += compared.runs;
  if (!compared.error.empty())
    wrong.push_back(seeds + compared.error);
  for (const Mismatch &mismatch : compared.mismatches) {
    int seed = start + std::stoi(mismatch.function.substr(1));
    wrong.push_back(seeds + mismatch.function + ": " + mismatch.what + "\n" +
                    report(seed, options, order));
  }
  return wrong;
}

class BeforeAfter : public ::testing::TestWithParam<int> {};

TEST_P(BeforeAfter, RandomProgramsGiveTheSameBits) {
  registerMergeAllocPass();
  int count = fromEnvironment("JIT_PROGRAMS", 1024) / 4;
  int first = fromEnvironment("JIT_FIRST_SEED", 0) + GetParam() * count;
  int most = fromEnvironment("JIT_MOST_FAILURES", 5), failures = 0;
  int64_t runs = 0;
  for (int start = first; start < first + count; start += kBatch) {
    Batch batch(start);
    int turn = start / kBatch;
    const std::vector<std::string> &sets = optionSets();
    for (const std::string &options :
         {sets[0], sets[1 + turn % (sets.size() - 1)]}) {
      auto order = static_cast<ParallelOrder>(turn % 3);
      if (options.find("hoist") != std::string::npos)
        order = ParallelOrder::Lockstep;
      for (const std::string &wrong : batch.check(options, order)) {
        ADD_FAILURE() << wrong;
        ++failures;
      }
    }
    runs += batch.runs;
    if (failures >= most)
      break;
  }
  std::cerr << runs << " comparisons\n";
}

INSTANTIATE_TEST_SUITE_P(Quarter, BeforeAfter, ::testing::Range(0, 4));

} // namespace
} // namespace tpu_mlir::jit
