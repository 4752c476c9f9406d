//===- BlockLoops.cpp - Find natural loops of blocks ----------------------===//
//
// On MLIR's loop information; cycles with several entries are only marked.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/HoistAllocs/BlockLoops.h"

#include "mlir/IR/RegionGraphTraits.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;

namespace tpu_mlir::hoisting {

BlockLoops::BlockLoops(Region &region, DominanceInfo &dominance,
                       PostDominanceInfo &postDominance)
    : tree(dominance.getDomTree(&region)), loops(tree) {
  tree.updateDFSNumbers();
  findTangles(region);
  // Headers that come first dominate: what is before a loop may be known from
  // what is before an earlier one.
  for (Block *block : llvm::depth_first(&region.front()))
    if (CFGLoop *loop = loops.getLoopFor(block))
      if (loop->getHeader() == block)
        placeBefore(loop, postDominance);
}

/// An edge back to a block that does not dominate its source enters a cycle at
/// a second place.
void BlockLoops::findTangles(Region &region) {
  DenseMap<Block *, int64_t> position;
  for (Block *block : llvm::post_order(&region.front()))
    position.try_emplace(block, position.size());
  bool isTangled = llvm::any_of(position, [&](auto &entry) {
    return llvm::any_of(entry.first->getSuccessors(), [&](Block *next) {
      return position.lookup(next) >= entry.second &&
             !tree.dominates(next, entry.first);
    });
  });
  if (!isTangled)
    return;
  for (auto part = llvm::scc_begin(&region); !part.isAtEnd(); ++part)
    if (part.hasCycle())
      tangled.insert(part->begin(), part->end());
}

void BlockLoops::placeBefore(CFGLoop *loop, PostDominanceInfo &postDominance) {
  Block *header = loop->getHeader();
  const auto *node = tree.getNode(header)->getIDom();
  Block *block = node ? node->getBlock() : nullptr;
  // A block of a loop that is over by then runs more than once: what is before
  // that loop may do.
  CFGLoop *over = nullptr;
  for (CFGLoop *around = block ? loops.getLoopFor(block) : nullptr;
       around && !around->contains(loop); around = around->getParentLoop())
    over = around;
  if (over)
    block = beforeLoop.lookup(over);
  if (block && postDominance.postDominates(header, block))
    beforeLoop[loop] = block;
}

void BlockLoops::add(Span &span, Block *block) const {
  auto number = [&](Block *of) { return tree.getNode(of)->getDFSNumIn(); };
  if (!span.first || number(block) < number(span.first))
    span.first = block;
  if (!span.last || number(block) > number(span.last))
    span.last = block;
}

const BlockLoops::Ends &BlockLoops::endsOf(CFGLoop *loop) {
  auto [slot, isNew] = ends.try_emplace(loop);
  if (!isNew)
    return slot->second;
  SmallVector<Block *> latches, exits;
  loop->getLoopLatches(latches);
  loop->getExitingBlocks(exits);
  for (Block *block : latches)
    add(slot->second.latches, block);
  for (Block *block : exits)
    add(slot->second.exits, block);
  return slot->second;
}

bool BlockLoops::isReachedInEach(CFGLoop *loop, Block *block,
                                 bool alsoTheLast) {
  auto dominates = [&](const Span &span) {
    return !span.first || (tree.dominates(block, span.first) &&
                           tree.dominates(block, span.last));
  };
  const Ends &blocks = endsOf(loop);
  return dominates(blocks.latches) && (!alsoTheLast || dominates(blocks.exits));
}

} // namespace tpu_mlir::hoisting
