//===- PassLoads.cpp - What passes leave of their places ------------------===//

#include "lib/Planning/Strategies/Woven/PassLoads.h"

#include <algorithm>

namespace tpu_mlir::planning {

PassLoads::PassLoads(const PassPeriod &period)
    : period(period), all(period.temporaries.size()),
      apart(period.levels.size()), slots(all.size()), tracks(all.size()) {
  for (size_t i = 0; i < period.levels.size(); ++i) {
    const PassPeriod::Level &level = period.levels[i];
    sumBytes += level.sizeBytes;
    if (level.isLong)
      longOnes.push_back(i);
    add(all, level, level.sizeBytes);
  }
}

void PassLoads::add(std::vector<Load> &to, const PassPeriod::Level &level,
                    int64_t bytes) const {
  for (int64_t step = level.fresh.begin; step < level.fresh.end; ++step)
    to[size_t(step)].fresh += bytes;
  for (int64_t step = level.old.begin; step < level.old.end; ++step)
    to[size_t(step)].old += bytes;
}

void PassLoads::set(const std::vector<bool> &wanted) {
  apart.assign(wanted.size(), false);
  slots.assign(all.size(), {});
  tracks.assign(all.size(), 0);
  bytesOfSlot = bytesOfTrack = 0;
  for (size_t level = 0; level < wanted.size(); ++level)
    if (wanted[level])
      flip(level);
}

void PassLoads::flip(size_t id) {
  const PassPeriod::Level &level = period.levels[id];
  apart[id] = !apart[id];
  const int64_t bytes = apart[id] ? level.sizeBytes : -level.sizeBytes;
  if (level.isLong) {
    bytesOfSlot += bytes;
    add(slots, level, bytes);
    return;
  }
  bytesOfTrack += bytes;
  for (const Interval &life : {level.fresh, level.old})
    for (int64_t step = life.begin; step < life.end; ++step)
      tracks[size_t(step)] += bytes;
}

int64_t PassLoads::stackBytes() const {
  int64_t most = sumBytes - bytesOfSlot - bytesOfTrack;
  for (size_t step = 0; step < all.size(); ++step)
    most = std::max(most, keptBytes(step) - slots[step].fresh -
                              slots[step].old - tracks[step]);
  return most;
}

} // namespace tpu_mlir::planning
