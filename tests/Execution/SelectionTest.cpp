//===- SelectionTest.cpp - Elements that others choose --------------------===//

#include "tpu_mlir/Execution/Selection.h"

#include "Tensors.h"

#include <cmath>

using namespace tpu_mlir::execution;

namespace {

using Ints = std::vector<int64_t>;

Ints compared(Comparison how, const Tensor &left, const Tensor &right) {
  Tensor result = makeTensor(ElementType::I8, {2, 3});
  expectOk(compare(how, left.view(), right.view(), result.span()));
  return integersOf(result.view());
}

TEST(SelectionTest, Comparisons) {
  const Tensor left = tensorOf({2, 3}, {1, 2, 3, -1, 0, NAN});
  const Tensor right = tensorOf({3}, {2, 2, 0});
  EXPECT_EQ(compared(Comparison::Equal, left, right), (Ints{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(compared(Comparison::NotEqual, left, right),
            (Ints{1, 0, 1, 1, 1, 1}));
  EXPECT_EQ(compared(Comparison::Less, left, right), (Ints{1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(compared(Comparison::LessOrEqual, left, right),
            (Ints{1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(compared(Comparison::Greater, left, right),
            (Ints{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(compared(Comparison::GreaterOrEqual, left, right),
            (Ints{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(compared(Comparison::And, left, right), (Ints{1, 1, 0, 1, 0, 0}));
  EXPECT_EQ(compared(Comparison::Or, left, right), (Ints{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(compared(Comparison::Xor, left, right), (Ints{0, 0, 1, 0, 1, 1}));
}

TEST(SelectionTest, ComparesLongIntegersExactly) {
  Tensor left = makeTensor(ElementType::I32, {1}), right = left;
  store(Ints{16777217}, left.span());
  store(Ints{16777216}, right.span());
  Tensor result = makeTensor(ElementType::F32, {1});
  expectOk(
      compare(Comparison::Greater, left.view(), right.view(), result.span()));
  expectNear(result.view(), {1}, 0);
}

TEST(SelectionTest, Selects) {
  const Tensor condition = tensorOf({2, 1}, {0, -3});
  const Tensor yes = tensorOf({2}, {1, 2}), no = tensorOf({}, {1e30f});
  Tensor result = makeTensor(ElementType::F32, {2, 2});
  expectOk(select(condition.view(), yes.view(), no.view(), result.span()));
  expectNear(result.view(), {1e30, 1e30, 1, 2}, 1e-6);
  Tensor integers = makeTensor(ElementType::I8, {2, 2});
  expectOk(select(condition.view(), yes.view(), no.view(), integers.span()));
  EXPECT_EQ(integersOf(integers.view()), (Ints{127, 127, 1, 2}));
  Tensor other = makeTensor(ElementType::F32, {3});
  EXPECT_TRUE(select(condition.view(), yes.view(), no.view(), other.span()));
}

TEST(SelectionTest, ElementsByIndices) {
  const Tensor input = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor indices = tensorOf({2, 2}, {2, 0, -1, 1}, ElementType::I32);
  Tensor result = makeTensor(ElementType::F32, {2, 2});
  expectOk(gatherElements(input.view(), indices.view(), 1, result.span()));
  expectNear(result.view(), {3, 1, 6, 5}, 0);
  const Tensor rows = tensorOf({1, 3}, {1, 0, 1}, ElementType::I32);
  Tensor row = makeTensor(ElementType::F32, {1, 3});
  expectOk(gatherElements(input.view(), rows.view(), 0, row.span()));
  expectNear(row.view(), {4, 2, 6}, 0);
  const Tensor updates = tensorOf({2, 2}, {10, 20, 30, 40});
  Tensor whole = makeTensor(ElementType::F32, {2, 3});
  expectOk(scatterElements(input.view(), indices.view(), updates.view(), -1,
                           whole.span()));
  expectNear(whole.view(), {20, 2, 10, 4, 40, 30}, 0);
  const Tensor outside = tensorOf({2, 2}, {3, 0, 0, 0}, ElementType::I32);
  EXPECT_TRUE(gatherElements(input.view(), outside.view(), 1, result.span()));
  EXPECT_TRUE(gatherElements(input.view(), rows.view(), 2, row.span()));
  const Tensor wide = tensorOf({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  Tensor wider = makeTensor(ElementType::F32, {2, 4});
  EXPECT_TRUE(gatherElements(input.view(), wide.view(), 0, wider.span()));
}

TEST(SelectionTest, SlicesByIndices) {
  const Tensor input = tensorOf({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor indices = tensorOf({2, 2}, {1, 0, 0, -1}, ElementType::I32);
  Tensor result = makeTensor(ElementType::F32, {2, 2});
  expectOk(gatherSlices(input.view(), indices.view(), 0, result.span()));
  expectNear(result.view(), {5, 6, 3, 4}, 0);
  const Tensor updates = tensorOf({2, 2}, {10, 20, 30, 40});
  Tensor whole = makeTensor(ElementType::F32, {2, 2, 2});
  expectOk(scatterSlices(input.view(), indices.view(), updates.view(),
                         whole.span()));
  expectNear(whole.view(), {1, 2, 30, 40, 10, 20, 7, 8}, 0);
  const Tensor deep = tensorOf({1, 4}, {0, 0, 0, 0}, ElementType::I32);
  EXPECT_TRUE(gatherSlices(input.view(), deep.view(), 0, result.span()));
  const Tensor outside = tensorOf({2, 2}, {2, 0, 0, 0}, ElementType::I32);
  EXPECT_TRUE(gatherSlices(input.view(), outside.view(), 0, result.span()));
  EXPECT_TRUE(
      scatterSlices(input.view(), indices.view(), input.view(), whole.span()));
}

TEST(SelectionTest, SlicesOfBatches) {
  const Tensor input = tensorOf({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor indices = tensorOf({2, 2, 1}, {1, 0, -1, 1}, ElementType::I32);
  Tensor result = makeTensor(ElementType::F32, {2, 2, 2});
  expectOk(gatherSlices(input.view(), indices.view(), 1, result.span()));
  expectNear(result.view(), {3, 4, 1, 2, 7, 8, 7, 8}, 0);
  const Tensor others = tensorOf({1, 2, 1}, {1, 0}, ElementType::I32);
  EXPECT_TRUE(gatherSlices(input.view(), others.view(), 1, result.span()));
  EXPECT_TRUE(gatherSlices(input.view(), indices.view(), 3, result.span()));
  EXPECT_TRUE(gatherSlices(input.view(), indices.view(), -1, result.span()));
}

} // namespace
