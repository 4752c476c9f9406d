//===- RequantizeTest.cpp - Multipliers, shifts and roundings -------------===//

#include "tpu_mlir/Execution/Requantize.h"

#include "Tensors.h"
#include "tpu_mlir/Execution/Convolution.h"

#include <cmath>

using namespace tpu_mlir::execution;

namespace {

/// The rounding of value / 2^shift by its definition, on f64 that hold it.
double byDefinition(double value, Rounding rounding) {
  const double down = std::floor(value), rest = value - down;
  const bool isOdd = std::fmod(down, 2) != 0;
  if (rest == 0)
    return value;
  switch (rounding) {
  case Rounding::TowardsZero:
    return std::trunc(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::Down:
    return down;
  default:
    break;
  }
  if (rest != 0.5)
    return rest < 0.5 ? down : down + 1;
  switch (rounding) {
  case Rounding::HalfAwayFromZero:
    return value < 0 ? down : down + 1;
  case Rounding::HalfUp:
    return down + 1;
  case Rounding::HalfDown:
    return down;
  case Rounding::HalfToEven:
    return isOdd ? down + 1 : down;
  case Rounding::HalfToOdd:
    return isOdd ? down : down + 1;
  default:
    return value < 0 ? down + 1 : down;
  }
}

TEST(RequantizeTest, EveryRounding) {
  for (int mode = 0; mode <= static_cast<int>(Rounding::Down); ++mode)
    for (int64_t shift = 0; shift < 5; ++shift)
      for (int64_t value = -70; value <= 70; ++value)
        EXPECT_EQ(static_cast<double>(
                      shiftRounded(value, shift, static_cast<Rounding>(mode))),
                  byDefinition(std::ldexp(value, -shift),
                               static_cast<Rounding>(mode)))
            << "mode " << mode << ": " << value << " >> " << shift;
}

TEST(RequantizeTest, EndsOfTheRange) {
  EXPECT_EQ(shiftRounded(3, -2, Rounding::HalfUp), 12);
  EXPECT_EQ(shiftRounded(3, -63, Rounding::HalfUp), INT64_MAX);
  EXPECT_EQ(shiftRounded(-3, -63, Rounding::HalfUp), INT64_MIN);
  EXPECT_EQ(shiftRounded(0, -63, Rounding::HalfUp), 0);
  EXPECT_EQ(shiftRounded(INT64_MAX, 63, Rounding::HalfUp), 1);
  EXPECT_EQ(shiftRounded(INT64_MAX, 63, Rounding::Down), 0);
  EXPECT_EQ(shiftRounded(INT64_MIN, 63, Rounding::HalfUp), -1);
  EXPECT_EQ(shiftRounded(INT64_MIN, 1, Rounding::HalfUp), INT64_MIN / 2);
}

Requant requantOf(Requant::Mode mode, std::vector<int64_t> multipliers,
                  std::vector<int64_t> shifts) {
  Requant requant;
  requant.mode = mode;
  requant.multipliers.assign(multipliers.begin(), multipliers.end());
  requant.shifts.assign(shifts.begin(), shifts.end());
  return requant;
}

TEST(RequantizeTest, BothModes) {
  const auto shift = requantOf(Requant::Mode::MultiplierShift, {3, -5}, {1, 2});
  EXPECT_EQ(shift.apply(5, 0), 8);   // 7.5
  EXPECT_EQ(shift.apply(-5, 0), -8); // away from zero
  EXPECT_EQ(shift.apply(6, 1), -8);  // -7.5
  // 2^30 is one half.
  const auto qdm = requantOf(Requant::Mode::Qdm, {int64_t(1) << 30}, {1});
  EXPECT_EQ(qdm.apply(10, 0), 3);  // 5, then 2.5 away from zero
  EXPECT_EQ(qdm.apply(-3, 0), -1); // -1.5 up to -1, then -0.5 away from zero
  EXPECT_EQ(qdm.apply(INT64_MAX, 0), (int64_t(1) << 31)); // saturated product
}

TEST(RequantizeTest, SaturatesAndStopsAtZero) {
  const Tensor input =
      tensorOf({5}, {-300, -100, 5, 100, 300}, ElementType::I32);
  Tensor result = makeTensor(ElementType::I8, {5});
  const auto requant = requantOf(Requant::Mode::MultiplierShift, {3}, {1});
  expectOk(requantize(input.view(), requant, false, result.span()));
  EXPECT_EQ(integersOf(result.view()),
            (std::vector<int64_t>{-128, -128, 8, 127, 127}));
  expectOk(requantize(input.view(), requant, true, result.span()));
  EXPECT_EQ(integersOf(result.view()),
            (std::vector<int64_t>{0, 0, 8, 127, 127}));
}

TEST(RequantizeTest, Refuses) {
  Tensor integers = makeTensor(ElementType::I32, {4});
  Tensor floats = makeTensor(ElementType::F32, {4});
  Tensor result = makeTensor(ElementType::I8, {4});
  const auto good = requantOf(Requant::Mode::MultiplierShift, {3}, {1});
  EXPECT_TRUE(requantize(floats.view(), good, false, result.span()));
  EXPECT_TRUE(requantize(integers.view(), good, false, floats.span()));
  for (const Requant &bad :
       {requantOf(Requant::Mode::MultiplierShift, {}, {1}),
        requantOf(Requant::Mode::MultiplierShift, {1, 2}, {1}),
        requantOf(Requant::Mode::MultiplierShift, {1}, {64}),
        requantOf(Requant::Mode::MultiplierShift, {int64_t(1) << 31}, {0})})
    EXPECT_TRUE(requantize(integers.view(), bad, false, result.span()));
}

/// Exact sums of many terms, a number and a bias for each channel.
TEST(RequantizeTest, Convolution) {
  const Tensor input = randomTensor(ElementType::I8, {2, 70, 6, 5}, 1);
  const Tensor filter = randomTensor(ElementType::I8, {3, 70, 3, 3}, 2);
  const Tensor bias = tensorOf({3}, {1000, -70000, 5}, ElementType::I32);
  Convolution how{{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 1, {true, -1}, {}};
  how.requant =
      requantOf(Requant::Mode::MultiplierShift, {77, 3, 1 << 30}, {18, 13, 42});
  how.requant->rounding = Rounding::HalfUp;
  Tensor result = makeTensor(ElementType::U8, {2, 3, 6, 5});
  const TensorView biasView = bias.view();
  expectOk(
      convolve(how, input.view(), filter.view(), &biasView, result.span(), 2));
  const auto in = integersOf(input.view()), weights = integersOf(filter.view()),
             biases = integersOf(bias.view()), out = integersOf(result.view());
  int differing = 0;
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t o = 0; o < 3; ++o)
      for (int64_t y = 0; y < 6; ++y)
        for (int64_t x = 0; x < 5; ++x) {
          int64_t sum = biases[o];
          for (int64_t c = 0; c < 70; ++c)
            for (int64_t i = 0; i < 9; ++i) {
              const int64_t v = y + i / 3 - 1, u = x + i % 3 - 1;
              if (v >= 0 && v < 6 && u >= 0 && u < 5)
                sum += in[((n * 70 + c) * 6 + v) * 5 + u] *
                       weights[(o * 70 + c) * 9 + i];
            }
          const double wanted = std::floor(
              std::ldexp(static_cast<double>(sum) * how.requant->multipliers[o],
                         -static_cast<int>(how.requant->shifts[o])) +
              0.5);
          const int64_t element = out[((n * 3 + o) * 6 + y) * 5 + x];
          EXPECT_EQ(element, static_cast<int64_t>(
                                 std::min(std::max(wanted, 0.0), 255.0)));
          differing += element != 0 && element != 255;
        }
  EXPECT_GT(differing, 40);
}

/// More terms than are summed up in one go; a number for each column.
TEST(RequantizeTest, MatMul) {
  const Tensor left = randomTensor(ElementType::U8, {2, 5, 700}, 1);
  const Tensor right = randomTensor(ElementType::I8, {7, 700}, 2);
  const Tensor bias =
      tensorOf({1, 7}, {0, 1, -2, 3000, 4, -50000, 6}, ElementType::I32);
  MatMul how;
  how.rightTranspose = true;
  how.requant = requantOf(Requant::Mode::Qdm, {int64_t(1) << 30}, {9});
  Tensor result = makeTensor(ElementType::I8, {2, 5, 7});
  const TensorView biasView = bias.view();
  expectOk(matMul(how, left.view(), right.view(), &biasView, result.span(), 2));
  const auto a = integersOf(left.view()), b = integersOf(right.view()),
             added = integersOf(bias.view()), out = integersOf(result.view());
  int inRange = 0;
  for (int64_t i = 0; i < 10; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      int64_t sum = added[j];
      for (int64_t k = 0; k < 700; ++k)
        sum += a[i * 700 + k] * b[j * 700 + k];
      const double high = std::floor(sum / 2.0 + 0.5);
      const double wanted = std::round(high / 512); // away from zero
      EXPECT_EQ(out[i * 7 + j], static_cast<int64_t>(
                                    std::min(std::max(wanted, -128.0), 127.0)));
      inRange += std::abs(wanted) < 127;
    }
  EXPECT_GT(inRange, 5);
  // A float is nothing to requantize, nor is a bias of another length.
  Tensor floats = makeTensor(ElementType::F32, {2, 5, 7});
  EXPECT_TRUE(
      matMul(how, left.view(), right.view(), nullptr, floats.span(), 1));
  const Tensor shorter = makeTensor(ElementType::I32, {6});
  const TensorView view = shorter.view();
  EXPECT_TRUE(matMul(how, left.view(), right.view(), &view, result.span(), 1));
}

TEST(RequantizeTest, ZeroPoints) {
  auto requant = requantOf(Requant::Mode::MultiplierShift, {3}, {1});
  requant.offset = 10;
  const Tensor input = tensorOf({4}, {4, 5, 8, 100}, ElementType::U8);
  Tensor result = makeTensor(ElementType::I8, {4});
  // (q - 5) * 3 / 2, ties away from zero, + 10.
  expectOk(requantize(input.view(), requant, false, result.span(), 5));
  EXPECT_EQ(integersOf(result.view()), (std::vector<int64_t>{8, 10, 15, 127}));
  expectOk(requantize(input.view(), requant, true, result.span(), 5));
  EXPECT_EQ(integersOf(result.view()), (std::vector<int64_t>{10, 10, 15, 127}));
  requant.offset = int64_t(1) << 31;
  EXPECT_TRUE(requantize(input.view(), requant, false, result.span()));
  requant.offset = INT32_MAX;
  EXPECT_EQ(requant.apply(INT64_MAX, 0), (INT64_MAX - 1) / 2 + 1 + INT32_MAX);
  requant.shifts = {0};
  EXPECT_EQ(requant.apply(INT64_MAX, 0), INT64_MAX);
}

TEST(RequantizeTest, ConvolutionWithZeroPoints) {
  const Tensor input = tensorOf({1, 1, 1, 2}, {7, 250}, ElementType::U8);
  const Tensor filter = tensorOf({1, 1, 1, 3}, {1, 2, -100}, ElementType::I8);
  Convolution how{{1, 3}, {1, 1}, {1, 1}, {0, 1, 0, 1}, 1, {}, {}};
  how.requant = requantOf(Requant::Mode::MultiplierShift, {1}, {0});
  how.requant->offset = -3;
  how.padding = 40, how.filterZeroPoint = -1;
  Tensor result = makeTensor(ElementType::I32, {1, 1, 1, 2});
  expectOk(
      convolve(how, input.view(), filter.view(), nullptr, result.span(), 1));
  // 40 * 2 + 7 * 3 - 250 * 99 - 3; 7 * 2 + 250 * 3 - 40 * 99 - 3
  EXPECT_EQ(integersOf(result.view()), (std::vector<int64_t>{-24652, -3199}));
  how.padding = 256;
  EXPECT_TRUE(
      convolve(how, input.view(), filter.view(), nullptr, result.span(), 1));
  how.padding = 0, how.filterZeroPoint = 128;
  EXPECT_TRUE(
      convolve(how, input.view(), filter.view(), nullptr, result.span(), 1));
}

/// The largest differences that there are still add up exactly.
TEST(RequantizeTest, ProductsOfDifferences) {
  constexpr int64_t kTerms = 1000;
  Tensor left = makeTensor(ElementType::U8, {1, kTerms}),
         right = makeTensor(ElementType::U8, {kTerms, 1});
  store(std::vector<int64_t>(kTerms, 255), left.span());
  store(std::vector<int64_t>(kTerms, 0), right.span());
  MatMul how;
  how.rightZeroPoint = 255;
  how.requant = requantOf(Requant::Mode::MultiplierShift, {1}, {0});
  Tensor result = makeTensor(ElementType::I32, {1, 1});
  expectOk(matMul(how, left.view(), right.view(), nullptr, result.span(), 1));
  EXPECT_EQ(integersOf(result.view()),
            (std::vector<int64_t>{-255 * 255 * kTerms}));
  how.leftZeroPoint = -1;
  EXPECT_TRUE(
      matMul(how, left.view(), right.view(), nullptr, result.span(), 1));
}

TEST(Rounding, OfNumbers) {
  for (int mode = 0; mode <= static_cast<int>(Rounding::Down); ++mode)
    for (int quarters = -20; quarters <= 20; ++quarters) {
      const double value = quarters / 4.0;
      EXPECT_EQ(rounded(value, static_cast<Rounding>(mode)),
                byDefinition(value, static_cast<Rounding>(mode)))
          << value << " " << mode;
    }
  EXPECT_EQ(rounded(-0x1p60, Rounding::HalfToEven), -0x1p60);
  EXPECT_EQ(rounded(INFINITY, Rounding::Up), INFINITY);
  EXPECT_TRUE(std::isnan(rounded(NAN, Rounding::Down)));
}

} // namespace
