//===- KernelGraph.cpp - Build the graph of a kernel ----------------------===//
//
// One node an op that matters, divergent ops as a whole, with the edges that
// all threads take.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Gpu/PackSharedMemory/KernelGraph.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/RegionFlow.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::shared_memory {

KernelGraph::KernelGraph(Operation *kernel, const Uniformity &uniformity)
    : kernelOp(kernel), uniformity(uniformity) {
  addRegion(kernel->getRegion(0));
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
      addEdges(&op, last);
    }
  }
  for (Block &block : region)
    for (Block *successor : block.getSuccessors())
      connect(startOf[&block.back()], startOf[&successor->front()]);
}

/// The edges into, between and out of the regions of an op.
void KernelGraph::addEdges(Operation *op, int64_t end) {
  forEachRegionFlow(
      cast<RegionBranchOpInterface>(op), [&](Region *from, RegionSuccessor to) {
        const int64_t target =
            to.isParent() ? end : startOf[&to.getSuccessor()->front().front()];
        if (!from)
          return connect(startOf[op], target);
        for (Block &block : *from)
          if (block.back().getNumSuccessors() == 0)
            connect(startOf[&block.back()], target);
      });
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
