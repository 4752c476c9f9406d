//===- ThresholdsTest.cpp - How large numbers of a tensor get -------------===//

#include "tpu_mlir/Quantization/Thresholds.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tpu_mlir::quantization;

namespace {

std::vector<float> normalNumbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float &number : numbers)
    number = normal(random);
  return numbers;
}

ValueRange rangeOf(const std::vector<std::vector<float>> &samples,
                   ThresholdMethod method, double share = 0.9999) {
  NumberStatistics statistics;
  for (const auto &sample : samples)
    statistics.extend(sample);
  for (const auto &sample : samples)
    statistics.count(sample, method);
  return statistics.range(method, share);
}

constexpr ThresholdMethod kAll[] = {ThresholdMethod::Max, ThresholdMethod::Kl,
                                    ThresholdMethod::Mse,
                                    ThresholdMethod::Percentile};

/// What integers of 8 bits make of numbers.
double meanSquareError(const std::vector<float> &numbers, double threshold) {
  double sum = 0;
  for (float number : numbers) {
    const double step = threshold / 127;
    const double q = std::clamp(std::round(number / step), -128., 127.) * step;
    sum += (q - number) * (q - number);
  }
  return sum / static_cast<double>(numbers.size());
}

TEST(ThresholdsTest, TheLargestIsThatOfAllSamples) {
  const ValueRange range =
      rangeOf({{1, -2, NAN}, {3, INFINITY}, {-3.5}}, ThresholdMethod::Max);
  EXPECT_EQ(range, (ValueRange{3.5, -3.5, 3}));
}

TEST(ThresholdsTest, NoMethodGoesBeyondTheLargest) {
  for (ThresholdMethod method : kAll) {
    const ValueRange range =
        rangeOf({normalNumbers(5000, 1), normalNumbers(5000, 2)}, method);
    EXPECT_GT(range.threshold, 1);
    EXPECT_LE(range.threshold, std::max(range.max, -range.min));
  }
}

TEST(ThresholdsTest, NothingButZeroesHasNoThreshold) {
  for (ThresholdMethod method : kAll)
    EXPECT_EQ(rangeOf({{0, 0, 0}}, method), (ValueRange{0, 0, 0}));
}

TEST(ThresholdsTest, OneOutlierDoesNotDecide) {
  std::vector<float> numbers = normalNumbers(100000, 3);
  numbers[17] = 400;
  const double kl = rangeOf({numbers}, ThresholdMethod::Kl).threshold;
  const double mse = rangeOf({numbers}, ThresholdMethod::Mse).threshold;
  const double share =
      rangeOf({numbers}, ThresholdMethod::Percentile).threshold;
  EXPECT_LT(kl, 100);
  EXPECT_LT(mse, 300);
  EXPECT_NEAR(share, 4, 1);
  EXPECT_LT(meanSquareError(numbers, mse), meanSquareError(numbers, 400));
}

TEST(ThresholdsTest, MseIsLessThanThatOfTheLargest) {
  const std::vector<float> numbers = normalNumbers(20000, 4);
  const double largest = rangeOf({numbers}, ThresholdMethod::Max).threshold;
  const double mse = rangeOf({numbers}, ThresholdMethod::Mse).threshold;
  EXPECT_LE(meanSquareError(numbers, mse),
            meanSquareError(numbers, largest) * 1.05);
}

TEST(ThresholdsTest, PercentilesAreThoseOfSortedNumbers) {
  std::vector<float> numbers(10000);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i);
  EXPECT_NEAR(rangeOf({numbers}, ThresholdMethod::Percentile, 0.5).threshold,
              5000, 10);
  EXPECT_NEAR(rangeOf({numbers}, ThresholdMethod::Percentile, 0.99).threshold,
              9900, 10);
}

TEST(ThresholdsTest, MethodsHaveTheToolchainsNames) {
  EXPECT_EQ(thresholdMethodOf("percentile9999"), ThresholdMethod::Percentile);
  EXPECT_EQ(thresholdMethodOf("kl"), ThresholdMethod::Kl);
  EXPECT_FALSE(thresholdMethodOf("KL"));
  EXPECT_EQ(thresholdMethods(), "kl, max, mse, percentile9999");
}

// Half of the numbers are those that a relu has cut off.
TEST(ThresholdsTest, ZerosDoNotHideWhatIsCutOff) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> values(0, 6);
  std::vector<float> numbers(100000);
  for (size_t i = 0; i < numbers.size(); i += 2)
    numbers[i] = values(random);
  EXPECT_GT(rangeOf({numbers}, ThresholdMethod::Kl).threshold, 5);
}

} // namespace
