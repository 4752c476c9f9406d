//===- FlowGraph.cpp - Find the chains of the control graph ---------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/FlowGraph.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

FlowGraph::FlowGraph(Operation *function) : ControlGraph(function) {
  markReachable();
  findJoins();
  findChains();
}

void FlowGraph::markReachable() {
  reachable.resize(nodeCount());
  std::vector<int> open = entries;
  for (int entry : entries)
    reachable[entry] = true;
  while (!open.empty()) {
    int from = open.back();
    open.pop_back();
    for (int index : node(from).out)
      if (int to = edge(index).to; !reachable[to]) {
        reachable[to] = true;
        open.push_back(to);
      }
  }
}

int FlowGraph::behindParent(int index) const {
  if (aroundJoins[index] >= 0)
    return aroundJoins[index];
  return behind(node(index).block->getParentOp());
}

int FlowGraph::nextInChain(int index) const {
  const ControlNode &from = node(index);
  if (int behind = behindRegions(index); behind >= 0)
    return behind;
  if (joins[index] >= 0)
    return joins[index];
  if (from.out.size() != 1)
    return -1;
  int to = edge(from.out.front()).to;
  return node(to).in.size() == 1 && !node(to).behind ? to : -1;
}

void FlowGraph::findChains() {
  places.resize(nodeCount());
  std::vector<bool> follows(nodeCount());
  for (int i = 0; i < nodeCount(); ++i)
    if (int to = nextInChain(i); to >= 0)
      follows[to] = true;
  auto addChain = [&](int head) {
    for (int at = head; at >= 0 && places[at].chain < 0; at = nextInChain(at)) {
      if (at == head)
        chains.emplace_back();
      places[at] = {static_cast<int>(chains.size()) - 1,
                    static_cast<int>(chains.back().size())};
      chains.back().push_back(at);
    }
  };
  for (int i = 0; i < nodeCount(); ++i)
    if (!follows[i])
      addChain(i);
  // Rings of unreachable blocks have no head.
  for (int i = 0; i < nodeCount(); ++i)
    addChain(i);
}

} // namespace tpu_mlir::deallocation
