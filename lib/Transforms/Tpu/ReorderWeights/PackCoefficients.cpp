//===- PackCoefficients.cpp - One convolution's coefficients --------------===//

#include "lib/Transforms/Tpu/ReorderWeights/PackCoefficients.h"

#include "lib/Transforms/Tpu/ReorderWeights/ConvForm.h"
#include "lib/Transforms/Tpu/ReorderWeights/Exchange.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Quantization/Packing.h"
#include "tpu_mlir/Quantization/Scheme.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace tpu_mlir::reorder_weights {

using execution::ElementType;
using quantization::Factor;
using quantization::FilterShape;
using quantization::Scheme;

namespace {

/// A convolution of integers, and new weights for it.
class ConvPacker : ConvForm {
public:
  ConvPacker(Operation *op, const target::ChipSpec &chip,
             quantization::WeightStore *weights)
      : op(op), chip(chip), weights(weights), builder(op) {}

  /// False: it is none, or has another form.
  bool read();
  void packForQdm();
  void packMerged();
  bool isTransposed() const { return isa<tpu::DeconvOp>(op); }

private:
  Value newWeight(StringRef suffix, ArrayRef<int64_t> shape, Type element,
                  const std::vector<uint8_t> &bytes);
  std::vector<int32_t> biasNumbers() const;
  void finish(Value filter, Value bias);
  bool isKnown() const { return filterBytes != nullptr; }

  Operation *op;
  const target::ChipSpec &chip;
  quantization::WeightStore *weights;
  OpBuilder builder;
  bool hasBias = false;
  std::vector<Factor> factors;
  /// Null when nobody knows them.
  const execution::NpyArray *filterBytes = nullptr, *biasBytes = nullptr;
};

} // namespace

bool ConvPacker::read() {
  auto form = readConvForm(op);
  auto multipliers = readIntegers(op->getAttr("multiplier"));
  auto shifts = readIntegers(op->getAttr("rshift"));
  if (!form || !multipliers || !shifts || op->getNumOperands() < 3 ||
      !isa<quant::UniformQuantizedType>(
          cast<RankedTensorType>(op->getResult(0).getType()).getElementType()))
    return false;
  static_cast<ConvForm &>(*this) = std::move(*form);
  if (!filterType.getElementType().isInteger(8) ||
      static_cast<int64_t>(multipliers->size()) != shape.outputs ||
      shifts->size() != multipliers->size())
    return false;
  for (auto [multiplier, shift] : llvm::zip_equal(*multipliers, *shifts))
    factors.push_back({multiplier, shift});
  hasBias = !isa<NoneType>(op->getOperand(2).getType());
  if (hasBias && !weightAt(op, 2))
    return false;
  if (weights) {
    filterBytes = weights->arrayOf(valueName(op->getOperand(1)));
    if (hasBias)
      biasBytes = weights->arrayOf(valueName(op->getOperand(2)));
    if (!filterBytes || (hasBias && !biasBytes) ||
        static_cast<int64_t>(filterBytes->data.size()) !=
            filterType.getNumElements())
      filterBytes = nullptr;
  }
  return true;
}

std::vector<int32_t> ConvPacker::biasNumbers() const {
  if (!hasBias)
    return {};
  std::vector<int32_t> numbers(shape.outputs);
  if (isKnown())
    for (int64_t c = 0; c < shape.outputs; ++c)
      numbers[c] = static_cast<int32_t>(
          llvm::support::endian::read32le(biasBytes->data.data() + 4 * c));
  return numbers;
}

Value ConvPacker::newWeight(StringRef suffix, ArrayRef<int64_t> shape,
                            Type element, const std::vector<uint8_t> &bytes) {
  return addWeight(op, suffix, RankedTensorType::get(shape, element),
                   element.isUnsignedInteger() ? ElementType::U8
                                               : ElementType::I8,
                   isKnown() ? &bytes : nullptr, weights);
}

void ConvPacker::finish(Value filter, Value bias) {
  exchange(op, 1, filter);
  exchange(op, 2, bias);
  op->removeAttr("multiplier");
  op->removeAttr("rshift");
}

void ConvPacker::packForQdm() {
  const std::vector<int32_t> bias = biasNumbers();
  Value packed = newWeight(
      "_bias_packed", {1, shape.outputs, 1, hasBias ? 9 : 5},
      builder.getIntegerType(8), quantization::packQdm(bias, factors));
  const int64_t inputs =
      group == 1 ? quantization::storedInputs(shape) : shape.inputs;
  SmallVector<int64_t> stored = {1, shape.outputs, shape.taps, inputs};
  if (shape.isDepthwise && kernel.size() == 2)
    stored = {1, shape.outputs, kernel[0], kernel[1]};
  std::vector<uint8_t> bytes;
  if (isKnown())
    bytes = quantization::channelsLast(filterBytes->data, shape, inputs);
  Value filter = newWeight("_filter_reordered", stored,
                           filterType.getElementType(), bytes);
  if (inputs != shape.inputs)
    op->setAttr("use_3ic_optimize", builder.getI64IntegerAttr(4));
  finish(filter, packed);
}

void ConvPacker::packMerged() {
  quantization::MergedForm form{chip.lanes, chip.euBytes, chip.icParallelBytes,
                                chip.requantBytes / 4};
  auto type = cast<quant::UniformQuantizedType>(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  const quantization::Fold fold = this->fold(chip.icParallelBytes);
  const FilterShape stored = quantization::folded(shape, kernel, fold);
  const auto layout = quantization::mergedLayout(form, stored, hasBias);
  std::vector<uint8_t> bytes;
  if (isKnown())
    bytes = quantization::packMerged(
        form, stored, quantization::foldFilter(filterBytes->data, kernel, fold),
        {factors, biasNumbers(), type.getZeroPoint()});
  Value merged = newWeight("_merge", shapeOfMerged(layout),
                           filterType.getElementType(), bytes);
  op->setAttr("coeff_merged", builder.getBoolAttr(true));
  if (fold != quantization::Fold::None)
    op->setAttr("use_3ic_optimize",
                builder.getI64IntegerAttr(static_cast<int64_t>(fold)));
  finish(merged, noneFor(op));
}

bool hasFactors(Operation *op, const target::ChipSpec &chip) {
  return isa<tpu::Conv1DOp, tpu::Conv2DOp, tpu::DeconvOp>(op) &&
         op->hasAttr("multiplier") && quantization::schemeOf(chip.requantBytes);
}

void packCoefficients(Operation *op, const target::ChipSpec &chip,
                      quantization::WeightStore *weights) {
  if (!hasFactors(op, chip))
    return;
  ConvPacker packer(op, chip, weights);
  if (!packer.read())
    return;
  if (quantization::schemeOf(chip.requantBytes) == Scheme::Qdm)
    packer.packForQdm();
  else if (!packer.isTransposed())
    packer.packMerged();
}

} // namespace tpu_mlir::reorder_weights
