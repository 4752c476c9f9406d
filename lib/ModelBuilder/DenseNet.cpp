//===- DenseNet.cpp - Every layer sees all before it ----------------------===//
//
// Huang, Liu, van der Maaten, Weinberger: "Densely Connected Convolutional
// Networks", 2016, table 1, DenseNet-121: growth rate 32, bottleneck layers,
// compression 0.5. Normalisation comes before convolution here, so one that
// follows a concat stays an op (top.Scale); one between two convolutions is
// folded into the first.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

static constexpr int64_t kGrowth = 32;

/// New features from the concatenation of all before them.
static Value denseLayer(GraphBuilder &g, const Twine &name,
                        llvm::ArrayRef<Value> features) {
  Value x = features.size() == 1 ? features[0]
                                 : g.concat(name + ".concat", features, 1);
  x = g.scale(name + ".norm1", x, Fused::Relu);
  x = g.conv(name + ".conv1", x, Conv(4 * kGrowth, 1).relu());
  return g.conv(name + ".conv2", x, Conv(kGrowth, 3).noBias());
}

static Value denseBlock(GraphBuilder &g, const Twine &name, Value x,
                        int layers) {
  llvm::SmallVector<Value> features = {x};
  for (int layer = 1; layer <= layers; ++layer)
    features.push_back(denseLayer(g, name + ".layer" + Twine(layer), features));
  return g.concat(name + ".concat", features, 1);
}

static Value transition(GraphBuilder &g, const Twine &name, Value x) {
  int64_t channels = GraphBuilder::shapeOf(x)[1];
  x = g.scale(name + ".norm", x, Fused::Relu);
  x = g.conv(name + ".conv", x, Conv(channels / 2, 1).noBias());
  return g.avgPool(name + ".pool", x, 2, 2);
}

Outputs buildDenseNet121(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.input("image", {size.batch, 3, 224, 224});
  x = g.conv("conv0", x, Conv(2 * kGrowth, 7).stride(2).relu());
  x = g.maxPool("pool0", x, 3, 2, 1);
  x = transition(g, "transition1", denseBlock(g, "block1", x, 6));
  x = transition(g, "transition2", denseBlock(g, "block2", x, 12));
  x = transition(g, "transition3", denseBlock(g, "block3", x, 24));
  x = denseBlock(g, "block4", x, 16);
  x = g.scale("norm5", x, Fused::Relu);
  x = g.globalAvgPool("pool5", x);
  x = g.reshape("flatten", x, {size.batch, 1024});
  return {g.linear("classifier", x, 1000)};
}

} // namespace tpu_mlir::model_builder
