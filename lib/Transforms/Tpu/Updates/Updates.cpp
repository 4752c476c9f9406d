//===- Updates.cpp - Ops that may write over an operand -----------------===//

#include "lib/Transforms/Tpu/Updates/Updates.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

using namespace mlir;

namespace tpu_mlir::updates {

static constexpr StringLiteral kInPlace = "in_place";

static void setMark(Operation *op, bool isOn) {
  if (isOn)
    op->setAttr(kInPlace, UnitAttr::get(op->getContext()));
  else
    op->removeAttr(kInPlace);
}

Updates::Updates(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op) && op != module)
      return WalkResult::skip();
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    // What an op shares by its own nature does not go by the attribute.
    if (inPlace && !op->hasTrait<InPlaceOpInterface::Trait>()) {
      setMark(op, true);
      if (!inPlace.getInPlaceEdges().empty())
        ops.push_back(op);
      setMark(op, false);
    }
    return isa<tpu::GroupOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

void Updates::mark(bool isOn) {
  for (Operation *op : ops)
    setMark(op, isOn);
}

} // namespace tpu_mlir::updates
