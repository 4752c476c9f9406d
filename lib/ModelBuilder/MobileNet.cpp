//===- MobileNet.cpp - Inverted residuals ---------------------------------===//
//
// Sandler, Howard, Zhu, Zhmoginov, Chen: "MobileNetV2: Inverted Residuals and
// Linear Bottlenecks", 2018, table 2, width 1.0. Batch normalisations are
// folded.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

/// Wide inside, narrow outside, no activation at the narrow end (the paper's
/// table 1). The input is added when the result has its shape.
static Value invertedResidual(GraphBuilder &g, const Twine &name, Value x,
                              int64_t expansion, int64_t channels,
                              int64_t stride) {
  int64_t in = GraphBuilder::shapeOf(x)[1], wide = in * expansion;
  Value y = x;
  if (expansion != 1)
    y = g.conv(name + ".expand", y, Conv(wide, 1).relu6());
  y = g.conv(name + ".depthwise", y,
             Conv(wide, 3).stride(stride).groups(wide).relu6());
  y = g.conv(name + ".project", y, Conv(channels, 1));
  return stride == 1 && in == channels ? g.add(name + ".add", x, y) : y;
}

Outputs buildMobileNetV2(GraphBuilder &g, const NetworkSize &size) {
  /// The paper's t, c, n, s.
  struct Stage {
    int64_t expansion, channels;
    int repeats;
    int64_t stride;
  };
  static constexpr Stage kStages[] = {
      {1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
      {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

  Value x = g.input("image", {size.batch, 3, 224, 224});
  x = g.conv("conv_first", x, Conv(32, 3).stride(2).relu6());
  int index = 0;
  for (const Stage &stage : kStages)
    for (int repeat = 0; repeat < stage.repeats; ++repeat)
      x = invertedResidual(g, "block" + Twine(++index), x, stage.expansion,
                           stage.channels, repeat == 0 ? stage.stride : 1);
  x = g.conv("conv_last", x, Conv(1280, 1).relu6());
  x = g.globalAvgPool("pool", x);
  x = g.reshape("flatten", x, {size.batch, 1280});
  return {g.linear("classifier", x, 1000)};
}

} // namespace tpu_mlir::model_builder
