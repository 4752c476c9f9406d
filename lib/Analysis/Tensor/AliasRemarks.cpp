//===- AliasRemarks.cpp - Remarks on what cannot share --------------------===//

#include "lib/Analysis/Tensor/AliasRemarks.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

using namespace mlir;

namespace tpu_mlir::detail {

void remarkOnCopies(Operation *op) {
  if (tpu::isForCores(op) && whyUnfit(op).empty() &&
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
      cast<InPlaceOpInterface>(op).getInPlaceEdges().empty())
    emitRemark(op->getLoc())
        << "'" << op->getName().getStringRef()
        << "' has to copy: the cores' parts are no runs of bytes of the whole";
}

void remarkOnNoEffect(Operation *op) {
  if (readFlag(op->getAttr("do_relu")).value_or(false))
    emitRemark(op->getLoc())
        << "'do_relu' has no effect: with 'only_merge' 'tpu.Concat' emits no "
           "code that could clamp anything; clear one of the two";
  auto isOther = [&](StringRef name, int64_t neutral) {
    auto numbers = readIntegers(op->getAttr(name));
    return numbers && llvm::any_of(*numbers, [&](int64_t number) {
             return number != neutral;
           });
  };
  if (isOther("multipliers", 1) || isOther("rshifts", 0))
    emitRemark(op->getLoc())
        << "'multipliers' and 'rshifts' have no effect: with 'only_merge' "
           "'tpu.Concat' emits no code that could rescale anything; clear "
           "'only_merge' on the op";
}

LogicalResult checkHandedOver(Operation *by, bool fourN) {
  for (Value value : by->getOperands()) {
    auto weight = value.getDefiningOp<top::WeightOp>();
    if (!weight || !fourN || !sharesSlots(value.getType()))
      continue;
    const auto mode = readWord(weight->getAttr("store_mode")).value_or("1N");
    const auto bits =
        elementBits(cast<RankedTensorType>(value.getType()).getElementType());
    const StringRef kept = *bits == 16 ? "2N" : "4N";
    if (mode != kept)
      return emitCodedError(
          by->getLoc(), ErrorCode::InPlaceImpossible,
          "'" + by->getName().getStringRef() + "' emits no copy, but weight '" +
              valueName(value) + "' is stored as " + mode +
              ", and what functions hand over as " + kept +
              " on this chip; copy it by 'tpu.Weight2Activation'");
  }
  return success();
}

} // namespace tpu_mlir::detail
