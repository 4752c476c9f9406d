//===- Updates.cpp - Ops that may write over an operand -----------------===//

#include "lib/Transforms/Tpu/Updates/Updates.h"

#include "lib/Transforms/Tpu/Updates/Marks.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"

using namespace mlir;

namespace tpu_mlir::updates {

Updates::Updates(ModuleOp module) {
  forEachOp(module, [&](Operation *op) {
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    // What an op shares by its own nature does not go by the attribute.
    if (!inPlace || op->hasTrait<InPlaceOpInterface::Trait>())
      return;
    setMark(op, kInPlace, true);
    if (!inPlace.getInPlaceEdges().empty())
      ops.push_back(op);
    setMark(op, kInPlace, false);
  });
}

void Updates::mark(bool isOn) {
  for (Operation *op : ops)
    setMark(op, kInPlace, isOn);
}

} // namespace tpu_mlir::updates
