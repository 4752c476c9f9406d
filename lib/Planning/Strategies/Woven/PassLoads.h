//===- PassLoads.h - What passes leave of their places ----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSLOADS_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSLOADS_H

#include "lib/Planning/Strategies/Woven/PassPeriod.h"

#include <algorithm>
#include <array>

namespace tpu_mlir::planning {

/// Bytes of the holes at a step: in the stack, in the slot of the pass that
/// begins, in that of the pass whose place it takes, in the track of both, and
/// the largest pad of other passes.
using HoleBytes = std::array<int64_t, 5>;

/// Bytes that holes have beyond what is kept there at another time.
struct HolePads {
  int64_t stack = 0, slot = 0, track = 0;
};

/// So many pads `places` have: two face each other.
inline int64_t padsOf(int64_t places) { return (places + 1) / 2; }

/// Which levels are in slots and tracks, and how full all places are by step.
class PassLoads {
public:
  /// Outlived by the period. O(levels * steps).
  explicit PassLoads(const PassPeriod &period);

  /// O(levels * steps).
  void set(const std::vector<bool> &isApart);
  /// Out of the stacks or back: a long level into a slot, another one into a
  /// track. O(steps).
  void flip(size_t level);

  const std::vector<bool> &isApart() const { return apart; }
  /// Those that may be in slots.
  const std::vector<size_t> &longLevels() const { return longOnes; }
  /// Of one slot, and of one track.
  int64_t slotBytes() const { return bytesOfSlot; }
  int64_t trackBytes() const { return bytesOfTrack; }
  /// Of one pass and of the one that takes its place from the other end.
  /// O(steps).
  int64_t stackBytes() const;
  /// Of the two passes that are not complete.
  int64_t keptBytes(size_t step) const {
    return all[step].fresh + all[step].old;
  }
  /// `stack` bytes a stack, its pad included, and pads beside the others.
  HoleBytes holesAt(size_t step, int64_t stack, const HolePads &pads) const {
    return {stack - (all[step].fresh - slots[step].fresh) -
                (all[step].old - slots[step].old) + tracks[step],
            bytesOfSlot + pads.slot - slots[step].fresh,
            bytesOfSlot + pads.slot - slots[step].old,
            bytesOfTrack + pads.track - tracks[step], otherPad(pads)};
  }

private:
  /// Bytes that are there at a step.
  struct Load {
    int64_t fresh = 0, old = 0;
  };
  /// Of passes that are complete; the two at a step have others.
  int64_t otherPad(const HolePads &pads) const {
    return std::max({period.inFlight > 1 ? pads.stack : 0,
                     padsOf(period.inFlight + 1) > 2 ? pads.slot : 0,
                     padsOf(period.inFlight) > 1 ? pads.track : 0});
  }
  void add(std::vector<Load> &to, const PassPeriod::Level &level,
           int64_t bytes) const;

  const PassPeriod &period;
  std::vector<size_t> longOnes;
  std::vector<Load> all; ///< By step, of all levels.
  int64_t sumBytes = 0;  ///< Of one pass.
  std::vector<bool> apart;
  std::vector<Load> slots;     ///< By step, of levels in slots.
  std::vector<int64_t> tracks; ///< By step, of levels in tracks.
  int64_t bytesOfSlot = 0, bytesOfTrack = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSLOADS_H
