//===- RandomProgramTest.cpp - Random programs have one meaning -----------===//

#include "tests/exec/jit/programs/RandomProgram.h"
#include "tests/exec/jit/harness/JitHarness.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

constexpr int kBatch = 16;

int programCount() {
  const char *wanted = std::getenv("JIT_PROGRAMS");
  return wanted ? std::atoi(wanted) : 192;
}

TEST(RandomProgram, DependsOnTheSeedAlone) {
  EXPECT_EQ(makeRandomProgram(7).text, makeRandomProgram(7).text);
  EXPECT_NE(makeRandomProgram(7).text, makeRandomProgram(8).text);
}

/// Runs with two kinds of fresh memory, and with guard pages.
void expectDefined(const CompiledModule &module, const RandomProgram &program,
                   int seed) {
  for (uint64_t inputSeed : {1, 2}) {
    auto inputs = module.makeInputs(program.function, inputSeed);
    ASSERT_TRUE(inputs);
    RunOptions one, two;
    one.heap.poison = 0x5A;
    one.heap.freedPoison = 0x01;
    two.heap.poison = 0xC3;
    two.heap.guardPages = true;
    RunResult first = module.run(program.function, *inputs, one);
    RunResult second = module.run(program.function, *inputs, two);
    ASSERT_TRUE(first.clean()) << "seed " << seed << ": " << first.describe();
    ASSERT_TRUE(second.clean()) << "seed " << seed << ": " << second.describe();
    std::optional<std::string> difference =
        firstDifference(first.outputs, second.outputs);
    ASSERT_FALSE(difference) << "seed " << seed << ": " << *difference << "\n"
                             << program.text;
    if (program.freesAll) {
      ASSERT_EQ(first.heap.leakedBlocks, 0) << "seed " << seed << program.text;
    }
  }
}

TEST(RandomProgram, ProgramsAreDefinedInEveryOrder) {
  std::map<std::string, int> statements;
  int frees = 0;
  for (int start = 0; start < programCount(); start += kBatch) {
    MLIRContext context;
    registerForJit(context);
    std::vector<RandomProgram> programs;
    std::string text;
    for (int i = 0; i < kBatch; ++i) {
      programs.push_back(makeRandomProgram(start + i, i));
      text += programs.back().text;
      frees += programs.back().freesAll;
      for (const auto &[name, count] : programs.back().statements)
        statements[name] += count;
    }
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << "seeds from " << start;
    std::vector<std::vector<Data>> outputs;
    for (ParallelOrder order : {ParallelOrder::Forward, ParallelOrder::Reversed,
                                ParallelOrder::Lockstep}) {
      CompileOptions options;
      options.order = order;
      CompileResult compiled = compile(*module, options);
      ASSERT_TRUE(compiled.module) << compiled.error;
      for (int i = 0; i < kBatch; ++i) {
        expectDefined(*compiled.module, programs[i], start + i);
        if (HasFatalFailure())
          return;
        auto inputs = compiled.module->makeInputs(programs[i].function, 1);
        RunResult result = compiled.module->run(programs[i].function, *inputs);
        if (order == ParallelOrder::Forward)
          outputs.push_back(result.outputs);
        auto difference = firstDifference(outputs[i], result.outputs);
        ASSERT_FALSE(difference)
            << "seed " << start + i << ": " << *difference << "\n"
            << programs[i].text;
      }
    }
  }
  EXPECT_GT(frees, 0);
  EXPECT_EQ(statements.size(), 27u);
  for (const auto &[name, count] : statements) {
    EXPECT_GT(count, programCount() / 24) << name;
  }
}

TEST(RandomProgram, FunctionsCallEachOther) {
  int calls = 0;
  for (int start = 0; start < programCount(); start += kBatch) {
    MLIRContext context;
    registerForJit(context);
    std::vector<RandomProgram> programs;
    std::string text;
    for (int i = 0; i < kBatch; ++i) {
      ProgramOptions options;
      options.functions = 1 + i % 6;
      options.dynamic = i % 2;
      programs.push_back(makeRandomProgram(start + i, i, options));
      text += programs.back().text;
      calls += programs.back().statements["call"];
    }
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << "seeds from " << start;
    CompileResult compiled = compile(*module);
    ASSERT_TRUE(compiled.module) << compiled.error;
    for (int i = 0; i < kBatch; ++i) {
      expectDefined(*compiled.module, programs[i], start + i);
      if (HasFatalFailure())
        return;
    }
  }
  EXPECT_GT(calls, 4 * programCount());
}

} // namespace
} // namespace tpu_mlir::jit
