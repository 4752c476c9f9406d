//===- OrderingTest.cpp - Rows by the size of their elements --------------===//

#include "tpu_mlir/Execution/Ordering.h"

#include "Tensors.h"

#include <cmath>

using namespace tpu_mlir::execution;

namespace {

using Ints = std::vector<int64_t>;

TEST(OrderingTest, TheFirstOfEqualOnesComesFirst) {
  const Tensor input = tensorOf({2, 4}, {1, 3, 3, 2, -5, NAN, -5, -7});
  Tensor values = makeTensor(ElementType::F32, {2, 3});
  Tensor indices = makeTensor(ElementType::I32, {2, 3});
  const TensorSpan v = values.span(), i = indices.span();
  expectOk(sortRows(input.view(), -1, /*falling=*/true, &v, &i));
  expectNear(values.view(), {3, 3, 2, -5, -5, -7}, 0);
  EXPECT_EQ(integersOf(indices.view()), (Ints{1, 2, 3, 0, 2, 3}));
  expectOk(sortRows(input.view(), 1, /*falling=*/false, &v, &i));
  expectNear(values.view(), {1, 2, 3, -7, -5, -5}, 0);
  EXPECT_EQ(integersOf(indices.view()), (Ints{0, 3, 1, 3, 0, 2}));
}

TEST(OrderingTest, AlongAnInnerAxisAndOneResult) {
  const Tensor input =
      tensorOf({1, 3, 2}, {1, 60, 3, 50, 2, 40}, ElementType::I8);
  Tensor values = makeTensor(ElementType::I8, {1, 2, 2});
  Tensor indices = makeTensor(ElementType::F32, {1, 3, 2});
  const TensorSpan v = values.span(), i = indices.span();
  expectOk(sortRows(input.view(), 1, true, &v, nullptr));
  EXPECT_EQ(integersOf(values.view()), (Ints{3, 60, 2, 50}));
  expectOk(sortRows(input.view(), 1, true, nullptr, &i));
  expectNear(indices.view(), {1, 0, 2, 1, 0, 2}, 0);
}

TEST(OrderingTest, LongIntegersAreExact) {
  // Equal as f32.
  const Tensor input = [] {
    Tensor tensor = makeTensor(ElementType::I32, {3});
    store(Ints{16777217, 16777216, 16777218}, tensor.span());
    return tensor;
  }();
  Tensor indices = makeTensor(ElementType::I32, {3});
  const TensorSpan i = indices.span();
  expectOk(sortRows(input.view(), 0, true, nullptr, &i));
  EXPECT_EQ(integersOf(indices.view()), (Ints{2, 0, 1}));
}

TEST(OrderingTest, ResultsThatDoNotFit) {
  const Tensor input = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
  for (Shape shape : {Shape{2, 4}, Shape{1, 3}, Shape{6}, Shape{2, 3, 1}}) {
    Tensor values = makeTensor(ElementType::F32, shape);
    const TensorSpan v = values.span();
    EXPECT_TRUE(sortRows(input.view(), 1, true, &v, nullptr));
  }
  Tensor values = makeTensor(ElementType::F32, {2, 3});
  const TensorSpan v = values.span();
  EXPECT_TRUE(sortRows(input.view(), 2, true, &v, nullptr));
}

TEST(OrderingTest, ExtremesFirstOrLast) {
  const Tensor input = tensorOf({2, 2, 2}, {1, 5, 1, 4, -1, 2, 3, 2});
  Tensor values = makeTensor(ElementType::F32, {2, 1, 2});
  Tensor indices = makeTensor(ElementType::I32, {2, 2});
  const TensorSpan v = values.span(), i = indices.span();
  expectOk(findExtreme(input.view(), 1, true, /*last=*/false, &v, &i));
  expectNear(values.view(), {1, 5, 3, 2}, 0);
  EXPECT_EQ(integersOf(indices.view()), (Ints{0, 0, 1, 0}));
  expectOk(findExtreme(input.view(), 1, false, /*last=*/true, &v, &i));
  expectNear(values.view(), {1, 4, -1, 2}, 0);
  EXPECT_EQ(integersOf(indices.view()), (Ints{1, 1, 0, 1}));
  EXPECT_TRUE(findExtreme(input.view(), 3, true, false, &v, &i));
}

TEST(OrderingTest, ANaNIsTheExtreme) {
  const Tensor input = tensorOf({2, 4}, {1, NAN, 3, NAN, NAN, 2, NAN, 5});
  Tensor indices = makeTensor(ElementType::I32, {2});
  const TensorSpan i = indices.span();
  for (bool largest : {true, false}) {
    expectOk(
        findExtreme(input.view(), 1, largest, /*last=*/false, nullptr, &i));
    EXPECT_EQ(integersOf(indices.view()), (Ints{1, 0}));
    expectOk(findExtreme(input.view(), 1, largest, /*last=*/true, nullptr, &i));
    EXPECT_EQ(integersOf(indices.view()), (Ints{3, 2}));
  }
}

TEST(OrderingTest, SumsUpToEachElement) {
  const Tensor input = tensorOf({2, 3}, {1, 2, 3, 10, 20, 30});
  Tensor result = makeTensor(ElementType::F32, {2, 3});
  expectOk(cumulativeSum(input.view(), 1, result.span()));
  expectNear(result.view(), {1, 3, 6, 10, 30, 60}, 0);
  expectOk(cumulativeSum(input.view(), -2, result.span()));
  expectNear(result.view(), {1, 2, 3, 11, 22, 33}, 0);
  EXPECT_TRUE(cumulativeSum(input.view(), 2, result.span()));
}

} // namespace
