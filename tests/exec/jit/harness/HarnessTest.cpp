//===- HarnessTest.cpp - Execution of memref programs ---------------------===//

#include "tests/exec/jit/harness/JitHarness.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

class HarnessTest : public ::testing::Test {
protected:
  HarnessTest() { registerForJit(context); }

  /// Runs @f of `text` with inputs made from seed 1.
  RunResult run(const std::string &text, RunOptions options = {},
                CompileOptions compileOptions = {}) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure("does not parse");
    CompileResult compiled = compile(*module, compileOptions);
    if (!compiled.module)
      return failure(compiled.error);
    auto inputs = compiled.module->makeInputs("f", 1);
    if (!inputs)
      return failure("no inputs");
    return compiled.module->run("f", *inputs, options);
  }

  static RunResult failure(const std::string &text) {
    RunResult result;
    result.error = text;
    return result;
  }

  static RunOptions guarded() {
    RunOptions options;
    options.heap.guardPages = true;
    return options;
  }

  static RunOptions poisoned(uint8_t poison) {
    RunOptions options;
    options.heap.poison = poison;
    return options;
  }

  MLIRContext context;
};

TEST_F(HarnessTest, ArgumentsAndResultsOfManyTypes) {
  RunResult result = run(R"mlir(
    func.func @f(%i1: memref<3xi1>, %i12: memref<3xi12>, %index: memref<2x2xindex>,
                 %h: memref<2xf16>, %d: memref<?xf64>, %v: memref<2xvector<4xf32>>,
                 %z: memref<2xcomplex<f32>>, %n: i8, %x: f32)
        -> (i1, memref<2x2xindex>, i16, f64, memref<f32>, index) {
      %t = arith.constant true
      %s = arith.constant -2 : i16
      %half = arith.constant 0.5 : f64
      %c2 = arith.constant 2 : index
      %r = memref.alloc() : memref<f32>
      memref.store %x, %r[] : memref<f32>
      %copy = memref.alloc() {alignment = 128 : i64} : memref<2x2xindex>
      memref.copy %index, %copy : memref<2x2xindex> to memref<2x2xindex>
      return %t, %copy, %s, %half, %r, %c2
        : i1, memref<2x2xindex>, i16, f64, memref<f32>, index
    })mlir");
  ASSERT_TRUE(result.clean()) << result.describe();
  ASSERT_EQ(result.outputs.size(), 13u);
  EXPECT_EQ(result.outputs[1].bytes.size(), 6u);
  EXPECT_EQ(result.outputs[4].bytes.size(), 32u);
  EXPECT_EQ(result.outputs[7].bytes, std::vector<uint8_t>{1});
  EXPECT_EQ(result.outputs[8].bytes, result.outputs[2].bytes);
  EXPECT_EQ(result.outputs[9].bytes, (std::vector<uint8_t>{0xFE, 0xFF}));
  EXPECT_EQ(result.outputs[10].bytes,
            (std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0xE0, 0x3F}));
  EXPECT_EQ(result.outputs[12].bytes[0], 2);
  EXPECT_EQ(result.heap.leakedBlocks, 0);
  EXPECT_EQ(result.heap.requestedBytes, 4 + 32);
}

TEST_F(HarnessTest, HeapCountsWhatIsAskedFor) {
  RunResult result = run(R"mlir(
    func.func @f(%n: memref<?xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %d = memref.dim %n, %c0 : memref<?xi8>
      scf.for %i = %c0 to %c3 step %c1 {
        %a = memref.alloc(%d) {alignment = 64 : i64} : memref<?xi16>
        %z = arith.constant 0 : i16
        memref.store %z, %a[%i] : memref<?xi16>
        memref.dealloc %a : memref<?xi16>
      }
      %v = memref.alloc() : memref<3xvector<4xf32>>
      %w = memref.load %v[%c0] : memref<3xvector<4xf32>>
      memref.store %w, %v[%c1] : memref<3xvector<4xf32>>
      return
    })mlir");
  ASSERT_TRUE(result.clean()) << result.describe();
  EXPECT_EQ(result.heap.allocations, 4);
  EXPECT_EQ(result.heap.frees, 3);
  EXPECT_EQ(result.heap.requestedBytes, 3 * 8 + 48);
  EXPECT_EQ(result.heap.peakLiveBytes, 48);
  EXPECT_EQ(result.heap.leakedBlocks, 1);
  EXPECT_EQ(result.heap.leakedBytes, 48);
}

TEST_F(HarnessTest, UninitialisedReadsDependOnThePoison) {
  const char *text = R"mlir(
    func.func @f() -> i32 {
      %c0 = arith.constant 0 : index
      %a = memref.alloc() : memref<4xi32>
      %x = memref.load %a[%c0] : memref<4xi32>
      return %x : i32
    })mlir";
  RunResult first = run(text, poisoned(0x11)),
            second = run(text, poisoned(0x22));
  ASSERT_TRUE(first.clean() && second.clean());
  EXPECT_EQ(firstDifference(first.outputs, second.outputs),
            "output 0 (i32) element 0: 0x11111111 against 0x22222222");
}

