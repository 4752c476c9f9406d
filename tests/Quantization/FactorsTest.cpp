//===- FactorsTest.cpp - Real factors as integers and shifts --------------===//

#include "tpu_mlir/Quantization/Factors.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tpu_mlir::quantization;

namespace {

double valueOf(const Factor &factor) {
  return std::ldexp(static_cast<double>(factor.multiplier),
                    static_cast<int>(-factor.shift));
}

TEST(FactorsTest, FractionsHave24BitsOf31) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-30, -0.001);
  for (int i = 0; i < 10000; ++i) {
    const double real = std::exp2(exponent(random));
    const Factor factor = qdmFactor(real);
    EXPECT_GE(factor.multiplier, int64_t(1) << 30);
    EXPECT_LT(factor.multiplier, int64_t(1) << 31);
    EXPECT_GE(factor.shift, 0);
    EXPECT_LE(factor.shift, 31);
    EXPECT_NEAR(valueOf(factor) / 0x1p31, real, real * 0x1p-24);
  }
  EXPECT_EQ(qdmFactor(0.5), (Factor{int64_t(1) << 30, 0}));
  EXPECT_EQ(qdmFactor(0), (Factor{int64_t(1) << 30, 31}));
  EXPECT_EQ(qdmFactor(5).shift, 0);
}

/// By trying all of them.
double leastError(double real, int64_t limit, int64_t leastShift,
                  int64_t mostShift) {
  double least = INFINITY;
  for (int64_t shift = leastShift; shift <= mostShift; ++shift)
    for (double step : {-1., 0., 1.}) {
      const double multiplier =
          std::round(std::ldexp(real, static_cast<int>(shift))) + step;
      if (multiplier >= 0 && multiplier < limit)
        least = std::min(
            least,
            std::abs(std::ldexp(multiplier, static_cast<int>(-shift)) - real));
    }
  return least;
}

TEST(FactorsTest, NoOtherFactorIsNearer) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(-20, 6);
  for (int i = 0; i < 10000; ++i) {
    const double real = std::exp2(exponent(random));
    const Factor narrow = narrowFactor(real), wide = wideFactor(real);
    EXPECT_LT(narrow.multiplier, 127);
    EXPECT_EQ(std::abs(valueOf(narrow) - real), leastError(real, 127, 0, 30));
    EXPECT_LT(wide.multiplier, int64_t(1) << 31);
    EXPECT_EQ(std::abs(valueOf(wide) - real),
              leastError(real, int64_t(1) << 31, -32, 30));
  }
  EXPECT_EQ(narrowFactor(1), (Factor{1, 0}));
  // The nearest there is to what is too large.
  EXPECT_EQ(narrowFactor(1e9), (Factor{126, 0}));
}

TEST(FactorsTest, OneShiftIsTheLargestThatFits) {
  auto factors = factorsWithOneShift({0.883, 0.8011});
  ASSERT_EQ(factors.size(), 2u);
  EXPECT_EQ(factors[0], (Factor{113, 7}));
  EXPECT_EQ(factors[1], (Factor{102, 7}));
  EXPECT_EQ(factorsWithOneShift(126. / 128)[0], (Factor{126, 7}));
  EXPECT_EQ(factorsWithOneShift(127. / 128)[0], (Factor{63, 6}));
  EXPECT_EQ(factorsWithOneShift(0.)[0].shift, 30);
  EXPECT_TRUE(factorsWithOneShift({}).empty());
}

TEST(FactorsTest, WhatIsFarTooLargeIsTheLargestThatFits) {
  EXPECT_EQ(factorsWithOneShift(1e30)[0], (Factor{127, 0}));
  EXPECT_EQ(factorsWithOneShift(INFINITY)[0], (Factor{127, 0}));
}

/// Where a range has a scale, all of its scales and their inverses are normal
/// numbers of f32.
TEST(FactorsTest, RangesWithScales) {
  const double most = std::numeric_limits<float>::max();
  for (double end : {0x1p-117, 1e-5, 1., 1e30, most}) {
    EXPECT_TRUE(hasScale(0, end) && hasScale(-end, 0) && hasScale(-end, end));
    for (double scale :
         {end / 448, scaleOf(end, 8, true), affineScaleOf(0, end).scale}) {
      EXPECT_TRUE(std::isnormal(static_cast<float>(scale))) << end;
      EXPECT_TRUE(std::isnormal(static_cast<float>(1 / scale))) << end;
    }
  }
  for (double end : {0., 1e-320, 0x1p-118, 2 * most, double(INFINITY)})
    EXPECT_FALSE(hasScale(0, end) || hasScale(-end, end)) << end;
  EXPECT_FALSE(hasScale(NAN, 1) || hasScale(-1, NAN) || hasScale(1, -1));
}

TEST(FactorsTest, ScalesReachTheThreshold) {
  EXPECT_EQ(scaleOf(127, 8, true), 1);
  EXPECT_EQ(scaleOf(255, 8, false), 1);
  EXPECT_EQ(scaleOf(7, 4, true), 1);
  EXPECT_EQ(scaleOf(32767, 16, true), 1);
}

TEST(FactorsTest, ZeroIsAnElementOfEveryRange) {
  for (auto [min, max] : {std::pair(-1., 3.), std::pair(0., 2.),
                          std::pair(1., 2.), std::pair(-5., -1.)}) {
    const AffineScale scale = affineScaleOf(min, max);
    const int64_t least = min < 0 ? -128 : 0;
    EXPECT_GE(scale.zeroPoint, least);
    EXPECT_LE(scale.zeroPoint, least + 255);
    EXPECT_GE((least + 255 - scale.zeroPoint) * scale.scale, max - scale.scale);
    EXPECT_LE((least - scale.zeroPoint) * scale.scale, min + scale.scale);
  }
}

} // namespace
