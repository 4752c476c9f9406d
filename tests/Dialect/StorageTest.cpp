//===- StorageTest.cpp - Bytes and addresses of types ---------------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"

#include "gtest/gtest.h"

using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

struct BytesCase {
  const char *type;
  std::optional<int64_t> bytes;
};

class StorageTest : public ::testing::Test {
protected:
  std::optional<int64_t> bytes(const char *type, bool fourN = false) {
    return typeBytes(context.type(type), fourN);
  }
  TestContext context;
};

TEST_F(StorageTest, Bytes) {
  const BytesCase cases[] = {
      {"tensor<2x3xf32>", 24},
      {"tensor<2x3xbf16>", 12},
      {"tensor<2x3xf8E4M3FN>", 6},
      {"tensor<2x3xsi8>", 6},
      {"tensor<2x3xui8>", 6},
      {"tensor<2x3xi16>", 12},
      {"tensor<5xindex>", 40},
      {"tensor<4xi4>", 2},
      {"tensor<5xi4>", 3},
      {"tensor<9xi1>", 2},
      {"tensor<f32>", 4},
      {"tensor<0x7xf32>", 0},
      {"tensor<2x3xf32, 4096 : i64>", 24},
      {"none", 0},
      // Quantised: the stored type. Calibrated: what it was.
      {"tensor<6x!quant.uniform<i8:f32, 0.5>>", 6},
      {"tensor<5x!quant.uniform<i4:f32, 0.5>>", 3},
      {"tensor<6x!quant.uniform<i16:bf16, 0.5>>", 12},
      {"tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,0.125}>>", 6},
      {"tensor<6x!quant.calibrated<f32<-1.0:1.0>>>", 24},
      {"tensor<6x!quant.calibrated<bf16<-1.0:1.0>>>", 12},
      // No static size, or no type of a known size.
      {"tensor<?x3xf32>", std::nullopt},
      {"tensor<*xf32>", std::nullopt},
      {"tensor<3x!quant.any<i8:f32>>", 3},
      {"tensor<3xcomplex<f32>>", std::nullopt},
      {"f32", std::nullopt},
      {"memref<4xf32>", std::nullopt},
  };
  for (const BytesCase &c : cases)
    EXPECT_EQ(bytes(c.type), c.bytes) << c.type;
}

TEST_F(StorageTest, BytesOverflow) {
  // 2^60 bytes are fine, and so many bits are not.
  EXPECT_EQ(bytes("tensor<576460752303423488xi8>"), 1LL << 59);
  EXPECT_EQ(bytes("tensor<1152921504606846976xi8>"), std::nullopt);
  EXPECT_EQ(bytes("tensor<4294967296x4294967296xi8>"), std::nullopt);
  EXPECT_EQ(bytes("tensor<9223372036854775807xi1>"), 1LL << 60);
  EXPECT_EQ(bytes("tensor<9223372036854775807x2xi1>"), std::nullopt);
  // A dimension of 0 wins over everything.
  EXPECT_EQ(bytes("tensor<9223372036854775807x4x0xf32>"), 0);
  EXPECT_EQ(bytes("tensor<9223372036854775807xi8>", /*fourN=*/true),
            std::nullopt);
}

TEST_F(StorageTest, BytesFourImages) {
  const BytesCase cases[] = {
      {"tensor<1x3x5xi8>", 60},
      {"tensor<4x3x5xi8>", 60},
      {"tensor<5x3x5xi8>", 120},
      {"tensor<1x3x5xf16>", 60},
      {"tensor<3x3x5xbf16>", 120},
      {"tensor<3x3x5xf32>", 180},
      {"tensor<5xi4>", 3},
      {"tensor<i8>", 1},
      {"tensor<2x5x!quant.uniform<i8:f32, 0.5>>", 20},
  };
  for (const BytesCase &c : cases)
    EXPECT_EQ(bytes(c.type, /*fourN=*/true), c.bytes) << c.type;
}

TEST_F(StorageTest, ElementBits) {
  EXPECT_EQ(elementBits(context.type("ui4")), 4);
  EXPECT_EQ(elementBits(context.type("f64")), 64);
  EXPECT_EQ(elementBits(context.type("none")), std::nullopt);
}

TEST_F(StorageTest, AddressOfATensor) {
  mlir::Type plain = context.type("tensor<4xf32>");
  EXPECT_EQ(getAddress(plain), std::nullopt);
  mlir::Type placed = withAddress(plain, 4294975488);
  EXPECT_EQ(placed, context.type("tensor<4xf32, 4294975488 : i64>"));
  EXPECT_EQ(getAddress(placed), 4294975488);
  EXPECT_EQ(withAddress(placed, 0), context.type("tensor<4xf32, 0 : i64>"));
  EXPECT_EQ(getAddress(withAddress(placed, 0)), 0);
  EXPECT_EQ(withoutAddress(placed), plain);
  EXPECT_EQ(withoutAddress(plain), plain);
}

TEST_F(StorageTest, AddressOfOtherTypes) {
  for (const char *text : {"none", "f32", "tensor<*xf32>", "memref<4xf32>"}) {
    mlir::Type type = context.type(text);
    EXPECT_EQ(getAddress(type), std::nullopt) << text;
    EXPECT_EQ(withAddress(type, 64), type) << text;
    EXPECT_EQ(withoutAddress(type), type) << text;
  }
  // An encoding that is no address stays when there is none to remove.
  mlir::Type other = context.type("tensor<4xf32, \"layout\">");
  EXPECT_EQ(getAddress(other), std::nullopt);
  EXPECT_EQ(withoutAddress(other), other);
  // A number of more than 64 bits is none of ours.
  EXPECT_EQ(
      getAddress(context.type("tensor<4xf32, 36893488147419103232 : i128>")),
      std::nullopt);
}

TEST_F(StorageTest, AddressOfAnInterleavedTensor) {
  mlir::Type placed =
      context.type("tensor<4xf32, #tpu.ddr_interleave<interleave_dim = 0, "
                   "region_id = 1, offset = [0, 8], address = 4096>>");
  mlir::Type unplaced =
      context.type("tensor<4xf32, #tpu.ddr_interleave<interleave_dim = 0, "
                   "region_id = 1, offset = [0, 8]>>");
  EXPECT_EQ(getAddress(placed), 4096);
  EXPECT_EQ(getAddress(unplaced), std::nullopt);
  EXPECT_EQ(withoutAddress(placed), unplaced);
  EXPECT_EQ(withAddress(unplaced, 4096), placed);
}

} // namespace
