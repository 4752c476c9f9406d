//===- PassPads.h - Places with room for what comes and goes ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPADS_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPADS_H

#include "lib/Planning/Strategies/Woven/HoleChoice.h"
#include "lib/Planning/Strategies/Woven/PassPlaces.h"

#include <random>

namespace tpu_mlir::planning {

/// Goes on where PassPlacesSearch ended: what comes and goes stays in its hole
/// for as long as it lives, and stacks and slots may have a few bytes more.
class PassPadsSearch {
public:
  /// The period outlives this object.
  explicit PassPadsSearch(const PassPeriod &period);

  /// The best of each round from each of `from`, and of some more, the lowest
  /// total first; fewer at the deadline and after so many nodes. Rounds have
  /// more moves each time, until that finds nothing lower.
  std::vector<PassPlaces> run(const std::vector<PassPlaces> &from,
                              int64_t nodeLimit, const Deadline &deadline);
  int64_t nodes() const { return nodeCount + choice.nodes() / 2; }

private:
  struct Move;

  int64_t padBytes() const;
  PassPlaces total(int64_t below);
  void offer(const PassPlaces &places);
  Move drawMove();
  int64_t drawPad(size_t hole);
  void make(const Move &move);
  void anneal(const PassPlaces &from, uint64_t round, int64_t moves);
  PassPlaces apartAt(size_t step, bool areAll);
  bool mustStop();
  size_t below(size_t end) { return size_t(random() % end); }

  const PassPeriod &period;
  PassLoads loads;
  HoleChoice choice;
  /// No pass begins before those whose places it takes are over.
  bool areTracksOfAll;
  HolePads pads;
  std::vector<HoleBytes> holes; ///< By step.
  /// Of the last state that was taken.
  Interval deciding = {0, 0};
  std::mt19937_64 random;
  PassPlaces best; ///< Of the round.
  int64_t nodeCount = 0, nextLook = 0, lastNode = 0, nodesOfLook = 1;
  const Deadline *until = nullptr;
  bool isStopped = false;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSPADS_H
