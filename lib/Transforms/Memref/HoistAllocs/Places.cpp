//===- Places.cpp - Track how far up values are available -----------------===//
//
// Answers for planned moves where an op will stand and from where on its
// operands exist.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/HoistAllocs/Places.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::hoisting {

Places::Places(Operation *function, DominanceInfo &dominance)
    : dominance(dominance) {
  int64_t next = 1;
  function->walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>(
      [&](Operation *op) { numbers[op] = next++; });
}

bool Places::isMovable(Operation *op) const {
  return op->getNumRegions() == 0 && !endsBlock(op) && isPure(op) &&
         dominance.hasSSADominance(op->getBlock());
}

/// Points of one block by their order.
int64_t Places::order(Point point) const {
  if (!point.op)
    return 0;
  return 2 * number(point.op) + (point.isBefore ? -1 : 1);
}

/// The one below the other; both dominate some op.
Point Places::lower(Point a, Point b) const {
  if (!a.block || !b.block)
    return a.block ? a : b;
  if (a.block == b.block)
    return order(a) < order(b) ? b : a;
  return dominance.properlyDominates(a.block, b.block) ? b : a;
}

bool Places::dominates(Point point, Operation *op) const {
  if (!point.block)
    return true;
  Operation *around = point.block->getParent()->findAncestorOpInRegion(*op);
  if (!around)
    return false;
  if (around->getBlock() != point.block)
    return dominance.properlyDominates(point.block, around->getBlock());
  return order(point) < 2 * number(around);
}

Point Places::whereIs(Operation *op) const {
  auto home = homes.find(op);
  if (home != homes.end())
    return {home->second->getBlock(), home->second, /*isBefore=*/true};
  return {op->getBlock(), op, /*isBefore=*/false};
}

Point Places::ofValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {cast<BlockArgument>(value).getOwner(), nullptr, false};
  return isMovable(op) ? earliest(op) : whereIs(op);
}

Point Places::earliest(Operation *op) {
  auto known = earliestOf.find(op);
  if (known != earliestOf.end())
    return known->second;
  // What it is computed from comes first; chains may be long.
  SmallVector<Operation *> work = {op};
  while (!work.empty()) {
    Operation *next = work.back();
    size_t before = work.size();
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        if (isMovable(source) && !earliestOf.contains(source))
          work.push_back(source);
    if (work.size() > before)
      continue;
    work.pop_back();
    Point point;
    for (Value operand : next->getOperands())
      point = lower(point, ofValue(operand));
    earliestOf[next] = point;
  }
  return earliestOf.lookup(op);
}

void Places::moveUp(Operation *op, Operation *where) {
  SmallVector<Operation *> work = {op};
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    homes[next] = where;
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        if (!dominates(whereIs(source), where))
          work.push_back(source);
  }
}

Operation *Places::behindAllocs(Point point) {
  Operation *first = !point.op        ? &point.block->front()
                     : point.isBefore ? point.op
                                      : point.op->getNextNode();
  auto known = behind.find(first);
  if (known != behind.end())
    return known->second;
  Operation *found = nullptr;
  for (Operation &op : llvm::reverse(*point.block)) {
    bool isPassed = isa<memref::AllocOp>(op) || isMovable(&op);
    if (!found || !isPassed)
      found = &op;
    behind[&op] = found;
  }
  return behind.lookup(first);
}

void Places::apply() {
  SmallVector<std::pair<int64_t, Operation *>> moved;
  for (auto [op, where] : homes)
    moved.push_back({number(op), op});
  llvm::sort(moved, llvm::less_first());
  for (auto [number, op] : moved)
    op->moveBefore(homes.lookup(op));
}

} // namespace tpu_mlir::hoisting
