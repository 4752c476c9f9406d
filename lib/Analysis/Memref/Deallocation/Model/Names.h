//===- Names.h - Who uses a value, and what it does to a buffer -*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_NAMES_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_NAMES_H

#include "lib/Analysis/Memref/Deallocation/Model/Conditions.h"
#include "lib/Analysis/Memref/Deallocation/Model/Waits.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"

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
  /// A function starts something with it, and waits for nothing.
  bool starts = false;

  void add(const Touch &other);
};

/// Whether somebody frees a buffer.
enum class Frees {
  Never,
  /// On each path that is known to end it is returned. There are others, of
  /// which nothing is known yet: they may free what the call gives back.
  Returned,
  Sometimes,
  OrReturned, ///< On some paths, and on all others it is returned.
  Always,
  /// No path is known on which the function comes to its end: either it never
  /// does, or only by calls of which the same is taken for granted.
  NoEnd,
};

/// What a call does that gets one buffer as several arguments.
struct SharedFate {
  /// Where nothing goes wrong.
  Frees frees = Frees::Never;
  /// It uses the buffer once it has freed it: on some paths, or on all.
  enum class Fault { Never, Sometimes, Always } fault = Fault::Never;
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
  /// The same where several operands are one buffer, if several arguments of
  /// the function are. Null where nobody asks what is freed.
  llvm::function_ref<std::optional<SharedFate>(
      mlir::Operation *, llvm::function_ref<bool(mlir::Value)>)>
      sharedFate = nullptr;
  /// What a call does to the buffer of an operand, but to free it. Null: it
  /// accesses it.
  llvm::function_ref<Touch(mlir::Operation *, mlir::Value)> uses = nullptr;
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

/// The op reads an element of `memref` or writes one, be it the address of
/// another memref: that of `memref` itself goes nowhere.
bool movesElement(mlir::Operation *op, mlir::Value memref);

/// Memrefs that are the storage of `value` because of `op` alone: a view's
/// result.
llvm::SmallVector<mlir::Value, 1> viewsOf(mlir::Operation *op,
                                          mlir::Value value);

/// Numbers for values, where they are used, and where they matter still. Of
/// conditions only roots have one, for all that are equal to them.
class Names {
public:
  /// O(ops).
  Names(const Flow &flow, mlir::Operation *function, const Waits &waits);

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
    /// Inside alone, where it is read and written, be it through views: it is
    /// not freed there, kept or handed on.
    bool isPlain;
  };
  /// The first use at or after a point, in its chain; null: there is none.
  /// O(log uses).
  const Use *nextUse(int id, Point point);
  /// False when nothing uses the value after the point before it is defined
  /// anew. For an i1: nobody decides by it, be it under the name of what is
  /// computed from it.
  bool isLive(int id, Point point);
  /// Who goes through the regions of an op may know more of an i1 afterwards.
  bool mayTeach(mlir::Operation *op) const;
  /// Ops of a chain, and their places, which say something of a world whatever
  /// they use: cf.assert, and those that wait, by themselves or inside.
  struct Marker {
    int place;
    mlir::Operation *op;
  };
  /// From one place on, to before another. O(log markers).
  llvm::ArrayRef<Marker> markersIn(int chain, int from, int until) const;
  mlir::DominanceInfo &dominators() { return dominance; }
  const Conditions &conditions() const { return logic; }

private:
  struct Tracked {
    mlir::Value value;
    Point definition;
    const void *scope = nullptr;
    std::vector<Use> uses; ///< In its scope, by chain and place.
    /// All further in, once somebody looks there.
    std::optional<std::vector<Use>> innerUses;
    bool isLocal = true; ///< Used in the chain of its definition alone.
    bool knowsChains = false;
    bool isWide = false; ///< Live in too many chains to list them.
    llvm::DenseSet<int> liveIn;
  };
  llvm::SmallVector<mlir::Operation *> usersOf(mlir::Value value) const;
  void addMarkers(mlir::Operation *op);
  bool onlyAccesses(mlir::Operation *op, mlir::Value value);
  void collectUses(Tracked &entry);
  std::vector<Use> collectInnerUses(const Tracked &entry);
  void collectChains(Tracked &entry);
  bool isLiveBehind(Tracked &entry, int chain);

  const Flow &flow;
  const Waits &waits;
  mlir::DominanceInfo dominance;
  Conditions logic;
  /// Ops in which an i1 from outside decides, or one of which it is not clear.
  llvm::DenseSet<mlir::Operation *> teachers;
  /// By chain, ascending.
  llvm::DenseMap<int, std::vector<Marker>> markers;
  std::vector<Tracked> tracked;
  llvm::DenseMap<mlir::Value, int> ids;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_NAMES_H
