//===- PoolingTest.cpp - Pooling against its definition -------------------===//
//
// Windows beyond the border, adaptive ones, and sizes that do not fit.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Pooling.h"

#include "Tensors.h"

using namespace tpu_mlir::execution;

namespace {

std::vector<float> run(const Pooling &how, const Tensor &input, Shape shape) {
  Tensor out = makeTensor(ElementType::F32, std::move(shape));
  expectOk(pool(how, input.view(), out.span(), 2));
  return floatsOf(out.view());
}

Pooling window(Pooling::Kind kind, int64_t size, int64_t stride, int64_t pad) {
  Pooling how;
  how.kind = kind;
  how.kernel = {size, size}, how.strides = {stride, stride};
  how.pads = {pad, pad, pad, pad};
  return how;
}

TEST(Pooling, TakesTheElementsInsideTheInput) {
  Tensor input = tensorOf({1, 1, 2, 2}, {-1, -2, -3, -8});
  EXPECT_EQ(run(window(Pooling::Kind::Max, 3, 2, 1), input, {1, 1, 1, 1}),
            (std::vector<float>{-1}));
  EXPECT_EQ(run(window(Pooling::Kind::Min, 3, 2, 1), input, {1, 1, 1, 1}),
            (std::vector<float>{-8}));
  EXPECT_EQ(run(window(Pooling::Kind::Average, 3, 2, 1), input, {1, 1, 1, 1}),
            (std::vector<float>{-3.5}));
  Pooling how = window(Pooling::Kind::Average, 4, 2, 1);
  how.countsPads = true;
  EXPECT_EQ(run(how, input, {1, 1, 1, 1}), (std::vector<float>{-14.0f / 16}));
  how.relu.isOn = true;
  EXPECT_EQ(run(how, input, {1, 1, 1, 1}), (std::vector<float>{0}));
}

TEST(Pooling, IsTheMeanOfItsWindow) {
  Tensor input = randomTensor(ElementType::F32, {2, 3, 17, 14}, 1);
  std::vector<float> in = floatsOf(input.view());
  std::vector<double> want;
  for (int plane = 0; plane < 6; ++plane)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 6; ++x) {
        double sum = 0;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            sum += in[(plane * 17 + y * 2 + i) * 14 + x * 2 + j];
        want.push_back(sum / 9);
      }
  Tensor out = makeTensor(ElementType::F32, {2, 3, 8, 6});
  expectOk(pool(window(Pooling::Kind::Average, 3, 2, 0), input.view(),
                out.span(), 2));
  expectNear(out.view(), want, 1e-6);
}

TEST(Pooling, AdaptiveWindowsCoverTheInput) {
  Tensor input = tensorOf({1, 1, 5}, {1, 2, 3, 4, 5});
  Pooling how;
  how.isAdaptive = true;
  EXPECT_EQ(run(how, input, {1, 1, 2}), (std::vector<float>{2, 4}));
}

TEST(Pooling, ASingleElementMayLoseItsDimensions) {
  Tensor input = tensorOf({1, 2, 1, 2}, {1, 3, 5, 7});
  Pooling how = window(Pooling::Kind::Average, 1, 1, 0);
  how.kernel = {1, 2};
  EXPECT_EQ(run(how, input, {1, 2}), (std::vector<float>{2, 6}));
}

TEST(Pooling, RefusesWhatDoesNotFit) {
  Tensor input = makeTensor(ElementType::F32, {1, 2, 4, 4});
  Tensor out = makeTensor(ElementType::F32, {1, 3, 2, 2});
  EXPECT_TRUE(
      pool(window(Pooling::Kind::Max, 2, 2, 0), input.view(), out.span(), 1));
  Pooling how = window(Pooling::Kind::Max, 2, 2, INT64_MIN);
  Tensor same = makeTensor(ElementType::F32, {1, 2, 4, 4});
  EXPECT_TRUE(pool(how, input.view(), same.span(), 1));
  how.strides = {0, 2};
  Tensor fitting = makeTensor(ElementType::F32, {1, 2, 2, 2});
  EXPECT_TRUE(pool(how, input.view(), fitting.span(), 1));
}

TEST(Pooling, AveragesOfIntegers) {
  const Tensor input = tensorOf({1, 1, 2, 2}, {9, 10, 20, 31}, ElementType::U8);
  Tensor out = makeTensor(ElementType::I8, {1, 1, 1, 1});
  Pooling how = window(Pooling::Kind::Average, 3, 2, 1);
  how.requant = Requant();
  how.requant->multipliers = {3}, how.requant->shifts = {2};
  how.requant->offset = 5, how.padding = 7;
  expectOk(pool(how, input.view(), out.span(), 1));
  // (70 - 4 * 7) * 3 / 4 + 5: padding adds nothing.
  EXPECT_EQ(integersOf(out.view()), (std::vector<int64_t>{37}));
  how.relu.isOn = true;
  how.requant->multipliers = {-3};
  expectOk(pool(how, input.view(), out.span(), 1));
  EXPECT_EQ(integersOf(out.view()), (std::vector<int64_t>{5}));
  how.requant.reset(), how.relu.isOn = false;
  how.factor = 0.5, how.offset = -0.5;
  expectOk(pool(how, input.view(), out.span(), 1));
  // (70 + 5 * 7) / 2 - 0.5
  EXPECT_EQ(integersOf(out.view()), (std::vector<int64_t>{52}));
  how.isAdaptive = true;
  expectOk(pool(how, input.view(), out.span(), 1));
  EXPECT_EQ(integersOf(out.view()), (std::vector<int64_t>{35})); // 34.5
  how.relu.isOn = true;
  EXPECT_TRUE(pool(how, input.view(), out.span(), 1));
  how.relu.isOn = false, how.padding = 256;
  EXPECT_TRUE(pool(how, input.view(), out.span(), 1));
}

} // namespace
