//===- PackedMatrixTest.cpp - Matrices in 4 or 8 bits ---------------------===//

#include "tpu_mlir/Quantization/PackedMatrix.h"

#include "tpu_mlir/Execution/Element.h"

#include "gtest/gtest.h"

#include <cmath>
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

TEST(PackedMatrixTest, SymmetricZeroesAreInTheMiddle) {
  const std::vector<float> numbers = {1, -1, 0.5f, 0};
  const PackedMatrix packed = packMatrix(numbers, 1, {4, 4, true, true});
  EXPECT_EQ(packed.zeroPoints, (std::vector<uint8_t>{8}));
  EXPECT_EQ(packed.weights[1] >> 4, 8);
}

} // namespace
