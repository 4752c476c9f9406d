//===- KernelGraph.cpp - Build the graph of a kernel ----------------------===//
//
// One node an op that matters, divergent ops as a whole; edges between blocks
// and regions are those of the control graph in which divergent ops are closed.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Gpu/PackSharedMemory/KernelGraph.h"

#include "tpu_mlir/Analysis/Memref/ControlGraph.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::shared_memory {

KernelGraph::KernelGraph(Operation *kernel, const Uniformity &uniformity)
    : kernelOp(kernel), uniformity(uniformity) {
  addRegion(kernel->getRegion(0));
  const ControlGraph control(
      kernel, [&](Operation *op) { return uniformity.isDivergent(op); });
  for (int i = 0; i < control.edgeCount(); ++i) {
    const ControlEdge &edge = control.edge(i);
    const ControlNode &to = control.node(edge.to);
    if (to.scope == 0)
      connect(startOf[edge.via],
              to.behind ? endOf[to.behind] : startOf[&to.block->front()]);
  }
}

/// Ops that compute numbers from numbers are no nodes: there are many.
static bool isOfInterest(Operation *op) {
  auto isNumber = [](Type type) {
    return getElementTypeOrSelf(type).isIntOrIndexOrFloat() &&
           !isa<BaseMemRefType>(type);
  };
  return op->getNumRegions() > 0 || endsBlock(op) || !isMemoryEffectFree(op) ||
         !llvm::all_of(op->getOperandTypes(), isNumber) ||
         !llvm::all_of(op->getResultTypes(), isNumber);
}

int64_t KernelGraph::addNode(Operation *op, bool isEnd) {
  all.push_back({op, isEnd, {}});
  return all.size() - 1;
}

void KernelGraph::addRegion(Region &region) {
  for (Block &block : region) {
    int64_t last = -1;
    for (Operation &op : block) {
      if (!isOfInterest(&op) && &op != &block.front())
        continue;
      int64_t start = addNode(&op, false);
      startOf[&op] = start;
      if (last >= 0)
        connect(last, start);
      last = start;
      if (op.getNumRegions() == 0 || uniformity.isDivergent(&op))
        continue;
      for (Region &inner : op.getRegions())
        addRegion(inner);
      last = endOf[&op] = addNode(&op, true);
    }
  }
}

int64_t KernelGraph::nodeOf(Operation *op) const {
  for (;; op = op->getParentOp())
    if (auto found = startOf.find(op); found != startOf.end())
      return found->second;
}

std::pair<int64_t, int64_t> KernelGraph::rangeOf(Operation *op) const {
  int64_t start = nodeOf(op);
  auto end = endOf.find(op);
  return {start, (end == endOf.end() ? start : end->second) + 1};
}

} // namespace tpu_mlir::shared_memory
