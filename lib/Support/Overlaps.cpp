//===- Overlaps.cpp - Which intervals overlap -----------------------------===//

#include "tpu_mlir/Support/Overlaps.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir {

bool forEachOverlap(std::vector<OwnedInterval> intervals,
                    llvm::function_ref<bool(size_t, size_t)> meet) {
  std::sort(intervals.begin(), intervals.end(),
            [](const OwnedInterval &a, const OwnedInterval &b) {
              return std::tie(a.interval, a.owner) <
                     std::tie(b.interval, b.owner);
            });
  std::vector<OwnedInterval> open;
  for (const OwnedInterval &next : intervals) {
    // What has ended is dropped when it is met; each is dropped once.
    size_t kept = 0;
    for (const OwnedInterval &other : open) {
      if (other.interval.end <= next.interval.begin)
        continue;
      open[kept++] = other;
      if (!meet(other.owner, next.owner))
        return false;
    }
    open.resize(kept);
    open.push_back(next);
  }
  return true;
}

} // namespace tpu_mlir
