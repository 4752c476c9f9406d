//===- ControlGraph.h - Blocks and regions as one graph ---------*- C++ -*-===//
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
// Ops that are closed stay so: to the graph around them they are one op. Each
// of their regions is a graph of its own, a scope.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_CONTROLGRAPH_H
#define TPU_MLIR_ANALYSIS_MEMREF_CONTROLGRAPH_H

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace tpu_mlir {

/// A memref that an edge hands on: `operand` of the op that makes the edge
/// becomes `target`.
struct MemrefPass {
  mlir::OpOperand *operand;
  mlir::Value target;
};

struct ControlEdge {
  int from = 0;
  int to = 0;
  /// The branch, the op with regions, or what ends one of its regions.
  mlir::Operation *via = nullptr;
  /// Of a BranchOpInterface; nullopt: an edge to or from a region.
  std::optional<unsigned> successor;
  std::vector<MemrefPass> passes;
};

/// Ops of one block that run one after the other.
struct ControlNode {
  mlir::Block *block = nullptr;
  /// The op with regions that the node follows on; null at the block's start.
  mlir::Operation *behind = nullptr;
  /// Null only in a block without ops.
  mlir::Operation *last = nullptr;
  int scope = 0;
  /// Of the op that it follows on, or of its first one.
  int order = 0;
  std::vector<int> in;  ///< Edges.
  std::vector<int> out; ///< Edges.
};

/// Where an op is: nodes hold ops with ascending order.
struct ControlPoint {
  int node = -1;
  int order = -1;
};

class ControlGraph {
public:
  /// `isClosed` is true of all ops whose regions run in an unknown way.
  /// O(ops + edges).
  explicit ControlGraph(
      mlir::Operation *root,
      llvm::function_ref<bool(mlir::Operation *)> isClosed = isOpaque);

  const ControlNode &node(int index) const { return nodes[index]; }
  const ControlEdge &edge(int index) const { return edges[index]; }
  int nodeCount() const { return static_cast<int>(nodes.size()); }
  int edgeCount() const { return static_cast<int>(edges.size()); }
  /// The node that a block starts with.
  int startOf(mlir::Block *block) const { return blockStart.lookup(block); }
  /// The node that follows on the regions of the op that ends this one, if such
  /// an op does.
  std::optional<int> behindRegions(int index) const;
  /// The node is in the region, or in one inside of it. O(1).
  bool isInside(int index, mlir::Region *region) const;

  /// The op itself, or the closed op around it that is in `scope`. `scope` is
  /// one around the op.
  mlir::Operation *inScope(mlir::Operation *op, int scope) const;
  ControlPoint pointOf(mlir::Operation *op) const { return points.lookup(op); }
  /// Where `value` is defined; block arguments and results of opened ops at the
  /// start of a node, with order -1.
  ControlPoint definition(mlir::Value value) const;
  int scopeOf(mlir::Operation *op) const {
    return nodes[points.lookup(op).node].scope;
  }
  /// Its regions are part of the graph.
  bool isOpen(mlir::Operation *op) const { return behindOp.contains(op); }
  /// Control flow in the scope is not known.
  bool isUnknown(int scope) const { return unknownScopes[scope]; }

protected:
  /// The node that follows on the regions of an op that is open.
  std::optional<int> behind(mlir::Operation *op) const {
    auto found = behindOp.find(op);
    return found == behindOp.end() ? std::nullopt
                                   : std::optional(found->second);
  }
  /// The first node of each scope.
  std::vector<int> entries;

private:
  void addRegion(mlir::Region &region, int scope);
  void addBlock(mlir::Block &block, int scope);
  int addNode(mlir::Block &block, mlir::Operation *behind, int scope);
  void addEdges(mlir::Operation *op);
  void addBranchEdges(mlir::BranchOpInterface branch);
  void addRegionEdge(mlir::Operation *via, mlir::RegionSuccessor successor,
                     mlir::Operation *parent, mlir::OperandRange operands);
  ControlEdge &addEdge(int from, int to, mlir::Operation *via,
                       std::optional<unsigned> successor = std::nullopt);

  llvm::function_ref<bool(mlir::Operation *)> isClosed; ///< While it is built.
  std::vector<ControlNode> nodes;
  std::vector<ControlEdge> edges;
  std::vector<bool> unknownScopes;
  std::vector<mlir::Operation *> ends;
  llvm::DenseMap<mlir::Operation *, ControlPoint> points;
  /// The orders that the ops of a region have: the first, and after the last.
  llvm::DenseMap<mlir::Region *, std::pair<int, int>> ordersIn;
  llvm::DenseMap<mlir::Block *, int> blockStart;
  llvm::DenseMap<mlir::Operation *, int> behindOp;
  int orders = 0;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_CONTROLGRAPH_H
