//===- ElementTest.cpp - Elements come back as they were ------------------===//
//
// All 65,536 halves, ties of rounding, and integers of every width.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Element.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace tpu_mlir::execution;

namespace {

using llvm::APFloat;
using llvm::APInt;

uint32_t bitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

float widen(const llvm::fltSemantics &semantics, uint16_t bits) {
  APFloat value(semantics, APInt(16, bits));
  bool lost;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToFloat();
}

uint16_t narrow(const llvm::fltSemantics &semantics, float number) {
  APFloat value(number);
  bool lost;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

TEST(Element, EveryHalfIsTheFloatThatItIs) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    if (std::isnan(widen(APFloat::IEEEhalf(), half))) {
      EXPECT_TRUE(std::isnan(halfToFloat(half))) << bits;
    } else {
      ASSERT_EQ(bitsOfFloat(halfToFloat(half)),
                bitsOfFloat(widen(APFloat::IEEEhalf(), half)))
          << bits;
      ASSERT_EQ(floatToHalf(halfToFloat(half)), half);
    }
    if (std::isnan(widen(APFloat::BFloat(), half))) {
      EXPECT_TRUE(std::isnan(bfloatToFloat(half))) << bits;
    } else {
      ASSERT_EQ(bitsOfFloat(bfloatToFloat(half)),
                bitsOfFloat(widen(APFloat::BFloat(), half)))
          << bits;
      ASSERT_EQ(floatToBfloat(bfloatToFloat(half)), half);
    }
  }
}

/// Between each half and the next: the middle, and what is just beside it.
TEST(Element, RoundsToTheNearestHalfTiesToEven) {
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const float low = halfToFloat(static_cast<uint16_t>(half));
    const float high = half == 0x7bff
                           ? 65536.0f
                           : halfToFloat(static_cast<uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;
    for (float value : {middle, std::nextafter(middle, low),
                        std::nextafter(middle, high), -middle}) {
      ASSERT_EQ(floatToHalf(value), narrow(APFloat::IEEEhalf(), value))
          << value;
      ASSERT_EQ(floatToBfloat(value), narrow(APFloat::BFloat(), value))
          << value;
    }
  }
}

TEST(Element, RoundsFloatsOfAllSizes) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000000; ++i) {
    const float value = floatOf(static_cast<uint32_t>(random()));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
      ASSERT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(value))));
      continue;
    }
    ASSERT_EQ(floatToHalf(value), narrow(APFloat::IEEEhalf(), value)) << value;
    ASSERT_EQ(floatToBfloat(value), narrow(APFloat::BFloat(), value)) << value;
  }
}

TEST(Element, IntegersComeBack) {
  for (ElementType type : {ElementType::I4, ElementType::U4, ElementType::I8,
                           ElementType::U8, ElementType::I16, ElementType::U16,
                           ElementType::I32, ElementType::U32}) {
    SCOPED_TRACE(nameOf(type));
    const std::vector<int64_t> values = {leastOf(type), largestOf(type), 3, 0,
                                         5};
    std::vector<uint8_t> bytes(*bytesOf(type, values.size()));
    writeIntegers(type, bytes.data(), 0, values.size(), values.data());
    std::vector<int64_t> back(values.size());
    readIntegers(type, bytes.data(), 0, values.size(), back.data());
    EXPECT_EQ(back, values);
    int64_t third;
    readIntegers(type, bytes.data(), 2, 1, &third);
    EXPECT_EQ(third, 3);
  }
}

TEST(Element, PacksTheEvenElementLow) {
  const std::vector<int64_t> values = {1, -1, 7};
  uint8_t bytes[2] = {0xff, 0xff};
  writeIntegers(ElementType::I4, bytes, 0, 3, values.data());
  EXPECT_EQ(bytes[0], 0xf1);
  EXPECT_EQ(bytes[1], 0x07);
}

TEST(Element, SaturatesAndRoundsAwayFromZero) {
  const float values[] = {2.5f, -2.5f, 1e9f, -1e9f, NAN, 127.4f, INFINITY};
  int8_t bytes[7];
  writeFloats(ElementType::I8, reinterpret_cast<uint8_t *>(bytes), 0, 7,
              values);
  const int8_t want[] = {3, -3, 127, -128, 0, 127, 127};
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(bytes[i], want[i]) << i;
  const int64_t large[] = {40000, -40000};
  int16_t words[2];
  writeIntegers(ElementType::I16, reinterpret_cast<uint8_t *>(words), 0, 2,
                large);
  EXPECT_EQ(words[0], 32767);
  EXPECT_EQ(words[1], -32768);
}

TEST(Element, SizesAreChecked) {
  EXPECT_EQ(bytesOf(ElementType::I4, 3), 2);
  EXPECT_EQ(bytesOf(ElementType::F32, INT64_MAX / 8), std::nullopt);
  EXPECT_EQ(bytesOf(ElementType::I8, -1), std::nullopt);
}

/// All bytes are the numbers of LLVM's own type.
TEST(Element, EveryByteIsTheFloatThatItIs) {
  for (auto [type, semantics] :
       {std::pair(ElementType::F8E4M3, &APFloat::Float8E4M3FN()),
        std::pair(ElementType::F8E5M2, &APFloat::Float8E5M2())})
    for (unsigned bits = 0; bits < 256; ++bits) {
      const auto byte = static_cast<uint8_t>(bits);
      float value;
      readFloats(type, &byte, 0, 1, &value);
      APFloat exact(*semantics, APInt(8, bits));
      EXPECT_EQ(std::isnan(value), exact.isNaN());
      if (exact.isNaN())
        continue;
      EXPECT_EQ(static_cast<double>(value), exact.convertToDouble());
      // And back, where it is finite.
      uint8_t again;
      writeFloats(type, &again, 0, 1, &value);
      if (exact.isFinite()) {
        EXPECT_EQ(again, byte);
      }
    }
}

TEST(Element, BytesOfFloatsRoundToEvenAndSaturate) {
  const auto rounded = [](ElementType type, float value) {
    uint8_t byte;
    writeFloats(type, &byte, 0, 1, &value);
    readFloats(type, &byte, 0, 1, &value);
    return value;
  };
  const ElementType fine = ElementType::F8E4M3, wide = ElementType::F8E5M2;
  EXPECT_EQ(largestFloat8(fine), 448);
  EXPECT_EQ(largestFloat8(wide), 57344);
  EXPECT_EQ(rounded(fine, 17), 16); // Between 16 and 18.
  EXPECT_EQ(rounded(fine, 19), 20);
  EXPECT_EQ(rounded(wide, 9), 8); // Between 8 and 10.
  EXPECT_EQ(rounded(wide, 11), 12);
  EXPECT_EQ(rounded(fine, 1e6F), 448);
  EXPECT_EQ(rounded(fine, -INFINITY), -448);
  EXPECT_EQ(rounded(wide, 61000), 57344);
  EXPECT_EQ(rounded(fine, 0x1p-9F), 0x1p-9F); // The least of all.
  EXPECT_EQ(rounded(fine, 0x1p-10F), 0);
  EXPECT_TRUE(std::isnan(rounded(fine, NAN)));
  EXPECT_TRUE(std::isnan(rounded(wide, NAN)));
}

} // namespace
