//===- Refit.h - Other places for a few that came out too high --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_REFIT_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_REFIT_H

#include "lib/Planning/Kit/Placing.h"

#include <random>

namespace tpu_mlir::planning {

/// Puts items that end above a limit below it: with those that are alive at
/// about the same time, each goes to the lowest or the highest place that it
/// finds, in orders that are drawn. Pins and forbidden pairs are not looked at.
class Refit {
public:
  /// All of them outlive this object. Only `movable` ones get other offsets.
  Refit(const std::vector<Item> &items, const std::vector<size_t> &movable,
        std::vector<int64_t> &offsets, int64_t limitBytes);

  /// True when the item ends below the limit now; else nothing has changed.
  /// O(n + a log a), a items alive at about the same time, beside the tries.
  bool run(size_t id);
  /// Places that were looked for.
  int64_t nodes() const { return nodeCount; }

private:
  struct Member {
    size_t id;
    std::vector<Interval> gaps; ///< Between items that stay.
    int64_t offset = -1;
  };

  Interval lifeOf(size_t id) const { return hullOf(items[id]); }
  void gather(size_t id);
  void findGaps(Interval span);
  bool place(size_t member, bool isHigh);
  bool isFree(const Member &member, int64_t offset) const;

  const std::vector<Item> &items;
  const std::vector<size_t> &movable;
  std::vector<int64_t> &offsets;
  const int64_t limitBytes;
  std::mt19937_64 random;
  std::vector<Member> members;
  int64_t nodeCount = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_REFIT_H
