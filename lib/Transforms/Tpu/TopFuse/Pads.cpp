//===- Pads.cpp - What is padded goes into the windows --------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "mlir/IR/Builders.h"

#include <limits>

using namespace mlir;

namespace tpu_mlir::fusion {

namespace {

/// A layer of windows over a padded image; lists have an entry for each spatial
/// dimension, pads the starts and then the ends.
struct Padded {
  Operation *pad = nullptr;
  Value x;
  double value = 0;
  SmallVector<int64_t> own, sum; ///< Pads of the layer, and with the Pad's.
  SmallVector<int64_t> kernel, strides;

  size_t spatial() const { return kernel.size(); }
};

} // namespace

/// Numbers that can be added and multiplied without a second thought.
static bool isModest(ArrayRef<int64_t> numbers) {
  constexpr int64_t kLimit = int64_t(1) << 30;
  return llvm::all_of(numbers, [](int64_t number) {
    return number <= kLimit && number >= -kLimit;
  });
}

/// The pads of spatial dimensions; empty: others are padded, or cut off.
static SmallVector<int64_t> spatialPads(Operation *pad) {
  const size_t rank = shapeOf(pad->getOperand(0)).size();
  const SmallVector<int64_t> all = listOf(pad, "paddings");
  SmallVector<int64_t> pads;
  if (all.size() != 2 * rank)
    return {};
  for (auto [place, count] : llvm::enumerate(all)) {
    if (place % rank >= 2)
      pads.push_back(count);
    if (count < 0 || (place % rank < 2 && count != 0))
      return {};
  }
  return pads;
}

static std::optional<Padded> paddedOf(Operation *root, Chain &chain) {
  Padded made;
  made.pad = chain.find(root->getOperand(0), "Pad");
  if (!made.pad || operandOf(made.pad, 1) || !chain.isClosed() ||
      wordOf(made.pad, "mode") != "constant" ||
      !isPlain(made.pad->getOperand(0).getType()))
    return std::nullopt;
  const StringRef automatic = wordOf(root, "auto_pad");
  made.x = made.pad->getOperand(0);
  made.value = realOf(made.pad, "val", 0);
  made.sum = spatialPads(made.pad);
  made.kernel = listOf(root, "kernel_shape");
  made.strides = listOf(root, "strides");
  made.own = listOf(root, "pads");
  const size_t spatial = made.spatial();
  if (made.own.empty())
    made.own.assign(2 * spatial, 0);
  if (made.strides.empty())
    made.strides.assign(spatial, 1);
  if (spatial == 0 || spatial + 2 != shapeOf(made.x).size() ||
      made.sum.size() != 2 * spatial || made.own.size() != 2 * spatial ||
      made.strides.size() != spatial ||
      (!automatic.empty() && automatic != "NOTSET") ||
      shapeOf(root->getResult(0)).size() != spatial + 2 ||
      !isModest(made.sum) || !isModest(made.own) || !isModest(made.kernel) ||
      !isModest(made.strides) || !isModest(shapeOf(made.x)) ||
      !isModest(shapeOf(root->getResult(0))))
    return std::nullopt;
  for (auto [sum, own] : llvm::zip_equal(made.sum, made.own))
    sum += own;
  return made;
}

static void movePads(PatternRewriter &rewriter, Operation *root,
                     const Padded &padded, NamedAttrList attributes) {
  SmallVector<Value> operands(root->getOperands());
  operands[0] = padded.x;
  attributes.set("pads", rewriter.getI64ArrayAttr(padded.sum));
  replaceRoot(rewriter, root, layerName(root), operands, attributes.getAttrs());
}

/// Outside of the image a convolution sees zeros, whoever puts them there.
static LogicalResult padConv(Operation *root, WeightValues &weights,
                             PatternRewriter &rewriter) {
  Chain chain(root, weights);
  auto padded = paddedOf(root, chain);
  if (!padded || padded->value != 0 ||
      llvm::any_of(listOf(root, "inserts"), [](int64_t n) { return n != 0; }))
    return failure();
  movePads(rewriter, root, *padded, root->getAttrs());
  return success();
}

/// Whether no element can be below 0.
static bool isNonNegative(Value value, unsigned depth = 4) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  const StringRef name = layerName(op);
  if (hasRelu(op) ||
      llvm::is_contained({"Relu", "Relu6", "Abs", "Sqrt", "Exp", "HardSigmoid"},
                         name))
    return true;
  if (name == "Sigmoid" || name == "Softmax")
    return !flagOf(op, "log") && realOf(op, "scale", 1) == 1 &&
           realOf(op, "bias", 0) == 0;
  if (name == "Clip")
    return realOf(op, "min", -1) >= 0;
  if (name == "MaxConst")
    return realOf(op, "const_val", -1) >= 0;
  return (llvm::is_contained(kViews, name) || name == "Permute" ||
          name == "MaxPool" || name == "AvgPool" || name == "Upsample") &&
         isNonNegative(op->getOperand(0), depth - 1);
}

