//===- WeightsTest.cpp - Filters, biases and tables as integers -----------===//

#include "tpu_mlir/Quantization/Weights.h"
#include "tpu_mlir/Quantization/Functions.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tpu_mlir::quantization;

namespace {

std::vector<float> randomFloats(size_t count, unsigned seed, double size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-size, size);
  std::vector<float> floats(count);
  for (float &value : floats)
    value = values(random);
  return floats;
}

double factorOf(const Factor &factor, bool isQdm) {
  return std::ldexp(static_cast<double>(factor.multiplier),
                    static_cast<int>(-factor.shift) - (isQdm ? 31 : 0));
}

/// The sum of a row in integers is that of the floats, to a step of the result
/// or what rounding of the weights costs.
void expectSameSums(bool isQdm) {
  constexpr int64_t kChannels = 5, kRow = 12;
  const auto weights = randomFloats(kChannels * kRow, 3, 0.5);
  const auto bias = randomFloats(kChannels, 4, 2);
  const LayerScales scales{0.05, 0.1, 0};
  const IntegerWeights made =
      isQdm ? quantizeForQdm(weights, bias, kChannels, scales)
            : quantizeForShift(weights, bias, kChannels, scales);
  ASSERT_EQ(made.factors.size(), size_t(kChannels));
  ASSERT_EQ(made.bias.size(), size_t(kChannels));
  EXPECT_TRUE(made.isSigned);
  std::mt19937 random(5);
  std::uniform_int_distribution<int> elements(-128, 127);
  for (int64_t c = 0; c < kChannels; ++c) {
    int64_t sum = made.bias[c];
    double real = bias[c];
    int largest = 0;
    for (int64_t i = 0; i < kRow; ++i) {
      const int x = elements(random);
      sum += int64_t(x) * made.weights[c * kRow + i];
      real += x * scales.input * weights[c * kRow + i];
      largest = std::max(largest, std::abs(int(made.weights[c * kRow + i])));
    }
    EXPECT_EQ(largest, 127);
    EXPECT_NEAR(sum * factorOf(made.factors[c], isQdm) * scales.output, real,
                0.05);
  }
}

TEST(WeightsTest, FractionsGiveTheSumsOfFloats) { expectSameSums(true); }
TEST(WeightsTest, ShiftsGiveTheSumsOfFloats) { expectSameSums(false); }

TEST(WeightsTest, AMatrixHasOneScale) {
  const auto weights = randomFloats(64, 6, 0.5), bias = randomFloats(8, 7, 2);
  const LayerScales scales{0.05, 0.1, 0};
  for (Scheme scheme : {Scheme::Qdm, Scheme::Shift}) {
    const IntegerWeights made = quantizeMatrix(weights, bias, scales, scheme);
    ASSERT_EQ(made.factors.size(), 1u);
    const double real =
        factorOf(made.factors[0], scheme == Scheme::Qdm) * scales.output;
    for (size_t i = 0; i < weights.size(); ++i)
      EXPECT_NEAR(made.weights[i] * real, weights[i] * scales.input, real);
    for (size_t i = 0; i < bias.size(); ++i)
      EXPECT_NEAR(made.bias[i] * real, bias[i],
                  real + std::abs(bias[i]) * 1e-6);
    EXPECT_EQ(bytesOf(made.bias).size(), 4 * bias.size());
  }
}

TEST(WeightsTest, AZeroPointIsTakenOffByTheBias) {
  const std::vector<float> weights = {0.5f, -1, 1, 0.25f};
  const IntegerWeights made = quantizeForShift(weights, {}, 1, {0.1, 0.1, 3});
  int64_t sum = 0;
  for (int16_t weight : made.weights)
    sum += weight;
  ASSERT_EQ(made.bias.size(), 1u);
  EXPECT_EQ(made.bias[0], -3 * sum);
}

TEST(WeightsTest, WithoutNegativeWeightsAndBiasThereIsNoSign) {
  const std::vector<float> weights = {0.5f, 1};
  EXPECT_FALSE(quantizeForShift(weights, {}, 1, {}).isSigned);
  EXPECT_EQ(quantizeForShift(weights, {}, 1, {}).weights[1], 255);
  EXPECT_TRUE(quantizeForShift(weights, std::vector<float>{1}, 1, {}).isSigned);
}

TEST(WeightsTest, NothingButZeroesIsNoTrouble) {
  const std::vector<float> zeroes(4), large = {1e9f};
  for (const IntegerWeights &made :
       {quantizeForQdm(zeroes, {}, 2, {}), quantizeForShift(zeroes, {}, 2, {})})
    for (int16_t weight : made.weights)
      EXPECT_EQ(weight, 0);
  // A bias that no factor below one can reach is as large as it gets.
  EXPECT_GT(
      quantizeForQdm(std::vector<float>{1}, large, 1, {1, 1e-3, 0}).bias[0],
      1 << 30);
}

