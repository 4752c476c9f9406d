//===- ConvolutionTest.cpp - Convolutions against sums over windows -------===//
//
// Every case is computed again by the definition, element by element.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Convolution.h"

#include "Tensors.h"

using namespace tpu_mlir::execution;

namespace {

struct Case {
  const char *name;
  int64_t inChannels, outChannels, group;
  int64_t in[2], kernel[2], stride[2], dilation[2], pads[4];
};

const Case kCases[] = {
    {"plain", 5, 7, 1, {9, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {"strides", 3, 18, 1, {20, 23}, {7, 5}, {2, 3}, {1, 1}, {3, 2, 2, 1}},
    {"groups", 6, 9, 3, {8, 40}, {3, 3}, {1, 1}, {2, 1}, {2, 1, 2, 1}},
    {"depthwise", 8, 8, 8, {12, 17}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}},
    {"pointwise", 300, 5, 1, {4, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}},
    {"cut", 2, 3, 1, {9, 9}, {3, 3}, {1, 1}, {1, 1}, {-1, -2, 0, 0}},
};

int64_t outSize(const Case &c, int dim) {
  return (c.in[dim] + c.pads[dim] + c.pads[dim + 2] -
          (c.kernel[dim] - 1) * c.dilation[dim] - 1) /
             c.stride[dim] +
         1;
}

int64_t deconvSize(const Case &c, int dim) {
  return (c.in[dim] - 1) * c.stride[dim] +
         (c.kernel[dim] - 1) * c.dilation[dim] + 1 - c.pads[dim] -
         c.pads[dim + 2];
}

Convolution howOf(const Case &c) {
  Convolution how;
  how.kernel = {c.kernel[0], c.kernel[1]};
  how.strides = {c.stride[0], c.stride[1]};
  how.dilations = {c.dilation[0], c.dilation[1]};
  how.pads = {c.pads[0], c.pads[1], c.pads[2], c.pads[3]};
  how.group = c.group;
  return how;
}

struct Operands {
  Tensor input, filter, bias;
};

Operands makeOperands(const Case &c) {
  return {
      randomTensor(ElementType::F32, {2, c.inChannels, c.in[0], c.in[1]}, 1),
      randomTensor(
          ElementType::F16,
          {c.outChannels, c.inChannels / c.group, c.kernel[0], c.kernel[1]}, 2),
      randomTensor(ElementType::F32, {1, c.outChannels, 1, 1}, 3)};
}

/// Adds every product to the element it belongs to, seen from the input for
/// the transpose and from the result otherwise.
std::vector<double> naive(const Case &c, const Operands &operands, int64_t oh,
                          int64_t ow, bool isTransposed) {
  std::vector<float> in = floatsOf(operands.input.view()),
                     filter = floatsOf(operands.filter.view()),
                     bias = floatsOf(operands.bias.view());
  const int64_t ic = c.inChannels / c.group, oc = c.outChannels / c.group;
  std::vector<double> out(2 * c.outChannels * oh * ow);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = bias[i / (oh * ow) % c.outChannels];
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t o = 0; o < c.outChannels; ++o)
      for (int64_t i = 0; i < ic; ++i)
        for (int64_t kh = 0; kh < c.kernel[0]; ++kh)
          for (int64_t kw = 0; kw < c.kernel[1]; ++kw) {
            const double weight =
                filter[((o * ic + i) * c.kernel[0] + kh) * c.kernel[1] + kw];
            const int64_t channel = o / oc * ic + i;
            for (int64_t a = 0; a < (isTransposed ? c.in[0] : oh); ++a)
              for (int64_t b = 0; b < (isTransposed ? c.in[1] : ow); ++b) {
                const int64_t y =
                    a * c.stride[0] + kh * c.dilation[0] - c.pads[0];
                const int64_t x =
                    b * c.stride[1] + kw * c.dilation[1] - c.pads[1];
                if (y < 0 || x < 0 || y >= (isTransposed ? oh : c.in[0]) ||
                    x >= (isTransposed ? ow : c.in[1]))
                  continue;
                const int64_t from =
                    isTransposed ? a * c.in[1] + b : y * c.in[1] + x;
                const int64_t to = isTransposed ? y * ow + x : a * ow + b;
                out[(n * c.outChannels + o) * oh * ow + to] +=
                    weight *
                    in[(n * c.inChannels + channel) * c.in[0] * c.in[1] + from];
              }
          }
  return out;
}

TEST(Convolution, IsTheSumOverWindows) {
  for (const Case &c : kCases) {
    SCOPED_TRACE(c.name);
    Operands operands = makeOperands(c);
    TensorView bias = operands.bias.view();
    const int64_t oh = outSize(c, 0), ow = outSize(c, 1);
    Tensor out = makeTensor(ElementType::F32, {2, c.outChannels, oh, ow});
    expectOk(convolve(howOf(c), operands.input.view(), operands.filter.view(),
                      &bias, out.span(), 2));
    expectNear(out.view(), naive(c, operands, oh, ow, false), 1e-4);
    Tensor again = makeTensor(ElementType::F32, {2, c.outChannels, oh, ow});
    expectOk(convolve(howOf(c), operands.input.view(), operands.filter.view(),
                      &bias, again.span(), 1));
    expectSameBytes(out.view(), again.view());
  }
}

TEST(Convolution, TheTransposeSpreads) {
  for (const Case &c : kCases) {
    SCOPED_TRACE(c.name);
    Operands operands = makeOperands(c);
    TensorView bias = operands.bias.view();
    const int64_t oh = deconvSize(c, 0), ow = deconvSize(c, 1);
    Tensor out = makeTensor(ElementType::F32, {2, c.outChannels, oh, ow});
    expectOk(deconvolve(howOf(c), operands.input.view(), operands.filter.view(),
                        &bias, out.span(), 2));
    expectNear(out.view(), naive(c, operands, oh, ow, true), 1e-4);
  }
}

/// Rows [first, first + count) of a tensor [2, c, h, w].
Tensor rowsOf(const TensorView &view, int64_t first, int64_t count) {
  Shape shape = view.type.shape;
  shape[2] = count;
  Tensor part = makeTensor(view.type.element, shape);
  std::vector<float> all = floatsOf(view), values;
  const int64_t h = view.dim(2), w = view.dim(3);
  for (int64_t plane = 0; plane < view.dim(0) * view.dim(1); ++plane)
    for (int64_t i = 0; i < count * w; ++i)
      values.push_back(all[(plane * h + first) * w + i]);
  store(llvm::ArrayRef<float>(values), part.span());
  return part;
}

TEST(Convolution, PartsGiveTheSameBits) {
  Case c{"", 19, 21, 1, {30, 29}, {3, 3}, {2, 1}, {1, 1}, {1, 1, 1, 1}};
  Operands operands = makeOperands(c);
  const int64_t oh = outSize(c, 0), ow = outSize(c, 1);
  Tensor whole = makeTensor(ElementType::F16, {2, c.outChannels, oh, ow});
  expectOk(convolve(howOf(c), operands.input.view(), operands.filter.view(),
                    nullptr, whole.span(), 1));
  for (int64_t row = 0; row < oh; row += 4) {
    const int64_t count = std::min<int64_t>(4, oh - row);
    const int64_t begin = std::max<int64_t>(row * 2 - 1, 0);
    const int64_t end = std::min<int64_t>((row + count - 1) * 2 + 2, c.in[0]);
    Convolution how = howOf(c);
    how.pads[0] = begin - (row * 2 - 1);
    Tensor part = rowsOf(operands.input.view(), begin, end - begin);
    Tensor out = makeTensor(ElementType::F16, {2, c.outChannels, count, ow});
    expectOk(convolve(how, part.view(), operands.filter.view(), nullptr,
                      out.span(), 1));
    expectSameBytes(out.view(), rowsOf(whole.view(), row, count).view());
  }
}

TEST(Convolution, HasOneToThreeSpatialDimensions) {
  Tensor input = tensorOf({1, 1, 4}, {1, 2, 3, 4});
  Tensor filter = tensorOf({1, 1, 2}, {10, 1});
  Tensor out = makeTensor(ElementType::F32, {1, 1, 3});
  Convolution how;
  how.kernel = {2}, how.strides = {1}, how.dilations = {1}, how.pads = {0, 0};
  expectOk(convolve(how, input.view(), filter.view(), nullptr, out.span(), 1));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{12, 23, 34}));

  Tensor cube = tensorOf({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  Tensor ones = tensorOf({1, 1, 2, 1, 2}, {1, 1, 1, 1});
  Tensor sums = makeTensor(ElementType::F32, {1, 1, 1, 2, 1});
  how.kernel = {2, 1, 2}, how.strides = {1, 1, 1}, how.dilations = {1, 1, 1};
  how.pads = {0, 0, 0, 0, 0, 0};
  how.relu = {true, 20};
  expectOk(convolve(how, cube.view(), ones.view(), nullptr, sums.span(), 1));
  EXPECT_EQ(floatsOf(sums.view()), (std::vector<float>{14, 20}));
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  Operands operands = makeOperands(kCases[0]);
  Convolution how = howOf(kCases[0]);
  Tensor out = makeTensor(ElementType::F32, {2, 7, 9, 11});
  auto run = [&] {
    return convolve(how, operands.input.view(), operands.filter.view(), nullptr,
                    out.span(), 1);
  };
  how.group = 2;
  EXPECT_TRUE(run());
  how.group = 1;
  how.strides = {0, 1};
  EXPECT_TRUE(run());
  how.strides = {1};
  EXPECT_TRUE(run());
  how.strides = {1, 1};
  for (int64_t pad : {int64_t(1) << 40, INT64_MIN, INT64_MAX}) {
    how.pads[0] = pad;
    EXPECT_TRUE(run());
  }
  how.pads[0] = 1;
  EXPECT_FALSE(run());
}

} // namespace
