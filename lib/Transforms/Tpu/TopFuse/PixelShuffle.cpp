//===- PixelShuffle.cpp - Blocks of pixels from channels, and back --------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpu_mlir::fusion {

namespace {

/// An image as six dimensions, by letters: image, channel, row and column of
/// the block, row and column.
struct Shuffle {
  StringRef before; ///< In the order of the operand.
  std::array<int64_t, 6> order;
  bool isCrd, isInverse, isNchw;
};

} // namespace

/// Channels are [h, w, c] (DCR) or [c, h, w] (CRD), in front or last.
static constexpr Shuffle kShuffles[] = {
    {"nhwcyx", {0, 3, 4, 1, 5, 2}, false, false, true},
    {"nchwyx", {0, 1, 4, 2, 5, 3}, true, false, true},
    {"ncyhxw", {0, 3, 5, 1, 2, 4}, false, true, true},
    {"ncyhxw", {0, 1, 3, 5, 2, 4}, true, true, true},
    {"nyxhwc", {0, 1, 3, 2, 4, 5}, false, false, false},
    {"nyxchw", {0, 1, 4, 2, 5, 3}, true, false, false},
    {"nyhxwc", {0, 1, 3, 2, 4, 5}, false, true, false},
    {"nyhxwc", {0, 1, 3, 5, 2, 4}, true, true, false}};

/// The image with blocks in its channels, and with blocks of pixels.
static std::array<SmallVector<int64_t>, 2> sidesOf(const Shuffle &shuffle,
                                                   ArrayRef<int64_t> six) {
  auto size = [&](char letter) { return six[shuffle.before.find(letter)]; };
  const int64_t n = size('n'), c = size('c'), h = size('h'), w = size('w'),
                y = size('y'), x = size('x');
  const int64_t blocks = countOf({c, h, w}), rows = countOf({y, h}),
                columns = countOf({x, w});
  if (shuffle.isNchw)
    return {SmallVector<int64_t>{n, blocks, y, x},
            SmallVector<int64_t>{n, c, rows, columns}};
  return {SmallVector<int64_t>{n, y, x, blocks},
          SmallVector<int64_t>{n, rows, columns, c}};
}

static LogicalResult fusePixelShuffle(Operation *root, WeightValues &weights,
                                      PatternRewriter &rewriter) {
  Chain chain(root, weights);
  Operation *permute = chain.find(root->getOperand(0), "Permute");
  Operation *split =
      permute ? chain.find(permute->getOperand(0), kViews) : nullptr;
  if (!split || !chain.isClosed())
    return failure();
  const ArrayRef<int64_t> six = shapeOf(split->getResult(0));
  const Value x = split->getOperand(0);
  const SmallVector<int64_t> order = listOf(permute, "order");
  for (const Shuffle &shuffle : kShuffles) {
    if (six.size() != 6 || ArrayRef(order) != ArrayRef(shuffle.order))
      continue;
    const auto sides = sidesOf(shuffle, six);
    const int64_t height = six[shuffle.before.find('h')],
                  width = six[shuffle.before.find('w')];
    if (shapeOf(x) != ArrayRef(sides[shuffle.isInverse]) ||
        shapeOf(root->getResult(0)) != ArrayRef(sides[!shuffle.isInverse]) ||
        (height == 1 && width == 1))
      continue;
    auto flag = [&](StringRef name, bool value) {
      return rewriter.getNamedAttr(name, rewriter.getBoolAttr(value));
    };
    auto count = [&](StringRef name, int64_t value) {
      return rewriter.getNamedAttr(name, rewriter.getI64IntegerAttr(value));
    };
    replaceRoot(rewriter, root, "Depth2Space", x,
                {count("block_h", height), count("block_w", width),
                 flag("is_CRD", shuffle.isCrd),
                 flag("is_inversed", shuffle.isInverse),
                 flag("in_is_NCHW", shuffle.isNchw),
                 flag("out_is_NCHW", shuffle.isNchw), flag("swap_cr", false)});
    return success();
  }
  return failure();
}

void addPixelShuffles(RewritePatternSet &patterns, WeightValues &weights) {
  addRule(patterns, weights, kViews, fusePixelShuffle);
}

} // namespace tpu_mlir::fusion