/// Every window has an element of the image in it.
static bool seesImage(Operation *root, const Padded &padded) {
  for (size_t dim = 0; dim < padded.spatial(); ++dim) {
    const int64_t before = padded.sum[dim],
                  count = shapeOf(root->getResult(0))[dim + 2];
    if (padded.kernel[dim] <= before ||
        (count - 1) * padded.strides[dim] - before >=
            shapeOf(padded.x)[dim + 2])
      return false;
  }
  return true;
}

/// Every window is whole, pads included.
static bool isWhole(Operation *root, const Padded &padded) {
  for (size_t dim = 0; dim < padded.spatial(); ++dim) {
    const int64_t all = shapeOf(padded.x)[dim + 2] + padded.sum[dim] +
                        padded.sum[dim + padded.spatial()],
                  count = shapeOf(root->getResult(0))[dim + 2];
    if ((count - 1) * padded.strides[dim] + padded.kernel[dim] > all)
      return false;
  }
  return true;
}

/// Pads that no window of a pool counts: less than every element, or 0 where no
/// element is below it.
static LogicalResult padMaxPool(Operation *root, WeightValues &weights,
                                PatternRewriter &rewriter) {
  Chain chain(root, weights);
  auto padded = paddedOf(root, chain);
  if (!padded || flagOf(root, "is_adaptive") ||
      integerOf(root, "pad_value", 0) != 0 || !seesImage(root, *padded))
    return failure();
  const bool isLeast =
      padded->value <= -double(std::numeric_limits<float>::max());
  if (!isLeast && (padded->value != 0 || !isNonNegative(padded->x)))
    return failure();
  movePads(rewriter, root, *padded, root->getAttrs());
  return success();
}

/// Zeros that an average counts.
static LogicalResult padAvgPool(Operation *root, WeightValues &weights,
                                PatternRewriter &rewriter) {
  Chain chain(root, weights);
  auto padded = paddedOf(root, chain);
  const bool counts = flagOf(root, "count_include_pad");
  if (!padded || flagOf(root, "is_adaptive") || padded->value != 0 ||
      integerOf(root, "pad_value", 0) != 0 || !isWhole(root, *padded) ||
      (!counts &&
       llvm::any_of(padded->own, [](int64_t count) { return count != 0; })))
    return failure();
  NamedAttrList attributes(root->getAttrs());
  attributes.set("count_include_pad", rewriter.getBoolAttr(true));
  movePads(rewriter, root, *padded, attributes);
  return success();
}

void addPads(RewritePatternSet &patterns, WeightValues &weights) {
  addRule(patterns, weights, {"Conv"}, padConv);
  addRule(patterns, weights, {"MaxPool"}, padMaxPool);
  addRule(patterns, weights, {"AvgPool"}, padAvgPool);
}

} // namespace tpu_mlir::fusion
