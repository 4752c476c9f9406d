// Where branches that part come together again.

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/FlowGraph.h"

#include "llvm/Support/GenericDomTreeConstruction.h"

namespace tpu_mlir::deallocation {
namespace {

/// A graph as LLVM's dominator tree wants it: the root first.
struct TreeGraph {
  struct Node {
    int index;
    TreeGraph *graph;
    llvm::SmallVector<Node *, 2> successors, predecessors;

    TreeGraph *getParent() const { return graph; }
    void printAsOperand(llvm::raw_ostream &os, bool) const { os << index; }
  };
  Node &front() { return nodes.front(); }

  std::vector<Node> nodes;
};

} // namespace
} // namespace tpu_mlir::deallocation

using tpu_mlir::deallocation::TreeGraph;
using TreeNode = TreeGraph::Node;
template <> struct llvm::GraphTraits<TreeNode *> {
  using NodeRef = TreeNode *;
  using ChildIteratorType = SmallVectorImpl<TreeNode *>::iterator;
  static ChildIteratorType child_begin(NodeRef node) {
    return node->successors.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->successors.end();
  }
};
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
template <> struct llvm::GraphTraits<llvm::Inverse<TreeNode *>> {
  using NodeRef = TreeNode *;
  using ChildIteratorType = SmallVectorImpl<TreeNode *>::iterator;
  static ChildIteratorType child_begin(NodeRef node) {
    return node->predecessors.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->predecessors.end();
  }
};

namespace tpu_mlir::deallocation {
namespace {

/// Who dominates whom, with a root above all entries: LLVM's tree, by Semi-NCA.
/// About O(edges log nodes).
class Dominators {
public:
  Dominators(const FlowGraph &flow, llvm::ArrayRef<int> entries, bool backward);

  /// -1: none, or out of reach.
  int immediate(int node) const {
    const auto *at = treeNode(node);
    return at ? at->getIDom()->getBlock()->index : -1;
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
  for (int i = -1; i < flow.nodeCount(); ++i)
    graph.nodes.push_back({i, &graph, {}, {}});
  auto connect = [&](int from, int to) {
    TreeNode &source = graph.nodes[from + 1], &target = graph.nodes[to + 1];
    source.successors.push_back(&target);
    target.predecessors.push_back(&source);
  };
  for (int entry : entries)
    connect(-1, entry);
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
        below(flow, exits, /*backward=*/true), joins(flow.nodeCount(), -1),
        around(flow.nodeCount(), -1), seenFor(flow.nodeCount(), -1) {}
  void run();

  const FlowGraph &flow;
  Dominators above, below;
  std::vector<int> joins;  ///< By the node where branches part.
  std::vector<int> around; ///< The join that lies after a node; innermost.

private:
  bool collect(int fork, int join);
  bool isClosed(int fork, int join) const;

  std::vector<int> seenFor; ///< The fork that a node was last seen for.
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
    int next = joins[node] >= 0 ? joins[node] : flow.behindRegions(node);
    if (next >= 0 ? !reach(next, false) : !reachAll(node))
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
        flow.behindRegions(i) < 0)
      forks.push_back(i);
  llvm::stable_sort(
      forks, [&](int a, int b) { return above.depth(a) > above.depth(b); });
  for (int fork : forks) {
    int join = below.immediate(fork);
    if (join < 0 || above.immediate(join) != fork ||
        flow.node(join).block->getParent() !=
            flow.node(fork).block->getParent() ||
        !collect(fork, join) || !isClosed(fork, join))
      continue;
    joins[fork] = join;
    for (int node : inside)
      if (around[node] < 0)
        around[node] = join;
  }
}

void FlowGraph::findJoins() {
  std::vector<int> exits;
  bool branches = false;
  for (int i = 0; i < nodeCount(); ++i) {
    if (reachable[i] && node(i).out.empty())
      exits.push_back(i);
    branches |= node(i).out.size() > 1 && behindRegions(i) < 0;
  }
  joins.assign(nodeCount(), -1);
  aroundJoins = joins;
  if (!branches || exits.empty())
    return;
  JoinFinder finder(*this, entries, exits);
  finder.run();
  joins = std::move(finder.joins);
  aroundJoins = std::move(finder.around);
}

} // namespace tpu_mlir::deallocation
