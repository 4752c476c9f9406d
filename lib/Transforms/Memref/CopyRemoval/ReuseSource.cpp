//===- ReuseSource.cpp - Use the source of a copy for its target ----------===//
//
// Checks that neither changes while both are in use, then replaces and erases
// the target.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/CopyRemoval/Reuse.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::copies {

BufferReuse::BufferReuse(Operation *function, const CallSummaries &calls,
                         bool argumentsApart)
    : function(function), calls(calls),
      classes(function, calls, argumentsApart), dominance(function) {
  function->walk([&](memref::DeallocOp dealloc) {
    frees[stripCasts(dealloc.getMemref())].push_back(dealloc);
  });
}

//===----------------------------------------------------------------------===//
// Bookkeeping
//===----------------------------------------------------------------------===//

Interval BufferReuse::between(Operation *first, Operation *last) const {
  return {classes.time().range(first).end, classes.time().of(last)};
}

Interval BufferReuse::through(Operation *first, Operation *last) const {
  return {classes.time().range(first).end, classes.time().range(last).end};
}

const BufferUses &BufferReuse::uses(Value memref) {
  auto [entry, isNew] = knownUses.try_emplace(memref);
  if (isNew)
    entry->second = usesOf(memref, calls);
  return entry->second;
}

/// Uses of `memref` change, and so those of what it is a view of.
void BufferReuse::outdate(Value memref) {
  while (true) {
    knownUses.erase(memref);
    auto view = dyn_cast_or_null<ViewLikeOpInterface>(memref.getDefiningOp());
    if (!view)
      return;
    memref = view.getViewSource();
  }
}

void BufferReuse::erase(Operation *op) {
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    auto &list = frees[stripCasts(dealloc.getMemref())];
    llvm::erase(list, dealloc);
    auto known = knownUses.find(dealloc.getMemref());
    if (known != knownUses.end() && known->second.first != op)
      llvm::erase(known->second.deallocs, dealloc);
    else
      outdate(dealloc.getMemref());
  }
  classes.forget(op);
  orphans.remove(op);
  op->erase();
}

void BufferReuse::dropCopy(const BufferCopy &copy) {
  outdate(copy.source);
  outdate(copy.target);
  erase(copy.op);
}

void BufferReuse::removeDeadAllocs() {
  for (Operation *alloc : llvm::to_vector(orphans)) {
    SmallVector<Operation *> users(alloc->getUsers());
    if (!removableAlloc(alloc->getResult(0)) ||
        !llvm::all_of(users, llvm::IsaPred<memref::DeallocOp>))
      continue;
    for (Operation *user : users)
      erase(user);
    outdate(alloc->getResult(0));
    erase(alloc);
  }
}

//===----------------------------------------------------------------------===//
// What both ways have in common
//===----------------------------------------------------------------------===//

std::optional<Obstacle>
BufferReuse::commonObstacle(const BufferCopy &copy) const {
  if (mayBeGraphRegion(*copy.op->getParentRegion()))
    return Obstacle{"its block is in no order of time", nullptr};
  for (Value memref : {copy.source, copy.target})
    if (classes.isAsynchronous(memref))
      return Obstacle{"an asynchronous op may be at work on it", nullptr};
  for (Operation *op = copy.op->getParentOp(); op != function;
       op = op->getParentOp()) {
    if (!isOpaque(op))
      continue;
    for (Value memref : {copy.source, copy.target})
      if (!classes.isPrivate(memref) || !classes.isInside(memref, op))
        return Obstacle{"other threads of " + quoted(op) +
                            " may have source or target",
                        op};
    break;
  }
  return std::nullopt;
}

