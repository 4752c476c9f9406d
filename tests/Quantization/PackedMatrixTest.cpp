//===- PackedMatrixTest.cpp - Matrices in 4 or 8 bits ---------------------===//

#include "tpu_mlir/Quantization/PackedMatrix.h"

#include "tpu_mlir/Execution/Element.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::quantization;

namespace {

TEST(PackedMatrixTest, EveryNumberIsWithinHalfAStep) {
  constexpr int64_t kRows = 3, kColumns = 64, kGroup = 16;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(kRows * kColumns);
  for (float &number : numbers)
    number = normal(random);
  // A group on one side of zero, and one of zeroes.
  for (int64_t i = 0; i < kGroup; ++i) {
    numbers[i] = std::abs(numbers[i]) + 3;
    numbers[kGroup + i] = 0;
  }
  for (int bits : {4, 8})
    for (bool isSymmetric : {false, true})
      for (bool isHalf : {false, true}) {
        const PackedMatrix packed =
            packMatrix(numbers, kRows, {bits, kGroup, isSymmetric, isHalf});
        ASSERT_EQ(packed.weights.size(), numbers.size() * bits / 8);
        ASSERT_EQ(packed.scales.size(), 2 * numbers.size() / kGroup);
        ASSERT_EQ(packed.zeroPoints.size(), numbers.size() / kGroup);
        for (size_t i = 0; i < numbers.size(); ++i) {
          const size_t group = i / kGroup;
          const uint16_t stored =
              packed.scales[2 * group] | packed.scales[2 * group + 1] << 8;
          const double scale = isHalf ? execution::halfToFloat(stored)
                                      : execution::bfloatToFloat(stored);
          const int element = bits == 8
                                  ? packed.weights[i]
                                  : packed.weights[i / 2] >> (i % 2 * 4) & 15;
          const double number = (element - packed.zeroPoints[group]) * scale;
          // Scales of 8 bits of mantissa move the ends.
          EXPECT_NEAR(number, numbers[i], scale * (bits == 8 ? 1.5 : 1.05));
          if (numbers[i] == 0) {
            EXPECT_EQ(number, 0);
          }
        }
      }
}

TEST(PackedMatrixTest, SignedElementsHaveNoZeroPoint) {
  const std::vector<float> numbers = {1, -1, 0.5f, 0};
  PackingRule rule{8, 4, true};
  rule.isSigned = true;
  const PackedMatrix packed = packMatrix(numbers, 1, rule);
  EXPECT_EQ(packed.zeroPoints, (std::vector<uint8_t>{0}));
  EXPECT_EQ(packed.weights[0], 127);
  EXPECT_EQ(packed.weights[1], 129); // -127
  EXPECT_EQ(packed.weights[3], 0);
}

/// What leaves the type of the scale saturates, and NaN is nothing.
TEST(PackedMatrixTest, AnyNumberHasAFiniteScale) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kMost = std::numeric_limits<float>::max();
  for (float number : {kInfinity, -kInfinity, kMost, -kMost, 1e30f, 1e-40f,
                       std::numeric_limits<float>::quiet_NaN(), 0.f})
    for (int bits : {4, 8})
      for (bool isSymmetric : {false, true})
        for (bool isHalf : {false, true}) {
          const PackedMatrix packed =
              packMatrix({number, 1, -1, 0}, 1, {bits, 4, isSymmetric, isHalf});
          const uint16_t stored = packed.scales[0] | packed.scales[1] << 8;
          const float scale = isHalf ? execution::halfToFloat(stored)
                                     : execution::bfloatToFloat(stored);
          EXPECT_TRUE(std::isfinite(scale) && scale >= 0) << number;
          const int last =
              bits == 8 ? packed.weights[3] : packed.weights[1] >> 4;
          EXPECT_EQ(last, packed.zeroPoints[0]) << number;
        }
}

/// Row n is row n / lanes of lane n % lanes; and pairs are what they are of.
TEST(PackedMatrixTest, ScalesInTheOrderOfAChip) {
  const std::vector<uint8_t> rows = {0, 1, 10, 11, 20, 21, 30, 31};
  EXPECT_EQ(inLanes(rows, 4, 2),
            (std::vector<uint8_t>{0, 1, 20, 21, 10, 11, 30, 31}));
  EXPECT_EQ(inLanes(rows, 4, 4), rows);
  const std::vector<uint8_t> pairs = pairScales({1, 2, 3, 4}, {7, 255});
  EXPECT_EQ(pairs, (std::vector<uint8_t>{7, 0, 1, 2, 255, 0, 3, 4}));
  const ScalesAndZeroPoints plain = unpairScales(pairs);
  EXPECT_EQ(plain.scales, (std::vector<uint8_t>{1, 2, 3, 4}));
  EXPECT_EQ(plain.zeroPoints, (std::vector<uint8_t>{7, 255}));
  EXPECT_EQ(unpairScales({0, 1, 0, 0}).zeroPoints, (std::vector<uint8_t>{255}));
}

TEST(PackedMatrixTest, SymmetricZeroesAreInTheMiddle) {
  const std::vector<float> numbers = {1, -1, 0.5f, 0};
  const PackedMatrix packed = packMatrix(numbers, 1, {4, 4, true, true});
  EXPECT_EQ(packed.zeroPoints, (std::vector<uint8_t>{8}));
  EXPECT_EQ(packed.weights[1] >> 4, 8);
}

} // namespace
