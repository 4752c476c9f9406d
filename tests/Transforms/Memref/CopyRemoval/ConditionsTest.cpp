//===- ConditionsTest.cpp - Each condition, executed ----------------------===//
//
// Programs of which one of a pair may lose its copy and the other may not,
// because it has another result, or frees or uses its memory wrongly then.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tpu_mlir/Transforms/CopyRemoval.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

struct Case {
  const char *name;
  /// What stands in a function of %in, %out: memref<4xi64>, %flag: i1, %n:
  /// index.
  const char *body;
  /// How many copies are left.
  int copies;
  const char *options = "";
};

const char *kPrefix = R"(
#id = affine_map<(d0) -> (d0)>
func.func private @kernel(%x: memref<4xi64, strided<[1], offset: ?>>,
                          %y: memref<4xi64, strided<[1], offset: ?>>) {
  %t = memref.alloc() : memref<4xi64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<4xi64, strided<[1], offset: ?>>) outs(%t : memref<4xi64>) {
  ^bb0(%a: i64, %b: i64):
    %c = arith.addi %a, %a : i64
    linalg.yield %c : i64
  }
  memref.copy %t, %y : memref<4xi64> to memref<4xi64, strided<[1], offset: ?>>
  memref.dealloc %t : memref<4xi64>
  return
}
func.func private @touch(%x: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 99 : i64
  memref.store %k, %x[%c0] : memref<4xi64>
  return
}
func.func @run(%in: memref<4xi64>, %out: memref<4xi64>, %flag: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %k5 = arith.constant 5 : i64
  %k7 = arith.constant 7 : i64
)";

// %t[i] = what is at the other end of %out.
#define REVERSED                                                               \
  "scf.for %i = %c0 to %c4 step %c1 {\n"                                       \
  "  %j = arith.subi %c3, %i : index\n"                                        \
  "  %v = memref.load %out[%j] : memref<4xi64>\n"                              \
  "  memref.store %v, %t[%i] : memref<4xi64>\n"                                \
  "}\n"

