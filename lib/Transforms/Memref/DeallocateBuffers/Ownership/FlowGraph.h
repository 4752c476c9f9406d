//===- FlowGraph.h - Chains of the control graph ----------------*- C++ -*-===//
//
// What always follows on each other in a function: pieces of a block, and nodes
// where branches part and come together again.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FLOWGRAPH_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FLOWGRAPH_H

#include "tpu_mlir/Analysis/Memref/ControlGraph.h"

namespace tpu_mlir::deallocation {

/// Nodes that always follow on each other are a chain: where the later one is
/// reached the earlier one was, and what lies between, the regions of an op or
/// branches that part and come together, leads nowhere else.
struct ChainPlace {
  int chain = 0;
  int place = 0; ///< In the chain.
};

class FlowGraph : public ControlGraph {
public:
  /// O(ops + edges log nodes).
  explicit FlowGraph(mlir::Operation *function);

  /// From the first node of a scope.
  bool isReachable(int index) const { return reachable[index]; }
  /// The node that follows on the innermost branches, or the op with regions,
  /// that the node is between, if it is.
  std::optional<int> behindParent(int index) const;
  ChainPlace placeOf(int index) const { return places[index]; }
  /// The nodes of a chain in their order.
  llvm::ArrayRef<int> chain(int index) const { return chains[index]; }

private:
  void markReachable();
  void findJoins();
  std::optional<int> nextInChain(int index) const;
  void findChains();

  std::vector<bool> reachable;
  std::vector<ChainPlace> places;
  std::vector<std::vector<int>> chains;
  /// Where the branches at the end of a node come together.
  std::vector<std::optional<int>> joins;
  /// The join of the innermost branches that a node is between.
  std::vector<std::optional<int>> aroundJoins;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FLOWGRAPH_H