TEST(WeightsTest, TablesHaveAnEntryForEachByte) {
  auto silu = functionOf("SiLU", [](auto, double absent) { return absent; });
  ASSERT_TRUE(silu);
  const auto table = tableOf(*silu, {0.05, 0, true}, {0.04, 0, true});
  for (int i = -128; i < 128; ++i) {
    const double x = i * 0.05, y = x / (1 + std::exp(-x));
    EXPECT_NEAR(static_cast<int8_t>(table[static_cast<uint8_t>(i)]),
                std::clamp(y / 0.04, -128., 127.), 0.501);
  }
  const auto unsignedTable =
      tableOf(*silu, {0.05, 10, false}, {0.05, 7, false});
  EXPECT_EQ(unsignedTable[10], 7);
}

TEST(WeightsTest, FunctionsTakeTheirNumbers) {
  const auto with = [](const char *layer, const char *name, double value) {
    auto function =
        functionOf(layer, [=](llvm::StringRef asked, double absent) {
          return asked == name ? value : absent;
        });
    return function ? (*function)(2) : NAN;
  };
  EXPECT_EQ(with("AddConst", "const_val", 3), 5);
  EXPECT_EQ(with("SubConst", "const_val", 3), -1);
  EXPECT_EQ(with("MulConst", "const_val", 3), 6);
  EXPECT_EQ(with("MinConst", "const_val", 1), 1);
  EXPECT_EQ(with("Pow", "exponent", 3), 8);
  EXPECT_EQ(with("Clip", "max", 1.5), 1.5);
  EXPECT_EQ(with("Relu", "relu_limit", 1), 1);
  EXPECT_NEAR(with("Sigmoid", "bias", 1), 1 + 1 / (1 + std::exp(-2.)), 1e-6);
  EXPECT_TRUE(std::isnan(with("Conv", "", 0)));
  EXPECT_TRUE(std::isnan(with("AddConst", "", 0)));
}

TEST(WeightsTest, ConstantsHaveTheScaleOfTheirLargestNumber) {
  auto positive = quantizeConstant({0.5F, 2.0F, 0.0F}, true);
  ASSERT_TRUE(positive);
  EXPECT_FALSE(positive->isSigned);
  EXPECT_DOUBLE_EQ(positive->scale, 2. / 255);
  EXPECT_EQ(positive->elements, (std::vector<int16_t>{64, 255, 0}));
  auto both = quantizeConstant({-1.0F, 0.5F}, true);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->isSigned);
  EXPECT_EQ(both->elements, (std::vector<int16_t>{-127, 64}));
  EXPECT_TRUE(quantizeConstant({0.5F}, false)->isSigned);
  EXPECT_FALSE(quantizeConstant({-INFINITY, 0.0F}, true));
  EXPECT_FALSE(quantizeConstant({NAN}, true));
}

TEST(WeightsTest, ChannelsHaveAFactorAnAddendAndAShift) {
  const LayerScales scales{0.02, 0.05, 0};
  const std::vector<float> factors = {0.3F, -2.0F, 11.0F, 0.0F};
  const std::vector<float> bias = {1.0F, -0.25F, 0.0F, 3.0F};
  auto made = quantizeChannels(factors, bias, scales);
  ASSERT_TRUE(made);
  for (size_t c = 0; c < factors.size(); ++c)
    for (int x : {-128, -17, 0, 5, 127}) {
      const double sum =
          std::ldexp(x * made->factors[c] + made->bias[c], -made->shifts[c]);
      const double exact = (x * scales.input * factors[c] + bias[c]) / 0.05;
      EXPECT_NEAR(sum, exact, 1 + std::abs(exact) / 64) << c << " " << x;
    }
  // An addend that 16 bits do not hold.
  EXPECT_FALSE(quantizeChannels({1.0F}, {1e6F}, scales));
  EXPECT_FALSE(quantizeChannels({INFINITY}, {}, scales));
}

TEST(WeightsTest, AZeroPointIsTakenOffByTheBiasOfAMatrix) {
  // [2, 3] and turned, [3, 2].
  const std::vector<float> plain = {1, 2, -3, 4, 5, 6},
                           turned = {1, 4, 2, 5, -3, 6};
  const LayerScales scales{0.5, 0.25, 7};
  const auto a = quantizeMatrix(plain, {}, scales, Scheme::Shift, 3);
  const auto b = quantizeMatrix(turned, {}, scales, Scheme::Shift, 3, true);
  ASSERT_EQ(a.bias.size(), 3U);
  EXPECT_EQ(a.bias, b.bias);
  for (int column = 0; column < 3; ++column)
    EXPECT_EQ(a.bias[column], -7 * (a.weights[column] + a.weights[3 + column]));
}

TEST(WeightsTest, RowsOfFloat8ReachTheLargest) {
  const auto made = quantizeToFloat8({0.5F, -1.0F, 0.0F, 8.0F}, 2);
  ASSERT_EQ(made.scales.size(), 2U);
  EXPECT_DOUBLE_EQ(made.scales[0], 1. / 448);
  EXPECT_DOUBLE_EQ(made.scales[1], 8. / 448);
  // 448 is 0 1111 110; half of it one less in the exponent.
  EXPECT_EQ(made.weights, (std::vector<uint8_t>{0x76, 0xfe, 0x00, 0x7e}));
}

} // namespace
