//===- Merges.cpp - Concats that need not copy ----------------------------===//

#include "tpu_mlir/Analysis/Tensor/Merges.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tpu_mlir {

/// A merge emits no code: nothing is clamped or scaled.
static bool onlyCopies(tpu::ConcatOp op) {
  if (readFlag(op->getAttr("do_relu")).value_or(false))
    return false;
  for (auto [name, neutral] : {std::pair("multipliers", 1), {"rshifts", 0}})
    for (int64_t number :
         readIntegers(op->getAttr(name)).value_or(SmallVector<int64_t>()))
      if (number != neutral)
        return false;
  return true;
}

/// Every piece is written where it stands, by an op of the same block.
static bool mayComputeInPlace(tpu::ConcatOp op) {
  auto whole = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  llvm::DenseSet<Value> seen;
  return whole && llvm::all_of(op->getOperands(), [&](Value piece) {
           auto type = dyn_cast<RankedTensorType>(piece.getType());
           Operation *made = piece.getDefiningOp();
           return type && type.getElementType() == whole.getElementType() &&
                  made && made->getBlock() == op->getBlock() &&
                  !isa<top::WeightOp, top::InputOp>(made) &&
                  seen.insert(piece).second;
         });
}

SmallVector<InPlaceEdge> edgesIfMerged(tpu::ConcatOp op) {
  if (!onlyCopies(op))
    return {};
  // What a merged one says of itself, of a copy.
  Operation *merged = op->cloneWithoutRegions();
  merged->setAttr(op.getOnlyMergeAttrName(),
                  BoolAttr::get(op->getContext(), true));
  SmallVector<InPlaceEdge> edges =
      cast<InPlaceOpInterface>(merged).getInPlaceEdges();
  merged->destroy();
  return edges;
}

bool mayBeMerged(tpu::ConcatOp op) {
  return !op.getOnlyMerge() && mayComputeInPlace(op) &&
         !edgesIfMerged(op).empty();
}

} // namespace tpu_mlir
