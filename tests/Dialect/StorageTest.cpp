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

/// The bit of an element where images share slots of 32.
int64_t bitInSlots(mlir::RankedTensorType type, int64_t element) {
  const int64_t bits = *elementBits(type.getElementType());
  if (type.getRank() == 0 || (bits != 8 && bits != 16))
    return element * bits;
  const int64_t images = 32 / bits;
  const int64_t inner = type.getNumElements() / type.getDimSize(0);
  return (element / inner / images * inner + element % inner) * 32 +
         element / inner % images * bits;
}

/// Where all elements are at one distance, and slots begin where slots do, is a
/// place, and nowhere else.
TEST_F(StorageTest, OffsetsAreThoseOfAllElements) {
  const char *shapes[] = {"1x",   "6x",     "12x",    "1x6x",  "2x6x", "2x3x",
                          "4x3x", "5x3x",   "8x3x",   "3x2x",  "9x2x", "6x2x",
                          "1x1x", "1x3x2x", "1x1x6x", "2x1x6x"};
  int64_t places = 0;
  for (std::string element : {"i8", "f16", "f32", "i4"})
    for (std::string whole : shapes)
      for (std::string part : shapes) {
        const auto typeOf = [&](const std::string &shape) {
          return mlir::cast<mlir::RankedTensorType>(
              context.type("tensor<" + shape + element + ">"));
        };
        const auto from = typeOf(whole), to = typeOf(part);
        const int64_t bits = *elementBits(from.getElementType());
        const int64_t last = from.getNumElements() - to.getNumElements();
        for (int64_t first = 0; first <= last; ++first) {
          if (first * bits % 8 != 0)
            continue;
          const int64_t distance = bitInSlots(from, first);
          bool isRun = distance % (bits == 8 || bits == 16 ? 32 : 8) == 0;
          for (int64_t i = 0; i < to.getNumElements(); ++i)
            isRun &=
                bitInSlots(from, first + i) == distance + bitInSlots(to, i);
          EXPECT_EQ(offsetInStorage(from, to, first * bits / 8, /*fourN=*/true),
                    isRun ? std::optional(distance / 8) : std::nullopt)
              << whole << element << ", " << part << " from " << first;
          EXPECT_EQ(
              offsetInStorage(from, to, first * bits / 8, /*fourN=*/false),
              first * bits / 8);
          places += isRun;
        }
      }
  EXPECT_GT(places, 500);
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
