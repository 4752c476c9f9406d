//===- PackFloat8.cpp - Coefficients of convolutions of 8-bit floats ------===//

#include "lib/Transforms/Tpu/ReorderWeights/PackFloat8.h"

#include "lib/Transforms/Tpu/ReorderWeights/ConvForm.h"
#include "lib/Transforms/Tpu/ReorderWeights/Exchange.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Execution/Element.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tpu_mlir::reorder_weights {

using execution::ElementType;

/// One scale a channel; nullopt when the op has another number of them.
static std::optional<SmallVector<double>> scalesOf(Operation *op,
                                                   int64_t channels) {
  auto array = dyn_cast_or_null<ArrayAttr>(op->getAttr("out_f8_scales"));
  if (!array || static_cast<int64_t>(array.size()) != channels)
    return std::nullopt;
  SmallVector<double> scales;
  for (Attribute each : array) {
    auto number = dyn_cast<FloatAttr>(each);
    if (!number)
      return std::nullopt;
    scales.push_back(number.getValueAsDouble());
  }
  return scales;
}

/// No bias, or a weight of one f32 a channel.
static bool hasPlainBias(Operation *op, int64_t channels) {
  if (op->getNumOperands() < 3)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(2).getType());
  if (!type)
    return isa<NoneType>(op->getOperand(2).getType());
  return weightAt(op, 2) && type.getElementType().isF32() &&
         type.hasStaticShape() && type.getNumElements() == channels;
}

/// nullopt: it is no such convolution, or has another form.
static std::optional<ConvForm> readForm(Operation *op,
                                        const target::ChipSpec &chip) {
  auto merged = op->getAttrOfType<BoolAttr>("coeff_merged");
  if (!chip.hasFloat8 || !isa<tpu::Conv2DOp>(op) ||
      (merged && merged.getValue()))
    return std::nullopt;
  auto form = readConvForm(op);
  if (!form || !isa<Float8E4M3FNType>(form->filterType.getElementType()) ||
      !scalesOf(op, form->shape.outputs) ||
      !hasPlainBias(op, form->shape.outputs))
    return std::nullopt;
  return form;
}

bool hasFloat8Filter(Operation *op, const target::ChipSpec &chip) {
  return readForm(op, chip).has_value();
}

/// Its elements as they are stored, or made of the floats that the file has;
/// nullopt: nobody knows them.
static std::optional<std::vector<uint8_t>>
elementsOf(Value weight, int64_t count,
           const quantization::WeightStore *weights) {
  const std::string name = valueName(weight);
  const execution::NpyArray *array = weights ? weights->arrayOf(name) : nullptr;
  if (!array)
    return std::nullopt;
  if (static_cast<int64_t>(array->data.size()) == count)
    return array->data;
  const auto floats = weights->floats(name, count);
  if (!floats)
    return std::nullopt;
  std::vector<uint8_t> bytes(count);
  execution::writeFloats(ElementType::F8E4M3, bytes.data(), 0, count,
                         floats->data());
  return bytes;
}

static int32_t bitsOf(float number) { return llvm::bit_cast<int32_t>(number); }

void packFloat8(Operation *op, const target::ChipSpec &chip,
                quantization::WeightStore *weights) {
  const auto form = readForm(op, chip);
  if (!form)
    return;
  const quantization::FilterShape &shape = form->shape;
  const bool hasBias = !isa<NoneType>(op->getOperand(2).getType());
  quantization::MergedChannels channels;
  const auto scales = scalesOf(op, shape.outputs);
  for (double scale : *scales)
    channels.factors.push_back({bitsOf(static_cast<float>(scale)), 0});
  auto filter =
      elementsOf(op->getOperand(1), form->filterType.getNumElements(), weights);
  if (hasBias && filter) {
    if (auto bias =
            weights->floats(valueName(op->getOperand(2)), shape.outputs))
      for (float number : *bias)
        channels.bias.push_back(bitsOf(number));
    else
      filter.reset();
  }
  const quantization::MergedForm merged = quantization::float8Form(
      {chip.lanes, chip.euBytes, chip.icParallelBytes, 1});
  std::vector<uint8_t> bytes;
  if (filter)
    bytes = quantization::packMerged(merged, shape, *filter, channels);
  Value packed = addWeight(
      op, "_merge",
      RankedTensorType::get(
          shapeOfMerged(quantization::mergedLayout(merged, shape, hasBias)),
          form->filterType.getElementType()),
      ElementType::F8E4M3, filter ? &bytes : nullptr, weights);
  op->setAttr("coeff_merged", BoolAttr::get(op->getContext(), true));
  exchange(op, 1, packed);
  exchange(op, 2, noneFor(op));
}

} // namespace tpu_mlir::reorder_weights
