//===- LightNormal.cpp - Light networks with normalisations ---------------===//
//
// He et al.: "Deep Residual Learning for Image Recognition", 2015; Zhang et
// al.: "ShuffleNet", 2017, three groups; Ioffe, Szegedy: "Batch Normalization",
// 2015; Huang et al.: "Densely Connected Convolutional Networks", 2016.
//
//===----------------------------------------------------------------------===//

#include "lib/Import/Write/LightBuilder.h"

namespace tpu_mlir::importer {

/// What is added to a sum is small, so that many of them stay finite.
static constexpr double kAdded = 0.125;

static Tensor convNorm(LightBuilder &g, const Tensor &x, int64_t channels,
                       const Window &window, int64_t group = 1,
                       double factor = 1) {
  return g.batchNorm(g.conv(x, channels, window, group, /*hasBias=*/false),
                     factor);
}

//===----------------------------------------------------------------------===//
// ResNet-50
//===----------------------------------------------------------------------===//

/// Stages of units between a first convolution and 1,000 classes; each stage is
/// twice as wide as the one before.
template <typename Unit>
static Graph staged(int64_t batch, int64_t firstChannels, Window firstWindow,
                    int64_t width, std::initializer_list<int> stages,
                    Unit addUnit) {
  LightBuilder g;
  Tensor x = g.input("gpu_0/data", {batch, 3, 224, 224});
  x = g.relu(convNorm(g, x, firstChannels, firstWindow));
  x = g.maxPool(x, Window::of(3, 2, 1));
  for (int units : stages) {
    for (int unit = 0; unit < units; ++unit)
      x = addUnit(g, x, width, unit == 0);
    width *= 2;
  }
  x = g.flatten(g.averagePool(x, Window::of(7)));
  return g.finish(g.softmax(g.gemm(x, 1000)));
}

static Tensor bottleneck(LightBuilder &g, const Tensor &x, int64_t width,
                         int64_t stride, bool isFirst) {
  Tensor y = g.relu(convNorm(g, x, width, Window::of(1, stride)));
  y = g.relu(convNorm(g, y, width, Window::of(3, 1, 1)));
  y = convNorm(g, y, 4 * width, Window::of(1), 1, kAdded);
  const Tensor around =
      isFirst ? convNorm(g, x, 4 * width, Window::of(1, stride)) : x;
  return g.relu(g.sum(y, around));
}

Graph lightResNet50(int64_t batch) {
  return staged(
      batch, 64, Window::of(7, 2, 3), 64, {3, 4, 6, 3},
      [](LightBuilder &g, const Tensor &x, int64_t width, bool isFirst) {
        const int64_t stride = isFirst && width > 64 ? 2 : 1;
        return bottleneck(g, x, width, stride, isFirst);
      });
}

//===----------------------------------------------------------------------===//
// ShuffleNet
//===----------------------------------------------------------------------===//

static constexpr int64_t kGroups = 3;

/// Channel i of group g becomes channel g of group i.
static Tensor shuffle(LightBuilder &g, const Tensor &x) {
  const Shape &s = x.shape;
  const Tensor groups =
      g.reshape(x, {s[0], kGroups, s[1] / kGroups, s[2], s[3]});
  return g.reshape(g.transpose(groups, {0, 2, 1, 3, 4}), s);
}

/// `halves`: the channels of the input are part of the result's.
static Tensor shuffleUnit(LightBuilder &g, const Tensor &x, int64_t channels,
                          bool halves) {
  const int64_t in = x.shape[1], made = halves ? channels - in : channels;
  // The first has too few channels for groups.
  const int64_t groups = in % (kGroups * 16) == 0 ? kGroups : 1;
  Tensor y = g.relu(convNorm(g, x, channels / 4, Window::of(1), groups));
  y = shuffle(g, y);
  y = convNorm(g, y, channels / 4, Window::of(3, halves ? 2 : 1, 1),
               channels / 4);
  y = convNorm(g, y, made, Window::of(1), kGroups, kAdded);
  if (!halves)
    return g.relu(g.sum(x, y));
  const Tensor around = g.averagePool(x, Window::of(3, 2, 1));
  return g.relu(g.concat({around, y}));
}

Graph lightShuffleNet(int64_t batch) {
  return staged(batch, 24, Window::of(3, 2, 1), 240, {4, 8, 4}, shuffleUnit);
}

//===----------------------------------------------------------------------===//
// Inception with normalisations
//===----------------------------------------------------------------------===//

static Tensor affineRelu(LightBuilder &g, const Tensor &x) {
  return g.relu(g.affine(g.batchNorm(x)));
}

static Tensor unit(LightBuilder &g, const Tensor &x, int64_t channels,
                   const Window &window) {
  return affineRelu(g, g.conv(x, channels, window));
}

namespace {

/// The columns of the paper's figure 5; no `one`: the module halves the image.
struct Module {
  int64_t one, reduce3, three, reduceDouble, twice, pooled;
  bool hasMaxPool;
};

} // namespace

static Tensor inception(LightBuilder &g, const Tensor &x, const Module &size) {
  const bool halves = size.one == 0;
  const Window last = Window::of(3, halves ? 2 : 1, 1);
  std::vector<Tensor> parts;
  if (!halves)
    parts.push_back(unit(g, x, size.one, Window::of(1)));
  parts.push_back(
      unit(g, unit(g, x, size.reduce3, Window::of(1)), size.three, last));
  Tensor y = unit(g, x, size.reduceDouble, Window::of(1));
  y = unit(g, y, size.twice, Window::of(3, 1, 1));
  parts.push_back(unit(g, y, size.twice, last));
  const Tensor pooled =
      size.hasMaxPool ? g.maxPool(x, last) : g.averagePool(x, last);
  parts.push_back(halves ? pooled
                         : unit(g, pooled, size.pooled, Window::of(1)));
  return g.concat(parts);
}

Graph lightInceptionV2(int64_t batch) {
  static const Module kModules[] = {{64, 64, 64, 64, 96, 32, false},
                                    {64, 64, 96, 64, 96, 64, false},
                                    {0, 128, 160, 64, 96, 0, true},
                                    {224, 64, 96, 96, 128, 128, false},
                                    {192, 96, 128, 96, 128, 128, false},
                                    {160, 128, 160, 128, 160, 96, false},
                                    {96, 128, 192, 160, 192, 96, false},
                                    {0, 128, 192, 192, 256, 0, true},
                                    {352, 192, 320, 160, 224, 128, false},
                                    {352, 192, 320, 192, 224, 128, true}};
  LightBuilder g;
  Tensor x = g.input("data", {batch, 3, 224, 224});
  x = g.maxPool(unit(g, x, 64, Window::of(7, 2, 3)), Window::of(3, 2, 1));
  x = unit(g, unit(g, x, 64, Window::of(1)), 192, Window::of(3, 1, 1));
  x = g.maxPool(x, Window::of(3, 2, 1));
  for (const Module &size : kModules)
    x = inception(g, x, size);
  x = g.flatten(g.averagePool(x, Window::of(7)));
  return g.finish(g.softmax(g.gemm(x, 1000)));
}

//===----------------------------------------------------------------------===//
// DenseNet-121
//===----------------------------------------------------------------------===//

Graph lightDenseNet121(int64_t batch) {
  static constexpr int64_t kGrowth = 32;
  LightBuilder g;
  Tensor x = g.input("data", {batch, 3, 224, 224});
  x = affineRelu(g, g.conv(x, 2 * kGrowth, Window::of(7, 2, 3), 1, false));
  x = g.maxPool(x, Window::of(3, 2, 1));
  for (int layers : {6, 12, 24, 16}) {
    for (int layer = 0; layer < layers; ++layer) {
      Tensor y = g.conv(affineRelu(g, x), 4 * kGrowth, Window::of(1), 1, false);
      y = g.conv(affineRelu(g, y), kGrowth, Window::of(3, 1, 1), 1, false);
      x = g.concat({x, y});
    }
    x = affineRelu(g, x);
    if (layers == 16)
      break;
    x = g.conv(x, x.shape[1] / 2, Window::of(1), 1, false);
    x = g.averagePool(x, Window::of(2, 2));
  }
  return g.finish(g.conv(g.globalAveragePool(x), 1000, Window::of(1)));
}

} // namespace tpu_mlir::importer
