//===- Certainty.h - Which faults are on a path that exists -----*- C++ -*-===//
//
// Worlds follow every path on which conditions that are known agree. Conditions
// that are not known may rule out some of them: a path through two branches
// exists only if both can go that way in one run.
//
//     if %c { dealloc %a }          each block may run, both in one run perhaps
//     if %d { load %a }             never: %d may be "not %c" in other words
//
// So a fault is certain only if one place of the program is enough for it:
// whenever control gets there, what was allocated last by the op in question
// has gone wrong or is bound to.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_CERTAINTY_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_CERTAINTY_H

#include "lib/Analysis/Memref/Deallocation/Model/Worlds.h"

namespace tpu_mlir::verify_deallocation {

/// Says of a branch that it ends a block which was put on an edge to free other
/// buffers there. That the edge is taken at all the block does not say, so that
/// it is no such place, unless the buffer is freed in it.
inline constexpr llvm::StringLiteral kOnEdge = "tpu_memory.on_edge";

/// What was found out about one allocation.
struct Verdict {
  std::vector<Event> certain;
  std::vector<Event> possible; ///< Not certain.
  bool isComplete = true;      ///< All worlds were explored.
  /// All ends that there are, and there is one, are leaks: nothing frees it,
  /// and nobody else gets it.
  bool alwaysLeaks = false;
};

class Certainty {
public:
  /// O(worlds).
  Certainty(const Flow &flow, const Worlds &worlds,
            mlir::DominanceInfo &dominance);

  /// Of the buffer that `op` makes, or of an argument if that is null, whose
  /// first world is `start`. O(1) when there is no fault, else worlds that can
  /// be reached.
  Verdict judge(mlir::Operation *op, int start) const;

private:
  using Marks = std::vector<bool>;
  /// Worlds all of whose ways lead to such a fault.
  Marks doomed(bool leaks) const;
  std::vector<int> anchors(mlir::Operation *op, llvm::ArrayRef<int> visited,
                           const Marks &isDoomed) const;

  const Flow &flow;
  const Worlds &worlds;
  mlir::DominanceInfo &dominance;
  std::vector<std::vector<int>> before;
  Marks mayFail;
  Marks doomedToFault;
  Marks doomedToAny;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_CERTAINTY_H
