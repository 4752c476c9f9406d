//===- BufferUses.cpp - Collect the uses of one allocation ----------------===//
//
// All accesses by tick, and the reasons why the allocation cannot be replaced.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/CopyRemoval/BufferUses.h"

#include "lib/Transforms/Memref/CopyRemoval/Effects.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::copies {

Value stripCasts(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>()) {
    if (!isa<MemRefType>(cast.getSource().getType()))
      break;
    memref = cast.getSource();
  }
  return memref;
}

/// A view that is a memref and nothing else.
static bool isView(OpOperand &use) {
  auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner());
  return view && view.getViewSource() == use.get() &&
         view->getNumResults() == 1 &&
         isa<BaseMemRefType>(view->getResult(0).getType()) &&
         isMemoryEffectFree(view);
}

/// It only looks at the bytes or the shape while it runs.
static bool isPlainAccess(Operation *op, const CallSummaries &calls) {
  return !endsBlock(op) && !isa<RegionBranchOpInterface>(op) &&
         !leadsElsewhere(op, calls) &&
         llvm::all_of(op->getResultTypes(), isPlainType);
}

static bool takesAnyLayout(Operation *op) {
  return isa<linalg::LinalgOp, memref::LoadOp, memref::StoreOp, memref::CopyOp,
             memref::DimOp, affine::AffineLoadOp, affine::AffineStoreOp>(op);
}

namespace {

class UseWalk {
public:
  UseWalk(Value memref, const CallSummaries &calls)
      : calls(calls), block(memref.getParentBlock()) {
    names.push_back(memref);
    for (size_t next = 0; next < names.size(); ++next)
      for (OpOperand &use : names[next].getUses())
        visit(use, next == 0);
  }
  BufferUses uses;

private:
  void visit(OpOperand &use, bool isDirect);
  void place(Operation *op, bool isFree);

  const CallSummaries &calls;
  Block *block;
  SmallVector<Value, 4> names;
};

} // namespace

void UseWalk::place(Operation *op, bool isFree) {
  Operation *at = block->findAncestorOpInBlock(*op);
  if (!at) {
    if (!isFree)
      uses.leaves = op;
    return;
  }
  if (!uses.first || at->isBeforeInBlock(uses.first))
    uses.first = at;
  if (isFree || (at == op && isMemoryEffectFree(op)))
    return;
  if (!uses.firstAccess || at->isBeforeInBlock(uses.firstAccess))
    uses.firstAccess = at;
  if (!uses.lastAccess || uses.lastAccess->isBeforeInBlock(at))
    uses.lastAccess = at;
}

void UseWalk::visit(OpOperand &use, bool isDirect) {
  Operation *op = use.getOwner();
  auto dealloc = dyn_cast<memref::DeallocOp>(op);
  place(op, dealloc != nullptr);
  if (dealloc) {
    uses.deallocs.push_back(dealloc);
    return;
  }
  if (auto aligned = op->getAttrOfType<IntegerAttr>("alignment"))
    uses.alignment = std::max(uses.alignment, aligned.getInt());
  if (isDirect && !takesAnyLayout(op))
    uses.anyLayout = false;
  if (isView(use))
    names.push_back(op->getResult(0));
  else if (!isPlainAccess(op, calls))
    uses.leaves = op;
}

BufferUses usesOf(Value memref, const CallSummaries &calls) {
  return UseWalk(memref, calls).uses;
}

} // namespace tpu_mlir::copies
