//===- Aliases.h - Who touches an allocated memref --------------*- C++ -*-===//
//
// What a function does with the storage of one buffer, a memref.alloc or an
// argument of its own: the ops that access it, under whatever name, the ops
// that free it, and the first reason why nobody can say when it is used for
// the last time.
//
// Names of the same storage come from mlir::BufferViewFlowAnalysis. That
// analysis says nothing of ops it does not know; here the storage escapes when
// one of them might keep it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_ALIASES_H
#define TPU_MLIR_ANALYSIS_MEMREF_ALIASES_H

#include "tpu_mlir/Analysis/Memref/Calls.h"
#include "tpu_mlir/Support/Interval.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"

#include <optional>
#include <string>

namespace tpu_mlir {

/// The time axis of one function: every op, the function itself and
/// terminators included, gets the next number in a pre-order walk; the
/// function has 1. An op and all that is inside it are one interval.
class OpTicks {
public:
  /// O(ops).
  explicit OpTicks(mlir::Operation *root);

  int64_t of(mlir::Operation *op) const { return range(op).begin; }
  /// From the op's own tick to after the last one inside.
  Interval range(mlir::Operation *op) const { return ticks.lookup(op); }
  /// True when `op` is inside `outer`, or is it. O(1), unlike asking the ops.
  bool isAround(mlir::Operation *outer, mlir::Operation *op) const {
    return range(outer).contains(of(op));
  }
  /// All ticks of the ops of one block; empty for a block without ops.
  Interval range(mlir::Block *block) const;
  /// The op with this tick; nullptr: there is none. O(ops).
  mlir::Operation *at(int64_t tick) const;
  mlir::Operation *root() const { return rootOp; }

private:
  mlir::Operation *rootOp;
  llvm::DenseMap<mlir::Operation *, Interval> ticks;
};

/// An op that hands the storage on under another name: nothing is read or
/// written.
struct MemrefForward {
  mlir::Operation *op;
  mlir::Value from;
};

/// What is known of many names at once.
struct NameSummary {
  std::optional<Stay> escape;
  /// From the first to after the last tick at which one of them is needed.
  Interval life;
  /// The same of what they are handed on for: if somebody needs that.
  Interval handedOn;
  /// Ticks of the ops in whose regions they are.
  Interval homes;
  /// The one that is there before all others, and when that is.
  mlir::Value first;
  int64_t firstPosition = 0;
  /// By tick, each once.
  llvm::SmallVector<mlir::memref::DeallocOp, 1> deallocs;
};

/// All that is known about one buffer.
struct MemrefUses {
  bool isNeverAccessed() const {
    return summary ? summary->life.empty() : accesses.empty();
  }
  /// Ticks of the ops in whose regions the names are, from the first on.
  Interval homes(const OpTicks &ticks) const;
  /// Of a buffer with more names than are followed: in place of `names`,
  /// `accesses` and `forwards`.
  const NameSummary *summary = nullptr;
  /// The buffer first, the others by the position of their definition.
  std::vector<mlir::Value> names;
  /// Uses of a name that read or write, by tick; an op may be twice there.
  struct Access {
    mlir::Operation *op;
    mlir::Value name;
  };
  std::vector<Access> accesses;
  std::vector<MemrefForward> forwards;
  std::vector<mlir::memref::DeallocOp> deallocs;
  /// Of several reasons the one that comes first in the text.
  std::optional<Stay> escape;
};

/// True when an op ends its block: it says so, it has successors, or it is the
/// last one there and not registered. Such an op says nothing of itself, so
/// what it takes may go anywhere: to the caller, to blocks, to results of its
/// parent.
bool endsBlock(mlir::Operation *op);
/// Where control and operands of an op that ends its block go is known: to
/// arguments of blocks, to regions or results of its parent, or out of a
/// function.
bool saysWhereItLeads(mlir::Operation *end);

/// Control flow of an op that has regions.
///
/// True when it is not known in which order, how often or by how many threads
/// its regions run: an access inside counts at every tick of the op.
bool isOpaque(mlir::Operation *op);
/// True when control flow of which nothing is known gives `value`, be it on one
/// way of many: an argument of a block, or a result of an op with regions.
bool mayBeAnyBuffer(mlir::Value value);
/// Why not, for messages: ", which runs in parallel" and the like, without the
/// comma. `op` is opaque, asynchronous or keeps its regions to itself.
llvm::StringRef whyOpaque(mlir::Operation *op);
/// True when an op may still be at work after control has left it.
bool isAsynchronous(mlir::Operation *op);
/// True for loops, and for regions that may follow on themselves.
bool isLoop(mlir::Operation *op);

/// Values of this type hold no address.
bool isPlainType(mlir::Type type);
/// Why whoever has the results, the memory or the regions of `op` may have its
/// memref operands when it is done. nullopt: nobody. Memrefs that a call
/// returns are not meant: BufferViewFlowAnalysis knows of them.
std::optional<StayReason> mayKeepOperands(mlir::Operation *op);

/// Uses of `buffer`, the result of an alloc or an argument of the entry block,
/// in the function that `flow` and `ticks` were made for. Nothing is changed.
/// What a call may free escapes; without `calls`, a call is an access and the
/// caller sees to the rest. Asynchronous ops that `isFollowed` names are
/// accesses like others: the caller sees to how long they go on. O(u log u) for
/// u uses of all names.
MemrefUses
collectUses(mlir::Value buffer, const mlir::BufferViewFlowAnalysis &flow,
            const OpTicks &ticks, mlir::DominanceInfo &dominance,
            const CallSummaries *calls = nullptr,
            llvm::function_ref<bool(mlir::Operation *)> isFollowed = nullptr);
/// Uses of `names` alone, whatever they stand for: rather too many reasons to
/// escape, if they are inside ops of unknown or asynchronous control flow.
MemrefUses collectUsesOfNames(llvm::ArrayRef<mlir::Value> names,
                              const mlir::BufferViewFlowAnalysis &flow,
                              const OpTicks &ticks,
                              mlir::DominanceInfo &dominance,
                              const CallSummaries *calls = nullptr);
/// All in `root`, in the order of the text.
std::vector<mlir::memref::AllocOp> allocsIn(mlir::Operation *root);
/// What they allocate.
std::vector<mlir::Value>
resultsOf(llvm::ArrayRef<mlir::memref::AllocOp> allocs);
/// The op that defines `value`, or in a region of which it is an argument.
mlir::Operation *ownerOf(mlir::Value value);

/// Bytes of a memref with static shape, as its lowering to LLVM lays it out:
/// elements at their ABI alignment, sub-byte integers a byte each. nullopt:
/// no size, or it leaves 63 bits.
struct MemrefSize {
  int64_t sizeBytes = 0;
  int64_t elementAlignment = 1;
};
std::optional<MemrefSize> memrefSize(mlir::MemRefType type,
                                     const mlir::DataLayout &layout);

/// Results that are new memory by the op's effects, whatever frees it; nothing
/// on the stack.
llvm::SmallVector<mlir::OpResult, 1> allocatedMemrefs(mlir::Operation *op);
/// The op itself, not what it calls, may free an operand.
bool mayFree(mlir::Operation *op, mlir::Value operand);
/// Some op that uses the value frees it.
bool isFreedByItsUser(mlir::Value memref);
/// Says "`what`: 'x.alloc' allocates it, ..." of each op in `root` other than
/// memref.alloc that allocates memrefs.
void remarkOtherAllocs(mlir::Operation *root, const llvm::Twine &what);

/// Its one result is new memory, which memref.dealloc frees: memref.alloc, and
/// what else has the effect. Not what a GPU or an asynchronous op allocates,
/// nor memref.realloc, which may give back the old one.
bool allocatesBuffer(mlir::Operation *op);

/// Adds what BufferViewFlowAnalysis needs to see through ops of arith and
/// memref, and makes memref.transpose a view; passes call it from
/// getDependentDialects().
void registerBufferFlowModels(mlir::DialectRegistry &registry);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_ALIASES_H
