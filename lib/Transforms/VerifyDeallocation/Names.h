//===- Names.h - Who uses a value, and what it does to a buffer -*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_VERIFYDEALLOCATION_NAMES_H
#define TPU_MLIR_LIB_TRANSFORMS_VERIFYDEALLOCATION_NAMES_H

#include "lib/Transforms/VerifyDeallocation/Flow.h"
#include "tpu_mlir/Analysis/MemrefNests.h"

#include "mlir/IR/Dominance.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace tpu_mlir::verify_deallocation {

/// What an op does with the storage behind one of its operands.
struct Touch {
  bool accesses = false;
  /// Somebody else may have it afterwards.
  bool keeps = false;
  /// It is freed, or not, or by something other than memref.dealloc.
  bool mayFree = false;
  /// Nobody knows whether it accesses it.
  bool mayAccess = false;

  void add(const Touch &other);
};

/// Whether somebody frees a buffer.
enum class Frees {
  Never,
  Sometimes,
  OrReturned, ///< On some paths, and on all others it is returned.
  Always,
};

/// Whether the result of a call is the buffer of an operand.
enum class Returns {
  Never,
  Sometimes, ///< Perhaps: flags and conditions may rule it out.
  Always,
  Unknown, ///< Or the buffer can be got from it.
};

/// What is known of the functions that calls lead to.
struct Callees {
  /// Whether a result of an op is the buffer of an operand.
  llvm::function_ref<Returns(mlir::OpResult, mlir::Value)> returns;
  /// What the op does to the buffer of an operand by calling a function.
  llvm::function_ref<Frees(mlir::Operation *, mlir::Value)> frees;
};

/// Whether a region is in an asynchronous op, and nothing isolated between.
class AsynchronousNest : public NestFact<bool> {
public:
  explicit AsynchronousNest(mlir::Operation *function);
  /// The op itself may be one.
  bool contains(mlir::Operation *op);
};

/// Of an op that is no memref.dealloc, no view, no select, no terminator. What
/// it does in its regions, and what a call frees, is not part of it.
/// O(operands).
Touch touchOf(mlir::Operation *op, mlir::Value value, const Callees &callees,
              AsynchronousNest &asynchronous);

/// Memrefs that are the storage of `value` because of `op` alone: a view's
/// result.
llvm::SmallVector<mlir::Value, 1> viewsOf(mlir::Operation *op,
                                          mlir::Value value);

/// Numbers for values, where they are used, and where they matter still.
class Names {
public:
  Names(const Flow &flow, mlir::Operation *function)
      : asynchronous(function), flow(flow), dominance(function) {}

  AsynchronousNest asynchronous;

  int idOf(mlir::Value value);
  /// -1: nobody asked for it yet.
  int find(mlir::Value value) const;
  mlir::Value operator[](int id) const { return tracked[id].value; }

  struct Use {
    Point point;
    /// The op there uses the value or contains such an op.
    mlir::Operation *op;
    bool isInside;
  };
  /// The first use at or after a point, in its chain; null: there is none.
  /// O(log uses).
  const Use *nextUse(int id, Point point);
  /// False when nobody uses the value after the point before it is defined
  /// anew. For an i1: nobody decides by it, be it under the name of what is
  /// computed from it.
  bool isLive(int id, Point point);
  mlir::DominanceInfo &dominators() { return dominance; }

private:
  struct Tracked {
    mlir::Value value;
    Point definition;
    const void *scope = nullptr;
    std::vector<Use> uses; ///< By chain and place.
    bool isLocal = true;   ///< Used in the chain of its definition alone.
    bool knowsChains = false;
    bool isWide = false; ///< Live in too many chains to list them.
    llvm::DenseSet<int> liveIn;
  };
  /// `inside`: ops whose regions are known to have a use.
  void addUse(Tracked &entry, mlir::Operation *user,
              llvm::DenseSet<mlir::Operation *> &inside);
  void collectUses(Tracked &entry);
  void collectChains(Tracked &entry);
  bool isLiveBehind(Tracked &entry, int chain);

  const Flow &flow;
  mlir::DominanceInfo dominance;
  std::vector<Tracked> tracked;
  llvm::DenseMap<mlir::Value, int> ids;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_VERIFYDEALLOCATION_NAMES_H
