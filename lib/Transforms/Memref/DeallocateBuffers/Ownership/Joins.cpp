// Where branches that part come together again.

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/FlowGraph.h"

#include "llvm/Support/GenericDomTreeConstruction.h"

namespace tpu_mlir::deallocation {
namespace {

/// A graph as LLVM's dominator tree wants it: the root first.
struct TreeGraph {
  struct Node {
    std::optional<int> index; ///< Not of the root, which is above all entries.
    TreeGraph *graph;
    llvm::SmallVector<Node *, 2> successors, predecessors;

    TreeGraph *getParent() const { return graph; }
    void printAsOperand(llvm::raw_ostream &os, bool) const {
      os << (index ? std::to_string(*index) : "root");
    }
  };
  Node &front() { return nodes.front(); }

  std::vector<Node> nodes;
};

} // namespace
} // namespace tpu_mlir::deallocation

using tpu_mlir::deallocation::TreeGraph;
using TreeNode = TreeGraph::Node;

/// A node's neighbours on one side.
template <llvm::SmallVector<TreeNode *, 2> TreeNode::*neighbours>
struct TreeNeighbours {
  using NodeRef = TreeNode *;
  using ChildIteratorType = llvm::SmallVectorImpl<TreeNode *>::iterator;
  static ChildIteratorType child_begin(NodeRef node) {
    return (node->*neighbours).begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return (node->*neighbours).end();
  }
};
template <>
struct llvm::GraphTraits<TreeNode *> : TreeNeighbours<&TreeNode::successors> {};
template <>
struct llvm::GraphTraits<llvm::Inverse<TreeNode *>>
    : TreeNeighbours<&TreeNode::predecessors> {};
template <>
struct llvm::GraphTraits<TreeGraph *> : llvm::GraphTraits<TreeNode *> {
  using nodes_iterator =
      llvm::pointer_iterator<std::vector<TreeNode>::iterator>;
  static NodeRef getEntryNode(TreeGraph *graph) { return &graph->front(); }
  static nodes_iterator nodes_begin(TreeGraph *graph) {
    return nodes_iterator(graph->nodes.begin());
  }
  static nodes_iterator nodes_end(TreeGraph *graph) {
    return nodes_iterator(graph->nodes.end());
  }
};

namespace tpu_mlir::deallocation {
namespace {

/// Who dominates whom, with a root above all entries: LLVM's tree, by Semi-NCA.
/// About O(edges log nodes).
class Dominators {
public:
  Dominators(const FlowGraph &flow, llvm::ArrayRef<int> entries, bool backward);

  /// nullopt: none, or out of reach.
  std::optional<int> immediate(int node) const {
    const auto *at = treeNode(node);
    return at ? at->getIDom()->getBlock()->index : std::nullopt;
  }
  /// Also of itself.
  bool dominates(int a, int b) const {
    return treeNode(a) && treeNode(b) &&
           tree.dominates(treeNode(a), treeNode(b));
  }
  int depth(int node) const { return treeNode(node)->getLevel(); }

private:
  const llvm::DomTreeNodeBase<TreeNode> *treeNode(int node) const {
    return tree.getNode(&graph.nodes[node + 1]);
  }

  TreeGraph graph;
  llvm::DominatorTreeBase<TreeNode, /*IsPostDom=*/false> tree;
};

} // namespace

Dominators::Dominators(const FlowGraph &flow, llvm::ArrayRef<int> entries,
                       bool backward) {
  graph.nodes.push_back({std::nullopt, &graph, {}, {}});
  for (int i = 0; i < flow.nodeCount(); ++i)
    graph.nodes.push_back({i, &graph, {}, {}});
  auto connectTo = [&](TreeNode &source, int to) {
    TreeNode &target = graph.nodes[to + 1];
    source.successors.push_back(&target);
    target.predecessors.push_back(&source);
  };
  auto connect = [&](int from, int to) {
    connectTo(graph.nodes[from + 1], to);
  };
  for (int entry : entries)
    connectTo(graph.front(), entry);
  for (int i = 0; i < flow.edgeCount(); ++i) {
    auto [from, to] = std::pair(flow.edge(i).from, flow.edge(i).to);
    if (flow.isReachable(from))
      connect(backward ? to : from, backward ? from : to);
  }
  tree.recalculate(graph);
  tree.updateDFSNumbers();
}

namespace {

class JoinFinder {
public:
  JoinFinder(const FlowGraph &flow, llvm::ArrayRef<int> entries,
             llvm::ArrayRef<int> exits)
      : flow(flow), above(flow, entries, /*backward=*/false),
        below(flow, exits, /*backward=*/true), joins(flow.nodeCount()),
        around(flow.nodeCount()), seenFor(flow.nodeCount()) {}
  void run();

