//===- Affine.cpp - Factors and biases into the layer in front ------------===//
//
// BatchNorm becomes Scale. A Scale, or a weight with a number for each channel
// that is a factor or an addend, goes into a convolution, a product of matrices
// or a Scale with weights of its own.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::fusion {

using Numbers = std::vector<float>;

/// The numbers of a weight for `count` channels, or as many times `absent`
/// where there is none; nullopt: they are not there, or not as many.
static std::optional<Numbers> readOr(WeightValues &weights, Value weight,
                                     int64_t count, float absent) {
  if (!weight || isNone(weight))
    return Numbers(count, absent);
  auto numbers = weights.read(weight);
  return numbers && static_cast<int64_t>(numbers->size()) == count
             ? numbers
             : std::nullopt;
}

/// Whether the operand is none, or a weight for that many channels.
static bool isChannels(Operation *op, unsigned index, int64_t count) {
  const Value value = operandOf(op, index);
  return !value || (isWeight(value) && countOf(shapeOf(value)) == count);
}

static void copyRelu(Operation *from, NamedAttrList &to, Builder &builder) {
  to.set("do_relu", builder.getBoolAttr(hasRelu(from)));
  to.set("relu_limit", builder.getF64FloatAttr(realOf(from, "relu_limit", -1)));
}

//===----------------------------------------------------------------------===//
// BatchNorm
//===----------------------------------------------------------------------===//

/// gamma * (x - mean) / sqrt(variance + epsilon) + beta as a factor and an
/// addend for each channel.
static LogicalResult toScale(Operation *root, WeightValues &weights,
                             PatternRewriter &rewriter) {
  const ArrayRef<int64_t> shape = shapeOf(root->getResult(0));
  if (shape.size() < 2 || root->getNumOperands() != 5 ||
      root->getOperand(0).getType() != root->getResult(0).getType())
    return failure();
  std::optional<Numbers> lists[4];
  for (unsigned i = 0; i < 4; ++i) {
    if (!isChannels(root, i + 1, shape[1]) ||
        (i < 2 && !operandOf(root, i + 1)))
      return failure();
    lists[i] = readOr(weights, operandOf(root, i + 1), shape[1], i == 2);
    if (!lists[i] || !weights.keepsNew()) {
      weights.miss(root);
      return failure();
    }
  }
  const auto &[mean, variance, gamma, beta] = lists;
  const double epsilon = realOf(root, "epsilon", 1e-5);
  Numbers factors, addends;
  for (int64_t c = 0; c < shape[1]; ++c) {
    const double factor = (*gamma)[c] / std::sqrt((*variance)[c] + epsilon);
    factors.push_back(static_cast<float>(factor));
    addends.push_back(static_cast<float>((*beta)[c] - (*mean)[c] * factor));
  }
  auto stemOf = [&](unsigned index) {
    return valueName(operandOf(root, index) ? operandOf(root, index)
                                            : root->getOperand(1));
  };
  const Value factor = weights.add(rewriter, stemOf(3), shape[1],
                                   std::move(factors)),
              addend = weights.add(rewriter, stemOf(4), shape[1],
                                   std::move(addends));
  NamedAttrList attributes;
  copyRelu(root, attributes, rewriter);
  replaceRoot(rewriter, root, "Scale", {root->getOperand(0), factor, addend},
              attributes.getAttrs());
  return success();
}

//===----------------------------------------------------------------------===//
// Layers that are a sum of products for each channel
//===----------------------------------------------------------------------===//

namespace {

/// A convolution, a product of matrices or a Scale.
struct Linear {
  Operation *op = nullptr;
  int64_t channels = 0; ///< Of the result, in dimension `channelDim`.
  int64_t channelDim = 1;
  int64_t filterDim = 0; ///< Where the filter counts them.
};

} // namespace

