//===- LightPlain.cpp - Light networks without normalisations -------------===//
//
// Zeiler, Fergus: "Visualizing and Understanding Convolutional Networks", 2013;
// Krizhevsky, Sutskever, Hinton: "ImageNet Classification with Deep
// Convolutional Neural Networks", 2012; Simonyan, Zisserman: "Very Deep
// Convolutional Networks", 2014; Iandola et al.: "SqueezeNet", 2016; Szegedy et
// al.: "Going Deeper with Convolutions", 2014. Pools round up, as Caffe's do: a
// pad at the end.
//
//===----------------------------------------------------------------------===//

#include "lib/Import/Write/LightBuilder.h"

namespace tpu_mlir::importer {

static const Window kHalving = {3, 2, 0, 1}, kHalvingDown = {3, 2, 0, 0};

/// Two hidden rows of 4096 and 1000 classes.
static Graph classify(LightBuilder &g, Tensor x, bool hasDropout) {
  x = g.flatten(x);
  for (int i = 0; i < 2; ++i) {
    x = g.relu(g.gemm(x, 4096));
    x = hasDropout ? g.dropout(x) : x;
  }
  return g.finish(g.softmax(g.gemm(x, 1000)));
}

Graph lightZfNet512(int64_t batch) {
  LightBuilder g;
  Tensor x = g.input("data", {batch, 3, 224, 224});
  x = g.maxPool(g.lrn(g.convRelu(x, 96, Window::of(7, 2))), kHalving);
  x = g.maxPool(g.lrn(g.convRelu(x, 256, Window::of(5, 2))), kHalving);
  for (int64_t channels : {512, 1024, 512})
    x = g.convRelu(x, channels, Window::of(3, 1, 1));
  return classify(g, g.maxPool(x, kHalving), /*hasDropout=*/false);
}

Graph lightAlexNet(int64_t batch) {
  LightBuilder g;
  Tensor x = g.input("data", {batch, 3, 224, 224});
  x = g.maxPool(g.lrn(g.convRelu(x, 96, Window::of(11, 4))), kHalvingDown);
  x = g.maxPool(g.lrn(g.convRelu(x, 256, Window::of(5, 1, 2), 2)),
                kHalvingDown);
  x = g.convRelu(x, 384, Window::of(3, 1, 1));
  x = g.convRelu(x, 384, Window::of(3, 1, 1), 2);
  x = g.convRelu(x, 256, Window::of(3, 1, 1), 2);
  return classify(g, g.maxPool(x, kHalving), /*hasDropout=*/true);
}

Graph lightVgg19(int64_t batch) {
  LightBuilder g;
  Tensor x = g.input("data", {batch, 3, 224, 224});
  for (const auto &[channels, layers] : {std::pair<int64_t, int>(64, 2),
                                         {128, 2},
                                         {256, 4},
                                         {512, 4},
                                         {512, 4}}) {
    for (int i = 0; i < layers; ++i)
      x = g.convRelu(x, channels, Window::of(3, 1, 1));
    x = g.maxPool(x, Window::of(2, 2));
  }
  return classify(g, x, /*hasDropout=*/true);
}

/// A narrow layer, and two side by side that widen it.
static Tensor fire(LightBuilder &g, const Tensor &x, int64_t narrow,
                   int64_t wide) {
  const Tensor y = g.convRelu(x, narrow, Window::of(1));
  const Tensor left = g.convRelu(y, wide, Window::of(1));
  return g.concat({left, g.convRelu(y, wide, Window::of(3, 1, 1))});
}

Graph lightSqueezeNet(int64_t batch) {
  LightBuilder g;
  Tensor x = g.input("data", {batch, 3, 224, 224});
  x = g.maxPool(g.convRelu(x, 96, Window::of(7, 2)), kHalvingDown);
  x = fire(g, fire(g, fire(g, x, 16, 64), 16, 64), 32, 128);
  x = g.maxPool(x, kHalving);
  x = fire(g, fire(g, fire(g, x, 32, 128), 48, 192), 48, 192);
  x = g.maxPool(fire(g, x, 64, 256), kHalvingDown);
  x = g.dropout(fire(g, x, 64, 256));
  x = g.globalAveragePool(g.convRelu(x, 1000, Window::of(1)));
  return g.finish(g.softmax(x));
}

namespace {

/// Channels of GoogLeNet's modules, the columns of the paper's table 1.
struct Inception {
  int64_t one, reduce3, three, reduce5, five, pooled;
  bool halvesBehind;
};

} // namespace

static Tensor inception(LightBuilder &g, const Tensor &x,
                        const Inception &size) {
  const Tensor one = g.convRelu(x, size.one, Window::of(1));
  const Tensor three = g.convRelu(g.convRelu(x, size.reduce3, Window::of(1)),
                                  size.three, Window::of(3, 1, 1));
  const Tensor five = g.convRelu(g.convRelu(x, size.reduce5, Window::of(1)),
                                 size.five, Window::of(5, 1, 2));
  const Tensor pooled =
      g.convRelu(g.maxPool(x, Window::of(3, 1, 1)), size.pooled, Window::of(1));
  const Tensor all = g.concat({one, three, five, pooled});
  return size.halvesBehind ? g.maxPool(all, kHalving) : all;
}

Graph lightInceptionV1(int64_t batch) {
  static const Inception kModules[] = {
      {64, 96, 128, 16, 32, 32, false},    {128, 128, 192, 32, 96, 64, true},
      {192, 96, 208, 16, 48, 64, false},   {160, 112, 224, 24, 64, 64, false},
      {128, 128, 256, 24, 64, 64, false},  {112, 144, 288, 32, 64, 64, false},
      {256, 160, 320, 32, 128, 128, true}, {256, 160, 320, 32, 128, 128, false},
      {384, 192, 384, 48, 128, 128, false}};
  LightBuilder g;
  Tensor x = g.input("data", {batch, 3, 224, 224});
  x = g.lrn(g.maxPool(g.convRelu(x, 64, Window::of(7, 2, 3)), kHalving));
  x = g.convRelu(g.convRelu(x, 64, Window::of(1)), 192, Window::of(3, 1, 1));
  x = g.maxPool(g.lrn(x), kHalving);
  for (const Inception &size : kModules)
    x = inception(g, x, size);
  x = g.dropout(g.averagePool(x, Window::of(7)));
  return g.finish(g.softmax(g.gemm(g.flatten(x), 1000)));
}

} // namespace tpu_mlir::importer
