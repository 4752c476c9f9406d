//===- Exchange.cpp - Other weights for an op -----------------------------===//

#include "lib/Transforms/Tpu/ReorderWeights/Exchange.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpu_mlir::reorder_weights {

top::WeightOp weightAt(Operation *op, unsigned index) {
  return index < op->getNumOperands()
             ? op->getOperand(index).getDefiningOp<top::WeightOp>()
             : top::WeightOp();
}

Value addWeight(Operation *op, StringRef suffix, RankedTensorType type,
                execution::ElementType stored,
                const std::vector<uint8_t> *bytes,
                quantization::WeightStore *weights) {
  OpBuilder builder(op);
  const std::string name = valueName(op->getResult(0)) + suffix.str();
  Location location = op->getLoc();
  auto old = location->findInstanceOf<NameLoc>();
  if (old)
    location = NameLoc::get(builder.getStringAttr(name), old.getChildLoc());
  OperationState state(location, "top.Weight");
  state.addTypes(type);
  if (bytes && weights && old)
    weights->put(name, stored, type.getShape(), *bytes);
  return builder.create(state)->getResult(0);
}

Value noneFor(Operation *op) {
  for (Operation &each : op->getBlock()->getOperations())
    if (isa<top::NoneOp>(each) && each.isBeforeInBlock(op))
      return each.getResult(0);
  OpBuilder builder(op);
  OperationState state(builder.getUnknownLoc(), "top.None");
  state.addTypes(builder.getNoneType());
  return builder.create(state)->getResult(0);
}

void exchange(Operation *op, unsigned index, Value value) {
  top::WeightOp old = weightAt(op, index);
  op->setOperand(index, value);
  if (old && old->use_empty())
    old->erase();
}

} // namespace tpu_mlir::reorder_weights
