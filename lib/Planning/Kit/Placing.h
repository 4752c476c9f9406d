//===- Placing.h - What the strategies share --------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_KIT_PLACING_H
#define TPU_MLIR_LIB_PLANNING_KIT_PLACING_H

#include "tpu_mlir/Planning/Strategy.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <limits>

namespace tpu_mlir::planning {

constexpr int64_t kMaxOffset = std::numeric_limits<int64_t>::max();

/// From the first to the last step of a lifespan with gaps.
inline Interval hullOf(const Item &item) {
  return {item.lifespans.front().begin, item.lifespans.back().end};
}

/// Number of steps at which the item is alive.
int64_t totalLife(const Item &item);

/// All steps at which a lifespan begins or ends, ascending, each once.
std::vector<int64_t> stepsOf(const std::vector<Item> &items);

/// For each item the items with which it must not share bytes, ascending.
std::vector<std::vector<int64_t>> forbiddenPartners(const PackingProblem &p);

/// Bytes [offset, offset + size) of an item; the caller knows that they fit.
inline Interval bytesAt(int64_t offset, const Item &item) {
  return {offset, offset + item.sizeBytes};
}

/// The smallest multiple of `alignment` >= `from` at which `size` bytes avoid
/// all of `blocked` (sorted by begin; may overlap) and end at or below `limit`,
/// or nullopt. O(|blocked|).
std::optional<int64_t> lowestFit(int64_t from, int64_t size, int64_t alignment,
                                 const std::vector<Interval> &blocked,
                                 int64_t limit = kMaxOffset);

/// The union of all pinned ranges, in address order.
std::vector<Interval> pinnedBytes(const PackingProblem &problem);

/// Gives out bytes that nothing else ever uses: each piece after the one
/// before, around the ranges of pinned items. O(1) amortised.
class Bump {
public:
  explicit Bump(const PackingProblem &problem) : pinned(pinnedBytes(problem)) {}
  /// nullopt, and no change, when the piece would leave 63 bits.
  std::optional<int64_t> allocate(int64_t size, int64_t alignment);

private:
  const std::vector<Interval> pinned;
  size_t nextPinned = 0; ///< The first range that ends above `top`.
  int64_t top = 0;
};

struct Extent {
  int64_t sizeBytes = 0;
  int64_t alignment = 1;
};
/// Those of `order`, which have no offset (-1), go on top of what has one, one
/// above the other. False, and nothing is placed, where offsets leave 63 bits.
bool stackOnTop(std::vector<int64_t> &offsets, const std::vector<size_t> &order,
                llvm::function_ref<Extent(size_t)> extentOf);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_KIT_PLACING_H
