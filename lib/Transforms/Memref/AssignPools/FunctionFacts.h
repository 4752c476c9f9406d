//===- FunctionFacts.h - When the buffers of one function live --*- C++ -*-===//
//
// The lives of allocs are those of MemrefLiveness, in ticks of the function.
// Arguments have lives, too, four each: for callers whose buffer has contents
// before the call, or whose buffer is looked at afterwards, and for others.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_FUNCTIONFACTS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_FUNCTIONFACTS_H

#include "lib/Transforms/Memref/AssignPools/CallTree.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/Calls.h"

namespace tpu_mlir::pools {

/// Of a function: where it runs, as the `target`s of pools name it.
constexpr llvm::StringLiteral kTarget = "tpu.target";
/// Of an alloc in an entry: it stands for an argument of the caller's, who puts
/// contents there before (bit 1), or looks at them afterwards (bit 2).
constexpr llvm::StringLiteral kCallersUse = "tpu.callers_use";
constexpr int64_t kPutBefore = 1;
constexpr int64_t kSeenAfterwards = 2;

/// A call in the life of a buffer during which the buffer lives no longer than
/// the callee's argument does.
struct CallPart {
  int64_t tick = 0;
  mlir::func::FuncOp callee;
  unsigned argument = 0;
  /// It has contents before the call, or afterwards. Not both.
  bool liveIn = false;
  bool liveOut = false;
};

/// A life in ticks of a function.
struct Life {
  std::vector<Interval> ticks;
  /// By tick; each within `ticks`.
  std::vector<CallPart> calls;
};

/// How often something is read or written, at most kMostAccesses.
struct AccessCount {
  int64_t wholes = 0;
  int64_t elements = 0;
};
constexpr int64_t kMostAccesses = int64_t(1) << 30;

/// What is known of who accesses something, here and in what is called.
struct Accessors {
  bool isRead = false;
  bool isWritten = false;
  /// Where the functions run that do: kTarget, sorted, once each. Functions
  /// that do not say so add nothing.
  std::vector<std::string> targets;
  void add(const Accessors &other);
};

/// An alloc to be planned.
struct PoolAlloc {
  mlir::memref::AllocOp alloc;
  MemrefSize size;
  Life life;
  AccessCount accesses;
  Accessors accessors;
  std::vector<mlir::memref::DeallocOp> deallocs;
};

struct ArgumentFacts {
  /// The lives are known.
  bool isTraced = false;
  /// [liveIn][liveOut]
  Life life[2][2];
  AccessCount accesses;
  Accessors accessors;
};

struct CallAt {
  int64_t tick = 0;
  mlir::func::FuncOp callee;
  /// How often it runs when the function does, as far as that is known.
  int64_t times = 1;
};

struct FunctionFacts {
  mlir::func::FuncOp function;
  /// Ticks are 1 to numTicks.
  int64_t numTicks = 0;
  /// By tick: calls of functions without a barrier.
  std::vector<CallAt> calls;
  std::vector<PoolAlloc> allocs;
  /// As of findJoins().
  std::vector<std::vector<int64_t>> joins;
  /// One an argument.
  std::vector<ArgumentFacts> arguments;
};

using AllFacts = llvm::MapVector<mlir::Operation *, FunctionFacts>;

/// What is known about `node`, which has no barrier, when all that it calls is
/// in `callees`. With `remarks` says of what stays why.
FunctionFacts collectFacts(const TreeNode &node, const CallTree &tree,
                           const CallSummaries &calls, const AllFacts &callees,
                           bool remarks);

/// "buffer stays: <why>", with a note at `op` if there is one.
void remarkStays(mlir::memref::AllocOp alloc, const llvm::Twine &why,
                 mlir::Operation *op);

/// Sum and product, at most kMostAccesses.
int64_t addCapped(int64_t a, int64_t b);
int64_t multiplyCapped(int64_t a, int64_t b);

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_FUNCTIONFACTS_H
