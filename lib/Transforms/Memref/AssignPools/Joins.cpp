#include "lib/Transforms/Memref/AssignPools/Joins.h"

#include "lib/Transforms/Memref/MergeAlloc/InPlace.h"
#include "lib/Transforms/Memref/MergeAlloc/Joiner.h"

using namespace mlir;

namespace tpu_mlir::pools {

using namespace merging;

std::vector<std::vector<int64_t>> findJoins(func::FuncOp function,
                                            ArrayRef<PoolAlloc> allocs,
                                            ArrayRef<const MemrefUses *> uses,
                                            const OpTicks &ticks) {
  TickTrace trace(&function.getBody().front(), Attribute(), 0);
  for (const PoolAlloc &planned : allocs) {
    TickBuffer buffer;
    buffer.alloc = planned.alloc;
    buffer.sizeBytes = planned.size.sizeBytes;
    buffer.life = planned.life.ticks;
    trace.buffers.push_back(std::move(buffer));
  }
  findExclusivePairs(trace, uses, ticks);
  findInPlacePairs(trace, uses, ticks);
  Joiner joiner(trace);
  joiner.join(trace.exclusivePairs);
  joiner.join(trace.inPlacePairs);
  return joiner.groups();
}

} // namespace tpu_mlir::pools
