//===- PlanMoves.h - How far an allocation may move -------------*- C++ -*-===//
//
// One buffer does for all iterations of a loop when no instance is in use any
// more when the allocation runs again. It never is when no name of an earlier
// one can be there by then (nothing that the buffer flows to dominates the
// allocation) and nobody keeps it: this is what collectUses() finds out.
// Contents do not matter, a fresh buffer has none.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_PLANMOVES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_PLANMOVES_H

#include "lib/Transforms/Memref/HoistAllocs/BlockLoops.h"
#include "lib/Transforms/Memref/HoistAllocs/Places.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Transforms/HoistAllocs.h"

#include <memory>
#include <optional>

namespace tpu_mlir::hoisting {

/// Something below `root` is freed, or may be.
bool freesSomething(mlir::Operation *root, const CallSummaries &calls);

class MovePlanner {
public:
  /// `programFrees`: somebody frees something, here or in another function.
  MovePlanner(mlir::Operation *function, const CallSummaries &calls,
              const HoistAllocsOptions &options, bool programFrees);

  /// Decides on one allocation. Those that dominate it come first.
  void plan(mlir::memref::AllocOp alloc);
  /// Moves what was decided on.
  void apply();

private:
  /// What is known of the buffer, found out when it is asked for.
  struct Buffer {
    mlir::memref::AllocOp alloc;
    Point sizes;
    std::optional<MemrefUses> uses;
    /// Why it stays in its loop.
    std::string obstacle;
  };

  const MemrefUses &usesOf(Buffer &buffer);
  bool isFreedHere(const Buffer &buffer) const;
  /// The program says when it is freed, or might.
  bool isFreed(Buffer &buffer);
  BlockLoops *loopsOf(mlir::Region *region);

  void leaveLoops(Buffer &buffer);
  mlir::Operation *leaveBlocks(Buffer &buffer, mlir::Operation *at,
                               bool &leftALoop);
  mlir::Operation *leaveRegion(Buffer &buffer, mlir::Operation *at);
  bool escapes(Buffer &buffer);
  bool oneIsEnough(Buffer &buffer, bool isLoopOfBlocks);
  /// How to get out of a region.
  struct Exit {
    bool isBorder = false; ///< Nothing moves out.
    bool isOfLoop = false;
    /// It runs whenever the op around it does.
    bool isEntered = false;
  };
  const Exit &exitOf(mlir::Region *region);
  bool runs(mlir::Operation *loop, mlir::Region *region) const;

  void goUp(Buffer &buffer);
  Point top(Buffer &buffer, mlir::Block *block);

  mlir::Operation *function;
  const CallSummaries &calls;
  const HoistAllocsOptions &options;
  mlir::DominanceInfo dominance;
  mlir::PostDominanceInfo postDominance;
  Places places;
  const bool programFrees;
  struct Flow {
    explicit Flow(mlir::Operation *function)
        : names(function), ticks(function) {}
    mlir::BufferViewFlowAnalysis names;
    OpTicks ticks;
  };
  std::unique_ptr<Flow> flow;
  llvm::DenseMap<mlir::Region *, std::unique_ptr<BlockLoops>> loops;
  /// All buffers of a deep nest come by.
  llvm::DenseMap<mlir::Region *, Exit> exits;
  /// Deallocations, and the loops after which they go.
  std::vector<std::pair<mlir::Operation *, mlir::Operation *>> frees;
};

} // namespace tpu_mlir::hoisting

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_HOISTALLOCS_PLANMOVES_H
