//===- Reuse.h - One buffer for source and target of a copy -----*- C++ -*-===//
//
// Everything that a copy, the allocation that goes with it, and the frees have
// to do with each other lies in one block: from there on only ticks count. A
// buffer in use is the one of this execution of the block.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_REUSE_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_REUSE_H

#include "lib/Transforms/Memref/CopyRemoval/BufferClasses.h"
#include "lib/Transforms/Memref/CopyRemoval/BufferUses.h"
#include "lib/Transforms/Memref/CopyRemoval/Copies.h"
#include "tpu_mlir/Analysis/Memref/InPlace.h"

#include "llvm/ADT/SetVector.h"

#include <string>

namespace tpu_mlir::copies {

/// Why a copy stays, and the op to blame, if there is one.
struct Obstacle {
  std::string text;
  mlir::Operation *op = nullptr;
};

/// Removes copies of one function. Each attempt either rewrites the function or
/// leaves it and gives the obstacle.
class BufferReuse {
public:
  BufferReuse(mlir::Operation *function, const CallSummaries &calls,
              bool argumentsApart);

  /// The source, by its own or another name, for the target.
  std::optional<Obstacle> reuseSource(const BufferCopy &copy);
  /// The target for the source.
  std::optional<Obstacle> reuseTarget(const BufferCopy &copy);
  /// Takes away a copy of a buffer to itself.
  void dropCopy(const BufferCopy &copy);
  /// Removes allocations that copies were removed from and that nothing but
  /// views and deallocs use.
  void removeDeadAllocs();

private:
  std::optional<Obstacle> commonObstacle(const BufferCopy &copy) const;
  mlir::memref::DeallocOp freeAfter(const BufferCopy &copy);
  std::optional<Obstacle> sourceOutlived(const BufferCopy &copy,
                                         mlir::memref::DeallocOp free) const;
  std::optional<Obstacle> targetIsDouble(const BufferCopy &copy,
                                         const BufferUses &of) const;
  void putSourceForTarget(const BufferCopy &copy, const BufferUses &moved);
  void joinUses(const BufferCopy &copy, const BufferUses &added);
  std::optional<Obstacle> targetUntouched(const BufferCopy &copy,
                                          const BufferUses &of) const;
  void putTargetForSource(const BufferCopy &copy, mlir::Operation *first,
                          bool needsCast);
  /// Gives in `moved` the ops to move before `before`, so that `value` is
  /// there. False: there is one that cannot be moved.
  bool makeAvailable(mlir::Value value, mlir::Operation *before,
                     mlir::Value dying,
                     llvm::SetVector<mlir::Operation *> &moved) const;

  /// From after `first` to before `last`, or to after it.
  Interval between(mlir::Operation *first, mlir::Operation *last) const;
  Interval through(mlir::Operation *first, mlir::Operation *last) const;
  /// In `window` somebody changes source or target. Frees of `dying` do not
  /// count.
  std::optional<Obstacle> changesIn(Interval window, const BufferCopy &copy,
                                    mlir::Value dying) const;

  const BufferUses &uses(mlir::Value memref);
  void outdate(mlir::Value memref);
  void erase(mlir::Operation *op);

  mlir::Operation *function;
  const CallSummaries &calls;
  BufferClasses classes;
  mlir::DominanceInfo dominance;
  llvm::DenseMap<mlir::Value, BufferUses> knownUses;
  /// By what they free, without casts.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::memref::DeallocOp, 1>>
      frees;
  /// Sources whose copies are gone.
  llvm::SetVector<mlir::Operation *> orphans;
};

} // namespace tpu_mlir::copies

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_REUSE_H