const Case kCases[] = {
    // C1: only allocations are erased.
    {"LoopResultIsCopiedOut", R"(
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<4xi64>)
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%b = %a) -> (memref<4xi64>) {
    memref.store %k7, %b[%i] : memref<4xi64>
    scf.yield %b : memref<4xi64>
  }
  memref.copy %r, %out : memref<4xi64> to memref<4xi64>
  memref.dealloc %r : memref<4xi64>)",
     1},
    {"AllocationIsCopiedOut", R"(
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<4xi64>)
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %k7, %a[%i] : memref<4xi64>
  }
  memref.copy %a, %out : memref<4xi64> to memref<4xi64>
  memref.dealloc %a : memref<4xi64>)",
     0},
    // C2: nothing reads an alias of the target between producer and copy.
    {"AliasOfTargetIsRead", R"(
  %s = memref.subview %out[1] [1] [1] : memref<4xi64> to memref<1xi64, strided<[1], offset: 1>>
  %t = memref.alloc() : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%t : memref<4xi64>)
  %v = memref.load %s[%c0] : memref<1xi64, strided<[1], offset: 1>>
  memref.copy %t, %out : memref<4xi64> to memref<4xi64>
  memref.store %v, %out[%c3] : memref<4xi64>
  memref.dealloc %t : memref<4xi64>)",
     1},
    {"AliasOfTargetIsReadBefore", R"(
  %s = memref.subview %out[1] [1] [1] : memref<4xi64> to memref<1xi64, strided<[1], offset: 1>>
  %t = memref.alloc() : memref<4xi64>
  %v = memref.load %s[%c0] : memref<1xi64, strided<[1], offset: 1>>
  linalg.fill ins(%k5 : i64) outs(%t : memref<4xi64>)
  memref.copy %t, %out : memref<4xi64> to memref<4xi64>
  memref.store %v, %out[%c3] : memref<4xi64>
  memref.dealloc %t : memref<4xi64>)",
     0},
    // C3: the producer reads the target at the same index only.
    {"ProducerReadsTargetElsewhere",
     "%t = memref.alloc() : memref<4xi64>\n" REVERSED
     "memref.copy %t, %out : memref<4xi64> to memref<4xi64>\n"
     "memref.dealloc %t : memref<4xi64>",
     1},
    {"ProducerReadsTargetTransposed", R"(
  %m = memref.alloc() : memref<2x2xi64>
  %e = memref.expand_shape %out [[0, 1]] output_shape [2, 2] : memref<4xi64> into memref<2x2xi64>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%e : memref<2x2xi64>) outs(%m : memref<2x2xi64>) {
  ^bb0(%x: i64, %y: i64):
    linalg.yield %x : i64
  }
  memref.copy %m, %e : memref<2x2xi64> to memref<2x2xi64>
  memref.dealloc %m : memref<2x2xi64>)",
     1},
    {"ProducerReadsTargetWhereItWrites", R"(
  %t = memref.alloc() : memref<4xi64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%out : memref<4xi64>) outs(%t : memref<4xi64>) {
  ^bb0(%x: i64, %y: i64):
    %z = arith.addi %x, %k5 : i64
    linalg.yield %z : i64
  }
  memref.copy %t, %out : memref<4xi64> to memref<4xi64>
  memref.dealloc %t : memref<4xi64>)",
     0},
    // C4: writes in regions and calls are seen.
    {"SourceIsWrittenInARegion", R"(
  %a = memref.alloc() : memref<4xi64>
  memref.copy %in, %a : memref<4xi64> to memref<4xi64>
  %b = memref.alloc() : memref<4xi64>
  memref.copy %a, %b : memref<4xi64> to memref<4xi64>
  scf.if %flag {
    memref.store %k7, %a[%c1] : memref<4xi64>
    %v = memref.load %a[%c1] : memref<4xi64>
    memref.store %v, %out[%c0] : memref<4xi64>
  }
  func.call @touch(%in) : (memref<4xi64>) -> ()
  %w = memref.load %b[%c1] : memref<4xi64>
  memref.store %w, %out[%c1] : memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  memref.dealloc %b : memref<4xi64>)",
     2},
    {"SourceIsWrittenInACall", R"(
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<4xi64>)
  %b = memref.alloc() : memref<4xi64>
  memref.copy %a, %b : memref<4xi64> to memref<4xi64>
  func.call @touch(%a) : (memref<4xi64>) -> ()
  %w = memref.load %b[%c0] : memref<4xi64>
  memref.store %w, %out[%c1] : memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  memref.dealloc %b : memref<4xi64>)",
     1},
    {"SourceIsReadInARegion", R"(
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<4xi64>)
  %b = memref.alloc() : memref<4xi64>
  memref.copy %a, %b : memref<4xi64> to memref<4xi64>
  scf.if %flag {
    %v = memref.load %a[%c1] : memref<4xi64>
    memref.store %v, %out[%c0] : memref<4xi64>
  }
  memref.dealloc %a : memref<4xi64>
  memref.store %k7, %b[%c0] : memref<4xi64>
  %w = memref.load %b[%c0] : memref<4xi64>
  memref.store %w, %out[%c1] : memref<4xi64>
  memref.dealloc %b : memref<4xi64>)",
     0},
    // C5: a loop that frees what it gets does not get what is still read.
    {"LoopFreesWhatItGets", R"(
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<4xi64>)
  %b = memref.alloc() : memref<4xi64>
  memref.copy %a, %b : memref<4xi64> to memref<4xi64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %b) -> (memref<4xi64>) {
    %v = memref.load %a[%i] : memref<4xi64>
    memref.dealloc %x : memref<4xi64>
    %y = memref.alloc() : memref<4xi64>
    linalg.fill ins(%v : i64) outs(%y : memref<4xi64>)
    scf.yield %y : memref<4xi64>
  }
  %w = memref.load %r[%c1] : memref<4xi64>
  memref.store %w, %out[%c1] : memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  memref.dealloc %r : memref<4xi64>)",
     1},
    {"LoopFreesWhatNobodyReads", R"(
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<4xi64>)
  %b = memref.alloc() : memref<4xi64>
  memref.copy %a, %b : memref<4xi64> to memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %b) -> (memref<4xi64>) {
    %v = memref.load %x[%i] : memref<4xi64>
    memref.dealloc %x : memref<4xi64>
    %y = memref.alloc() : memref<4xi64>
    linalg.fill ins(%v : i64) outs(%y : memref<4xi64>)
    scf.yield %y : memref<4xi64>
  }
  %w = memref.load %r[%c1] : memref<4xi64>
  memref.store %w, %out[%c1] : memref<4xi64>
  memref.dealloc %r : memref<4xi64>)",
     0},
    // C6: arguments overlap. @kernel is the function of interest.
    {"ArgumentsOverlap", R"(
  %a = memref.alloc() : memref<5xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<5xi64>)
  memref.store %k7, %a[%c0] : memref<5xi64>
  %x = memref.subview %a[0] [4] [1] : memref<5xi64> to memref<4xi64, strided<[1]>>
  %y = memref.subview %a[1] [4] [1] : memref<5xi64> to memref<4xi64, strided<[1], offset: 1>>
  %xx = memref.cast %x : memref<4xi64, strided<[1]>> to memref<4xi64, strided<[1], offset: ?>>
  %yy = memref.cast %y : memref<4xi64, strided<[1], offset: 1>> to memref<4xi64, strided<[1], offset: ?>>
  func.call @kernel(%xx, %yy) : (memref<4xi64, strided<[1], offset: ?>>, memref<4xi64, strided<[1], offset: ?>>) -> ()
  %v = memref.load %a[%c3] : memref<5xi64>
  memref.store %v, %out[%c0] : memref<4xi64>
  memref.dealloc %a : memref<5xi64>)",
     0},
    {"ArgumentsDoNotOverlap", R"(
  %x = memref.cast %in : memref<4xi64> to memref<4xi64, strided<[1], offset: ?>>
  %y = memref.cast %out : memref<4xi64> to memref<4xi64, strided<[1], offset: ?>>
  func.call @kernel(%x, %y) : (memref<4xi64, strided<[1], offset: ?>>, memref<4xi64, strided<[1], offset: ?>>) -> ())",
     -1, "assume-no-argument-overlap=true"},
    // Alignment: the survivor has the stricter one.
    {"SourceGetsTheAlignment", R"(
  %a = memref.alloc() {alignment = 16 : i64} : memref<4xi64>
  linalg.fill ins(%k5 : i64) outs(%a : memref<4xi64>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<4xi64>
  memref.copy %a, %b : memref<4xi64> to memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  %p = memref.extract_aligned_pointer_as_index %b : memref<4xi64> -> index
  %c64 = arith.constant 64 : index
  %q = arith.remui %p, %c64 : index
  %r = arith.index_cast %q : index to i64
  memref.store %r, %out[%c0] : memref<4xi64>
  memref.dealloc %b : memref<4xi64>)",
     0},
};

