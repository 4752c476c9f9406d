//===- NormalizationTest.cpp - Softmax and normalizations -----------------===//
//
// Sums, means and variances of the results, and large or masked inputs.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Normalization.h"

#include "Tensors.h"

#include <cmath>

using namespace tpu_mlir::execution;

namespace {

TEST(Normalization, SoftmaxSumsToOneAlongItsAxis) {
  Tensor input = randomTensor(ElementType::F32, {3, 5, 7}, 1);
  std::vector<float> in = floatsOf(input.view());
  for (int64_t axis : {0, 1, 2, -1}) {
    const int64_t dim = axis < 0 ? axis + 3 : axis;
    const Shape shape = {3, 5, 7};
    const int64_t count = shape[dim], inner = countOf(shape, dim + 1, 3);
    std::vector<double> want(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      const int64_t first = i - i / inner % count * inner;
      double sum = 0;
      for (int64_t k = 0; k < count; ++k)
        sum += std::exp(2.0 * in[first + k * inner]);
      want[i] = std::exp(2.0 * in[i]) / sum;
    }
    Tensor out = makeTensor(ElementType::F32, shape);
    expectOk(softmax(input.view(), axis, 2.0, false, out.span(), 2));
    expectNear(out.view(), want, 1e-6);
    for (double &value : want)
      value = std::log(value);
    expectOk(softmax(input.view(), axis, 2.0, true, out.span(), 1));
    expectNear(out.view(), want, 1e-5);
  }
}

/// A masked row does not make NaNs of the others.
TEST(Normalization, SoftmaxTakesLargeNumbers) {
  Tensor input = tensorOf({1, 3}, {1e30f, 1e30f, -1e30f});
  Tensor out = makeTensor(ElementType::F32, {1, 3});
  expectOk(softmax(input.view(), 1, 1.0, false, out.span(), 1));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{0.5, 0.5, 0}));
}

std::vector<double> normalized(const std::vector<float> &row, double eps,
                               bool keepsMean) {
  double mean = 0, squares = 0;
  for (float x : row)
    mean += keepsMean ? 0 : x / double(row.size());
  for (float x : row)
    squares += (x - mean) * (x - mean) / row.size();
  std::vector<double> out;
  for (float x : row)
    out.push_back((x - mean) / std::sqrt(squares + eps));
  return out;
}

TEST(Normalization, RowsHaveMeanZeroAndVarianceOne) {
  Tensor input = randomTensor(ElementType::F32, {2, 4, 6}, 1);
  Tensor gamma = randomTensor(ElementType::F32, {24}, 2);
  Tensor beta = randomTensor(ElementType::F32, {24}, 3);
  TensorView g = gamma.view(), b = beta.view();
  std::vector<float> in = floatsOf(input.view()), gs = floatsOf(g),
                     bs = floatsOf(b);
  std::vector<double> want;
  for (int row = 0; row < 2; ++row) {
    auto one = normalized({in.begin() + row * 24, in.begin() + row * 24 + 24},
                          1e-5, false);
    for (int i = 0; i < 24; ++i)
      want.push_back(one[i] * gs[i] + bs[i]);
  }
  Tensor out = makeTensor(ElementType::F32, {2, 4, 6});
  expectOk(layerNorm(input.view(), 1, 1e-5, &g, &b, out.span(), 2));
  expectNear(out.view(), want, 1e-5);
}

TEST(Normalization, RmsKeepsTheMean) {
  Tensor input = randomTensor(ElementType::F32, {3, 8}, 1);
  Tensor gamma = randomTensor(ElementType::F32, {1, 8}, 2);
  TensorView g = gamma.view();
  std::vector<float> in = floatsOf(input.view()), gs = floatsOf(g);
  std::vector<double> want;
  for (int row = 0; row < 3; ++row) {
    auto one = normalized({in.begin() + row * 8, in.begin() + row * 8 + 8},
                          1e-6, true);
    for (int i = 0; i < 8; ++i)
      want.push_back(one[i] * gs[i]);
  }
  Tensor out = makeTensor(ElementType::F32, {3, 8});
  expectOk(rmsNorm(input.view(), 1e-6, &g, out.span(), 1));
  expectNear(out.view(), want, 1e-5);
}

