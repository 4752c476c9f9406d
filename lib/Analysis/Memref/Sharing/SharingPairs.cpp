//===- SharingPairs.cpp - Find buffers that may meet in the same bytes ----===//
//
// Pairs at elementwise ops that can run in place, and pairs in branches that
// exclude each other.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Sharing/SharingPairs.h"

#include "tpu_mlir/Analysis/Memref/InPlace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/MapVector.h"

#include <tuple>

using namespace mlir;

namespace tpu_mlir::sharing {

namespace {

/// One use of a buffer by an op.
struct Touch {
  int64_t buffer;
  Value name;
};

/// The alloc whose storage, all of it and in the same order, `name` is.
Operation *wholeBuffer(Value name) {
  while (Operation *op = name.getDefiningOp()) {
    if (isa<memref::AllocOp>(op))
      return op;
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            op))
      return nullptr;
    name = op->getOperand(0);
  }
  return nullptr;
}

int64_t elementBits(Value memref) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : -1;
}

/// Element by element the same places, if both are indexed alike.
bool sameForm(Value a, Value b) {
  auto first = dyn_cast<MemRefType>(a.getType());
  auto second = dyn_cast<MemRefType>(b.getType());
  return first && second && first.hasStaticShape() &&
         first.getShape() == second.getShape() &&
         first.getLayout().isIdentity() && second.getLayout().isIdentity() &&
         (first.getElementType() == second.getElementType() ||
          (elementBits(a) > 0 && elementBits(a) == elementBits(b)));
}

/// Does `op` read each element of `dying` before it writes that of `born`, and
/// touch neither in another way?
bool readsBeforeWriting(Operation *op, Value dying, Value born,
                        ArrayRef<Touch> touches, int64_t dyingBuffer,
                        int64_t bornBuffer) {
  auto isOther = [&](const Touch &touch) {
    return (touch.buffer == dyingBuffer && touch.name != dying) ||
           (touch.buffer == bornBuffer && touch.name != born);
  };
  if (!sameForm(dying, born) || llvm::any_of(touches, isOther))
    return false;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return copy.getSource() == dying && copy.getTarget() == born;
  return readsWhereItWrites(op, dying, born);
}

/// Does the one die at an op with the ticks `at`, and have they nothing else in
/// common? The op is not the last one of its block: what follows has a tick.
bool meetOnlyAt(const std::vector<Interval> &dying,
                const std::vector<Interval> &born, Interval at) {
  // The other may end here, too, when nothing reads it: that alone says nothing
  // of the one that dies.
  return llvm::none_of(dying,
                       [&](Interval life) { return life.contains(at.end); }) &&
         intersect(dying, born) == std::vector<Interval>{at};
}

/// In the order of time and of the buffers, each once.
void sortOnce(std::vector<SharingPair> &pairs) {
  llvm::sort(pairs, [](const SharingPair &a, const SharingPair &b) {
    return std::tie(a.at, a.first, a.second) <
           std::tie(b.at, b.first, b.second);
  });
  pairs.erase(llvm::unique(pairs), pairs.end());
}

} // namespace

void findInPlacePairs(SharingFacts &facts, ArrayRef<const MemrefUses *> usesOf,
                      const OpTicks &ticks) {
  llvm::MapVector<Operation *, SmallVector<Touch, 4>> touchesOf;
  for (auto [buffer, uses] : llvm::enumerate(usesOf))
    for (const MemrefUses::Access &access : uses->accesses)
      if (isa<linalg::LinalgOp, memref::CopyOp>(access.op))
        touchesOf[access.op].push_back({int64_t(buffer), access.name});

  for (auto &[op, touches] : touchesOf)
    for (const Touch &dying : touches)
      for (const Touch &born : touches) {
        const TickBuffer &from = facts.buffers[dying.buffer];
        const TickBuffer &to = facts.buffers[born.buffer];
        if (dying.buffer == born.buffer ||
            wholeBuffer(dying.name) != from.alloc ||
            wholeBuffer(born.name) != to.alloc ||
            !meetOnlyAt(from.life, to.life, ticks.range(op)) ||
            from.life.front().begin >= ticks.of(op) ||
            !readsBeforeWriting(op, dying.name, born.name, touches,
                                dying.buffer, born.buffer))
          continue;
        facts.inPlacePairs.push_back(
            {dying.buffer, born.buffer, ticks.range(op)});
      }
  sortOnce(facts.inPlacePairs);
}

bool mayMeetInPlace(Operation *op, Value dying, Value born) {
  Operation *from = wholeBuffer(dying), *to = wholeBuffer(born);
  return from && to && from != to &&
         readsBeforeWriting(op, dying, born, /*touches=*/{}, 0, 1);
}

void findExclusivePairs(SharingFacts &facts,
                        ArrayRef<const MemrefUses *> usesOf,
                        const OpTicks &ticks) {
  llvm::MapVector<Value, SmallVector<int64_t, 2>> buffersOf;
  for (auto [buffer, uses] : llvm::enumerate(usesOf))
    for (Value name : uses->names)
      if (Operation *op = name.getDefiningOp())
        if (memref::AllocOp alloc = facts.buffers[buffer].alloc;
            op != alloc && ticks.isAround(op, alloc))
          buffersOf[name].push_back(buffer);
  for (auto &[name, buffers] : buffersOf)
    for (int64_t other : ArrayRef(buffers).drop_front()) {
      SharingPair pair{buffers.front(), other, {}};
      if (insideMutuallyExclusiveRegions(facts.buffers[pair.first].alloc,
                                         facts.buffers[other].alloc))
        facts.exclusivePairs.push_back(pair);
    }
  sortOnce(facts.exclusivePairs);
}

std::optional<Stay> examineShape(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape() || !alloc.getSymbolOperands().empty())
    return Stay{StayReason::Dynamic};
  if (!type.getLayout().isIdentity())
    return Stay{StayReason::Layout};
  return std::nullopt;
}

} // namespace tpu_mlir::sharing
