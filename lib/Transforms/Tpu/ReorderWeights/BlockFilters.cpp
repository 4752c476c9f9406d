//===- BlockFilters.cpp - Filters of floats in blocks ---------------------===//
//
// A chip multiplies so many input channels at once. Of a filter each place of
// the kernel has whole blocks of as many; where few input channels come in, the
// places of a row or a column, or all of them, are one block.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ReorderWeights/BlockFilters.h"

#include "lib/Transforms/Tpu/ReorderWeights/ConvForm.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpu_mlir::reorder_weights {

using execution::ElementType;
using quantization::Fold;

/// Of an element.
static constexpr int64_t kBytes = 2;

namespace {

/// What convolutions that share a filter have to agree on.
struct Order {
  ConvForm form;
  Fold fold = Fold::None;
  /// The new shape; empty where there is none.
  SmallVector<int64_t> shape;

  quantization::FilterShape folded() const {
    return quantization::folded(form.shape, form.kernel, fold);
  }
};

} // namespace

static bool isHalf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor &&
         (tensor.getElementType().isF16() || tensor.getElementType().isBF16());
}

static SmallVector<int64_t> storedShape(const Order &order, int64_t block) {
  const quantization::FilterShape &plain = order.form.shape;
  if (plain.isDepthwise)
    return {1, plain.outputs, order.form.kernel[0], order.form.kernel[1]};
  const quantization::FilterShape shape = order.folded();
  const int64_t row = quantization::blockedRow(shape, block),
                blocks = row / (shape.taps * block);
  if (row <= kMaxExtent)
    return {1, plain.outputs, 1, row};
  return row / blocks <= kMaxExtent && blocks <= kMaxExtent
             ? SmallVector<int64_t>{1, plain.outputs, blocks, row / blocks}
             : SmallVector<int64_t>();
}

/// As the op reads its filter; nullopt: in the order that it is in.
static std::optional<Order> orderFor(Operation *op, int64_t block) {
  if (!isa<tpu::Conv2DOp>(op) || !isHalf(op->getResult(0).getType()))
    return std::nullopt;
  auto form = readConvForm(op);
  // With one output channel a filter in blocks looks like a plain one.
  if (!form || form->kernel.size() != 2 || form->filterType.getRank() != 4 ||
      form->filterType.getShape().drop_front(2) != ArrayRef(form->kernel))
    return std::nullopt;
  Order order{*form, form->fold(block), {}};
  order.shape = storedShape(order, block);
  return order.shape.empty() ? std::nullopt : std::optional(std::move(order));
}

static std::optional<Order> orderFor(top::WeightOp weight, int64_t block) {
  std::optional<Order> common;
  for (OpOperand &use : weight->getUses()) {
    auto order = use.getOperandNumber() == 1 ? orderFor(use.getOwner(), block)
                                             : std::nullopt;
    if (!order || (common && (common->shape != order->shape ||
                              common->fold != order->fold)))
      return std::nullopt;
    common = std::move(order);
  }
  return common;
}

/// The first of them in the text.
static Operation *firstReader(top::WeightOp weight) {
  Operation *first = nullptr;
  for (Operation *reader : weight->getUsers())
    if (!first || (reader->getBlock() == first->getBlock() &&
                   reader->isBeforeInBlock(first)))
      first = reader;
  return first;
}

static std::optional<std::vector<uint8_t>>
numbersOf(top::WeightOp weight, const Order &order, int64_t block,
          const quantization::WeightStore *weights) {
  const execution::NpyArray *array =
      weights ? weights->arrayOf(valueName(weight->getResult(0))) : nullptr;
  auto origin = readWord(weight->getAttr("origin"));
  if (weights && !array && origin)
    array = weights->arrayOf(*origin);
  if (!array)
    return std::nullopt;
  const bool isF16 = order.form.filterType.getElementType().isF16();
  ArrayRef<int64_t> shape = order.form.filterType.getShape();
  auto read =
      execution::bytesFor({isF16 ? ElementType::F16 : ElementType::BF16,
                           execution::Shape(shape.begin(), shape.end()), 1, 0},
                          *array);
  auto *bytes = std::get_if<std::vector<uint8_t>>(&read);
  if (!bytes)
    return std::nullopt;
  return quantization::blockFilter(
      quantization::foldFilter(*bytes, order.form.kernel, order.fold, kBytes),
      order.folded(), block, kBytes);
}

static bool isCandidate(top::WeightOp weight, const target::ChipSpec &chip) {
  return chip.icParallelBytes > kBytes &&
         isHalf(weight->getResult(0).getType()) && !weight->use_empty();
}

bool hasPlainFilter(top::WeightOp weight, const target::ChipSpec &chip) {
  return isCandidate(weight, chip) &&
         orderFor(weight, chip.icParallelBytes / kBytes);
}

void blockFilter(top::WeightOp weight, const target::ChipSpec &chip,
                 quantization::WeightStore *weights) {
  Value value = weight->getResult(0);
  if (!isCandidate(weight, chip))
    return;
  const int64_t block = chip.icParallelBytes / kBytes;
  const auto order = orderFor(weight, block);
  if (!order)
    return;
  const auto bytes = numbersOf(weight, *order, block, weights);
  const Type element = order->form.filterType.getElementType();
  auto type = RankedTensorType::get(order->shape, element,
                                    order->form.filterType.getEncoding());
  value.setType(type);
  Builder builder(weight->getContext());
  if (order->fold != Fold::None)
    for (Operation *reader : weight->getUsers())
      reader->setAttr(
          "use_3ic_optimize",
          builder.getI64IntegerAttr(static_cast<int64_t>(order->fold)));
  // A depthwise filter is as it was, but for its dimensions.
  auto old = weight->getLoc()->findInstanceOf<NameLoc>();
  if (!old || order->form.shape.isDepthwise)
    return;
  const std::string name =
      valueName(firstReader(weight)->getResult(0)) + "_filter_reorderd";
  if (!weight->hasAttr("origin"))
    weight->setAttr("origin", builder.getStringAttr(valueName(value)));
  weight->setLoc(NameLoc::get(builder.getStringAttr(name), old.getChildLoc()));
  if (bytes)
    weights->put(name, element.isF16() ? ElementType::F16 : ElementType::BF16,
                 order->shape, *bytes);
}

} // namespace tpu_mlir::reorder_weights
