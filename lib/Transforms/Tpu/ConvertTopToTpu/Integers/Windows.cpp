//===- Windows.cpp - Convolutions, pooling, upsampling --------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Execution/Element.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::lowering {

using quantization::Factor;
using quantization::IntegerWeights;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

static int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Where nobody knows the weights: factors by which sums of random ones stay
/// in range.
static IntegerWeights standIns(const IntegerOp &op, int64_t channels,
                               int64_t terms) {
  IntegerWeights result;
  const int64_t bits = 7 + llvm::Log2_64_Ceil(std::max<int64_t>(terms, 1)) / 2;
  const Factor factor =
      op.isQdm() ? Factor{int64_t(1) << 30, std::min<int64_t>(bits - 1, 31)}
                 : Factor{1, bits};
  result.factors.assign(channels, factor);
  return result;
}

static quantization::LayerScales scalesOf(const IntegerOp &op) {
  const auto input = op.scale(0), output = op.resultScale();
  return {input.scale, output.scale, input.zeroPoint};
}

static IntegerWeights quantize(const IntegerOp &op, ArrayRef<float> filter,
                               ArrayRef<float> bias, int64_t channels) {
  return op.isQdm() ? quantization::quantizeForQdm(filter, bias, channels,
                                                   scalesOf(op))
                    : quantization::quantizeForShift(filter, bias, channels,
                                                     scalesOf(op));
}

static void setFactors(IntegerOp &op, ArrayRef<Factor> factors) {
  op.setFactors("multiplier", "rshift", factors);
  if (op.isQdm())
    op.setQdm();
}

namespace {

/// Filter and bias of a layer with `channels` outputs.
struct LayerWeights {
  IntegerWeights integers;
  bool isKnown = false, hasBias = false;
};

} // namespace

/// `channels` rows of operand 1, and operand 2 if it is there; nullopt where a
/// number of them is not finite.
static std::optional<LayerWeights> weightsOf(const IntegerOp &op,
                                             int64_t channels) {
  LayerWeights result;
  auto filter = op.numbers(1);
  std::optional<std::vector<float>> bias = std::vector<float>();
  if (op.has(2))
    bias = op.numbers(2);
  result.isKnown = filter && bias;
  if (result.isKnown &&
      !(quantization::areFinite(*filter) && quantization::areFinite(*bias)))
    return std::nullopt;
  result.integers =
      result.isKnown ? quantize(op, *filter, *bias, channels)
                     : standIns(op, channels, countOf(op.shape(1)) / channels);
  // A zero point of the input is taken off by a bias.
  result.hasBias = op.has(2) || op.scale(0).zeroPoint != 0;
  return result;
}

/// Makes the weights; operands of the op.
static SmallVector<Value> makeWeights(IntegerOp &op,
                                      const LayerWeights &weights,
                                      ArrayRef<int64_t> filterShape) {
  const IntegerWeights &integers = weights.integers;
  std::optional<std::vector<uint8_t>> filter, bias;
  if (weights.isKnown) {
    filter = quantization::bytesOf(integers.weights);
    bias = quantization::bytesOf(integers.bias);
  }
  Value input = op.operand(0);
  Value stored =
      op.weight(integers.isSigned ? "_filter_i8" : "_filter_u8", filterShape,
                op.integerType(8, integers.isSigned), filter);
  SmallVector<int64_t> shape(op.resultShape().size(), 1);
  shape[1] = static_cast<int64_t>(integers.factors.size());
  Value added = weights.hasBias
                    ? op.weight("_bias_int32", shape,
                                IntegerType::get(op.context(), 32), bias)
                    : op.none();
  op.attributes.set("with_bias", BoolAttr::get(op.context(), weights.hasBias));
  return {input, stored, added};
}

/// More channels, or taps in one dimension, than any layer has.
static constexpr int64_t kMostChannels = 1 << 20, kMostTaps = 1 << 8;

static bool isLayer(const IntegerOp &op) {
  const size_t rank = op.resultShape().size();
  return op.isRanged(0) && op.hasRangedResult() && op.isWeight(1) &&
         (!op.has(2) || op.isWeight(2)) && (rank == 3 || rank == 4) &&
         op.shape(1).size() == rank && countOf(op.shape(1)) > 0;
}

static bool lowerConv(IntegerOp &op) {
  const int64_t channels = isLayer(op) ? op.shape(1)[0] : 0;
  if (channels < 1 || channels > kMostChannels ||
      channels != op.resultShape()[1] ||
      (op.has(2) && countOf(op.shape(2)) != channels))
    return false;
  const std::optional<LayerWeights> weights = weightsOf(op, channels);
  if (!weights)
    return false;
  setFactors(op, weights->integers.factors);
  op.make(op.recipe.tpuName, makeWeights(op, *weights, op.shape(1)),
          op.resultType());
  return true;
}