/// A product whose result has the columns of its right side last.
static std::optional<Linear> productOf(Operation *op) {
  const ArrayRef<int64_t> shape = shapeOf(op->getResult(0)),
                          left = shapeOf(op->getOperand(0)),
                          right = shapeOf(op->getOperand(1));
  const bool isTransposed = flagOf(op, "right_transpose");
  // Without one of its dimensions an operand is a vector.
  if (left.size() < 2 || right.size() < 2 || flagOf(op, "output_transpose") ||
      flagOf(op, "hdim_is_batch") ||
      right[right.size() - (isTransposed ? 2 : 1)] != shape.back())
    return std::nullopt;
  const int64_t last = shape.size() - 1;
  return Linear{op, shape[last], last, isTransposed ? 0 : 1};
}

/// The layer in front of the root, which nobody else reads; a relu is in the
/// way.
static std::optional<Linear> linearOf(Value value, Chain &chain) {
  Operation *op = chain.find(value, {"Conv", "Deconv", "MatMul", "Scale"});
  const ArrayRef<int64_t> shape = shapeOf(value);
  if (!op || !chain.isClosed() || shape.size() < 2 ||
      op->getNumOperands() != 3 ||
      value.getType() != chain.root->getResult(0).getType())
    return std::nullopt;
  auto linear = layerName(op) == "MatMul" ? productOf(op)
                                          : std::optional(Linear{op, shape[1]});
  return linear && isChannels(op, 2, linear->channels) ? linear : std::nullopt;
}

/// The filter is a weight that nobody else reads, as it was imported.
static bool hasOwnFilter(const Linear &linear) {
  const Value filter = linear.op->getOperand(1);
  const int64_t rank = shapeOf(filter).size();
  const StringRef name = layerName(linear.op);
  for (StringRef packed : {"weight_bits", "in_int4_scale", "out_int8_scale"})
    if (linear.op->hasAttr(packed))
      return false;
  return isWeight(filter) && filter.hasOneUse() &&
         !flagOf(linear.op, "dynweight_reorderd") &&
         !flagOf(linear.op, "do_winograd") &&
         (name == "MatMul"  ? rank == 2
          : name == "Scale" ? rank == 1
                            : rank > 2) &&
         shapeOf(filter)[linear.filterDim] == linear.channels;
}

/// Each row or column of the filter times the factor of its channel.
static void scaleFilter(Numbers &filter, const Linear &linear,
                        ArrayRef<float> factors) {
  const ArrayRef<int64_t> shape = shapeOf(linear.op->getOperand(1));
  const int64_t inner = countOf(shape.drop_front(linear.filterDim + 1));
  for (size_t i = 0; i < filter.size(); ++i)
    filter[i] *= factors[i / inner % linear.channels];
}

/// The layer in the root's place, with its relu and another filter and bias.
static void replaceLinear(PatternRewriter &rewriter, Operation *root,
                          const Linear &linear, Value filter, Value bias) {
  NamedAttrList attributes(linear.op->getAttrs());
  copyRelu(root, attributes, rewriter);
  replaceRoot(rewriter, root, layerName(linear.op),
              {linear.op->getOperand(0), filter, bias}, attributes.getAttrs());
}

/// The layer with the factor and the addend after it in its filter and bias;
/// either may be null.
static LogicalResult foldInto(const Linear &linear, Value factor, Value addend,
                              Operation *root, WeightValues &weights,
                              PatternRewriter &rewriter) {
  const int64_t count = linear.channels;
  const Value filter = linear.op->getOperand(1),
              oldBias = operandOf(linear.op, 2);
  auto numbers = weights.read(filter);
  auto factors = readOr(weights, factor, count, 1),
       addends = readOr(weights, addend, count, 0),
       biases = readOr(weights, oldBias, count, 0);
  if (!numbers || !factors || !addends || !biases || !weights.keepsNew()) {
    weights.miss(root);
    return failure();
  }
  scaleFilter(*numbers, linear, *factors);
  for (int64_t c = 0; c < count; ++c)
    (*biases)[c] = (*biases)[c] * (*factors)[c] + (*addends)[c];
  const Value newFilter = weights.add(rewriter, valueName(filter),
                                      shapeOf(filter), std::move(*numbers));
  Value bias = linear.op->getOperand(2);
  if (oldBias || addend)
    bias = weights.add(rewriter, valueName(oldBias ? oldBias : addend), count,
                       std::move(*biases));
  replaceLinear(rewriter, root, linear, newFilter, bias);
  return success();
}

