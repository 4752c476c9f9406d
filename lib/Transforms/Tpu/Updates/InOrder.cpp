//===- InOrder.cpp - Ops whose result may begin below an operand ----------===//

#include "lib/Transforms/Tpu/Updates/InOrder.h"

#include "tpu_mlir/Analysis/Cores.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"
#include "tpu_mlir/Support/Interval.h"

using namespace mlir;

namespace tpu_mlir::updates {

/// Of the ops of `module` alone, a group as one of them.
static void forEachOp(ModuleOp module,
                      llvm::function_ref<void(Operation *)> each) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op) && op != module)
      return WalkResult::skip();
    each(op);
    return isa<tpu::GroupOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

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
    if (isOn)
      op->setAttr(tpu::kInOrder, UnitAttr::get(op->getContext()));
    else
      op->removeAttr(tpu::kInOrder);
}

void recordKernelOrder(ModuleOp module, bool isPromised) {
  forEachOp(module, [](Operation *op) { op->removeAttr(tpu::kInOrder); });
  if (isPromised)
    module->setAttr(tpu::kKernelsInOrder, UnitAttr::get(module.getContext()));
  else
    module->removeAttr(tpu::kKernelsInOrder);
}

static std::optional<Interval> placeOf(Value value, bool fourN) {
  const auto address = getAddress(value.getType());
  const auto bytes = typeBytes(value.getType(), fourN);
  return address && bytes ? std::optional(Interval{*address, *address + *bytes})
                          : std::nullopt;
}

static bool sharesBytes(Operation *op, bool fourN) {
  const auto made = placeOf(op->getResult(0), fourN);
  return made && llvm::any_of(op->getOperands(), [&](Value operand) {
           const auto read = placeOf(operand, fourN);
           return read && read->overlaps(*made);
         });
}

void dropUnusedInOrder(ModuleOp module, bool fourN) {
  forEachOp(module, [&](Operation *op) {
    if (op->hasAttr(tpu::kInOrder) && !sharesBytes(op, fourN))
      op->removeAttr(tpu::kInOrder);
  });
}

} // namespace tpu_mlir::updates
