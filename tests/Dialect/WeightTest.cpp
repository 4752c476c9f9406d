//===- WeightTest.cpp - How many bytes a weight takes ---------------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

class WeightTest : public ::testing::Test {
protected:
  /// Bytes of the first weight of `ops`.
  std::optional<int64_t> bytes(StringRef ops) {
    auto module = context.parseOps("%x: tensor<2x3xf32>", ops);
    if (!module)
      return std::nullopt;
    auto weight =
        cast<MemoryFootprintOpInterface>(findOp(*module, "top.Weight"));
    return weight.getResultBytes(0, /*fourN=*/false);
  }
  TestContext context;
};

TEST_F(WeightTest, PlainIsTheType) {
  EXPECT_EQ(bytes(R"(%0 = "top.Weight"() : () -> tensor<2x3xf32>)"), 24);
  EXPECT_EQ(
      bytes(
          R"(%0 = "top.Weight"() {store_mode = "1N"} : () -> tensor<5x3xi4>)"),
      8);
  EXPECT_EQ(bytes(R"(%0 = "top.Weight"() : () -> tensor<?x3xf32>)"),
            std::nullopt);
}

TEST_F(WeightTest, StoreModesShareSlots) {
  EXPECT_EQ(
      bytes(
          R"(%0 = "top.Weight"() {store_mode = "2N"} : () -> tensor<3x5x7x2xi16>)"),
      2 * 5 * 7 * 2 * 4);
  EXPECT_EQ(
      bytes(
          R"(%0 = "top.Weight"() {store_mode = "4N"} : () -> tensor<5x3xi8>)"),
      2 * 3 * 4);
  EXPECT_EQ(
      bytes(
          R"(%0 = "top.Weight"() {store_mode = "4N"} : () -> tensor<4x3xi8>)"),
      12);
  EXPECT_EQ(
      bytes(R"(%0 = "top.Weight"() {store_mode = "4N"} : () -> tensor<i8>)"),
      1);
}

// Rows of 3 elements of 4 bits: 12 bits packed, 2 bytes on their own.
TEST_F(WeightTest, FourBitRowsOfAMatMul) {
  const char *weight = R"(%0 = "top.Weight"() : () -> tensor<4x3xi4>
      %n = "top.None"() : () -> none )";
  auto with = [&](const char *use) { return bytes(std::string(weight) + use); };
  EXPECT_EQ(with(""), 6);
  EXPECT_EQ(
      with(
          R"(%1 = "tpu.MatMul"(%x, %0, %n) : (tensor<2x3xf32>, tensor<4x3xi4>, none) -> tensor<2x4xf32>)"),
      8);
  EXPECT_EQ(
      with(
          R"(%1 = "top.MatMul"(%x, %x, %0) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xi4>) -> tensor<2x4xf32>)"),
      8);
  // The left operand, and other ops, read packed rows.
  EXPECT_EQ(
      with(
          R"(%1 = "tpu.MatMul"(%0, %x, %n) : (tensor<4x3xi4>, tensor<2x3xf32>, none) -> tensor<2x4xf32>)"),
      6);
  EXPECT_EQ(
      with(
          R"(%1 = "tpu.Conv2D"(%x, %0, %n) : (tensor<2x3xf32>, tensor<4x3xi4>, none) -> tensor<2x4xf32>)"),
      6);
  // Through a load into local memory.
  EXPECT_EQ(with(R"(%1 = "tpu.Load"(%0) : (tensor<4x3xi4>) -> tensor<4x3xi4>
      %2 = "tpu.MatMul"(%x, %1, %n) : (tensor<2x3xf32>, tensor<4x3xi4>, none) -> tensor<2x4xf32>)"),
            8);
}

} // namespace
