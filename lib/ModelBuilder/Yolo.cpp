//===- Yolo.cpp - One-stage detection at three scales ---------------------===//
//
// The detector of Redmon, Farhadi: "YOLOv3", 2018 (three scales, three anchors
// each, 80 classes), with the backbone blocks of Wang et al.: "CSPNet", 2019,
// pooling in the manner of He et al.: "Spatial Pyramid Pooling", 2014, and the
// way down and up again of Lin et al.: "Feature Pyramid Networks", 2016, and
// Liu et al.: "Path Aggregation Network", 2018. Widths and depths are those of
// the small YOLOv5. Batch normalisations are folded.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

namespace {

/// For each of three anchors a box, an objectness and 80 classes.
constexpr int64_t kHeadChannels = 3 * (4 + 1 + 80);

class YoloBuilder {
public:
  explicit YoloBuilder(GraphBuilder &g) : g(g) {}

  Outputs build(int64_t batch);

private:
  Value unit(const Twine &name, Value x, const Conv &spec) {
    return g.activate(name + ".act", g.conv(name + ".conv", x, spec),
                      Function::SiLU);
  }
  Value crossStage(const Twine &name, Value x, int64_t channels, int depth,
                   bool isResidual);
  Value pyramidPool(const Twine &name, Value x, int64_t channels);
  /// Up to the size of `skip` and joined with it.
  Value upAndJoin(const Twine &name, Value x, Value skip) {
    return g.concat(name + ".concat",
                    {g.upsample(name + ".upsample", x, 2), skip}, 1);
  }
  /// Down to the size of `skip` and joined with it.
  Value downAndJoin(const Twine &name, Value x, int64_t channels, Value skip) {
    Value y = unit(name + ".down", x, Conv(channels, 3).stride(2));
    return g.concat(name + ".concat", {y, skip}, 1);
  }

  GraphBuilder &g;
};

} // namespace

/// CSPNet: half of the channels go through `depth` residual units, the other
/// half around them; both are joined and mixed.
Value YoloBuilder::crossStage(const Twine &name, Value x, int64_t channels,
                              int depth, bool isResidual) {
  int64_t half = channels / 2;
  Value y = unit(name + ".in", x, Conv(half, 1));
  for (int i = 0; i < depth; ++i) {
    std::string inner = (name + ".m" + Twine(i)).str();
    Value z = unit(inner + ".conv1", y, Conv(half, 1));
    z = unit(inner + ".conv2", z, Conv(half, 3));
    y = isResidual ? g.add(inner + ".add", y, z) : z;
  }
  Value around = unit(name + ".around", x, Conv(half, 1));
  return unit(name + ".out", g.concat(name + ".concat", {y, around}, 1),
              Conv(channels, 1));
}

/// Windows of 5, 9 and 13 as 5x5 pools one after the other.
Value YoloBuilder::pyramidPool(const Twine &name, Value x, int64_t channels) {
  Value a = unit(name + ".in", x, Conv(channels / 2, 1));
  Value b = g.maxPool(name + ".pool1", a, 5, 1, 2);
  Value c = g.maxPool(name + ".pool2", b, 5, 1, 2);
  Value d = g.maxPool(name + ".pool3", c, 5, 1, 2);
  return unit(name + ".out", g.concat(name + ".concat", {a, b, c, d}, 1),
              Conv(channels, 1));
}

Outputs YoloBuilder::build(int64_t batch) {
  Value x = g.input("images", {batch, 3, 640, 640});

  // Backbone: strides 2, 4, 8, 16, 32.
  x = unit("stem", x, Conv(32, 6).stride(2).pad(2));
  x = unit("down2", x, Conv(64, 3).stride(2));
  x = crossStage("stage2", x, 64, 1, true);
  x = unit("down3", x, Conv(128, 3).stride(2));
  Value stride8 = crossStage("stage3", x, 128, 2, true);
  x = unit("down4", stride8, Conv(256, 3).stride(2));
  Value stride16 = crossStage("stage4", x, 256, 3, true);
  x = unit("down5", stride16, Conv(512, 3).stride(2));
  x = crossStage("stage5", x, 512, 1, true);
  x = pyramidPool("spp", x, 512);

  // Feature pyramid, from coarse to fine.
  Value lateral32 = unit("lateral5", x, Conv(256, 1));
  x = upAndJoin("fpn4", lateral32, stride16);
  x = crossStage("fpn4.csp", x, 256, 1, false);
  Value lateral16 = unit("lateral4", x, Conv(128, 1));
  x = upAndJoin("fpn3", lateral16, stride8);
  Value fine = crossStage("fpn3.csp", x, 128, 1, false);

  // Path aggregation, from fine to coarse.
  x = downAndJoin("pan4", fine, 128, lateral16);
  Value middle = crossStage("pan4.csp", x, 256, 1, false);
  x = downAndJoin("pan5", middle, 256, lateral32);
  Value coarse = crossStage("pan5.csp", x, 512, 1, false);

  return {g.conv("head.stride8", fine, Conv(kHeadChannels, 1)),
          g.conv("head.stride16", middle, Conv(kHeadChannels, 1)),
          g.conv("head.stride32", coarse, Conv(kHeadChannels, 1))};
}

Outputs buildYoloFpn(GraphBuilder &g, const NetworkSize &size) {
  return YoloBuilder(g).build(size.batch);
}

} // namespace tpu_mlir::model_builder