static LogicalResult foldScale(Operation *root, WeightValues &weights,
                               PatternRewriter &rewriter) {
  Chain chain(root, weights);
  if (root->getNumOperands() != 3)
    return failure();
  auto linear = linearOf(root->getOperand(0), chain);
  if (!linear || linear->channelDim != 1 || !hasOwnFilter(*linear) ||
      !isChannels(root, 1, linear->channels) ||
      !isChannels(root, 2, linear->channels))
    return failure();
  return foldInto(*linear, operandOf(root, 1), operandOf(root, 2), root,
                  weights, rewriter);
}

/// Whether a weight has one number for each channel, and spreads over the rest.
static bool isPerChannel(Value weight, const Linear &linear, int64_t rank) {
  const ArrayRef<int64_t> shape = shapeOf(weight);
  const int64_t dim = linear.channelDim - (rank - int64_t(shape.size()));
  return isWeight(weight) && int64_t(shape.size()) <= rank && dim >= 0 &&
         shape[dim] == linear.channels && countOf(shape) == linear.channels;
}

/// The layer on one side of the root, where the other one is such a weight.
static std::optional<std::pair<Linear, Value>>
linearAndWeight(Operation *root, WeightValues &weights) {
  auto both = Chain::sides(root);
  for (unsigned side : {1u, 0u}) {
    Chain chain(root, weights);
    auto linear =
        both ? linearOf((*both)[1 - side], chain) : std::optional<Linear>();
    if (linear && isPerChannel((*both)[side], *linear,
                               shapeOf(root->getResult(0)).size()))
      return std::pair(*linear, (*both)[side]);
  }
  return std::nullopt;
}

static LogicalResult foldFactor(Operation *root, WeightValues &weights,
                                PatternRewriter &rewriter) {
  auto found = linearAndWeight(root, weights);
  if (!found || !hasOwnFilter(found->first))
    return failure();
  return foldInto(found->first, found->second, nullptr, root, weights,
                  rewriter);
}

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

/// The weight as a list, which is what convolutions have; under its shape where
/// others read it, too.
static Value asList(PatternRewriter &rewriter, Value weight) {
  return shapeOf(weight).size() == 1 || !canReshape(weight)
             ? weight
             : reshapeWeight(rewriter, weight, countOf(shapeOf(weight)));
}

/// The sum of the layer's bias and the weight; null: their numbers are not
/// there.
static Value sumOfBiases(PatternRewriter &rewriter, WeightValues &weights,
                         Operation *root, Value bias, Value weight) {
  auto numbers = weights.read(bias), more = weights.read(weight);
  if (!numbers || !more || !weights.keepsNew()) {
    weights.miss(root);
    return nullptr;
  }
  for (size_t c = 0; c < numbers->size(); ++c)
    (*numbers)[c] += (*more)[c];
  return weights.add(rewriter, valueName(bias), shapeOf(bias),
                     std::move(*numbers));
}

static LogicalResult foldAddend(Operation *root, WeightValues &weights,
                                PatternRewriter &rewriter) {
  auto found = linearAndWeight(root, weights);
  if (!found)
    return failure();
  auto [linear, weight] = *found;
  const bool isMatMul = layerName(linear.op) == "MatMul";
  const Value old = operandOf(linear.op, 2);
  const Value bias = old ? sumOfBiases(rewriter, weights, root, old, weight)
                     : isMatMul ? weight
                                : asList(rewriter, weight);
  if (!bias)
    return failure();
  replaceLinear(rewriter, root, linear, linear.op->getOperand(1), bias);
  return success();
}

void addAffine(RewritePatternSet &patterns, WeightValues &weights) {
  addRule(patterns, weights, {"BatchNorm"}, toScale);
  addRule(patterns, weights, {"Scale"}, foldScale);
  addRule(patterns, weights, {"Mul"}, foldFactor);
  addRule(patterns, weights, {"Add"}, foldAddend);
}

} // namespace tpu_mlir::fusion
