//===- ReuseTarget.cpp - Use the target of a copy for its source ----------===//
//
// Moves the target's allocation up and lets the source be computed there in
// the first place.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/CopyRemoval/Reuse.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::copies {

/// Ops that one removal moves at most.
static constexpr size_t kMostMoved = 16;

/// From the first use of the source to the copy nobody touches the target; from
/// there to the last use of the source nobody changes either.
std::optional<Obstacle>
BufferReuse::targetUntouched(const BufferCopy &copy,
                             const BufferUses &of) const {
  Value source = copy.source;
  Operation *first = of.firstAccess;
  auto isHarmless = [&](const BufferAccess &access) {
    return stripViews(access.name()) == source ||
           (access.op == first && access.name() == copy.target &&
            !access.writes && readsWhereItWrites(first, copy.target, source));
  };
  Interval making{classes.time().of(first), classes.time().of(copy.op)};
  if (Operation *op = classes.accessIn(copy.target, making, false, isHarmless))
    return Obstacle{
        quoted(op) + " may touch the target while the source is made", op};

  Interval after = through(copy.op, of.lastAccess);
  auto isFree = [&](const BufferAccess &access) {
    return isa<memref::DeallocOp>(access.op) &&
           stripViews(access.name()) == source;
  };
  if (!classes.accessIn(source, after, false, isFree))
    return std::nullopt;
  return changesIn(after, copy, source);
}

bool BufferReuse::makeAvailable(Value value, Operation *before, Value dying,
                                llvm::SetVector<Operation *> &moved) const {
  if (stripViews(value) == dying)
    return false;
  if (const_cast<DominanceInfo &>(dominance).properlyDominates(value, before))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != before->getBlock() || op->getNumRegions() > 0 ||
      moved.size() >= kMostMoved ||
      !(isPure(op) || isa<memref::AllocOp, memref::AllocaOp>(op)))
    return false;
  if (moved.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!makeAvailable(operand, before, dying, moved))
      return false;
  moved.insert(op);
  return true;
}

std::optional<Obstacle> BufferReuse::reuseTarget(const BufferCopy &copy) {
  Value source = copy.source;
  if (copy.target.getDefiningOp() == copy.op)
    return Obstacle{"its target is made by it", nullptr};
  Operation *alloc = removableAlloc(source);
  if (!alloc || alloc->getBlock() != copy.op->getBlock())
    return Obstacle{"its source is not allocated in its block", nullptr};
  if (auto obstacle = commonObstacle(copy))
    return obstacle;
  const BufferUses of = uses(source);
  if (of.leaves)
    return Obstacle{"its source goes elsewhere at " + quoted(of.leaves),
                    of.leaves};
  if (!isCastable(copy.target.getType(), source.getType()) &&
      !(of.anyLayout &&
        differInLayoutOnly(copy.target.getType(), source.getType())))
    return Obstacle{"its target is of another layout or memory space", nullptr};
  int64_t alignment = std::max(alignmentOf(alloc), of.alignment);
  if (!hasAlignment(copy.target, alignment, /*mayChange=*/false))
    return Obstacle{"its target may not be aligned to " +
                        std::to_string(alignment) + " bytes",
                    nullptr};
  if (auto obstacle = targetUntouched(copy, of))
    return obstacle;
  llvm::SetVector<Operation *> moved;
  if (!makeAvailable(copy.target, of.first, source, moved))
    return Obstacle{"its target is not there when its source is first used",
                    of.first};

  // Operation::moveBefore() would make the whole block be numbered anew.
  Block *block = copy.op->getBlock();
  for (Operation *op : moved) {
    op->remove();
    block->getOperations().insert(Block::iterator(of.first), op);
  }
  hasAlignment(copy.target, alignment, /*mayChange=*/true);
  for (memref::DeallocOp dealloc : of.deallocs)
    erase(dealloc);
  putTargetForSource(copy, of.first, /*needsCast=*/!of.anyLayout);
  return std::nullopt;
}

void BufferReuse::putTargetForSource(const BufferCopy &copy, Operation *first,
                                     bool needsCast) {
  Value source = copy.source, target = copy.target;
  Operation *alloc = source.getDefiningOp();
  Value name = needsCast ? castTo(target, source.getType(), first) : target;
  outdate(source);
  outdate(target);
  classes.forget(copy.op);
  classes.addName(target, name);
  classes.replace(source, name);
  source.replaceAllUsesWith(name);
  orphans.remove(copy.op);
  copy.op->erase();
  erase(alloc);
}

} // namespace tpu_mlir::copies
