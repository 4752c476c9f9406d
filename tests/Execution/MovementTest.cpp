//===- MovementTest.cpp - Elements arrive where they belong ---------------===//
//
// Permute, concat, slice, pad and gather, and their errors.
//
//===----------------------------------------------------------------------===//

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

/// What is dealt and joined again is what it was.
void expectJoined(const Tensor &whole, std::vector<Tensor> &parts) {
  std::vector<TensorView> views;
  for (Tensor &part : parts)
    views.push_back(part.view());
  Tensor again = makeTensor(whole.view().type.element, whole.view().type.shape);
  expectOk(join(views, again.span()));
  expectSameBytes(again.view(), whole.view());
}

TEST(Movement, DealsPartsAlongADimension) {
  const Tensor whole = counted({2, 4});
  std::vector<Tensor> parts = {makeTensor(ElementType::I16, {2, 3}),
                               makeTensor(ElementType::I16, {2, 1})};
  expectOk(deal(whole.view(), {parts[0].span(), parts[1].span()}));
  EXPECT_EQ(integersOf(parts[0].view()), (Numbers{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(integersOf(parts[1].view()), (Numbers{3, 7}));
  expectJoined(whole, parts);
}

TEST(Movement, DealsPartsRowByRow) {
  const Tensor whole = counted({2, 2, 3});
  std::vector<Tensor> parts;
  std::vector<TensorSpan> spans;
  for (int i = 0; i < 4; ++i)
    parts.push_back(makeTensor(ElementType::I16, {1, 2, 2 - i % 2}));
  for (Tensor &part : parts)
    spans.push_back(part.span());
  expectOk(deal(whole.view(), spans));
  EXPECT_EQ(integersOf(parts[0].view()), (Numbers{0, 1, 3, 4}));
  EXPECT_EQ(integersOf(parts[1].view()), (Numbers{2, 5}));
  EXPECT_EQ(integersOf(parts[2].view()), (Numbers{6, 7, 9, 10}));
  expectJoined(whole, parts);
}

TEST(Movement, PartsThatDoNotTile) {
  const Tensor whole = counted({4, 2});
  Tensor half = makeTensor(ElementType::I16, {2, 2}),
         tall = makeTensor(ElementType::I16, {4, 1}),
         flat = makeTensor(ElementType::I16, {4}),
         two = makeTensor(ElementType::I16, {2, 1}),
         wide = makeTensor(ElementType::I32, {2, 2});
  EXPECT_TRUE(deal(whole.view(), {half.span()}));
  EXPECT_TRUE(deal(whole.view(), {half.span(), tall.span()}));
  EXPECT_TRUE(deal(whole.view(), {flat.span(), flat.span()}));
  EXPECT_TRUE(deal(whole.view(), {half.span(), half.span(), half.span()}));
  // Two rows each, in two columns: which comes first, nobody says.
  EXPECT_TRUE(
      deal(whole.view(), {two.span(), two.span(), two.span(), two.span()}));
  EXPECT_TRUE(deal(whole.view(), {wide.span(), wide.span()}));
  Tensor result = makeTensor(ElementType::I16, {4, 2});
  EXPECT_TRUE(join({half.view()}, result.span()));
  EXPECT_TRUE(join({half.view(), wide.view()}, result.span()));
}

TEST(Movement, Triangles) {
  const Tensor input = tensorOf({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor result = makeTensor(ElementType::F32, {1, 2, 3});
  expectOk(triangle(true, 1, input.view(), result.span()));
  EXPECT_EQ(integersOf(result.view()), (Numbers{0, 2, 3, 0, 0, 6}));
  expectOk(triangle(false, 0, input.view(), result.span()));
  EXPECT_EQ(integersOf(result.view()), (Numbers{1, 0, 0, 4, 5, 0}));
  expectOk(triangle(false, -9, input.view(), result.span()));
  EXPECT_EQ(integersOf(result.view()), (Numbers{0, 0, 0, 0, 0, 0}));
  Tensor other = makeTensor(ElementType::F32, {2, 3});
  EXPECT_TRUE(triangle(true, 0, input.view(), other.span()));
}

} // namespace
