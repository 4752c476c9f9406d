//===- ResNet.cpp - Deep residual learning --------------------------------===//
//
// He, Zhang, Ren, Sun: "Deep Residual Learning for Image Recognition", 2015,
// table 1, the column of 50 layers. Each convolution is followed by a batch
// normalisation, folded here.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

/// 1x1 to `width` channels, 3x3, 1x1 to four times as many; the input is added
/// to the result. Where size or channels change, the input goes through a 1x1
/// convolution (the paper's option B), and it is the first 1x1 that strides.
static Value bottleneck(GraphBuilder &g, const Twine &name, Value x,
                        int64_t width, int64_t stride, bool isFirst) {
  Value y = g.conv(name + ".conv1", x, Conv(width, 1).stride(stride).relu());
  y = g.conv(name + ".conv2", y, Conv(width, 3).relu());
  y = g.conv(name + ".conv3", y, Conv(4 * width, 1));
  Value shortcut =
      isFirst ? g.conv(name + ".shortcut", x, Conv(4 * width, 1).stride(stride))
              : x;
  return g.add(name + ".add", y, shortcut, Fused::Relu);
}

Outputs buildResNet50(GraphBuilder &g, const NetworkSize &size) {
  struct Stage {
    const char *name;
    int blocks;
    int64_t width;
    int64_t stride;
  };
  static constexpr Stage kStages[] = {{"conv2", 3, 64, 1},
                                      {"conv3", 4, 128, 2},
                                      {"conv4", 6, 256, 2},
                                      {"conv5", 3, 512, 2}};

  Value x = g.input("image", {size.batch, 3, 224, 224});
  x = g.conv("conv1", x, Conv(64, 7).stride(2).relu());
  x = g.maxPool("pool1", x, 3, 2, 1);
  for (const Stage &stage : kStages)
    for (int block = 1; block <= stage.blocks; ++block)
      x = bottleneck(g, Twine(stage.name) + "_" + Twine(block), x, stage.width,
                     block == 1 ? stage.stride : 1, block == 1);
  x = g.globalAvgPool("pool5", x);
  x = g.reshape("flatten", x, {size.batch, 2048});
  return {g.linear("fc", x, 1000)};
}

} // namespace tpu_mlir::model_builder