class Conditions : public ::testing::TestWithParam<Case> {};

/// Copies in @run, and one more for each in @kernel that is gone.
int copiesLeft(ModuleOp module) {
  int count = -1;
  module.walk([&](memref::CopyOp) { ++count; });
  return count;
}

TEST_P(Conditions, Hold) {
  registerCopyRemoval();
  MLIRContext context;
  registerForJit(context);
  std::string text = std::string(kPrefix) + GetParam().body + "\nreturn\n}\n";
  OwningOpRef<ModuleOp> before = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(before) << text;
  OwningOpRef<ModuleOp> after = before->clone();
  std::string error =
      runPasses(*after, "func.func(copy-removal{" +
                            std::string(GetParam().options) + "})");
  ASSERT_EQ(error, "");
  EXPECT_EQ(copiesLeft(*after), GetParam().copies);
  ComparisonOptions options;
  options.inputSeeds = {1, 2, 3, 4, 5, 6};
  options.leakFree = {"run"};
  Comparison compared = compareModules(*before, *after, {"run"}, options);
  EXPECT_EQ(compared.error, "");
  for (const Mismatch &mismatch : compared.mismatches)
    ADD_FAILURE() << mismatch.what;
}

INSTANTIATE_TEST_SUITE_P(All, Conditions, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

/// What the promise of no overlap costs where it is broken: the programs above
/// can tell right from wrong.
TEST(Conditions, OverlapIsSeenByExecution) {
  registerCopyRemoval();
  MLIRContext context;
  registerForJit(context);
  for (const Case &each : kCases) {
    if (StringRef(each.name) != "ArgumentsOverlap")
      continue;
    std::string text = std::string(kPrefix) + each.body + "\nreturn\n}\n";
    OwningOpRef<ModuleOp> before = parseSourceString<ModuleOp>(text, &context);
    OwningOpRef<ModuleOp> after = before->clone();
    ASSERT_EQ(runPasses(*after, "func.func(copy-removal{assume-no-argument-"
                                "overlap=true})"),
              "");
    Comparison compared = compareModules(*before, *after, {"run"});
    EXPECT_EQ(compared.mismatches.size(), 1u);
  }
}

} // namespace
} // namespace tpu_mlir::jit
