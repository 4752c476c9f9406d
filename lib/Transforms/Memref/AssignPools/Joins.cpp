//===- Joins.cpp - Find allocs that can share their bytes -----------------===//
//
// Describes the allocs of a function to the common Joiner and takes its
// groups.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/Joins.h"

#include "lib/Analysis/Memref/Sharing/Joiner.h"
#include "lib/Analysis/Memref/Sharing/SharingPairs.h"

using namespace mlir;

namespace tpu_mlir::pools {

using namespace sharing;

std::vector<std::vector<int64_t>> findJoins(ArrayRef<PoolAlloc> allocs,
                                            ArrayRef<const MemrefUses *> uses,
                                            const OpTicks &ticks) {
  SharingFacts facts;
  for (const PoolAlloc &planned : allocs) {
    TickBuffer buffer;
    buffer.alloc = planned.alloc;
    buffer.sizeBytes = planned.size.sizeBytes;
    buffer.life = planned.life.ticks;
    facts.buffers.push_back(std::move(buffer));
  }
  findExclusivePairs(facts, uses, ticks);
  findInPlacePairs(facts, uses, ticks);
  Joiner joiner(facts);
  joiner.join(facts.exclusivePairs);
  joiner.join(facts.inPlacePairs);
  return joiner.groups();
}

} // namespace tpu_mlir::pools