  const FlowGraph &flow;
  Dominators above, below;
  using Nodes = std::vector<std::optional<int>>;
  Nodes joins;  ///< By the node where branches part.
  Nodes around; ///< The join that lies after a node; innermost.

private:
  bool collect(int fork, int join);
  bool isClosed(int fork, int join) const;

  Nodes seenFor; ///< The fork that a node was last seen for.
  std::vector<int> inside;
  /// Of `inside`, those that were not come upon after an inner fork.
  std::vector<bool> isPlain;
};

} // namespace

/// All that can be reached from the fork before the join. What lies between an
/// inner fork and its join need not be looked at again.
bool JoinFinder::collect(int fork, int join) {
  inside.clear();
  isPlain.clear();
  auto reach = [&](int node, bool plain) {
    if (node == join)
      return true;
    if (node == fork || !above.dominates(fork, node))
      return false;
    if (seenFor[node] != fork) {
      seenFor[node] = fork;
      inside.push_back(node);
      isPlain.push_back(plain);
    }
    return true;
  };
  auto reachAll = [&](int from) {
    for (int edge : flow.node(from).out)
      if (!reach(flow.edge(edge).to, true))
        return false;
    return true;
  };
  if (!reachAll(fork))
    return false;
  for (size_t i = 0; i < inside.size(); ++i) {
    int node = inside[i];
    const auto next = joins[node] ? joins[node] : flow.behindRegions(node);
    if (next ? !reach(*next, false) : !reachAll(node))
      return false;
  }
  return true;
}

/// Nothing leads there but from the fork.
bool JoinFinder::isClosed(int fork, int join) const {
  auto comesFromBehind = [&](int node) {
    for (int edge : flow.node(node).in) {
      int from = flow.edge(edge).from;
      if (flow.isReachable(from) && above.dominates(join, from))
        return true;
    }
    return false;
  };
  for (size_t i = 0; i < inside.size(); ++i)
    if (isPlain[i] && comesFromBehind(inside[i]))
      return false;
  return !comesFromBehind(join);
}

/// Inner forks first.
void JoinFinder::run() {
  std::vector<int> forks;
  for (int i = 0; i < flow.nodeCount(); ++i)
    if (flow.isReachable(i) && flow.node(i).out.size() > 1 &&
        !flow.behindRegions(i))
      forks.push_back(i);
  llvm::stable_sort(
      forks, [&](int a, int b) { return above.depth(a) > above.depth(b); });
  for (int fork : forks) {
    const auto join = below.immediate(fork);
    if (!join || above.immediate(*join) != fork ||
        flow.node(*join).block->getParent() !=
            flow.node(fork).block->getParent() ||
        !collect(fork, *join) || !isClosed(fork, *join))
      continue;
    joins[fork] = join;
    for (int node : inside)
      if (!around[node])
        around[node] = join;
  }
}

void FlowGraph::findJoins() {
  std::vector<int> exits;
  bool branches = false;
  for (int i = 0; i < nodeCount(); ++i) {
    if (reachable[i] && node(i).out.empty())
      exits.push_back(i);
    branches |= node(i).out.size() > 1 && !behindRegions(i);
  }
  joins.assign(nodeCount(), std::nullopt);
  aroundJoins = joins;
  if (!branches || exits.empty())
    return;
  JoinFinder finder(*this, entries, exits);
  finder.run();
  joins = std::move(finder.joins);
  aroundJoins = std::move(finder.around);
}

} // namespace tpu_mlir::deallocation
