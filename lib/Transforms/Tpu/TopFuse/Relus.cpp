//===- Relus.cpp - A relu into the layer in front -------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::fusion {

/// The layers that may end in a relu, by the dialect's definition of them.
static constexpr StringRef kWithRelu[] = {
    "AdaptiveAvgPool", "Add",     "AddConst",   "AvgPool",
    "BatchNorm",       "Conv",    "Deconv",     "DeformConv2D",
    "Einsum",          "MatMul",  "MaxPool",    "Mul",
    "MulConst",        "Scale",   "Reciprocal", "Sub",
    "SubConst",        "Upsample"};

/// The limit of a relu, -1 for none; nullopt: it is no relu, or one whose limit
/// of 0 is read in two ways.
static std::optional<double> limitOf(Operation *op) {
  if (layerName(op) == "Relu") {
    const double limit = realOf(op, "relu_limit", -1);
    return limit > 0   ? std::optional(std::isinf(limit) ? -1 : limit)
           : limit < 0 ? std::optional(-1.0)
                       : std::nullopt;
  }
  const double least = realOf(op, "min", -1), most = realOf(op, "max", -1);
  if (least != 0 || !(most > 0))
    return std::nullopt;
  return most >= double(std::numeric_limits<float>::max()) ? -1 : most;
}

static LogicalResult fuseRelu(Operation *root, WeightValues &weights,
                              PatternRewriter &rewriter) {
  Chain chain(root, weights);
  const auto limit = limitOf(root);
  Operation *layer = chain.find(root->getOperand(0), kWithRelu);
  if (!layer || !limit || !chain.isClosed() ||
      layer->getResult(0).getType() != root->getResult(0).getType())
    return failure();
  rewriter.modifyOpInPlace(layer, [&] {
    layer->setAttr("do_relu", rewriter.getBoolAttr(true));
    layer->setAttr("relu_limit", rewriter.getF64FloatAttr(*limit));
    layer->setLoc(root->getLoc());
  });
  rewriter.replaceOp(root, layer);
  return success();
}

void addRelus(RewritePatternSet &patterns, WeightValues &weights) {
  addRule(patterns, weights, {"Relu", "Clip"}, fuseRelu);
}

} // namespace tpu_mlir::fusion
