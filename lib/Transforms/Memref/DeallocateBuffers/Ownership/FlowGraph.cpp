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

std::optional<int> FlowGraph::behindParent(int index) const {
  return aroundJoins[index] ? aroundJoins[index]
                            : behind(node(index).block->getParentOp());
}

std::optional<int> FlowGraph::nextInChain(int index) const {
  const ControlNode &from = node(index);
  if (const auto behind = behindRegions(index))
    return behind;
  if (joins[index])
    return joins[index];
  if (from.out.size() != 1)
    return std::nullopt;
  const int to = edge(from.out.front()).to;
  const bool isNext = node(to).in.size() == 1 && !node(to).behind;
  return isNext ? std::optional(to) : std::nullopt;
}

void FlowGraph::findChains() {
  places.resize(nodeCount());
  std::vector<bool> follows(nodeCount()), isPlaced(nodeCount());
  for (int i = 0; i < nodeCount(); ++i)
    if (const auto to = nextInChain(i))
      follows[*to] = true;
  auto addChain = [&](int head) {
    for (std::optional<int> at = head; at && !isPlaced[*at];
         at = nextInChain(*at)) {
      if (at == head)
        chains.emplace_back();
      isPlaced[*at] = true;
      places[*at] = {static_cast<int>(chains.size()) - 1,
                     static_cast<int>(chains.back().size())};
      chains.back().push_back(*at);
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
