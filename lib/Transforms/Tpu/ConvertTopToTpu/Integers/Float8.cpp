//===- Float8.cpp - Layers of floats of 8 bits that have a scale ----------===//
//
// A number is an element times the scale of its tensor, which makes the largest
// number of the range the largest element (448). Kernels compute with elements;
// what the scales make of a sum is one factor, of a channel or of all.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "llvm/Support/Endian.h"

using namespace mlir;

namespace tpu_mlir::lowering {

namespace {

/// Elements of `rows` rows, and a factor for each row of the sums.
struct ScaledLayer {
  std::optional<std::vector<uint8_t>> filter, bias;
  std::vector<double> factors;
};

} // namespace

static bool isLayer(const IntegerOp &op) {
  return op.isRanged(0) && op.hasRangedResult() && op.isWeight(1) &&
         (!op.has(2) || op.isWeight(2)) && !op.shape(1).empty();
}

static std::vector<uint8_t> bytesOf(ArrayRef<float> numbers) {
  std::vector<uint8_t> bytes(4 * numbers.size());
  for (auto [i, number] : llvm::enumerate(numbers)) {
    uint32_t bits;
    std::memcpy(&bits, &number, sizeof(bits));
    llvm::support::endian::write32le(bytes.data() + 4 * i, bits);
  }
  return bytes;
}

/// A bias is in the scale of the sums. Where nobody knows the weights, factors
/// by which sums of random ones stay in range; nullopt where one is not finite.
static std::optional<ScaledLayer> scaledLayer(const IntegerOp &op,
                                              int64_t rows) {
  ScaledLayer layer;
  const double input = op.scale(0).scale, output = op.resultScale().scale;
  auto filter = op.numbers(1);
  std::optional<std::vector<float>> bias = std::vector<float>();
  if (op.has(2))
    bias = op.numbers(2);
  if (!filter || !bias) {
    layer.factors.assign(rows, 0x1p-8);
    return layer;
  }
  if (!quantization::areFinite(*filter) || !quantization::areFinite(*bias))
    return std::nullopt;
  const auto made = quantization::quantizeToFloat8(*filter, rows);
  layer.filter = made.weights;
  std::vector<float> sums;
  for (double scale : made.scales)
    layer.factors.push_back(input * scale / output);
  for (auto [i, number] : llvm::enumerate(*bias))
    sums.push_back(
        static_cast<float>(number / (input * made.scales[rows == 1 ? 0 : i])));
  layer.bias = bytesOf(sums);
  return layer;
}

/// Makes the weights; operands of the op.
static SmallVector<Value> makeWeights(IntegerOp &op, const ScaledLayer &layer) {
  Value input = op.operand(0);
  Value filter = op.weight("_filter_f8e4m3", op.shape(1),
                           Float8E4M3FNType::get(op.context()), layer.filter);
  Value bias = op.has(2) ? op.weight("_bias_f32", op.shape(2),
                                     Float32Type::get(op.context()), layer.bias)
                         : op.none();
  return {input, filter, bias};
}

static bool lowerConv(IntegerOp &op) {
  const int64_t channels = isLayer(op) ? op.shape(1)[0] : 0;
  if (channels < 1 || op.recipe.tpuName != "tpu.Conv2D" ||
      channels != op.resultShape()[1] ||
      (op.has(2) && ShapedType::getNumElements(op.shape(2)) != channels))
    return false;
  const std::optional<ScaledLayer> layer = scaledLayer(op, channels);
  if (!layer)
    return false;
  op.setReals("out_f8_scales", layer->factors);
  op.setScaleOnly();
  op.attributes.set("with_bias", BoolAttr::get(op.context(), op.has(2)));
  op.make(op.recipe.tpuName, makeWeights(op, *layer), op.resultType());
  return true;
}

/// One factor for the whole product.
static bool lowerMatMul(IntegerOp &op) {
  if (!isLayer(op) || op.shape(0).empty())
    return false;
  const std::optional<ScaledLayer> layer = scaledLayer(op, 1);
  if (!layer)
    return false;
  op.setReals("out_scales", layer->factors);
  op.setScaleOnly();
  SmallVector<Value> operands = makeWeights(op, *layer);
  while (operands.size() < op.recipe.rule->minOperands)
    operands.push_back(op.none());
  op.make(op.recipe.tpuName, operands, op.resultType());
  return true;
}

/// All operands are activations.
static bool areActivations(const IntegerOp &op) {
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
    if (!op.isRanged(i))
      return false;
  return op.top->getNumOperands() > 0 && op.hasRangedResult() &&
         !op.top->hasAttr("coeff");
}

static SmallVector<Value> operandsOf(IntegerOp &op) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
    operands.push_back(op.operand(i));
  return operands;
}

/// A factor for each operand.
static bool lowerSum(IntegerOp &op) {
  if (!areActivations(op))
    return false;
  SmallVector<double> factors;
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
    factors.push_back(op.scale(i).scale / op.resultScale().scale);
  op.setReals("f8_scales", factors);
  op.make(op.recipe.tpuName, operandsOf(op), op.resultType());
  return true;
}

static bool lowerProduct(IntegerOp &op) {
  if (!areActivations(op) || op.top->getNumOperands() != 2)
    return false;
  op.setReals("out_f8_scales",
              op.scale(0).scale * op.scale(1).scale / op.resultScale().scale);
  op.setScaleOnly();
  op.make(op.recipe.tpuName, operandsOf(op), op.resultType());
  return true;
}

/// Operands of other scales get that of the result first.
static bool lowerConcat(IntegerOp &op) {
  if (!areActivations(op))
    return false;
  Type element = cast<RankedTensorType>(op.resultType()).getElementType();
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
    operands.push_back(op.operandAs(i, element));
  op.make(op.recipe.tpuName, operands, op.resultType());
  return true;
}

static bool lowerAvgPool(IntegerOp &op) {
  if (!op.isRanged(0) || !op.hasRangedResult() ||
      op.recipe.tpuName != "tpu.Pool2D")
    return false;
  op.attributes.set(
      "fp8_out_scale",
      Builder(op.context())
          .getF64FloatAttr(op.scale(0).scale / op.resultScale().scale));
  op.make(op.recipe.tpuName, op.operand(0), op.resultType());
  return true;
}

void addFloat8Rules(IntegerRules &rules) {
  addMoveRules(rules);
  rules["top.Conv"] = lowerConv;
  rules["top.MatMul"] = lowerMatMul;
  rules["top.Add"] = rules["top.Sub"] = lowerSum;
  rules["top.Mul"] = lowerProduct;
  rules["top.Concat"] = lowerConcat;
  rules["top.MaxPool"] = lowerMaxPool;
  rules["top.AvgPool"] = lowerAvgPool;
}

} // namespace tpu_mlir::lowering
