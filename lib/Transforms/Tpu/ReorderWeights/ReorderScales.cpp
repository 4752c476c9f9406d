//===- ReorderScales.cpp - Scales of packed weights, by lanes -------------===//

#include "lib/Transforms/Tpu/ReorderWeights/ReorderScales.h"

#include "lib/Transforms/Tpu/ReorderWeights/Exchange.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Quantization/PackedMatrix.h"

using namespace mlir;

namespace tpu_mlir::reorder_weights {

using execution::ElementType;

using Bytes = std::optional<std::vector<uint8_t>>;

static RankedTensorType weightType(Operation *op, unsigned index) {
  top::WeightOp weight = weightAt(op, index);
  auto type = weight
                  ? dyn_cast<RankedTensorType>(weight->getResult(0).getType())
                  : RankedTensorType();
  return type && type.hasStaticShape() && type.getRank() == 2
             ? type
             : RankedTensorType();
}

bool hasScalesInRows(Operation *op) {
  if (!isa<tpu::A16MatMulOp>(op) || op->getNumOperands() < 4)
    return false;
  const auto weight = weightType(op, 1), scales = weightType(op, 2),
             zeroPoints = weightType(op, 3);
  return weight && scales && zeroPoints &&
         readFlag(op->getAttr("w_transpose")).value_or(false) &&
         scales.getShape() == zeroPoints.getShape() &&
         scales.getDimSize(0) == weight.getDimSize(0) &&
         scales.getNumElements() > 0 &&
         (scales.getElementType().isF16() ||
          scales.getElementType().isBF16()) &&
         zeroPoints.getElementType().isUnsignedInteger(8);
}

/// As the weight's own type has them; a front end may have written f32.
static Bytes numbersOf(Operation *op, unsigned index, ElementType element,
                       const quantization::WeightStore *weights) {
  if (!weights)
    return std::nullopt;
  top::WeightOp weight = weightAt(op, index);
  const auto *array = weights->arrayOf(valueName(weight->getResult(0)));
  if (auto origin = readWord(weight->getAttr("origin")); !array && origin)
    array = weights->arrayOf(*origin);
  if (!array)
    return std::nullopt;
  ArrayRef<int64_t> shape = weightType(op, index).getShape();
  auto read = execution::bytesFor(
      {element, execution::Shape(shape.begin(), shape.end()), 1, 0}, *array);
  auto *bytes = std::get_if<std::vector<uint8_t>>(&read);
  return bytes ? Bytes(std::move(*bytes)) : std::nullopt;
}

static bool isPaired(Operation *op, const target::ChipSpec &chip) {
  if (chip.scalePairs != target::ScalePairs::FourBit)
    return chip.scalePairs == target::ScalePairs::All;
  const int64_t group = readInteger(op->getAttr("q_group_size")).value_or(0);
  return readInteger(op->getAttr("weight_bits")).value_or(4) == 4 &&
         group > 0 && group % 32 == 0;
}

void reorderScales(Operation *op, const target::ChipSpec &chip,
                   quantization::WeightStore *weights) {
  if (!hasScalesInRows(op))
    return;
  auto scaleType = weightType(op, 2), zeroType = weightType(op, 3);
  const int64_t rows = scaleType.getDimSize(0),
                groups = scaleType.getDimSize(1);
  if (rows % chip.lanes != 0)
    return;
  const ElementType scale =
      scaleType.getElementType().isF16() ? ElementType::F16 : ElementType::BF16;
  Bytes scales = numbersOf(op, 2, scale, weights);
  Bytes zeroPoints = numbersOf(op, 3, ElementType::U8, weights);
  if (scales)
    scales = quantization::inLanes(*scales, rows, chip.lanes);
  if (zeroPoints)
    zeroPoints = quantization::inLanes(*zeroPoints, rows, chip.lanes);
  SmallVector<int64_t> shape = {chip.lanes, rows / chip.lanes, groups};
  const auto add = [&](StringRef suffix, Type element, ElementType stored,
                       const Bytes &bytes) {
    return addWeight(op, suffix, RankedTensorType::get(shape, element), stored,
                     bytes ? &*bytes : nullptr, weights);
  };
  if (!isPaired(op, chip)) {
    exchange(op, 3,
             add("_1_reordered", zeroType.getElementType(), ElementType::U8,
                 zeroPoints));
    exchange(op, 2,
             add("_reordered", scaleType.getElementType(), scale, scales));
    return;
  }
  shape[2] *= 2;
  Bytes pairs;
  if (scales && zeroPoints)
    pairs = quantization::pairScales(*scales, *zeroPoints);
  Type word = IntegerType::get(op->getContext(), 16, IntegerType::Unsigned);
  exchange(op, 3, noneFor(op));
  exchange(op, 2, add("_reordered", word, ElementType::U16, pairs));
}

} // namespace tpu_mlir::reorder_weights
