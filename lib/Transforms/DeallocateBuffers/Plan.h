//===- Plan.h - Where buffers are copied and freed --------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_PLAN_H
#define TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_PLAN_H

#include "lib/Transforms/DeallocateBuffers/Owners.h"

namespace tpu_mlir {

/// What an operand that is handed to a critical phi hands on.
enum class HandOver {
  Nothing, ///< Nobody owns the phi, or the buffer.
  Move,    ///< The buffer.
  Copy,    ///< A copy that is made for it.
};

enum class FreePlace {
  After,     ///< Behind `op`.
  NodeStart, ///< Before the first op of the node `index`.
  NodeEnd,   ///< Before the last op of the node `index`, behind copies.
  Edge,      ///< In a block of its own on the edge `index`.
};

struct Free {
  int root = 0;
  FreePlace place = FreePlace::After;
  mlir::Operation *op = nullptr;
  int index = -1;
};

struct DeallocationPlan {
  std::vector<HandOver> handOvers; ///< By index into Owners::passed.
  /// Operands of returns that give the caller a copy.
  std::vector<mlir::OpOperand *> returnedCopies;
  /// Operands of returns that hand over what the function owns.
  llvm::DenseSet<mlir::OpOperand *> given;
  std::vector<Free> frees;
};

/// Nodes that a buffer is alive at the start of: in each chain those up to one,
/// and in the chain of its definition those behind that.
class LiveNodes {
public:
  bool contains(const FlowGraph &graph, int node) const;
  /// The last ones of each chain, ascending.
  std::vector<int> ends(const FlowGraph &graph) const;
  bool empty() const { return ends_.empty(); }

private:
  friend class Liveness;
  llvm::DenseMap<int, int> ends_; ///< Place of the last one, by chain.
  int definitionChain = -1;
  int definitionPlace = -1;
};

class Liveness {
public:
  Liveness(const FlowGraph &graph, const Owners &owners)
      : graph(graph), owners(owners) {}
  /// Until the last use of any of its names. O(uses + edges between chains).
  const LiveNodes &live(int root);
  /// Until the last write.
  const LiveNodes &writtenLater(int root);
  void forget(int root) { liveCache.erase(root); }

private:
  LiveNodes walk(const Root &root, bool writesOnly) const;

  const FlowGraph &graph;
  const Owners &owners;
  llvm::DenseMap<int, LiveNodes> liveCache;
  llvm::DenseMap<int, LiveNodes> writeCache;
};

/// Decides what every owner does, and gives up those that cannot be one.
class Planner {
public:
  /// `mayReturnCopies`: no caller minds that it gets a copy of an argument.
  Planner(const FlowGraph &graph, Owners &owners, bool mayReturnCopies)
      : graph(graph), owners(owners), liveness(graph, owners),
        mayReturnCopies(mayReturnCopies) {}
  DeallocationPlan plan();

private:
  // Decide.cpp
  void dropUnreached();
  void findComponents();
  void decide();
  void decidePass(int index);
  bool canMove(const PassedOperand &pass) const;
  bool mayCopy(const PassedOperand &pass);
  bool isWrittenBehind(int root, const PassedOperand &pass);
  bool isDeadBehind(const PassedOperand &pass);
  void decideReturns();
  /// Alive at the start of where the edge leads.
  bool isLive(int root, int edge) {
    return liveness.live(root).contains(graph, graph.edge(edge).to);
  }
  bool isMoved(int edge, int root) const {
    return moved.contains({edge, root});
  }
  void giveUp(int root, llvm::StringRef reason, mlir::Operation *blame);

  // PlaceFrees.cpp
  void place(int root);
  bool checkDeallocs(int root);
  void placeInNode(int root, int node, std::vector<int> &deadEdges);
  void placeAtEnd(int root, int node, std::vector<int> &deadEdges);
  void placeOnEdges(int root, const std::vector<int> &deadEdges);
  void placeOnEdge(int root, int edge);
  bool isVisible(int root, int node) const;

  const FlowGraph &graph;
  Owners &owners;
  Liveness liveness;
  bool mayReturnCopies;
  DeallocationPlan result;
  llvm::DenseSet<std::pair<int, int>> moved; ///< Edge and root.
  std::vector<int> component;
  /// By component: somebody writes through a phi.
  std::vector<bool> phiIsWritten;
  /// By component: a phi is returned.
  std::vector<bool> phiIsReturned;
  std::vector<std::vector<int>> members;
  bool changed = false;
};

/// A copy can be allocated for a memref of this type.
bool canAllocate(mlir::Type type);

void applyPlan(mlir::Operation *function, const FlowGraph &graph,
               const Owners &owners, const DeallocationPlan &plan);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_PLAN_H