TEST(Normalization, GroupsOfChannelsAreRows) {
  Tensor input = randomTensor(ElementType::F32, {2, 6, 5}, 1);
  Tensor gamma = randomTensor(ElementType::F32, {1, 6, 1}, 2);
  TensorView g = gamma.view();
  std::vector<float> in = floatsOf(input.view()), gs = floatsOf(g);
  std::vector<double> want;
  for (int row = 0; row < 6; ++row) {
    auto one = normalized({in.begin() + row * 10, in.begin() + row * 10 + 10},
                          1e-5, false);
    for (int i = 0; i < 10; ++i)
      want.push_back(one[i] * gs[row % 3 * 2 + i / 5]);
  }
  Tensor out = makeTensor(ElementType::F32, {2, 6, 5});
  expectOk(groupNorm(input.view(), 3, 1e-5, &g, nullptr, out.span(), 2));
  expectNear(out.view(), want, 1e-5);
  EXPECT_TRUE(groupNorm(input.view(), 4, 1e-5, &g, nullptr, out.span(), 2));
}

TEST(Normalization, ScaleIsByChannel) {
  Tensor input = tensorOf({1, 2, 2}, {1, 2, 3, 4});
  Tensor factor = tensorOf({2}, {10, -1}), bias = tensorOf({1}, {5});
  TensorView f = factor.view(), b = bias.view();
  Tensor out = makeTensor(ElementType::F32, {1, 2, 2});
  expectOk(scale(input.view(), &f, &b, {}, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{15, 25, 2, 1}));
  expectOk(scale(input.view(), nullptr, nullptr, {true, 3}, out.span()));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{1, 2, 3, 3}));
}

TEST(Normalization, ReducesOverAxes) {
  Tensor input = tensorOf({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, -8});
  auto run = [&](Reduction kind, llvm::ArrayRef<int64_t> axes, Shape shape) {
    Tensor out = makeTensor(ElementType::F32, std::move(shape));
    expectOk(reduce(kind, input.view(), axes, out.span()));
    return floatsOf(out.view());
  };
  EXPECT_EQ(run(Reduction::Sum, {0, 2}, {1, 2, 1}),
            (std::vector<float>{14, 6}));
  EXPECT_EQ(run(Reduction::Mean, {-1}, {2, 2}),
            (std::vector<float>{1.5, 3.5, 5.5, -0.5}));
  EXPECT_EQ(run(Reduction::Max, {0, 1, 2}, {}), (std::vector<float>{7}));
  EXPECT_EQ(run(Reduction::Min, {1}, {2, 2}),
            (std::vector<float>{1, 2, 5, -8}));
  EXPECT_EQ(run(Reduction::Product, {2}, {2, 2}),
            (std::vector<float>{2, 12, 30, -56}));
  EXPECT_EQ(run(Reduction::L1, {1, 2}, {2}), (std::vector<float>{10, 26}));
  EXPECT_EQ(run(Reduction::L2, {2}, {4})[1], 5);
  Tensor out = makeTensor(ElementType::F32, {3});
  EXPECT_TRUE(reduce(Reduction::Sum, input.view(), {0}, out.span()));
  EXPECT_TRUE(reduce(Reduction::Sum, input.view(), {3}, out.span()));
}

TEST(Normalization, ANaNIsTheExtreme) {
  const Tensor input = tensorOf({3, 2}, {1, NAN, NAN, 1, 2, 2});
  for (Reduction kind : {Reduction::Max, Reduction::Min}) {
    Tensor out = makeTensor(ElementType::F32, {3});
    expectOk(reduce(kind, input.view(), {1}, out.span()));
    EXPECT_TRUE(std::isnan(floatsOf(out.view())[0]));
    EXPECT_TRUE(std::isnan(floatsOf(out.view())[1]));
    EXPECT_EQ(floatsOf(out.view())[2], 2);
  }
}

TEST(Normalization, SumsOverChannels) {
  const Tensor input = tensorOf({1, 3, 1}, {1, 2, 3});
  Tensor result = makeTensor(ElementType::F32, {1, 3, 1});
  // Of two channels the element's own and the one after it.
  expectOk(localResponseNorm({2, 2, 1, 1}, input.view(), result.span(), 1));
  expectNear(result.view(), {1 / 6.0, 2 / 14.0, 3 / 10.0}, 1e-6);
  const Tensor flat = tensorOf({3}, {1, 2, 3});
  Tensor small = makeTensor(ElementType::F32, {3});
  EXPECT_TRUE(localResponseNorm({}, flat.view(), small.span(), 1));
}

} // namespace
