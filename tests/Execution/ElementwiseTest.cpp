//===- ElementwiseTest.cpp - Arithmetic and functions by element ----------===//
//
// Against the formulas, with broadcast shapes, integers and fused ReLU.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Elementwise.h"

#include "Tensors.h"

#include <cmath>
#include <functional>

using namespace tpu_mlir::execution;

namespace {

TEST(Elementwise, ShapesSpread) {
  Tensor a = tensorOf({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  Tensor b = tensorOf({2, 1}, {10, 20});
  Tensor out = makeTensor(ElementType::F32, {2, 2, 3});
  expectOk(combine(Binary::Add, {a.view(), b.view()}, {}, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{11, 12, 13, 21, 22, 23,
                                                      14, 15, 16, 24, 25, 26}));
  Tensor number = tensorOf({}, {2});
  Tensor same = makeTensor(ElementType::F32, {2, 1, 3});
  expectOk(combine(Binary::Mul, {number.view(), a.view()}, {}, same.span()));
  EXPECT_EQ(floatsOf(same.view()), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  Tensor three = makeTensor(ElementType::F32, {3});
  EXPECT_TRUE(combine(Binary::Add, {b.view(), three.view()}, {}, same.span()));
}

TEST(Elementwise, OperatorsAreThoseOfF32) {
  Tensor a = randomTensor(ElementType::F16, {100}, 1);
  Tensor b = randomTensor(ElementType::F16, {100}, 2);
  std::vector<float> x = floatsOf(a.view()), y = floatsOf(b.view());
  const std::pair<Binary, std::function<float(float, float)>> kOps[] = {
      {Binary::Add, [](float p, float q) { return p + q; }},
      {Binary::Sub, [](float p, float q) { return p - q; }},
      {Binary::Mul, [](float p, float q) { return p * q; }},
      {Binary::Div, [](float p, float q) { return p / q; }},
      {Binary::Max, [](float p, float q) { return p > q ? p : q; }},
      {Binary::Min, [](float p, float q) { return p < q ? p : q; }}};
  for (const auto &[op, formula] : kOps) {
    Tensor out = makeTensor(ElementType::F16, {100});
    expectOk(combine(op, {a.view(), b.view()}, {}, out.span()));
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(floatsOf(out.view())[i],
                halfToFloat(floatToHalf(formula(x[i], y[i]))));
    expectOk(combineConst(op, a.view(), 0.75, true, {}, out.span()));
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(floatsOf(out.view())[i],
                halfToFloat(floatToHalf(formula(0.75f, x[i]))));
  }
}

TEST(Elementwise, ANaNIsTheExtreme) {
  const Tensor a = tensorOf({3}, {NAN, 1, NAN}),
               b = tensorOf({3}, {1, NAN, NAN});
  for (Binary op : {Binary::Max, Binary::Min}) {
    Tensor out = makeTensor(ElementType::F32, {3});
    expectOk(combine(op, {a.view(), b.view()}, {}, out.span()));
    for (float value : floatsOf(out.view()))
      EXPECT_TRUE(std::isnan(value));
    for (bool reversed : {false, true}) {
      expectOk(combineConst(op, a.view(), 1, reversed, {}, out.span()));
      EXPECT_TRUE(std::isnan(floatsOf(out.view())[0]));
      EXPECT_EQ(floatsOf(out.view())[1], 1);
    }
  }
}

TEST(Elementwise, IntegersAreExact) {
  Tensor a = makeTensor(ElementType::I32, {3}),
         b = makeTensor(ElementType::I32, {3});
  const std::vector<int64_t> x = {2147483647, 16777217, -7}, y = {1, 2, 2};
  store(llvm::ArrayRef<int64_t>(x), a.span());
  store(llvm::ArrayRef<int64_t>(y), b.span());
  Tensor out = makeTensor(ElementType::I32, {3});
  auto run = [&](Binary op) {
    expectOk(combine(op, {a.view(), b.view()}, {}, out.span()));
    return integersOf(out.view());
  };
  EXPECT_EQ(run(Binary::Add), (std::vector<int64_t>{2147483647, 16777219, -5}));
  EXPECT_EQ(run(Binary::Mul),
            (std::vector<int64_t>{2147483647, 33554434, -14}));
  EXPECT_EQ(run(Binary::Div), (std::vector<int64_t>{2147483647, 8388608, -3}));
  Tensor zero = makeTensor(ElementType::I32, {3});
  EXPECT_TRUE(combine(Binary::Div, {a.view(), zero.view()}, {}, out.span()));
}

TEST(Elementwise, FusedReluCutsBothEnds) {
  Tensor a = tensorOf({3}, {-1, 3, 9});
  Tensor out = makeTensor(ElementType::F32, {3});
  expectOk(
      combineConst(Binary::Add, a.view(), 0, false, {true, 6}, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{0, 3, 6}));
}

TEST(Elementwise, FunctionsAreTheirFormulas) {
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const std::pair<Function, std::function<double(double)>> kFunctions[] = {
      {Function::Abs, [](double x) { return std::fabs(x); }},
      {Function::Ceil, [](double x) { return std::ceil(x); }},
      {Function::Cos, [](double x) { return std::cos(x); }},
      {Function::Elu,
       [](double x) { return x < 0 ? 0.5 * (std::exp(x) - 1) : x; }},
      {Function::Erf, [](double x) { return std::erf(x); }},
      {Function::Exp, [](double x) { return std::exp(x); }},
      {Function::Floor, [](double x) { return std::floor(x); }},
      {Function::Gelu,
       [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }},
      {Function::GeluTanh,
       [](double x) {
         return x / 2 *
                (1 +
                 std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
       }},
      {Function::GeluSigmoid, [&](double x) { return x * sigmoid(1.702 * x); }},
      {Function::HardSigmoid,
       [](double x) { return std::min(std::max(0.25 * x + 0.5, 0.0), 1.0); }},
      {Function::HardSwish,
       [](double x) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); }},
      {Function::LogSigmoid, [&](double x) { return std::log(sigmoid(x)); }},
      {Function::Mish,
       [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {Function::Negate, [](double x) { return -x; }},
      {Function::Relu6,
       [](double x) { return std::min(std::max(x, 0.0), 6.0); }},
      {Function::Round, [](double x) { return std::nearbyint(x); }},
      {Function::Sigmoid, sigmoid},
      {Function::Sign, [](double x) { return (x > 0) - (x < 0); }},
      {Function::Silu, [&](double x) { return x * sigmoid(x); }},
      {Function::Sin, [](double x) { return std::sin(x); }},
      {Function::Softplus, [](double x) { return std::log1p(std::exp(x)); }},
      {Function::Softsign, [](double x) { return x / (1 + std::fabs(x)); }},
      {Function::Square, [](double x) { return x * x; }},
      {Function::Tanh, [](double x) { return std::tanh(x); }},
  };
  std::vector<float> points;
  for (int i = -64; i <= 64; ++i)
    points.push_back(i / 8.0f);
  Tensor input = tensorOf({129}, points);
  for (const auto &[function, formula] : kFunctions) {
    std::vector<double> want;
    for (float x : points)
      want.push_back(formula(x));
    Tensor out = makeTensor(ElementType::F32, {129});
    expectOk(apply(function, {0.5, 0.25}, input.view(), {}, out.span()));
    SCOPED_TRACE(static_cast<int>(function));
    expectNear(out.view(), want, 2e-6);
  }
}

TEST(Elementwise, FunctionsOfPositiveNumbersAreTheirFormulas) {
  Tensor positive = tensorOf({3}, {0.25, 1, 4});
  Tensor out = makeTensor(ElementType::F32, {3});
  expectOk(apply(Function::Sqrt, {}, positive.view(), {}, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{0.5, 1, 2}));
  expectOk(apply(Function::Rsqrt, {}, positive.view(), {}, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{2, 1, 0.5}));
  expectOk(apply(Function::Reciprocal, {}, positive.view(), {}, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{4, 1, 0.25}));
  expectOk(apply(Function::Log, {}, positive.view(), {}, out.span()));
  expectNear(out.view(), {std::log(0.25), 0, std::log(4.0)}, 1e-6);
  EXPECT_TRUE(apply(Function::Elu, {}, positive.view(), {}, out.span()));
}

TEST(Elementwise, LimitsAndSlopes) {
  Tensor a = tensorOf({1, 2, 2}, {-4, 1, -2, 5});
  Tensor out = makeTensor(ElementType::F32, {1, 2, 2});
  expectOk(clip(a.view(), -3, 2, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{-3, 1, -2, 2}));
  expectOk(leakyRelu(a.view(), 0.5, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{-2, 1, -1, 5}));
  Tensor slope = tensorOf({1, 2, 1}, {0.25, 2});
  expectOk(prelu(a.view(), slope.view(), out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{-1, 1, -4, 5}));
  // Of channels, though the last dimension is as long.
  for (const Shape &shape : {Shape{2}, Shape{1, 1, 2}}) {
    Tensor list = tensorOf(shape, {0.25, 2});
    expectOk(prelu(a.view(), list.view(), out.span()));
    EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{-1, 1, -4, 5}));
  }
  Tensor many = tensorOf({1, 2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(prelu(a.view(), many.view(), out.span()));
  Tensor row = tensorOf({2}, {-4, 1}),
         rowOut = makeTensor(ElementType::F32, {2});
  expectOk(prelu(row.view(), tensorOf({1}, {0.5}).view(), rowOut.span()));
  EXPECT_EQ(floatsOf(rowOut.view()), (std::vector<float>{-2, 1}));
  EXPECT_TRUE(prelu(row.view(), row.view(), rowOut.span()));
}

TEST(Elementwise, ConvertsBetweenTypes) {
  Tensor a = tensorOf({4}, {1.5, -0.26, 100, -100});
  Tensor quantized(TensorType{ElementType::I8, {4}, 0.5, 3});
  expectOk(convert(a.view(), quantized.span()));
  EXPECT_EQ(integersOf(quantized.view()),
            (std::vector<int64_t>{6, 2, 127, -128}));
  expectOk(convert(a.view(), quantized.span(), Rounding::Down));
  EXPECT_EQ(integersOf(quantized.view()),
            (std::vector<int64_t>{6, 2, 127, -128}));
  Tensor plain = makeTensor(ElementType::I32, {4});
  expectOk(convert(a.view(), plain.span(), Rounding::TowardsZero));
  EXPECT_EQ(integersOf(plain.view()), (std::vector<int64_t>{1, 0, 100, -100}));
  expectOk(convert(a.view(), plain.span(), Rounding::Down));
  EXPECT_EQ(integersOf(plain.view()), (std::vector<int64_t>{1, -1, 100, -100}));
  Tensor back = makeTensor(ElementType::F16, {4});
  expectOk(convert(quantized.view(), back.span()));
  EXPECT_EQ(floatsOf(back.view()), (std::vector<float>{1.5, -0.5, 62, -65.5}));
  Tensor large = makeTensor(ElementType::I32, {1});
  const std::vector<int64_t> value = {2147483647};
  store(llvm::ArrayRef<int64_t>(value), large.span());
  Tensor same = makeTensor(ElementType::U32, {1});
  expectOk(convert(large.view(), same.span()));
  EXPECT_EQ(integersOf(same.view()), value);
}

TEST(Elementwise, TablesAreIndexedByTheByte) {
  Tensor table = makeTensor(ElementType::I8, {1, 1, 1, 256});
  std::vector<int64_t> entries;
  for (int i = 0; i < 256; ++i)
    entries.push_back(i / 2 - 64);
  store(llvm::ArrayRef<int64_t>(entries), table.span());
  Tensor input = makeTensor(ElementType::I8, {3});
  const std::vector<int64_t> in = {0, -1, 127};
  store(llvm::ArrayRef<int64_t>(in), input.span());
  Tensor out = makeTensor(ElementType::I8, {3});
  expectOk(lookUp(input.view(), table.view(), out.span()));
  EXPECT_EQ(integersOf(out.view()), (std::vector<int64_t>{-64, 63, -1}));
  Tensor wide = makeTensor(ElementType::I16, {3});
  EXPECT_TRUE(lookUp(wide.view(), table.view(), out.span()));
}

TEST(ElementwiseTest, Rotate) {
  const Tensor input = tensorOf({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor sine = tensorOf({1, 1, 4}, {10, 20, 30, 40});
  const Tensor cosine = tensorOf({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  Tensor out = makeTensor(ElementType::F32, {1, 2, 4});
  expectOk(rotate(input.view(), sine.view(), cosine.view(), Pairing::Neighbours,
                  out.span()));
  EXPECT_EQ(floatsOf(out.view()),
            (std::vector<float>{1 - 20, 4 + 20, 9 - 120, 16 + 120, 25 - 60,
                                36 + 100, 49 - 240, 64 + 280}));
  expectOk(rotate(input.view(), sine.view(), cosine.view(), Pairing::Halves,
                  out.span()));
  EXPECT_EQ(floatsOf(out.view()),
            (std::vector<float>{1 - 30, 4 - 80, 9 + 30, 16 + 80, 25 - 70,
                                36 - 160, 49 + 150, 64 + 240}));
  const Tensor odd = makeTensor(ElementType::F32, {2, 3});
  Tensor oddOut = makeTensor(ElementType::F32, {2, 3});
  EXPECT_TRUE(rotate(odd.view(), odd.view(), odd.view(), Pairing::Halves,
                     oddOut.span()));
  EXPECT_TRUE(rotate(input.view(), odd.view(), cosine.view(), Pairing::Halves,
                     out.span()));
}

TEST(Elementwise, WhatIsLeftAndPowers) {
  for (ElementType type : {ElementType::F32, ElementType::I32}) {
    const Tensor a = tensorOf({4}, {7, -7, 7, -7}, type),
                 b = tensorOf({4}, {3, 3, -3, -3}, type),
                 two = tensorOf({}, {2}, type);
    Tensor out = makeTensor(type, {4});
    auto run = [&](Binary op, const Tensor &right) {
      expectOk(combine(op, {a.view(), right.view()}, {}, out.span()));
      return integersOf(out.view());
    };
    EXPECT_EQ(run(Binary::Modulo, b), (std::vector<int64_t>{1, -1, 1, -1}));
    EXPECT_EQ(run(Binary::Remainder, b), (std::vector<int64_t>{1, 2, -2, -1}));
    EXPECT_EQ(run(Binary::Power, two), (std::vector<int64_t>{49, 49, 49, 49}));
  }
}

} // namespace
