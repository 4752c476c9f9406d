#include "tpu_mlir/Execution/Movement.h"

#include "Tensors.h"

using namespace tpu_mlir::execution;

namespace {

Tensor counted(Shape shape, ElementType element = ElementType::I16) {
  Tensor tensor = makeTensor(element, std::move(shape));
  std::vector<int64_t> values(tensor.view().elements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i;
  store(llvm::ArrayRef<int64_t>(values), tensor.span());
  return tensor;
}

using Numbers = std::vector<int64_t>;

TEST(Movement, PermutesDimensions) {
  for (ElementType element :
       {ElementType::U8, ElementType::I16, ElementType::I32}) {
    Tensor input = counted({2, 3, 4}, element);
    Tensor out = makeTensor(element, {4, 2, 3});
    expectOk(permute(input.view(), {2, 0, 1}, out.span()));
    Numbers want;
    for (int c = 0; c < 4; ++c)
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
          want.push_back((a * 3 + b) * 4 + c);
    EXPECT_EQ(integersOf(out.view()), want);
    EXPECT_TRUE(permute(input.view(), {2, 0, 0}, out.span()));
    EXPECT_TRUE(permute(input.view(), {0, 1, 2}, out.span()));
    EXPECT_TRUE(permute(input.view(), {2, 0}, out.span()));
  }
}

TEST(Movement, ConcatenatesAlongAnAxis) {
  Tensor a = counted({2, 1, 2}), b = counted({2, 2, 2});
  Tensor out = makeTensor(ElementType::I16, {2, 3, 2});
  expectOk(concat({a.view(), b.view()}, -2, out.span()));
  EXPECT_EQ(integersOf(out.view()),
            (Numbers{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(concat({a.view()}, 1, out.span()));
  EXPECT_TRUE(concat({a.view(), b.view(), b.view()}, 1, out.span()));
  EXPECT_TRUE(concat({a.view(), b.view()}, 3, out.span()));
}

TEST(Movement, SlicesForwardsAndBackwards) {
  Tensor input = counted({3, 4});
  Tensor out = makeTensor(ElementType::I16, {2, 2});
  expectOk(slice(input.view(), {1, 0}, {1, 2}, out.span()));
  EXPECT_EQ(integersOf(out.view()), (Numbers{4, 6, 8, 10}));
  expectOk(slice(input.view(), {2, 3}, {-2, -1}, out.span()));
  EXPECT_EQ(integersOf(out.view()), (Numbers{11, 10, 3, 2}));
  Outcome outcome = slice(input.view(), {2, 0}, {1, 1}, out.span());
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->message,
            "element 1 of dimension 0 would be element 3 of 3x4");
}

TEST(Movement, NumbersMayBeAnything) {
  Tensor input = counted({3});
  Tensor out = makeTensor(ElementType::I16, {2});
  for (int64_t number : {INT64_MIN, INT64_MIN + 1, INT64_MAX}) {
    EXPECT_TRUE(slice(input.view(), {number}, {1}, out.span()));
    EXPECT_TRUE(slice(input.view(), {0}, {number}, out.span()));
    EXPECT_TRUE(slice(input.view(), {number}, {number}, out.span()));
    for (PadMode mode :
         {PadMode::Constant, PadMode::Reflect, PadMode::Symmetric})
      EXPECT_TRUE(pad(mode, input.view(), {number}, 0, out.span()));
    EXPECT_TRUE(concat({input.view()}, number, out.span()));
    EXPECT_TRUE(gather(input.view(), input.view(), number, out.span()));
    EXPECT_TRUE(permute(input.view(), {number}, out.span()));
    EXPECT_TRUE(upsample(input.view(), {number}, out.span()));
  }
}

TEST(Movement, PadsInFourWays) {
  Tensor input = counted({3});
  Tensor out = makeTensor(ElementType::I16, {7});
  auto run = [&](PadMode mode) {
    expectOk(pad(mode, input.view(), {2}, 9, out.span()));
    return integersOf(out.view());
  };
  EXPECT_EQ(run(PadMode::Constant), (Numbers{9, 9, 0, 1, 2, 9, 9}));
  EXPECT_EQ(run(PadMode::Edge), (Numbers{0, 0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(run(PadMode::Reflect), (Numbers{2, 1, 0, 1, 2, 1, 0}));
  EXPECT_EQ(run(PadMode::Symmetric), (Numbers{1, 0, 0, 1, 2, 2, 1}));
  Tensor cut = makeTensor(ElementType::I16, {1});
  expectOk(pad(PadMode::Constant, input.view(), {-1}, 9, cut.span()));
  EXPECT_EQ(integersOf(cut.view()), (Numbers{1}));
  Tensor far = makeTensor(ElementType::I16, {9});
  EXPECT_TRUE(pad(PadMode::Reflect, input.view(), {0}, 0, far.span()));
}

TEST(Movement, RepeatsElementsAndTensors) {
  Tensor input = counted({1, 2, 2});
  Tensor out = makeTensor(ElementType::I16, {1, 4, 2});
  expectOk(upsample(input.view(), {1, 2, 1}, out.span()));
  EXPECT_EQ(integersOf(out.view()), (Numbers{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_TRUE(upsample(input.view(), {1, 2, 2}, out.span()));
  expectOk(tile(input.view(), out.span()));
  EXPECT_EQ(integersOf(out.view()), (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
  Tensor odd = makeTensor(ElementType::I16, {1, 3, 2});
  EXPECT_TRUE(tile(input.view(), odd.span()));
}

TEST(Movement, GathersRows) {
  Tensor input = counted({2, 3, 2});
  Tensor indices = makeTensor(ElementType::I32, {2});
  const Numbers rows = {2, -3};
  store(llvm::ArrayRef<int64_t>(rows), indices.span());
  Tensor out = makeTensor(ElementType::I16, {2, 2, 2});
  expectOk(gather(input.view(), indices.view(), 1, out.span()));
  EXPECT_EQ(integersOf(out.view()), (Numbers{4, 5, 0, 1, 10, 11, 6, 7}));
  const Numbers wrong = {3, 0};
  store(llvm::ArrayRef<int64_t>(wrong), indices.span());
  Outcome outcome = gather(input.view(), indices.view(), 1, out.span());
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->message, "index 3 into 3 elements");
}

TEST(Movement, BytesStayUnderAnotherShape) {
  Tensor input = counted({2, 3}, ElementType::I4);
  Tensor out = makeTensor(ElementType::I4, {6});
  expectOk(reshape(input.view(), out.span()));
  expectSameBytes(input.view(), out.view());
  Tensor other = makeTensor(ElementType::I4, {8});
  EXPECT_TRUE(reshape(input.view(), other.span()));
  Tensor turned = makeTensor(ElementType::I4, {3, 2});
  EXPECT_TRUE(permute(input.view(), {1, 0}, turned.span()));
}

TEST(MovementTest, PiecesAreDealtInOrder) {
  const Tensor whole = tensorOf({5}, {1, 2, 3, 4, 5}, ElementType::F16);
  Tensor first = makeTensor(ElementType::F16, {1, 2}),
         second = makeTensor(ElementType::F16, {3});
  expectOk(deal(whole.view(), {first.span(), second.span()}));
  expectNear(first.view(), {1, 2}, 0);
  expectNear(second.view(), {3, 4, 5}, 0);
  Tensor again = makeTensor(ElementType::F16, {5, 1});
  expectOk(join({first.view(), second.view()}, again.span()));
  expectNear(again.view(), {1, 2, 3, 4, 5}, 0);
  EXPECT_TRUE(deal(whole.view(), {first.span()}));
  EXPECT_TRUE(join({first.view(), first.view()}, again.span()));
}

} // namespace
