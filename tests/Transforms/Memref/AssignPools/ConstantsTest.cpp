//===- ConstantsTest.cpp - Read-only pools hold what programs read --------===//

#include "PoolDriver.h"

#include "tests/exec/jit/harness/Comparison.h"
#include "tests/exec/jit/harness/PassRun.h"
#include "tpu_mlir/Support/AtomicFile.h"
#include "tpu_mlir/Transforms/AssignPools.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace tpu_mlir::jit {
namespace {

/// Constants of many types; some are equal, byte by byte, and one is read in a
/// function that is called twice.
constexpr const char *kProgram = R"(
memref.global "private" constant @f32 : memref<2x2xf32> = dense<[[1.5, -2.0], [0.25, 4.0]]>
memref.global "private" constant @same : memref<4xf32> = dense<[1.5, -2.0, 0.25, 4.0]>
memref.global "private" constant @splat : memref<7xi16> = dense<-3>
memref.global "private" constant @bits : memref<5xi1> = dense<[true, false, true, true, false]>
memref.global "private" constant @odd : memref<3xi12> = dense<[-1, 5, 2047]>
memref.global "private" constant @f64 : memref<2xf64> = dense<[3.0, -0.5]> {alignment = 32 : i64}
memref.global "private" constant @half : memref<3xf16> = dense<[1.0, 2.0, -3.0]>
memref.global "private" constant @index : memref<2xindex> = dense<[7, 1000000000000]>
memref.global "private" constant @scalar : memref<i64> = dense<42>
func.func private @scale(%x: memref<4xf32>, %y: memref<4xf32>) {
  %w = memref.get_global @same : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  linalg.mul ins(%x, %w : memref<4xf32>, memref<4xf32>) outs(%t : memref<4xf32>)
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  return
}
func.func @main(%x: memref<4xf32>, %y: memref<4xf32>, %one: memref<7xi16>, %two: memref<5xi1>, %three: memref<3xi12>,
                %four: memref<2xf64>, %five: memref<3xf16>, %six: memref<2xindex>, %seven: memref<2x2xf32>) -> i64 {
  %a = memref.alloc() : memref<4xf32>
  call @scale(%x, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @scale(%a, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %a : memref<4xf32>
  %g1 = memref.get_global @splat : memref<7xi16>
  memref.copy %g1, %one : memref<7xi16> to memref<7xi16>
  %g2 = memref.get_global @bits : memref<5xi1>
  memref.copy %g2, %two : memref<5xi1> to memref<5xi1>
  %g3 = memref.get_global @odd : memref<3xi12>
  memref.copy %g3, %three : memref<3xi12> to memref<3xi12>
  %g4 = memref.get_global @f64 : memref<2xf64>
  memref.copy %g4, %four : memref<2xf64> to memref<2xf64>
  %g5 = memref.get_global @half : memref<3xf16>
  memref.copy %g5, %five : memref<3xf16> to memref<3xf16>
  %g6 = memref.get_global @index : memref<2xindex>
  memref.copy %g6, %six : memref<2xindex> to memref<2xindex>
  %g7 = memref.get_global @f32 : memref<2x2xf32>
  memref.copy %g7, %seven : memref<2x2xf32> to memref<2x2xf32>
  %g8 = memref.get_global @scalar : memref<i64>
  %r = memref.load %g8[] : memref<i64>
  return %r : i64
}
)";

class Constants : public ::testing::Test {
protected:
  /// The program before and after the pass, whose files are in `images`.
  void SetUp() override {
    registerForJit(context);
    static bool once = (registerAssignPools(), true);
    (void)once;
    before = parseSourceString<ModuleOp>(kProgram, &context);
    ASSERT_TRUE(before);
    after = before->clone();
    std::string prefix = ::testing::TempDir() + "constants";
    ASSERT_EQ(
        runPasses(*after, "tpu-assign-pools{pools=name=rom,size=64,access=ro,"
                          "align=16;name=flash,access=ro,align=16;name=sram "
                          "pool-data=" +
                              prefix + "}"),
        "");
    for (const char *pool : {"rom", "flash"}) {
      auto image = readWholeFile(prefix + "." + pool + ".bin");
      ASSERT_TRUE(std::holds_alternative<std::string>(image));
      images[pool] = std::get<std::string>(image);
    }
  }

  Comparison compare() {
    ComparisonOptions options;
    options.leakFree = {"main"};
    options.guardPages = true;
    allocatePools(*after, images);
    return compareModules(*before, *after, {"main"}, options);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> before, after;
  PoolImages images;
};

TEST_F(Constants, AreReadFromThePools) {
  EXPECT_LE(images["rom"].size(), 64u);
  EXPECT_GT(images["rom"].size() + images["flash"].size(), 90u);
  Comparison compared = compare();
  EXPECT_EQ(compared.error, "");
  for (const Mismatch &mismatch : compared.mismatches)
    ADD_FAILURE() << mismatch.what;
  EXPECT_EQ(compared.runs, 2);
}

/// Every byte that belongs to a constant matters: one that is changed shows.
TEST_F(Constants, ChangedBytesShow) {
  int shown = 0, bytes = 0;
  OwningOpRef<ModuleOp> planned = after->clone();
  PoolImages right = images;
  for (auto &[pool, image] : right)
    for (size_t i = 0; i < image.size(); i += 3) {
      images = right;
      images[pool][i] ^= 0x11;
      after = planned->clone();
      shown += !compare().mismatches.empty();
      ++bytes;
    }
  // Not the gaps between, nor the upper bits of i1 and i12.
  EXPECT_GT(shown * 2, bytes);
}

} // namespace
} // namespace tpu_mlir::jit
