//===- Norms.cpp - LayerNorm and RMSNorm ----------------------------------===//
//
// Both are n / sqrt(v + eps). A factor and an addend for each element of the
// row go into the norm afterwards, whoever made it.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::fusion {

namespace {

/// numerator / sqrt(variance + eps).
struct Quotient {
  Value numerator, variance;
  double eps = 0;
};

/// x - mean of x over the dimensions from `axis` on.
struct Centred {
  Value x;
  int64_t axis = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Roots and means
//===----------------------------------------------------------------------===//

/// What `value` is a power of.
static Value baseOfPower(Value value, double exponent, Chain &chain) {
  Operation *op = chain.find(value, "Pow");
  return op && realOf(op, "exponent", 0) == exponent ? op->getOperand(0)
                                                     : Value();
}

static Value underRoot(Value value, Chain &chain) {
  if (Operation *op = chain.find(value, "Sqrt"))
    return op->getOperand(0);
  return baseOfPower(value, 0.5, chain);
}

/// v, where `value` is 1 / sqrt(v).
static Value underReciprocalRoot(Value value, Chain &chain) {
  if (Operation *op = chain.find(value, "Rsqrt"))
    return op->getOperand(0);
  Operation *op = chain.find(value, "Reciprocal");
  if (op && realOf(op, "const_val", 1) == 1)
    return underRoot(op->getOperand(0), chain);
  return baseOfPower(value, -0.5, chain);
}

static Value squared(Value value, Chain &chain) {
  Operation *op = chain.find(value, "Mul");
  auto both = op ? Chain::sides(op) : std::nullopt;
  if (both && (*both)[0] == (*both)[1])
    return (*both)[0];
  return baseOfPower(value, 2, chain);
}

/// Dividing by a root is multiplying with one over it.
static std::optional<Quotient> quotientOf(Operation *root, unsigned side,
                                          Chain &chain) {
  auto both = Chain::sides(root);
  if (!both || hasRelu(root) ||
      (*both)[1 - side].getType() != root->getResult(0).getType())
    return std::nullopt;
  const Value sum = layerName(root) == "Div"
                        ? underRoot((*both)[side], chain)
                        : underReciprocalRoot((*both)[side], chain);
  if (!sum)
    return std::nullopt;
  const Affine variance = chain.affine(sum);
  if (variance.factor != 1 || !(variance.offset >= 0))
    return std::nullopt;
  return Quotient{(*both)[1 - side], variance.x, variance.offset};
}

/// The first of the dimensions over which `value` is the mean of `x`, which are
/// the last ones and stay, with size 1.
static std::optional<int64_t> meanAxis(Value value, Value x, Chain &chain) {
  Operation *op = chain.find(value, "Reduce");
  if (!op || op->getOperand(0) != x || wordOf(op, "mode") != "ReduceMean" ||
      !isPlain(x.getType()))
    return std::nullopt;
  SmallVector<int64_t> shape(shapeOf(x));
  const int64_t rank = shape.size();
  int64_t first = rank;
  for (int64_t axis : listOf(op, "axes")) {
    auto dim = axisOf(axis, rank);
    if (!dim)
      return std::nullopt;
    shape[*dim] = 1;
    first = std::min(first, *dim);
  }
  const bool isTail = llvm::all_of(ArrayRef(shape).drop_front(first),
                                   [](int64_t size) { return size == 1; });
  return first < rank && isTail && shapeOf(value) == ArrayRef(shape)
             ? std::optional(first)
             : std::nullopt;
}

static std::optional<Centred> centredOf(Value value, Chain &chain) {
  Operation *op = chain.find(value, "Sub");
  auto both = op ? Chain::sides(op) : std::nullopt;
  if (!both || (*both)[0].getType() != value.getType())
    return std::nullopt;
  auto axis = meanAxis((*both)[1], (*both)[0], chain);
  return axis ? std::optional(Centred{(*both)[0], *axis}) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The norms
//===----------------------------------------------------------------------===//

/// Whether `value` is the mean of (x - mean of x)^2, or the mean of x^2 less
/// the square of the mean.
static bool isVariance(Value value, const Centred &centred, Chain &chain) {
  if (Operation *mean = chain.find(value, "Reduce")) {
    const Value square = mean->getOperand(0);
    const Value apart = squared(square, chain);
    auto own = apart ? centredOf(apart, chain) : std::nullopt;
    return own && own->x == centred.x && own->axis == centred.axis &&
           meanAxis(value, square, chain) == centred.axis;
  }
  Operation *difference = chain.find(value, "Sub");
  auto both = difference ? Chain::sides(difference) : std::nullopt;
  Operation *mean = both ? chain.find((*both)[0], "Reduce") : nullptr;
  if (!mean)
    return false;
  const Value square = mean->getOperand(0), root = squared((*both)[1], chain);
  return squared(square, chain) == centred.x && root &&
         meanAxis((*both)[0], square, chain) == centred.axis &&
         meanAxis(root, centred.x, chain) == centred.axis;
}

static SmallVector<NamedAttribute>
layerNormAttributes(Builder &builder, int64_t axis, double eps) {
  return {builder.getNamedAttr("normalized_shape", builder.getArrayAttr({})),
          builder.getNamedAttr("axis", builder.getSI32IntegerAttr(axis)),
          builder.getNamedAttr("eps", builder.getF64FloatAttr(eps))};
}

/// Puts a layer in the place of a quotient.
using OnQuotient = LogicalResult (*)(Operation *root, const Quotient &quotient,
                                     Chain &chain, PatternRewriter &rewriter);

/// The root as a quotient; of a product either side may be one over the root.
template <OnQuotient replace>
static LogicalResult fuseQuotient(Operation *root, WeightValues &weights,
                                  PatternRewriter &rewriter) {
  for (unsigned side : {1u, 0u}) {
    if (side == 0 && layerName(root) == "Div")
      break;
    Chain chain(root, weights);
    auto quotient = quotientOf(root, side, chain);
    if (quotient && succeeded(replace(root, *quotient, chain, rewriter)))
      return success();
  }
  return failure();
}

static LogicalResult fuseLayerNorm(Operation *root, const Quotient &quotient,
                                   Chain &chain, PatternRewriter &rewriter) {
  auto centred = centredOf(quotient.numerator, chain);
  if (!centred || !isVariance(quotient.variance, *centred, chain) ||
      !chain.isClosed())
    return failure();
  const Value none = noneFor(rewriter, root);
  replaceRoot(rewriter, root, "LayerNorm", {centred->x, none, none},
              layerNormAttributes(rewriter, centred->axis, quotient.eps));
  return success();
}

/// Rows of RMSNorm are the last dimension.
static LogicalResult fuseRmsNorm(Operation *root, const Quotient &quotient,
                                 Chain &chain, PatternRewriter &rewriter) {
  Operation *mean = chain.find(quotient.variance, "Reduce");
  const Value square = mean ? mean->getOperand(0) : Value(),
              x = quotient.numerator;
  const int64_t last = static_cast<int64_t>(shapeOf(x).size()) - 1;
  if (!square || squared(square, chain) != x ||
      meanAxis(quotient.variance, square, chain) != last || !chain.isClosed())
    return failure();
  replaceRoot(
      rewriter, root, "RMSNorm", {x, noneFor(rewriter, root)},
      {rewriter.getNamedAttr("eps", rewriter.getF64FloatAttr(quotient.eps)),
       rewriter.getNamedAttr("weight_keep_f32", rewriter.getBoolAttr(false))});
  return success();
}

//===----------------------------------------------------------------------===//
// Factors and addends
//===----------------------------------------------------------------------===//

/// The dimension with which a row of the norm begins; nullopt: an axis that is
/// none.
static std::optional<int64_t> rowAxis(Operation *norm) {
  const int64_t rank = shapeOf(norm->getResult(0)).size();
  return layerName(norm) == "RMSNorm"
             ? axisOf(-1, rank)
             : axisOf(integerOf(norm, "axis", -1), rank);
}

/// A weight with a number for each element of the row.
static bool isRow(Value weight, Operation *norm) {
  auto axis = rowAxis(norm);
  if (!axis || !isWeight(weight))
    return false;
  ArrayRef<int64_t> shape = shapeOf(weight),
                    row = shapeOf(norm->getResult(0)).drop_front(*axis);
  return shape.size() >= row.size() && shape.take_back(row.size()) == row &&
         countOf(shape.drop_back(row.size())) == 1;
}

/// Puts the weight on one side of the root into operand `index` of the norm on
/// the other, when that and those after it are free.
static LogicalResult absorbRow(Operation *root, WeightValues &weights,
                               PatternRewriter &rewriter, unsigned index,
                               ArrayRef<StringRef> names) {
  auto both = Chain::sides(root);
  if (!both || hasRelu(root))
    return failure();
  for (unsigned side : {1u, 0u}) {
    Chain chain(root, weights);
    Operation *norm = chain.find((*both)[1 - side], names);
    if (!norm || norm->getNumOperands() <= index || !chain.isClosed() ||
        norm->getResult(0).getType() != root->getResult(0).getType() ||
        !isRow((*both)[side], norm))
      continue;
    SmallVector<Value> operands(norm->getOperands());
    if (!llvm::all_of(ArrayRef(operands).drop_front(index), isNone))
      continue;
    operands[index] = (*both)[side];
    replaceRoot(rewriter, root, layerName(norm), operands,
                llvm::to_vector(norm->getAttrs()));
    return success();
  }
  return failure();
}

static LogicalResult absorbFactor(Operation *root, WeightValues &weights,
                                  PatternRewriter &rewriter) {
  return absorbRow(root, weights, rewriter, 1, {"LayerNorm", "RMSNorm"});
}

static LogicalResult absorbAddend(Operation *root, WeightValues &weights,
                                  PatternRewriter &rewriter) {
  return absorbRow(root, weights, rewriter, 2, {"LayerNorm"});
}

//===----------------------------------------------------------------------===//
// Rows that were made for it
//===----------------------------------------------------------------------===//

/// The first of the last dimensions that have `count` elements together.
static std::optional<int64_t> axisOfRow(ArrayRef<int64_t> shape,
                                        int64_t count) {
  int64_t axis = shape.size(), found = 1;
  while (axis > 0 && (found < count || axis == int64_t(shape.size())))
    found = countOf({found, shape[--axis]});
  return found == count ? std::optional(axis) : std::nullopt;
}

/// reshape(norm(reshape(x))) of the shape of x, with the same rows: norm(x).
static LogicalResult dropReshapes(Operation *root, WeightValues &weights,
                                  PatternRewriter &rewriter) {
  Chain chain(root, weights);
  Operation *norm = chain.find(root->getOperand(0), {"LayerNorm", "RMSNorm"});
  Operation *before = norm ? chain.find(norm->getOperand(0), kViews) : nullptr;
  auto axis = before ? rowAxis(norm) : std::nullopt;
  if (!axis || !chain.isClosed() ||
      before->getOperand(0).getType() != root->getResult(0).getType())
    return failure();
  const int64_t row = countOf(shapeOf(norm->getResult(0)).drop_front(*axis));
  auto own = axisOfRow(shapeOf(before->getOperand(0)), row);
  const int64_t last = shapeOf(before->getOperand(0)).size() - 1;
  if (!own || (layerName(norm) == "RMSNorm" && *own != last))
    return failure();
  SmallVector<Value> operands(norm->getOperands());
  operands[0] = before->getOperand(0);
  NamedAttrList attributes(norm->getAttrs());
  if (layerName(norm) == "LayerNorm") {
    attributes.set("axis", rewriter.getSI32IntegerAttr(*own));
    attributes.set("normalized_shape", rewriter.getArrayAttr({}));
  }
  replaceRoot(rewriter, root, layerName(norm), operands, attributes.getAttrs());
  return success();
}

void addNorms(RewritePatternSet &patterns, WeightValues &weights) {
  // Of what is centred LayerNorm is the larger pattern.
  addRule(patterns, weights, {"Div", "Mul"}, fuseQuotient<fuseLayerNorm>,
          /*benefit=*/3);
  addRule(patterns, weights, {"Div", "Mul"}, fuseQuotient<fuseRmsNorm>,
          /*benefit=*/2);
  addRule(patterns, weights, {"Mul"}, absorbFactor);
  addRule(patterns, weights, {"Add"}, absorbAddend);
  addRule(patterns, weights, kViews, dropReshapes);
}

} // namespace tpu_mlir::fusion
