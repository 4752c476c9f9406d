// Where branches that part come together again.

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/FlowGraph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

namespace tpu_mlir::deallocation {
namespace {

/// Who dominates whom, with a root above all entries. Lengauer and Tarjan's
/// algorithm, from Boost.Graph; O(edges log nodes).
class Dominators {
public:
  Dominators(const FlowGraph &flow, llvm::ArrayRef<int> entries, bool backward);

  /// -1: none, or out of reach.
  int immediate(int node) const {
    return parent[node] == root ? -1 : parent[node];
  }
  /// Also of itself.
  bool dominates(int a, int b) const {
    return first[b] >= 0 && first[a] >= 0 && first[a] <= first[b] &&
           last[b] <= last[a];
  }
  int depth(int node) const { return depths[node]; }

private:
  void number();

  int root;
  std::vector<int> parent; ///< -1: out of reach.
  /// Places in the tree: those of what a node dominates lie between.
  std::vector<int> first, last, depths;
};

} // namespace

Dominators::Dominators(const FlowGraph &flow, llvm::ArrayRef<int> entries,
                       bool backward)
    : root(flow.nodeCount()) {
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  Graph graph(root + 1);
  for (int i = 0; i < flow.edgeCount(); ++i) {
    int from = flow.edge(i).from, to = flow.edge(i).to;
    if (flow.node(from).reachable)
      boost::add_edge(backward ? to : from, backward ? from : to, graph);
  }
  for (int entry : entries)
    boost::add_edge(root, entry, graph);
  auto none = boost::graph_traits<Graph>::null_vertex();
  std::vector<Graph::vertex_descriptor> found(root + 1, none);
  boost::lengauer_tarjan_dominator_tree(
      graph, root,
      boost::make_iterator_property_map(
          found.begin(), boost::get(boost::vertex_index, graph)));
  for (auto vertex : found)
    parent.push_back(vertex == none ? -1 : static_cast<int>(vertex));
  number();
}

void Dominators::number() {
  std::vector<std::vector<int>> children(parent.size());
  for (int i = 0; i < root; ++i)
    if (parent[i] >= 0)
      children[parent[i]].push_back(i);
  first.assign(parent.size(), -1);
  last = depths = first;
  int count = 0;
  std::vector<std::pair<int, bool>> open = {{root, false}};
  while (!open.empty()) {
    auto [node, isDone] = open.back();
    open.pop_back();
    if (isDone) {
      last[node] = count;
      continue;
    }
    first[node] = count++;
    depths[node] = node == root ? 0 : depths[parent[node]] + 1;
    open.push_back({node, true});
    for (int child : children[node])
      open.push_back({child, false});
  }
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
      if (flow.node(from).reachable && above.dominates(join, from))
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
    if (flow.node(i).reachable && flow.node(i).out.size() > 1 &&
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
    if (nodes[i].reachable && nodes[i].out.empty())
      exits.push_back(i);
    branches |= nodes[i].out.size() > 1 && behindRegions(i) < 0;
  }
  joins.assign(nodes.size(), -1);
  aroundJoins = joins;
  if (!branches || exits.empty())
    return;
  JoinFinder finder(*this, entries, exits);
  finder.run();
  joins = std::move(finder.joins);
  aroundJoins = std::move(finder.around);
}

} // namespace tpu_mlir::deallocation
