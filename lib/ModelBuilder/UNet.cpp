//===- UNet.cpp - Down, up, and across ------------------------------------===//
//
// Ronneberger, Fischer, Brox: "U-Net: Convolutional Networks for Biomedical
// Image Segmentation", 2015, figure 1. Convolutions are padded, so that
// nothing has to be cropped before it is copied across, and the image is
// 256x256; channels and layers are the paper's.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

static Value twoConvs(GraphBuilder &g, const Twine &name, Value x,
                      int64_t channels) {
  x = g.conv(name + ".conv1", x, Conv(channels, 3).relu());
  return g.conv(name + ".conv2", x, Conv(channels, 3).relu());
}

Outputs buildUNet(GraphBuilder &g, const NetworkSize &size) {
  constexpr int kDepth = 4;
  constexpr int64_t kChannels = 64, kClasses = 2;

  Value x = g.input("image", {size.batch, 1, 256, 256});
  llvm::SmallVector<Value, kDepth> across;
  for (int level = 0; level < kDepth; ++level) {
    x = twoConvs(g, "down" + Twine(level), x, kChannels << level);
    across.push_back(x);
    x = g.maxPool("down" + Twine(level) + ".pool", x, 2, 2);
  }
  x = twoConvs(g, "bottom", x, kChannels << kDepth);
  for (int level = kDepth - 1; level >= 0; --level) {
    x = g.deconv("up" + Twine(level) + ".upconv", x, kChannels << level, 2);
    // The copy across lives from its level on the way down until here.
    x = g.concat("up" + Twine(level) + ".concat", {across[level], x}, 1);
    x = twoConvs(g, "up" + Twine(level), x, kChannels << level);
  }
  return {g.conv("classes", x, Conv(kClasses, 1))};
}

} // namespace tpu_mlir::model_builder