/// A program that gets a block of 8 bytes, index 0, and does the rest itself.
std::string withBlock(const std::string &body) {
  return R"mlir(
    func.func @f(%out: memref<1xi8>) {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %argument = memref.load %out[%c0] : memref<1xi8>
      %small = arith.index_castui %argument : i8 to index
      %below = arith.subi %small, %c8 : index
      %x = arith.constant 7 : i8
      %a = memref.alloc() : memref<8xi8>
      memref.store %x, %a[%c0] : memref<8xi8>
    )mlir" +
         body + "\nreturn }";
}

TEST_F(HarnessTest, FindsDoubleAndForeignFrees) {
  RunResult twice = run(withBlock("memref.dealloc %a : memref<8xi8>\n"
                                  "memref.dealloc %a : memref<8xi8>"));
  EXPECT_EQ(twice.heap.doubleFrees, 1) << twice.describe();
  EXPECT_EQ(twice.heap.errors(), 1);
  EXPECT_EQ(twice.heap.leakedBlocks, 0);
  RunResult foreign = run(withBlock("memref.dealloc %out : memref<1xi8>"));
  EXPECT_EQ(foreign.heap.foreignFrees, 1) << foreign.describe();
  EXPECT_EQ(foreign.heap.leakedBytes, 8);
}

TEST_F(HarnessTest, FindsAccessesAfterAFree) {
  std::string write = withBlock("memref.dealloc %a : memref<8xi8>\n"
                                "memref.store %x, %a[%c0] : memref<8xi8>");
  EXPECT_EQ(run(write).heap.writesAfterFree, 1);
  RunResult faulted = run(write, guarded());
  ASSERT_TRUE(faulted.error);
  EXPECT_NE(faulted.error->find("byte 0 of freed block #1 of 8 bytes"),
            std::string::npos)
      << *faulted.error;
  std::string read = withBlock("memref.dealloc %a : memref<8xi8>\n"
                               "%y = memref.load %a[%c0] : memref<8xi8>\n"
                               "memref.store %y, %out[%c0] : memref<1xi8>");
  RunResult quiet = run(read);
  ASSERT_EQ(quiet.outputs.size(), 1u) << quiet.describe();
  EXPECT_EQ(quiet.outputs[0].bytes[0], HeapOptions().freedPoison);
  EXPECT_TRUE(run(read, guarded()).error);
}

TEST_F(HarnessTest, FindsAccessesOutOfBounds) {
  for (const char *index : {"%c8", "%below"}) {
    std::string store = withBlock("memref.store %x, %a[" + std::string(index) +
                                  "] : memref<8xi8>");
    RunResult result = run(store);
    EXPECT_EQ(result.heap.redZoneWrites, 1)
        << index << " " << result.describe();
  }
  // After an argument, too.
  EXPECT_EQ(run(withBlock("memref.store %x, %out[%c8] : memref<1xi8>"))
                .heap.redZoneWrites,
            1);
  // Read after the end: the guard page is hit if the block ends at it.
  RunResult read = run(R"mlir(
    func.func @f() -> i8 {
      %c = arith.constant 256 : index
      %a = memref.alloc() : memref<256xi8>
      %x = memref.load %a[%c] : memref<256xi8>
      return %x : i8
    })mlir",
                       guarded());
  EXPECT_TRUE(read.error) << read.describe();
}

TEST_F(HarnessTest, ReturnedMemoryHasToBeAlive) {
  RunResult result = run(R"mlir(
    func.func @f() -> memref<2xi8> {
      %a = memref.alloc() : memref<2xi8>
      memref.dealloc %a : memref<2xi8>
      return %a : memref<2xi8>
    })mlir");
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->find("not in live memory"), std::string::npos);
}

TEST_F(HarnessTest, EndlessLoopsEnd) {
  RunOptions options;
  options.timeoutSeconds = 1;
  RunResult result = run(R"mlir(
    func.func @f() {
      cf.br ^head
    ^head:
      cf.br ^head
    })mlir",
                         options);
  EXPECT_EQ(result.error, "it did not end in time");
}

TEST_F(HarnessTest, SurvivesDeepRecursion) {
  RunResult result = run(R"mlir(
    func.func @f() -> i32 {
      %a = memref.alloca() : memref<100000xi8>
      %r = call @f() : () -> i32
      %c0 = arith.constant 0 : index
      %x = memref.load %a[%c0] : memref<100000xi8>
      %y = arith.extui %x : i8 to i32
      %s = arith.addi %r, %y : i32
      return %s : i32
    })mlir");
  ASSERT_TRUE(result.error);
}

