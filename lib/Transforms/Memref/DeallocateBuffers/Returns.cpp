//===- Returns.cpp - Decide what a function returns -----------------------===//
//
// Owned buffers are handed over once; for anything else a copy is returned.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

/// The caller gets what is owned, each buffer once. What is lent from a buffer
/// of this function nobody else sees any more: a copy will do.
void Planner::decideReturn(int index, const BufferUse &use,
                           llvm::DenseSet<Operation *> &returnedAt) {
  ArrayRef<int> set = owners.rootsOf(use.operand->get());
  Operation *op = use.operand->getOwner();
  if (!llvm::is_contained(set, index))
    return; // It lends it.
  std::vector<int> held = holders(set);
  bool isHere = llvm::all_of(
      held, [&](int other) { return owners.roots[other].managed; });
  // Who else has a buffer from elsewhere no caller knows.
  bool isOfCaller = llvm::all_of(held, [&](int other) {
    return owners.roots[other].managed ||
           (owners.roots[other].kind == RootKind::Local && !isPrograms[other]);
  });
  bool isFirst = set.size() == 1 && returnedAt.insert(op).second;
  bool isOwned = isFirst && result.owned[index] == Owned::Always;
  bool isTwice =
      llvm::any_of(set, [&](int root) { return isReturnedTwice[root]; });
  bool mayCopy =
      canAllocate(use.operand->get().getType()) &&
      ((isHere && (isFirst || set.size() > 1) &&
        ((!isTwice && !owners.formMatters()) || mayReturnCopies())) ||
       (set.size() == 1 && isOfCaller && mayReturnCopies()));
  if (isFirst && (isOwned || mayCopy))
    result.given.insert(use.operand);
  if (isOwned)
    return;
  if (!mayCopy) {
    if (set.size() > 1)
      joinedNames.push_back(use.operand->get());
    giveUpMeeting(set, set,
                  isFirst ? "it is returned where the caller may see the same "
                            "buffer under another name"
                          : "it is returned together with what may be the same",
                  op);
  } else if (isFirst) {
    result.returnedUnlessLent.push_back(use.operand);
  } else if (set.front() == index) {
    result.returnedCopies.push_back(use.operand);
  }
}

void Planner::decideReturns() {
  for (int i = 0; i < static_cast<int>(owners.roots.size()); ++i) {
    llvm::DenseSet<Operation *> returnedAt;
    std::vector<BufferUse> uses = owners.roots[i].uses;
    for (const BufferUse &use : uses)
      if (use.kind == UseKind::Return && owners.roots[i].managed)
        decideReturn(i, use, returnedAt);
  }
  returnOnlyOwned();
}

/// Where some returns hand a result over, the others give a copy, so that the
/// caller knows what to free.
void Planner::returnOnlyOwned() {
  llvm::MapVector<unsigned, SmallVector<OpOperand *>> unowned;
  llvm::DenseSet<unsigned> owned;
  for (OpOperand *operand : owners.returned) {
    unsigned number = operand->getOperandNumber();
    if (result.given.contains(operand) ||
        llvm::is_contained(result.returnedCopies, operand))
      owned.insert(number);
    else
      unowned[number].push_back(operand);
  }
  for (auto &[number, operands] : unowned)
    for (OpOperand *operand : operands)
      if (owned.contains(number) && canAllocate(operand->get().getType()) &&
          mayReturnCopies() &&
          llvm::all_of(owners.rootsOf(operand->get()), [&](int root) {
            return owners.roots[root].kind == RootKind::Local &&
                   !isPrograms[root];
          }))
        result.returnedCopies.push_back(operand);
}

} // namespace tpu_mlir::deallocation
