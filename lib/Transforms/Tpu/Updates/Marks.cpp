//===- Marks.cpp - What ops may share bytes -------------------------------===//

#include "lib/Transforms/Tpu/Updates/Marks.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"
#include "tpu_mlir/Support/Interval.h"

using namespace mlir;

namespace tpu_mlir::updates {

void forEachOp(ModuleOp module, llvm::function_ref<void(Operation *)> each) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op) && op != module)
      return WalkResult::skip();
    each(op);
    return isa<tpu::GroupOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

void setMark(Operation *op, StringRef mark, bool isOn) {
  if (isOn)
    op->setAttr(mark, UnitAttr::get(op->getContext()));
  else
    op->removeAttr(mark);
}

static std::optional<Interval> placeOf(Value value, bool fourN) {
  const auto address = getAddress(value.getType());
  const auto bytes = typeBytes(value.getType(), fourN);
  return address && bytes ? std::optional(Interval{*address, *address + *bytes})
                          : std::nullopt;
}

static bool sharesBytes(Operation *op, bool fourN) {
  return llvm::any_of(op->getResults(), [&](Value result) {
    const auto made = placeOf(result, fourN);
    return made && llvm::any_of(op->getOperands(), [&](Value operand) {
             const auto read = placeOf(operand, fourN);
             return read && read->overlaps(*made);
           });
  });
}

void dropUnusedMarks(ModuleOp module, bool fourN) {
  forEachOp(module, [&](Operation *op) {
    for (StringRef mark : {StringRef(kInPlace), StringRef(tpu::kInOrder)})
      if (op->hasAttr(mark) && !sharesBytes(op, fourN))
        op->removeAttr(mark);
  });
}

} // namespace tpu_mlir::updates
