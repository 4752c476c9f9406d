//===- ExamplesTest.cpp - The examples of the lit tests run ---------------===//
//
// The files of lit tests run before and after the pass: with all values of
// their conditions, on a heap that finds leaks, double frees and late accesses.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/harness/AllInputs.h"

#include "tpu_mlir/Transforms/DeallocateBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <map>

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

struct Counts {
  int64_t before = 0; ///< Allocations that the program itself executes.
  int64_t after = 0;
};

/// Of a loop that is given by three, the bounds are 0 and `size`.
std::vector<std::vector<Data>> inputsOf(const CompiledModule &module,
                                        StringRef function, int64_t size) {
  std::vector<std::vector<Data>> all = allInputs(module, function, size);
  if (function == "loop_nested_if")
    for (std::vector<Data> &inputs : all) {
      setInteger(inputs[0], 0);
      setInteger(inputs[2], 1);
    }
  return all;
}

class Examples : public ::testing::Test {
protected:
  Examples() { registerForJit(context); }

  OwningOpRef<ModuleOp> parse(const std::string &file) {
    return parseSourceFile<ModuleOp>(
        "tests/Transforms/Memref/DeallocateBuffers/" + file, &context);
  }

  OwningOpRef<ModuleOp> deallocated(ModuleOp module) {
    OwningOpRef<ModuleOp> result = module.clone();
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    PassManager manager(&context);
    DeallocateBuffersOptions options;
    options.prefersFlags = prefersFlags;
    manager.addPass(createDeallocateBuffers(options));
    EXPECT_TRUE(succeeded(manager.run(*result)));
    return result;
  }

  /// Runs all functions of the file. `sizes` are tried one after the other.
  void runFile(const std::string &file, const std::vector<int64_t> &sizes) {
    auto before = parse(file);
    ASSERT_TRUE(before);
    auto after = deallocated(*before);
    CompileResult old = compile(*before), now = compile(*after);
    ASSERT_TRUE(old.module) << old.error;
    ASSERT_TRUE(now.module) << now.error;
    RunOptions options;
    options.heap.guardPages = true;
    for (auto function : before->getOps<func::FuncOp>()) {
      std::string name = function.getName().str();
      for (int64_t size : sizes)
        for (const auto &inputs : inputsOf(*old.module, name, size)) {
          RunResult expected = old.module->run(name, inputs, options);
          RunResult actual = now.module->run(name, inputs, options);
          ASSERT_TRUE(expected.clean()) << name << expected.describe();
          EXPECT_TRUE(actual.clean()) << name << actual.describe();
          EXPECT_FALSE(firstDifference(expected.outputs, actual.outputs))
              << name;
          EXPECT_TRUE(mayLeak || actual.heap.leakedBlocks == 0)
              << name << actual.describe();
          counts[name].before += expected.heap.allocations;
          counts[name].after += actual.heap.allocations;
        }
    }
  }

  MLIRContext context;
  bool prefersFlags = false;
  bool mayLeak = false;
  std::map<std::string, Counts> counts;
};

TEST_F(Examples, OfTheDesignAllocateNoMoreThanTheyMust) {
  // Dynamic arguments of the harness have size 4.
  runFile("seed.mlir", {4});
  EXPECT_EQ(counts["partial_write"].after, 2);
  EXPECT_EQ(counts["mixedAllocation"].after, 2);
  EXPECT_EQ(counts["condBranch"].after, 2);
  EXPECT_EQ(counts["condBranchHoisted"].after, 2);
  EXPECT_EQ(counts["condBranchDynamicType"].after, 2);
  EXPECT_EQ(counts["branch"].before, 3);
  EXPECT_EQ(counts["branch"].after, 3);
  EXPECT_EQ(counts["condBranchDynamicTypeNested"].before, 2);
  EXPECT_EQ(counts["condBranchDynamicTypeNested"].after, 4);
  EXPECT_EQ(counts["two_predecessors"].after, 2);
  EXPECT_EQ(counts["inner_region_control_flow"].after, 1);
  EXPECT_EQ(counts["inner_region_control_flow_div"].after, 5);
  EXPECT_EQ(counts["loop_nested_if"].before, 1);
  EXPECT_EQ(counts["loop_nested_if"].after, 2);
  for (const auto &[name, count] : counts)
    EXPECT_LE(count.after, 2 * count.before) << name;
}

TEST_F(Examples, LoopNestedIfCopiesOncePerCall) {
  runFile("seed.mlir", {4});
  counts.clear();
  auto before = parse("seed.mlir");
  CompileResult module = compile(*deallocated(*before));
  ASSERT_TRUE(module.module);
  // 5, 2 and 0 iterations; the third one allocates.
  for (int64_t trips : {5, 2, 0})
    for (const auto &inputs : inputsOf(*module.module, "loop_nested_if", trips))
      counts["loop"].after +=
          module.module->run("loop_nested_if", inputs).heap.allocations;
  EXPECT_EQ(counts["loop"].after, 4);
}

TEST_F(Examples, WhereDeallocationIsKnownToGoWrongItDoesNot) {
  runFile("faults.mlir", {0, 1, 2, 5});
  // The copy of f10 is new, and those that end a recursion. In f7 the lowering
  // drops a buffer that is neither read nor freed, in four of eight runs.
  std::map<std::string, int64_t> more = {{"f7", 4},
                                         {"f10", 8},
                                         {"f12", 8},
                                         {"f12_branches", 4},
                                         {"f12_returns", 4}};
  for (const auto &[name, count] : counts)
    EXPECT_EQ(count.after, count.before + more[name]) << name;
}

TEST_F(Examples, WhatAFunctionKeepsIsThereWhenItIsUsed) {
  mayLeak = true;
  runFile("kept_by_calls.mlir", {4});
}

TEST_F(Examples, NothingIsFreedThatIsNotOwned) {
  runFile("ownership.mlir", {4});
  prefersFlags = true;
  runFile("ownership.mlir", {4});
}

TEST_F(Examples, NoCopyIsMadeThatIsNoticed) {
  runFile("copies.mlir", {0, 1, 2});
  prefersFlags = true;
  runFile("copies.mlir", {0, 1, 2});
  for (const auto &[name, count] : counts)
    EXPECT_EQ(count.after, count.before) << name;
}

TEST_F(Examples, CallersGetCopiesOnlyWhereTheySeeNoDifference) {
  mayLeak = true;
  runFile("callers.mlir", {0, 1, 2, 5});
  prefersFlags = true;
  runFile("callers.mlir", {0, 1, 2, 5});
}

/// Flags are no worse than copies, and here they save all of them.
TEST_F(Examples, BuffersMayBeLentInsteadOfCopied) {
  prefersFlags = true;
  runFile("flags.mlir", {0, 1, 2, 5});
  std::map<std::string, int64_t> more = {{"returned", 4}};
  for (const auto &[name, count] : counts)
    EXPECT_EQ(count.after, count.before + more[name]) << name;
  prefersFlags = false;
  runFile("flags.mlir", {0, 1, 2, 5});
  prefersFlags = true;
  runFile("faults.mlir", {0, 1, 2, 5});
  counts.clear();
  runFile("seed.mlir", {4});
  for (const auto &[name, count] : counts)
    EXPECT_EQ(count.after, count.before) << name;
}

} // namespace
} // namespace tpu_mlir::jit
