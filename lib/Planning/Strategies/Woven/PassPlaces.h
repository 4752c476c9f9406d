//===- PassPlaces.h - Which levels of passes share a place ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPLACES_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPLACES_H

#include "lib/Planning/Strategies/Woven/PassLoads.h"

namespace tpu_mlir::planning {

/// Where levels are: those apart have places of their own, slots for long ones,
/// one more than there are passes in flight, and tracks for the others, as many
/// as these; what is left shares one place a pass.
struct PassPlaces {
  std::vector<bool> isApart; ///< By level.
  /// Bytes that hold nothing but what comes and goes.
  int64_t freeBytes = 0;
  /// What each stack has more than it needs, and two slots or two tracks have
  /// between them.
  HolePads pads;
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
  PassLoads loads;           ///< Of the state that is looked at.
  std::vector<int64_t> sums; ///< By step, of what comes and goes.
  std::vector<size_t> order; ///< Steps, the fullest first.

  PassPlaces best; ///< Of the round.
  std::vector<PassPlaces> found;
  int64_t nodeCount = 0, nextLook = 0, lastNode = 0, nodesOfLook = 1;
  const Deadline *until = nullptr;
  bool isStopped = false;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPLACES_H
