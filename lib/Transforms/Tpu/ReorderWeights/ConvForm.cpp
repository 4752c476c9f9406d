//===- ConvForm.cpp - A convolution's filter in the order of layers -------===//

#include "lib/Transforms/Tpu/ReorderWeights/ConvForm.h"

#include "lib/Transforms/Tpu/ReorderWeights/Exchange.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include <numeric>

using namespace mlir;

namespace tpu_mlir::reorder_weights {

static int64_t product(ArrayRef<int64_t> list) {
  return std::accumulate(list.begin(), list.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

std::optional<ConvForm> readConvForm(Operation *op) {
  auto filter = weightAt(op, 1);
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto sizes = readIntegers(op->getAttr("kernel_shape"));
  if (!filter || !result || !sizes || result.getRank() < 3)
    return std::nullopt;
  ConvForm form;
  form.filterType = dyn_cast<RankedTensorType>(filter->getResult(0).getType());
  const int64_t channels = result.getDimSize(1);
  if (!form.filterType || !form.filterType.hasStaticShape() || channels < 1)
    return std::nullopt;
  form.kernel.assign(sizes->begin(), sizes->end());
  form.group = readInteger(op->getAttr("group")).value_or(1);
  quantization::FilterShape &shape = form.shape;
  shape.outputs = channels;
  shape.taps = product(form.kernel);
  shape.inputs = shape.taps < 1 ? 0
                                : form.filterType.getNumElements() /
                                      (channels * shape.taps);
  if (shape.inputs < 1 || form.filterType.getDimSize(0) != channels ||
      shape.outputs * shape.row() != form.filterType.getNumElements())
    return std::nullopt;
  shape.isDepthwise = form.group > 1 && shape.inputs == 1;
  const auto dilations = readIntegers(op->getAttr("dilations"));
  form.isDilated =
      dilations && llvm::any_of(*dilations, [](int64_t d) { return d != 1; });
  return form;
}

SmallVector<int64_t> shapeOfMerged(const quantization::MergedLayout &layout) {
  int64_t rows = 1;
  while (rows < layout.width &&
         (layout.width % rows != 0 || layout.width / rows > kMaxExtent))
    ++rows;
  return {1, layout.lanes, rows, layout.width / rows};
}

quantization::Fold ConvForm::fold(int64_t icParallel) const {
  return group != 1 || isDilated
             ? quantization::Fold::None
             : quantization::foldOf(shape.inputs, kernel, icParallel);
}

} // namespace tpu_mlir::reorder_weights
