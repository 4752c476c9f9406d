#include "lib/Transforms/AssignPools/Joins.h"

#include "lib/Transforms/MergeAlloc/InPlace.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <numeric>

using namespace mlir;

namespace tpu_mlir::pools {

namespace {

/// Above it members of groups are not compared one by one.
constexpr size_t kManyMembers = 32;

class Joiner {
public:
  explicit Joiner(ArrayRef<PoolAlloc> allocs)
      : allocs(allocs), groupOf(allocs.size()), members(allocs.size()),
        heirOf(allocs.size()), isHeir(allocs.size()) {
    std::iota(groupOf.begin(), groupOf.end(), 0);
    for (size_t id = 0; id < members.size(); ++id)
      members[id] = {id};
  }

  void join(const SharingPair &pair) {
    size_t a = groupOf[pair.first], b = groupOf[pair.second];
    bool inPlace = !pair.at.empty();
    if (a == b || members[a].size() + members[b].size() > kManyMembers ||
        (inPlace && (heirOf[pair.first] || isHeir[pair.second])))
      return;
    if (inPlace)
      heirOf[pair.first] = pair.second;
    for (size_t x : members[a])
      for (size_t y : members[b])
        if (!mayShare(x, y)) {
          if (inPlace)
            heirOf[pair.first].reset();
          return;
        }
    isHeir[pair.second] = isHeir[pair.second] || inPlace;
    for (size_t id : members[b])
      groupOf[id] = a;
    llvm::append_range(members[a], members[b]);
    members[b].clear();
  }

  std::vector<std::vector<size_t>> groups() {
    std::vector<std::vector<size_t>> result;
    for (std::vector<size_t> &group : members) {
      if (group.size() < 2)
        continue;
      llvm::sort(group);
      llvm::stable_sort(group, [&](size_t a, size_t b) {
        return allocs[a].size.sizeBytes > allocs[b].size.sizeBytes;
      });
      result.push_back(std::move(group));
    }
    return result;
  }

private:
  /// In place two have the op in common, and nothing else.
  bool mayShare(size_t a, size_t b) const {
    return !anyOverlap(allocs[a].life.ticks, allocs[b].life.ticks) ||
           heirOf[a] == b || heirOf[b] == a ||
           insideMutuallyExclusiveRegions(allocs[a].alloc, allocs[b].alloc);
  }

  ArrayRef<PoolAlloc> allocs;
  std::vector<size_t> groupOf;
  std::vector<std::vector<size_t>> members;
  std::vector<std::optional<size_t>> heirOf;
  std::vector<bool> isHeir;
};

} // namespace

std::vector<std::vector<size_t>> findJoins(func::FuncOp function,
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
  Joiner joiner(allocs);
  for (const SharingPair &pair : trace.exclusivePairs)
    joiner.join(pair);
  for (const SharingPair &pair : trace.inPlacePairs)
    joiner.join(pair);
  return joiner.groups();
}

} // namespace tpu_mlir::pools