TEST_F(HarnessTest, MisalignedVectorsFault) {
  RunResult result = run(R"mlir(
    func.func @f() -> vector<4xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %a = memref.alloc() : memref<64xi8>
      %v = memref.view %a[%c4][] : memref<64xi8> to memref<2xvector<4xf32>>
      %x = memref.load %v[%c0] : memref<2xvector<4xf32>>
      return %x : vector<4xf32>
    })mlir");
  EXPECT_TRUE(result.error) << result.describe();
}

/// Threads that leave their number in a buffer of all of them.
const char *const kShared = R"mlir(
    func.func @f(%out: memref<2x3xi32>) {
      %shared = memref.alloc() : memref<1xi32>
      scf.forall (%i, %j) in (2, 3) {
        %c0 = arith.constant 0 : index
        %c3 = arith.constant 3 : index
        %k = arith.muli %i, %c3 : index
        %n = arith.addi %k, %j : index
        %x = arith.index_cast %n : index to i32
        memref.store %x, %shared[%c0] : memref<1xi32>
        %y = memref.load %shared[%c0] : memref<1xi32>
        memref.store %y, %out[%i, %j] : memref<2x3xi32>
      }
      return
    })mlir";

TEST_F(HarnessTest, LockstepShowsWhatThreadsShare) {
  auto numbers = [&](const char *text, ParallelOrder order) {
    CompileOptions options;
    options.order = order;
    RunResult result = run(text, {}, options);
    EXPECT_TRUE(result.clean()) << result.describe();
    std::vector<int> values;
    for (size_t i = 0; result.clean() && i < 6; ++i)
      values.push_back(result.outputs[0].bytes[4 * i]);
    return values;
  };
  std::vector<int> expected = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(numbers(kShared, ParallelOrder::Forward), expected);
  EXPECT_EQ(numbers(kShared, ParallelOrder::Reversed), expected);
  EXPECT_EQ(numbers(kShared, ParallelOrder::Lockstep),
            (std::vector<int>{5, 5, 5, 5, 5, 5}));
}

TEST_F(HarnessTest, OrdersOfNestedParallelLoops) {
  const char *text = R"mlir(
    func.func @f(%order: memref<16xi32>, %n: memref<1xindex>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c5 = arith.constant 5 : index
      memref.store %c0, %n[%c0] : memref<1xindex>
      scf.parallel (%i) = (%c1) to (%c5) step (%c2) {
        scf.forall (%j) in (2) {
          %k = memref.load %n[%c0] : memref<1xindex>
          %ii = arith.muli %i, %c2 : index
          %v = arith.addi %ii, %j : index
          %x = arith.index_cast %v : index to i32
          memref.store %x, %order[%k] : memref<16xi32>
          %k1 = arith.addi %k, %c1 : index
          memref.store %k1, %n[%c0] : memref<1xindex>
        }
        scf.reduce
      }
      return
    })mlir";
  auto order = [&](ParallelOrder order) {
    CompileOptions options;
    options.order = order;
    RunResult result = run(text, {}, options);
    EXPECT_TRUE(result.clean()) << result.describe();
    std::vector<int> values;
    for (size_t i = 0; result.clean() && i < 4; ++i)
      values.push_back(result.outputs[0].bytes[4 * i]);
    return values;
  };
  EXPECT_EQ(order(ParallelOrder::Forward), (std::vector<int>{2, 3, 6, 7}));
  EXPECT_EQ(order(ParallelOrder::Reversed), (std::vector<int>{7, 6, 3, 2}));
}

TEST_F(HarnessTest, WrongProgramsAreValues) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func private @g()\nfunc.func @f() { call @g() : () -> () return }",
      &context);
  CompileResult compiled = compile(*module);
  EXPECT_FALSE(compiled.module);
  EXPECT_NE(compiled.error, "");
  OwningOpRef<ModuleOp> fine = parseSourceString<ModuleOp>(
      "func.func @f(%a: memref<2xi8>) { return }", &context);
  compiled = compile(*fine);
  ASSERT_TRUE(compiled.module) << compiled.error;
  EXPECT_TRUE(compiled.module->run("f", {}).error);
  EXPECT_TRUE(compiled.module->run("g", {}).error);
}

TEST_F(HarnessTest, OptimisedCodeComputesTheSame) {
  const char *text = R"mlir(
    func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
      linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>)
                    outs(%c : memref<4x4xf32>)
      return
    })mlir";
  CompileOptions optimised;
  optimised.optLevel = 2;
  RunResult plain = run(text), fast = run(text, {}, optimised);
  ASSERT_TRUE(plain.clean() && fast.clean());
  EXPECT_EQ(firstDifference(plain.outputs, fast.outputs), std::nullopt);
  EXPECT_NE(plain.outputs[2].bytes, plain.outputs[0].bytes);
}

} // namespace
} // namespace tpu_mlir::jit
