//===- BlockLoops.h - Loops made of blocks ----------------------*- C++ -*-===//
//
// The natural loops of one region, and where to put what is to be done once
// before one of them. Cycles that can be entered at several blocks are no
// loops: nothing is known of them but which blocks are involved.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_BLOCKLOOPS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_BLOCKLOOPS_H

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir::hoisting {

class BlockLoops {
public:
  /// For a region of several blocks. About O(blocks * depth of the loops).
  BlockLoops(mlir::Region &region, mlir::DominanceInfo &dominance,
             mlir::PostDominanceInfo &postDominance);

  /// The innermost loop around the block, or nullptr.
  mlir::CFGLoop *loopOf(mlir::Block *block) const {
    return loops.getLoopFor(block);
  }
  /// The block is part of a cycle about which nothing else is known.
  bool isTangled(mlir::Block *block) const { return tangled.contains(block); }
  /// Every iteration that gets back to the header has been in `block`; with
  /// `alsoTheLast`, so has every one that leaves the loop. `block` is in the
  /// loop.
  bool isReachedInEach(mlir::CFGLoop *loop, mlir::Block *block,
                       bool alsoTheLast);
  /// The last block that always runs once before the loop is entered; nullptr:
  /// there is none.
  mlir::Block *before(mlir::CFGLoop *loop) const {
    return beforeLoop.lookup(loop);
  }

private:
  /// Of some blocks those that a depth-first walk of the dominator tree comes
  /// to first and last: a block that dominates both dominates all of them.
  struct Span {
    mlir::Block *first = nullptr;
    mlir::Block *last = nullptr;
  };
  struct Ends {
    Span latches;
    Span exits;
  };

  const Ends &endsOf(mlir::CFGLoop *loop);
  void add(Span &span, mlir::Block *block) const;
  void findTangles(mlir::Region &region);
  void placeBefore(mlir::CFGLoop *loop, mlir::PostDominanceInfo &postDominance);

  const llvm::DominatorTreeBase<mlir::Block, false> &tree;
  mlir::CFGLoopInfo loops;
  llvm::DenseSet<mlir::Block *> tangled;
  llvm::DenseMap<mlir::CFGLoop *, mlir::Block *> beforeLoop;
  llvm::DenseMap<mlir::CFGLoop *, Ends> ends;
};

} // namespace tpu_mlir::hoisting

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_BLOCKLOOPS_H
