//===- Places.h - How far up a value is there -------------------*- C++ -*-===//
//
// Ops that are to be moved up, before any of them is: where each of them will
// be, and from where on a value can be had when what computes it moves along.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_PLACES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_PLACES_H

#include "mlir/IR/Dominance.h"

#include "llvm/ADT/DenseMap.h"

namespace tpu_mlir::hoisting {

/// A place between two ops of `block`: before `op` or after it; its start if
/// there is no `op`. Without a block: anywhere.
struct Point {
  mlir::Block *block = nullptr;
  mlir::Operation *op = nullptr;
  bool isBefore = false;
};

class Places {
public:
  /// O(ops). Only what can be reached has a number.
  Places(mlir::Operation *function, mlir::DominanceInfo &dominance);

  /// By position: of two ops of a block the first has the smaller number, and
  /// what dominates has a smaller one than what it dominates.
  int64_t number(mlir::Operation *op) const { return numbers.lookup(op); }

  /// The highest point from which all operands of `op`, which is no part of a
  /// cycle of ops, can be had. About O(1) for each op that is looked at first.
  Point earliest(mlir::Operation *op);
  /// What is at `point` is there right before `op`.
  bool dominates(Point point, mlir::Operation *op) const;

  /// `op`, whose operands can be had there, is to move to before `where`, with
  /// those of its operands that are not there yet. `where` dominates it and
  /// stays where it is.
  void moveUp(mlir::Operation *op, mlir::Operation *where);
  /// The first op at `point` or after that is more than an allocation or a
  /// computation without effects.
  mlir::Operation *behindAllocs(Point point);

  /// Carries out what was planned. The object is of no use any more.
  void apply();

private:
  /// Executing it earlier or in vain shows to nobody.
  bool isMovable(mlir::Operation *op) const;
  Point whereIs(mlir::Operation *op) const;
  Point ofValue(mlir::Value value);
  Point lower(Point a, Point b) const;
  int64_t order(Point point) const;

  mlir::DominanceInfo &dominance;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  /// Before which op an op will be.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> homes;
  llvm::DenseMap<mlir::Operation *, Point> earliestOf;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> behind;
};

} // namespace tpu_mlir::hoisting

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_PLACES_H
