//===- InterpolationTest.cpp - Images of another size ---------------------===//

#include "tpu_mlir/Execution/Interpolation.h"

#include "Tensors.h"

#include <cmath>

using namespace tpu_mlir::execution;

namespace {

using Mode = Interpolation::Mode;
using Coordinates = Interpolation::Coordinates;

/// A row of two elements, 0 and 4, as one of `count`.
std::vector<float> stretched(Mode mode, Coordinates coordinates,
                             int64_t count) {
  const Tensor input = tensorOf({1, 1, 1, 2}, {0, 4});
  Tensor result = makeTensor(ElementType::F32, {1, 1, 1, count});
  expectOk(interpolate({mode, coordinates}, input.view(), result.span(), 1));
  return floatsOf(result.view());
}

using Row = std::vector<float>;

TEST(InterpolationTest, Linear) {
  EXPECT_EQ(stretched(Mode::Linear, Coordinates::AlignCorners, 5),
            (Row{0, 1, 2, 3, 4}));
  EXPECT_EQ(stretched(Mode::Linear, Coordinates::HalfPixel, 4),
            (Row{0, 1, 3, 4}));
  EXPECT_EQ(stretched(Mode::Linear, Coordinates::Asymmetric, 4),
            (Row{0, 2, 4, 4}));
  EXPECT_EQ(stretched(Mode::Linear, Coordinates::HalfPixel, 1), (Row{2}));
  EXPECT_EQ(stretched(Mode::Linear, Coordinates::PytorchHalfPixel, 1),
            (Row{0}));
  EXPECT_EQ(stretched(Mode::Linear, Coordinates::AlignCorners, 1), (Row{0}));
}

TEST(InterpolationTest, Nearest) {
  EXPECT_EQ(stretched(Mode::Nearest, Coordinates::HalfPixel, 4),
            (Row{0, 0, 4, 4}));
  EXPECT_EQ(stretched(Mode::Nearest, Coordinates::Asymmetric, 3),
            (Row{0, 0, 4}));
  EXPECT_EQ(stretched(Mode::Nearest, Coordinates::AlignCorners, 3),
            (Row{0, 0, 4})); // Of two that are as near the lower one.
}

TEST(InterpolationTest, PlacesByTheScale) {
  const Tensor input = tensorOf({1, 5}, {0, 1, 2, 3, 4});
  Tensor result = makeTensor(ElementType::F32, {1, 2});
  Interpolation how{Mode::Linear, Coordinates::HalfPixel, {1, 0.5}};
  expectOk(interpolate(how, input.view(), result.span(), 1));
  expectNear(result.view(), {0.5, 2.5}, 0);
  how.scales[1] = 0; // (i + 1/2) * 5 / 2 - 1/2
  expectOk(interpolate(how, input.view(), result.span(), 1));
  expectNear(result.view(), {0.75, 3.25}, 0);
  how.scales[1] = 2;
  EXPECT_TRUE(interpolate(how, input.view(), result.span(), 1));
}

TEST(InterpolationTest, BothDirections) {
  const Tensor input = tensorOf({2, 2, 2}, {0, 4, 8, 12, 1, 1, 3, 3});
  Tensor result = makeTensor(ElementType::F32, {2, 3, 3});
  expectOk(interpolate({Mode::Linear, Coordinates::AlignCorners}, input.view(),
                       result.span(), 2));
  expectNear(result.view(),
             {0, 2, 4, 4, 6, 8, 8, 10, 12, 1, 1, 1, 2, 2, 2, 3, 3, 3}, 0);
}

TEST(InterpolationTest, ShapesThatDoNotFit) {
  const Tensor input = tensorOf({2, 2, 2}, {0, 4, 8, 12, 1, 1, 3, 3});
  for (Shape shape : {Shape{1, 4, 4}, Shape{4, 4}, Shape{2, 1, 4, 4}}) {
    Tensor result = makeTensor(ElementType::F32, shape);
    EXPECT_TRUE(interpolate({}, input.view(), result.span(), 1));
  }
  const Tensor empty = makeTensor(ElementType::F32, {2, 0, 2});
  Tensor result = makeTensor(ElementType::F32, {2, 2, 2});
  EXPECT_TRUE(interpolate({}, empty.view(), result.span(), 1));
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

std::vector<float> sampled(const GridSample &how, std::vector<float> grid) {
  const Tensor input = tensorOf({1, 1, 2, 2}, {1, 2, 3, 4});
  const int64_t pixels = static_cast<int64_t>(grid.size()) / 2;
  const Tensor places = tensorOf({1, 1, pixels, 2}, std::move(grid));
  Tensor result = makeTensor(ElementType::F32, {1, 1, 1, pixels});
  expectOk(sampleGrid(how, input.view(), places.view(), result.span(), 1));
  return floatsOf(result.view());
}

TEST(GridSampleTest, BordersAreEdgesOrMiddles) {
  using Numbers = std::vector<float>;
  GridSample how;
  // The middle of all; the corner, of which three quarters are outside.
  EXPECT_EQ(sampled(how, {0, 0, -1, -1}), (Numbers{2.5f, 0.25f}));
  how.alignCorners = true;
  EXPECT_EQ(sampled(how, {0, 0, -1, -1, 1, -1}), (Numbers{2.5f, 1, 2}));
}

TEST(GridSampleTest, Paddings) {
  using Numbers = std::vector<float>;
  GridSample how;
  how.isNearest = true;
  EXPECT_EQ(sampled(how, {5, 5, NAN, 0}), (Numbers{0, 0}));
  how.padding = GridSample::Padding::Border;
  EXPECT_EQ(sampled(how, {5, 5, -5, 5}), (Numbers{4, 3}));
  // One element beyond the edge on the right: back at the right one.
  how.padding = GridSample::Padding::Reflection;
  EXPECT_EQ(sampled(how, {1.5f, -0.5f}), (Numbers{2}));
}

TEST(GridSampleTest, ShapesThatDoNotFit) {
  const Tensor input = tensorOf({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor grid = tensorOf({1, 1, 1, 3}, {0, 0, 0});
  Tensor result = makeTensor(ElementType::F32, {1, 1, 1, 1});
  EXPECT_TRUE(sampleGrid({}, input.view(), grid.view(), result.span(), 1));
}

} // namespace
