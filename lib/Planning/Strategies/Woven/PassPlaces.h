//===- PassPlaces.h - Which levels of passes share a place ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPLACES_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPLACES_H

#include "lib/Planning/Strategies/Woven/Passes.h"

namespace tpu_mlir::planning {

/// One period of passes, from the begin of one to the begin of the next, by
/// place in the list of its steps.
struct PassPeriod {
  struct Level {
    int64_t sizeBytes = 0;
    Interval fresh; ///< The pass that begins has it.
    Interval old;   ///< The pass whose place that one takes has it.
    bool isLong = false;
  };
  std::vector<Level> levels;
  /// By step: sizes of what comes and goes, the largest first.
  std::vector<std::vector<int64_t>> temporaries;
  int64_t inFlight = 0;
};

/// Where levels are: those in slots have places of their own, one more than
/// there are passes in flight; the others share one place a pass.
struct PassPlaces {
  std::vector<bool> isInSlot; ///< By level.
  /// Bytes that hold nothing but what comes and goes.
  int64_t freeBytes = 0;
  /// Of all places.
  int64_t totalBytes = kMaxOffset;
};

/// Draws numbers to look for the least total: each node of the search is so
/// many steps of the period. O(nodes) after O(levels * steps).
class PassPlacesSearch {
public:
  explicit PassPlacesSearch(const PassPeriod &period);

  /// The best of each of its rounds, the lowest total first; fewer at the
  /// deadline and after so many nodes, but one at least.
  std::vector<PassPlaces> run(int64_t nodeLimit, const Deadline &deadline);
  int64_t nodes() const { return nodeCount; }

private:
  struct Draw;
  /// Bytes of levels in slots that are there at a step.
  struct Load {
    int64_t fresh = 0, old = 0;
  };

  void set(const std::vector<bool> &isInSlot);
  void flip(size_t level);
  int64_t stackBytes() const;
  /// Least bytes beside all places that what comes and goes needs; may be any
  /// number from `most` on as soon as it is no less.
  int64_t freeBytes(int64_t stack, int64_t most) const;
  /// Of the levels' places as they are; nothing at or above `below` is exact.
  PassPlaces total(int64_t below) const;
  void offer(const PassPlaces &places);
  void startFromPrefixes();
  void anneal(uint64_t round);
  bool mustStop();

  const PassPeriod &period;
  std::vector<size_t> longLevels;
  std::vector<Load> all;     ///< By step, of all levels.
  std::vector<int64_t> sums; ///< By step, of what comes and goes.
  std::vector<size_t> order; ///< Steps, the fullest first.
  int64_t sumBytes = 0;      ///< Of one pass.
  // Of the state that is looked at.
  std::vector<bool> isInSlot;
  std::vector<Load> slots; ///< By step.
  int64_t slotBytes = 0;

  PassPlaces best; ///< Of the round.
  std::vector<PassPlaces> found;
  int64_t nodeCount = 0, nextLook = 0, lastNode = 0, nodesOfLook = 1;
  const Deadline *until = nullptr;
  bool isStopped = false;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPLACES_H
