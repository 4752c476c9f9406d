//===- FlowGraph.h - Blocks and regions as one graph ------------*- C++ -*-===//
//
// The control flow of a function with the ops of RegionBranchOpInterface opened
// up: a block is cut after each such op, and edges lead from the op into its
// regions, between them and out of them to the next piece of the block.
//
//     ^bb0:                     node 0   a, scf.if
//       a                        /    \      .
//       scf.if { b } else { c } node 1   node 2   b, c
//       d                        \    /
//                               node 3   d
//
// Ops whose regions run in an unknown way (isOpaque()) stay closed: to the
// graph around them they are one op. Each of their regions is a graph of its
// own, a scope.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FLOWGRAPH_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FLOWGRAPH_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace tpu_mlir::deallocation {

/// A memref that an edge hands on: `operand` of the op that makes the edge
/// becomes `target`.
struct MemrefPass {
  mlir::OpOperand *operand;
  mlir::Value target;
};

struct FlowEdge {
  int from = 0;
  int to = 0;
  /// The branch, the op with regions, or what ends one of its regions.
  mlir::Operation *via = nullptr;
  /// Of a BranchOpInterface; -1: an edge to or from a region.
  int successor = -1;
  std::vector<MemrefPass> passes;
};

/// Ops of one block that run one after the other.
struct FlowNode {
  mlir::Block *block = nullptr;
  /// The op with regions that the node follows on; null at the block's start.
  mlir::Operation *behind = nullptr;
  /// Null only in a block without ops.
  mlir::Operation *last = nullptr;
  int scope = 0;
  /// Of the op that it follows on, or of its first one.
  int order = 0;
  bool reachable = false;
  /// Nodes that always follow on each other are a chain: where the later one
  /// is reached the earlier one was, and what lies between, the regions of an
  /// op or branches that part and come together, leads nowhere else.
  int chain = -1;
  int place = 0;        ///< In the chain.
  std::vector<int> in;  ///< Edges.
  std::vector<int> out; ///< Edges.
};

/// Where an op is: nodes hold ops with ascending order.
struct FlowPoint {
  int node = -1;
  int order = -1;
};

class FlowGraph {
public:
  /// O(ops + edges log nodes).
  explicit FlowGraph(mlir::Operation *function);

  const FlowNode &node(int index) const { return nodes[index]; }
  const FlowEdge &edge(int index) const { return edges[index]; }
  /// The node that follows on the innermost branches, or the op with regions,
  /// that the node is between; -1: there is none.
  int behindParent(int index) const;
  /// The node that follows on the regions of the op that ends this one; -1: no
  /// such op ends it.
  int behindRegions(int index) const;
  /// The node is in the region, or in one inside of it. O(1).
  bool isInside(int index, mlir::Region *region) const;
  /// The nodes of a chain in their order.
  llvm::ArrayRef<int> chain(int index) const { return chains[index]; }
  int nodeCount() const { return static_cast<int>(nodes.size()); }
  int edgeCount() const { return static_cast<int>(edges.size()); }

  /// The op itself, or the closed op around it that is in `scope`. `scope` is
  /// one around the op.
  mlir::Operation *inScope(mlir::Operation *op, int scope) const;
  FlowPoint pointOf(mlir::Operation *op) const { return points.lookup(op); }
  /// Where `value` is defined; block arguments and results of opened ops at the
  /// start of a node, with order -1.
  FlowPoint definition(mlir::Value value) const;
  int scopeOf(mlir::Operation *op) const {
    return nodes[points.lookup(op).node].scope;
  }
  /// Its regions are part of the graph.
  bool isOpen(mlir::Operation *op) const { return behindOp.contains(op); }
  /// Control flow in the scope is not known.
  bool isUnknown(int scope) const { return unknownScopes[scope]; }

private:
  void addRegion(mlir::Region &region, int scope);
  void addBlock(mlir::Block &block, int scope);
  int addNode(mlir::Block &block, mlir::Operation *behind, int scope);
  void addEdges(mlir::Operation *op);
  void addBranchEdges(mlir::BranchOpInterface branch);
  void addRegionEdge(mlir::Operation *via, mlir::RegionSuccessor successor,
                     mlir::Operation *parent, mlir::OperandRange operands);
  FlowEdge &addEdge(int from, int to, mlir::Operation *via, int successor);
  void markReachable();
  void findJoins();
  int nextInChain(int index) const;
  void findChains();

  std::vector<FlowNode> nodes;
  std::vector<FlowEdge> edges;
  std::vector<std::vector<int>> chains;
  /// Where the branches at the end of a node come together; -1.
  std::vector<int> joins;
  /// The join of the innermost branches that a node is between; -1.
  std::vector<int> aroundJoins;
  std::vector<bool> unknownScopes;
  std::vector<int> entries;
  std::vector<mlir::Operation *> ends;
  llvm::DenseMap<mlir::Operation *, FlowPoint> points;
  /// The orders that the ops of a region have: the first, and after the last.
  llvm::DenseMap<mlir::Region *, std::pair<int, int>> ordersIn;
  llvm::DenseMap<mlir::Block *, int> blockStart;
  llvm::DenseMap<mlir::Operation *, int> behindOp;
  int orders = 0;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_FLOWGRAPH_H