/// In groups of channels the filter has a dimension more: of groups.
static bool lowerDeconv(IntegerOp &op) {
  if (!isLayer(op) || op.resultShape().size() != 4 ||
      op.shape(1)[0] != op.resultShape()[1])
    return false;
  return lowerConv(op);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// The relu ends below the largest number of the operand, where a result in the
/// operand's scale would go on.
static bool isCutShort(const IntegerOp &op) {
  const auto from = op.scale(0);
  const double limit = op.real("relu_limit", -1);
  const double most =
      op.mode.elements == Elements::F8E4M3
          ? execution::largestFloat8(execution::ElementType::F8E4M3)
          : static_cast<double>((from.isSigned ? 127 : 255) - from.zeroPoint);
  return op.real("do_relu", 0) != 0 && limit > 0 &&
         limit * (1 + 1e-6) < from.scale * most;
}

bool lowerMaxPool(IntegerOp &op) {
  if (!op.isRanged(0) || !op.hasRangedResult() || isCutShort(op) ||
      op.real("is_adaptive", 0) != 0)
    return false;
  Value input = op.operand(0);
  op.make(op.recipe.tpuName, input, op.resultLike(input));
  return true;
}

/// How many elements an average is of, where all are of as many; 0 otherwise.
static int64_t averagedElements(const IntegerOp &op) {
  auto kernel = readIntegers(op.top->getAttr("kernel_shape"));
  auto pads = readIntegers(op.top->getAttr("pads"));
  const bool hasPads =
      pads && llvm::any_of(*pads, [](int64_t pad) { return pad != 0; });
  if (!kernel || op.real("is_adaptive", 0) != 0 ||
      op.real("ceil_mode", 0) != 0 ||
      (hasPads && op.real("count_include_pad", 0) == 0))
    return 0;
  return std::max<int64_t>(countOf(*kernel), 0);
}

static bool lowerAvgPool(IntegerOp &op) {
  const int64_t count = averagedElements(op);
  if (count == 0 || !op.isRanged(0) || !op.hasRangedResult())
    return false;
  const double factor = op.scale(0).scale / op.resultScale().scale / count;
  if (op.mode.asymmetric && op.real("do_relu", 0) != 0)
    return false;
  if (op.mode.asymmetric) {
    // The sum is that of elements, zero points and all.
    Builder builder(op.context());
    const double offset =
        static_cast<double>(op.resultScale().zeroPoint) -
        factor * static_cast<double>(count * op.scale(0).zeroPoint);
    op.attributes.set("scale", builder.getF64FloatAttr(factor));
    op.attributes.set("offset", builder.getF64FloatAttr(offset));
  } else {
    const Factor narrow = op.isQdm()
                              ? quantization::factorsWithOneShift(factor)[0]
                              : quantization::narrowFactor(factor);
    op.setInteger32("multiplier", narrow.multiplier);
    op.setInteger32("rshift", narrow.shift);
  }
  op.make(op.recipe.tpuName, op.operand(0), op.resultType());
  return true;
}

//===----------------------------------------------------------------------===//
// Upsampling
//===----------------------------------------------------------------------===//

/// Each element becomes `height` x `width` of the result by a transposed
/// convolution of each channel with ones.
static void makeSpread(IntegerOp &op, int64_t height, int64_t width) {
  const int64_t channels = op.shape(0)[1];
  LayerWeights weights;
  weights.isKnown = true;
  weights.integers = quantize(
      op, std::vector<float>(channels * height * width, 1), {}, channels);
  Builder builder(op.context());
  NamedAttrList kept;
  for (StringRef name : {"do_relu", "relu_limit"})
    if (Attribute value = op.attributes.get(name))
      kept.set(name, value);
  op.attributes = kept;
  for (StringRef name : {"kernel_shape", "strides"})
    op.setIntegers(name, {height, width});
  op.setIntegers("dilations", {1, 1});
  op.setIntegers("inserts", {0, 0});
  op.setIntegers("pads", {0, 0, 0, 0});
  op.attributes.set("group", builder.getI64IntegerAttr(channels));
  op.attributes.set("dynweight_reorderd", builder.getBoolAttr(false));
  setFactors(op, weights.integers.factors);
  SmallVector<Value> operands =
      makeWeights(op, weights, {channels, 1, 1, height, width});
  op.make("tpu.Deconv", operands, op.resultType());
}

static bool lowerUpsample(IntegerOp &op) {
  const int64_t height = op.real("scale_h", 0), width = op.real("scale_w", 0);
  if (!op.isRanged(0) || !op.hasRangedResult() || op.shape(0).size() != 4 ||
      height < 1 || width < 1 || op.has(1))
    return false;
  if (height > kMostTaps || width > kMostTaps || op.shape(0)[1] > kMostChannels)
    return false;
  if (op.isQdm()) {
    makeSpread(op, height, width);
    return true;
  }
  if (isCutShort(op))
    return false;
  Value input = op.operand(0);
  op.make(op.recipe.tpuName, input, op.resultLike(input));
  return true;
}

void addWindowRules(IntegerRules &rules) {
  rules["top.Conv"] = lowerConv;
  rules["top.Deconv"] = lowerDeconv;
  rules["top.MaxPool"] = lowerMaxPool;
  rules["top.AvgPool"] = lowerAvgPool;
  rules["top.Upsample"] = lowerUpsample;
}

} // namespace tpu_mlir::lowering