std::optional<Obstacle> BufferReuse::changesIn(Interval window,
                                               const BufferCopy &copy,
                                               Value dying) const {
  Value source = stripViews(copy.source), target = stripViews(copy.target);
  auto isFreeOf = [&](const BufferAccess &access, Value memref) {
    return isa<memref::DeallocOp>(access.op) && memref == dying;
  };
  auto ofSource = [&](const BufferAccess &access) {
    Value base = stripViews(access.name());
    return base == target || (base == source && isFreeOf(access, source));
  };
  auto ofTarget = [&](const BufferAccess &access) {
    Value base = stripViews(access.name());
    return base == source || (base == target && isFreeOf(access, target));
  };
  if (Operation *op = classes.accessIn(copy.source, window, true, ofSource))
    return Obstacle{
        quoted(op) + " may write or free the source while both are in use", op};
  if (Operation *op = classes.accessIn(copy.target, window, true, ofTarget))
    return Obstacle{
        quoted(op) + " may write or free the target while both are in use", op};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The source instead of the target
//===----------------------------------------------------------------------===//

/// The dealloc of the source that follows on the copy in its block.
memref::DeallocOp BufferReuse::freeAfter(const BufferCopy &copy) {
  Value source = stripCasts(copy.source);
  if (isa_and_nonnull<ViewLikeOpInterface>(source.getDefiningOp()))
    return {};
  auto known = frees.find(source);
  if (known == frees.end())
    return {};
  memref::DeallocOp first;
  for (memref::DeallocOp free : known->second)
    if (free->getBlock() == copy.op->getBlock() &&
        copy.op->isBeforeInBlock(free) &&
        (!first || free->isBeforeInBlock(first)))
      first = free;
  if (first &&
      first->hasAttr(bufferization::BufferizationDialect::kManualDeallocation))
    return {};
  return first;
}

/// Until the source is freed, nobody uses it, or nobody changes anything.
std::optional<Obstacle>
BufferReuse::sourceOutlived(const BufferCopy &copy,
                            memref::DeallocOp free) const {
  Interval window = between(copy.op, free);
  auto isTarget = [&](const BufferAccess &access) {
    return stripViews(access.name()) == copy.target;
  };
  if (!classes.accessIn(copy.source, window, false, isTarget))
    return std::nullopt;
  return changesIn(window, copy, nullptr);
}

/// As long as the target is used, neither changes; its frees go with it.
std::optional<Obstacle>
BufferReuse::targetIsDouble(const BufferCopy &copy,
                            const BufferUses &of) const {
  if (of.leaves)
    return Obstacle{"its target goes elsewhere at " + quoted(of.leaves) +
                        ", and its source is not freed after it",
                    of.leaves};
  if (!of.lastAccess)
    return std::nullopt;
  return changesIn(through(copy.op, of.lastAccess), copy, copy.target);
}

std::optional<Obstacle> BufferReuse::reuseSource(const BufferCopy &copy) {
  Operation *alloc = copy.target.getDefiningOp();
  bool isClone = alloc == copy.op;
  if (!isClone && (!removableAlloc(copy.target) ||
                   alloc->getBlock() != copy.op->getBlock()))
    return Obstacle{"its target is not allocated in its block", nullptr};
  if (auto obstacle = commonObstacle(copy))
    return obstacle;
  if (!isCastable(copy.source.getType(), copy.target.getType()))
    return Obstacle{"its source is of another layout or memory space", nullptr};
  const BufferUses of = uses(copy.target);
  if (!isClone && of.first != copy.op)
    return Obstacle{"its target is used before it", of.first};
  int64_t alignment = std::max(alignmentOf(alloc), of.alignment);
  if (!hasAlignment(copy.source, alignment, /*mayChange=*/false))
    return Obstacle{"its source may not be aligned to " +
                        std::to_string(alignment) + " bytes",
                    nullptr};

  memref::DeallocOp free = freeAfter(copy);
  bool onHeap = isClone || isa<memref::AllocOp>(alloc);
  auto outlived = free && onHeap ? sourceOutlived(copy, free)
                                 : std::optional<Obstacle>(Obstacle{});
  if (!outlived) {
    hasAlignment(copy.source, alignment, /*mayChange=*/true);
    erase(free);
  } else if (auto obstacle = targetIsDouble(copy, of)) {
    return outlived->op ? outlived : obstacle;
  } else {
    hasAlignment(copy.source, alignment, /*mayChange=*/true);
    for (memref::DeallocOp dealloc : of.deallocs)
      erase(dealloc);
  }
  BufferUses moved = of;
  if (outlived)
    moved.deallocs.clear();
  putSourceForTarget(copy, moved);
  return std::nullopt;
}

/// What is known of the uses of the source holds with those of the target
/// added, unless the copy is one of the ops that it names.
void BufferReuse::joinUses(const BufferCopy &copy, const BufferUses &added) {
  auto known = knownUses.find(copy.source);
  bool isView =
      isa_and_nonnull<ViewLikeOpInterface>(copy.source.getDefiningOp());
  if (known == knownUses.end() || isView ||
      Value(copy.source).getParentBlock() != copy.op->getBlock() ||
      copy.source.getType() != copy.target.getType())
    return outdate(copy.source);
  BufferUses &uses = known->second;
  if (uses.first == copy.op || uses.firstAccess == copy.op ||
      uses.lastAccess == copy.op || uses.leaves == copy.op)
    return outdate(copy.source);
  // All uses of the target are after the copy.
  if (added.lastAccess && uses.lastAccess->isBeforeInBlock(added.lastAccess))
    uses.lastAccess = added.lastAccess;
  if (!uses.leaves)
    uses.leaves = added.leaves;
  llvm::append_range(uses.deallocs, added.deallocs);
  uses.alignment = std::max(uses.alignment, added.alignment);
  uses.anyLayout &= added.anyLayout;
}

void BufferReuse::putSourceForTarget(const BufferCopy &copy,
                                     const BufferUses &moved) {
  Operation *alloc = copy.target.getDefiningOp();
  Value source = copy.source, target = copy.target;
  Value name = castTo(source, target.getType(), copy.op);
  joinUses(copy, moved);
  outdate(target);
  classes.forget(copy.op);
  classes.addName(source, name);
  classes.replace(target, name);
  auto freesOfTarget = std::move(frees[target]);
  frees.erase(target);
  llvm::append_range(frees[stripCasts(source)], freesOfTarget);
  target.replaceAllUsesWith(name);
  bool isClone = alloc == copy.op;
  orphans.remove(alloc);
  orphans.remove(copy.op);
  copy.op->erase();
  if (!isClone)
    alloc->erase();
  if (Operation *op = removableAlloc(stripViews(source)))
    orphans.insert(op);
}

} // namespace tpu_mlir::copies
