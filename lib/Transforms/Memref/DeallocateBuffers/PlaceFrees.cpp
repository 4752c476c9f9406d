//===- PlaceFrees.cpp - Choose where buffers are freed --------------------===//
//
// At the last use in a block, or on the edges on which a buffer dies.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

/// What the program frees under the name of a phi must be the phi's own,
/// handed over on every edge; else the program frees somebody else's buffer.
bool Planner::isFreedByOwner(int index) const {
  return owners.roots[index].kind != RootKind::Phi ||
         (result.owned[index] == Owned::Always &&
          llvm::all_of(owners.passedTo(index), [&](int pass) {
            return result.handOvers[pass] == HandOver::Move;
          }));
}

/// A buffer that the program frees must be dead after that.
bool Planner::checkDeallocs(int index) {
  const Root &root = owners.roots[index];
  if (owners.isFreed(index) && !isFreedByOwner(index)) {
    giveUp(index, "", nullptr);
    return false;
  }
  for (const BufferUse &use : root.uses) {
    if (use.kind != UseKind::Dealloc)
      continue;
    bool isLast = true;
    for (const BufferUse &other : root.uses)
      if (other.point.node == use.point.node &&
          other.point.order > use.point.order)
        isLast = false;
    for (int edge : graph.node(use.point.node).out)
      if (isLive(index, edge))
        isLast = false;
    if (!isLast) {
      giveUp(index, "", use.operand->getOwner());
      return false;
    }
  }
  return true;
}

bool Planner::isVisible(int index, int node) const {
  Root &root = owners.roots[index];
  return node != root.definition.node &&
         graph.isInside(node, root.value.getParentRegion());
}

void Planner::place(int index) {
  const Root &root = owners.roots[index];
  // Between them it lives on.
  std::vector<int> nodes = liveness.live(index).ends(graph);
  nodes.push_back(root.definition.node);
  llvm::sort(nodes);
  std::vector<int> deadEdges;
  for (int node : nodes)
    placeInNode(index, node, deadEdges);
  placeOnEdges(index, deadEdges);
}

void Planner::placeInNode(int index, int node, std::vector<int> &deadEdges) {
  bool goesOn = false;
  std::vector<int> dead;
  for (int edge : graph.node(node).out) {
    if (isMoved(edge, index) || isLive(index, edge))
      goesOn = true;
    else
      dead.push_back(edge);
  }
  if (goesOn)
    deadEdges.insert(deadEdges.end(), dead.begin(), dead.end());
  else
    placeAtEnd(index, node, deadEdges);
}

/// It dies in the node, or at the op that ends it.
void Planner::placeAtEnd(int index, int node, std::vector<int> &deadEdges) {
  const Root &root = owners.roots[index];
  const BufferUse *last = nullptr;
  for (const BufferUse &use : root.uses)
    if (use.point.node == node)
      last = &use;
  if (!last || !last->operand) {
    Operation *op = root.value.getDefiningOp();
    if (!last && op && !graph.isOpen(op) && root.definition.node == node)
      result.frees.push_back({index, FreePlace::After, op, {}});
    else
      result.frees.push_back({index, FreePlace::NodeStart, nullptr, node});
    return;
  }
  Operation *op = graph.inScope(last->operand->getOwner(), root.scope);
  const ControlNode &at = graph.node(node);
  if (last->kind == UseKind::Dealloc)
    return;
  if (last->kind == UseKind::Return) {
    for (const BufferUse &use : root.uses)
      if (use.kind == UseKind::Return && use.point.node == node &&
          result.given.contains(use.operand) &&
          owners.rootsOf(use.operand->get()).front() == index)
        return;
    result.frees.push_back({index, FreePlace::NodeEnd, nullptr, node});
    return;
  }
  bool endsNode = op == at.last && !at.out.empty();
  if (!endsNode)
    result.frees.push_back({index, FreePlace::After, op, {}});
  else if (last->kind == UseKind::Pass &&
           (at.out.size() == 1 || !isa<BranchOpInterface>(op)))
    result.frees.push_back({index, FreePlace::NodeEnd, nullptr, node});
  else
    deadEdges.insert(deadEdges.end(), at.out.begin(), at.out.end());
}

void Planner::placeOnEdges(int index, const std::vector<int> &deadEdges) {
  llvm::MapVector<int, std::vector<int>> byTarget;
  for (int edge : deadEdges)
    byTarget[graph.edge(edge).to].push_back(edge);
  for (auto &[target, edges] : byTarget) {
    size_t reachable = 0;
    for (int edge : graph.node(target).in)
      reachable += graph.isReachable(graph.edge(edge).from);
    if (edges.size() == reachable && isVisible(index, target)) {
      result.frees.push_back({index, FreePlace::NodeStart, nullptr, target});
      continue;
    }
    for (int edge : edges)
      placeOnEdge(index, edge);
  }
}

void Planner::placeOnEdge(int index, int number) {
  const ControlEdge &edge = graph.edge(number);
  if (graph.node(edge.from).out.size() == 1 &&
      !graph.isOpen(graph.node(edge.from).last)) {
    result.frees.push_back({index, FreePlace::NodeEnd, nullptr, edge.from});
    return;
  }
  if (auto branch = dyn_cast<BranchOpInterface>(edge.via);
      branch &&
      branch.getSuccessorOperands(*edge.successor).getProducedOperandCount() ==
          0) {
    result.frees.push_back({index, FreePlace::Edge, nullptr, number});
    return;
  }
  if (!isVisible(index, edge.to))
    return giveUp(index, "there is no place to free it", edge.via);
  // No op can be put on an edge between regions: it lives on to the end of it.
  std::vector<int> longer;
  owners.addUse(index, {ControlPoint{edge.to, -1}, nullptr, UseKind::Read},
                longer);
  lengthen(longer);
}

} // namespace tpu_mlir::deallocation
