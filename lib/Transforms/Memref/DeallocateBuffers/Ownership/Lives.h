//===- Lives.h - Where owned buffers are alive ------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_LIVES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_LIVES_H

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Owners.h"

namespace tpu_mlir::deallocation {

/// Nodes that a buffer is alive at the start of: in each chain those up to one,
/// and in the chain of its definition those after that.
class LiveNodes {
public:
  bool contains(const FlowGraph &graph, int node) const;
  /// In the chain of the place itself, whatever is alive around it.
  bool endsBehind(ChainPlace at) const;
  /// The last ones of each chain, ascending.
  std::vector<int> ends(const FlowGraph &graph) const;
  bool empty() const { return ends_.empty(); }

private:
  friend class BufferLives;
  llvm::DenseMap<int, int> ends_; ///< Place of the last one, by chain.
  ChainPlace definition;
};

/// Asked by index of the root; each walk is made once.
class BufferLives {
public:
  BufferLives(const FlowGraph &graph, const Owners &owners)
      : graph(graph), owners(owners) {}
  /// Until the last use of any of its names. O(uses + edges between chains).
  const LiveNodes &live(int root);
  /// The buffer is alive at the start of the node. As many questions of one
  /// buffer in a row as there are nodes around cost as many steps as one.
  bool isLive(int root, int node);
  /// Until the last write.
  const LiveNodes &writtenLater(int root);
  /// The same of Owners::elsewhere.
  const LiveNodes &writtenElsewhere();
  void forget(int root) {
    answeredRoot.reset();
    liveCache.erase(root);
    writeCache.erase(root);
  }

private:
  LiveNodes walk(const Root &root, bool writesOnly) const;

  const FlowGraph &graph;
  const Owners &owners;
  llvm::DenseMap<int, LiveNodes> liveCache;
  /// What isLive() has said of one buffer, by node.
  std::optional<int> answeredRoot;
  llvm::DenseMap<int, bool> answers;
  llvm::DenseMap<int, LiveNodes> writeCache;
  std::optional<LiveNodes> elsewhereCache;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_LIVES_H
