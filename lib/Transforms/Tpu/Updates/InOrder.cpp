//===- InOrder.cpp - Ops whose result may begin below an operand ----------===//

#include "lib/Transforms/Tpu/Updates/InOrder.h"

#include "lib/Transforms/Tpu/Updates/Marks.h"
#include "tpu_mlir/Analysis/Cores.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"

using namespace mlir;

namespace tpu_mlir::updates {

InOrder::InOrder(ModuleOp module, bool fourN, bool isPromised) {
  forEachOp(module, [&](Operation *op) {
    op->removeAttr(tpu::kInOrder);
    if (isPromised && !runsOnSeveralCores(op) &&
        !tpu::sweepEdges(op, fourN).empty())
      ops.push_back(op);
  });
}

void InOrder::mark(bool isOn) {
  for (Operation *op : ops)
    setMark(op, tpu::kInOrder, isOn);
}

void recordKernelOrder(ModuleOp module, bool isPromised) {
  forEachOp(module, [](Operation *op) { op->removeAttr(tpu::kInOrder); });
  setMark(module, tpu::kKernelsInOrder, isPromised);
}

} // namespace tpu_mlir::updates
