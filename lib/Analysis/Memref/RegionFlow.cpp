//===- RegionFlow.cpp - Edges between the regions of an op ----------------===//
//
// Reads them from RegionBranchOpInterface, with the values that go along each
// edge.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/RegionFlow.h"

using namespace mlir;

namespace tpu_mlir {

void forEachRegionFlow(
    RegionBranchOpInterface branch,
    llvm::function_ref<void(Region *from, RegionSuccessor to)> follow) {
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (const RegionSuccessor &to : successors)
    follow(nullptr, to);
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    successors.clear();
    branch.getSuccessorRegions(region, successors);
    for (const RegionSuccessor &to : successors)
      follow(&region, to);
  }
}

} // namespace tpu_mlir
