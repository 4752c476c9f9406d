//===- ControlGraph.cpp - Build one graph of blocks and regions -----------===//
//
// Cuts blocks at ops with regions and connects the pieces.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/ControlGraph.h"

using namespace mlir;

namespace tpu_mlir {

ControlGraph::ControlGraph(Operation *root,
                           llvm::function_ref<bool(Operation *)> isClosed)
    : isClosed(isClosed) {
  for (Region &region : root->getRegions()) {
    unknownScopes.push_back(false);
    addRegion(region, static_cast<int>(unknownScopes.size()) - 1);
  }
  for (Operation *op : ends)
    addEdges(op);
  this->isClosed = nullptr;
  ends.clear();
}

void ControlGraph::addRegion(Region &region, int scope) {
  if (region.empty())
    return;
  bool isScope = region.getParentOp() && !isOpen(region.getParentOp());
  if (isScope)
    entries.push_back(static_cast<int>(nodes.size()));
  const int first = orders;
  for (Block &block : region)
    addBlock(block, scope);
  ordersIn[&region] = {first, orders};
}

int ControlGraph::addNode(Block &block, Operation *behind, int scope) {
  ControlNode node;
  node.block = &block;
  node.behind = behind;
  node.scope = scope;
  node.order = behind ? points.lookup(behind).order : orders;
  nodes.push_back(node);
  return static_cast<int>(nodes.size()) - 1;
}

void ControlGraph::addBlock(Block &block, int scope) {
  int current = addNode(block, nullptr, scope);
  blockStart[&block] = current;
  for (Operation &op : block) {
    nodes[current].last = &op;
    points[&op] = {current, orders++};
    if (op.getNumRegions() == 0)
      continue;
    if (isClosed(&op)) {
      for (Region &region : op.getRegions()) {
        unknownScopes.push_back(false);
        addRegion(region, static_cast<int>(unknownScopes.size()) - 1);
      }
      continue;
    }
    ends.push_back(&op);
    current = addNode(block, &op, scope);
    behindOp[&op] = current;
    for (Region &region : op.getRegions())
      addRegion(region, scope);
  }
  if (!block.empty() && !isOpen(&block.back()))
    ends.push_back(&block.back());
}

ControlEdge &ControlGraph::addEdge(int from, int to, Operation *via,
                                   std::optional<unsigned> successor) {
  int index = static_cast<int>(edges.size());
  nodes[from].out.push_back(index);
  nodes[to].in.push_back(index);
  ControlEdge edge;
  edge.from = from;
  edge.to = to;
  edge.via = via;
  edge.successor = successor;
  edges.push_back(edge);
  return edges.back();
}

void ControlGraph::addBranchEdges(BranchOpInterface branch) {
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    Block *target = branch->getSuccessor(i);
    ControlEdge &edge =
        addEdge(points[branch].node, blockStart[target], branch, i);
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    for (unsigned k = operands.getProducedOperandCount(); k < operands.size();
         ++k) {
      Value argument = target->getArgument(k);
      if (isa<BaseMemRefType>(argument.getType()))
        edge.passes.push_back(
            {&branch->getOpOperand(operands.getOperandIndex(k)), argument});
    }
  }
}

void ControlGraph::addRegionEdge(Operation *via, RegionSuccessor successor,
                                 Operation *parent, OperandRange operands) {
  int to = successor.getSuccessor()
               ? blockStart[&successor.getSuccessor()->front()]
               : behindOp[parent];
  ControlEdge &edge = addEdge(points[via].node, to, via);
  ValueRange inputs = successor.getSuccessorInputs();
  for (auto [index, input] : llvm::enumerate(inputs))
    if (index < operands.size() && isa<BaseMemRefType>(input.getType()))
      edge.passes.push_back(
          {&via->getOpOperand(operands.getBeginOperandIndex() + index), input});
}

void ControlGraph::addEdges(Operation *op) {
  SmallVector<RegionSuccessor> successors;
  if (isOpen(op)) {
    auto branch = cast<RegionBranchOpInterface>(op);
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (RegionSuccessor successor : successors)
      if (!successor.getSuccessor() || !successor.getSuccessor()->empty())
        addRegionEdge(op, successor, op,
                      branch.getEntrySuccessorOperands(successor));
    return;
  }
  if (op->getNumSuccessors() > 0) {
    if (auto branch = dyn_cast<BranchOpInterface>(op))
      return addBranchEdges(branch);
    // Control goes there; what it hands on nobody knows.
    unknownScopes[scopeOf(op)] = true;
    for (Block *target : op->getSuccessors())
      addEdge(points[op].node, blockStart[target], op);
    return;
  }
  Operation *parent = op->getParentOp();
  auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  if (!terminator || !isOpen(parent))
    return;
  SmallVector<Attribute> operands(op->getNumOperands());
  terminator.getSuccessorRegions(operands, successors);
  for (RegionSuccessor successor : successors)
    if (!successor.getSuccessor() || !successor.getSuccessor()->empty())
      addRegionEdge(op, successor, parent,
                    terminator.getSuccessorOperands(successor));
}

std::optional<int> ControlGraph::behindRegions(int index) const {
  Operation *op = nodes[index].last;
  return op ? behind(op) : std::nullopt;
}

bool ControlGraph::isInside(int index, Region *region) const {
  auto [first, end] = ordersIn.lookup(region);
  return first <= nodes[index].order && nodes[index].order < end;
}

Operation *ControlGraph::inScope(Operation *op, int scope) const {
  while (op && points.contains(op) && scopeOf(op) != scope)
    op = op->getParentOp();
  return op;
}

ControlPoint ControlGraph::definition(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {blockStart.lookup(argument.getOwner()), -1};
  Operation *op = value.getDefiningOp();
  if (isOpen(op))
    return {behindOp.lookup(op), -1};
  return pointOf(op);
}

} // namespace tpu_mlir
