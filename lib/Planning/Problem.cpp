//===- Problem.cpp - Problems and plans are values ------------------------===//

#include "tpu_mlir/Planning/Problem.h"
#include "tpu_mlir/Planning/Plan.h"

#include <tuple>

namespace tpu_mlir::planning {

bool Buffer::operator==(const Buffer &o) const {
  return std::tie(name, location, kind, sizeBytes, alignment, lifespans,
                  readSteps, pools, pin) ==
         std::tie(o.name, o.location, o.kind, o.sizeBytes, o.alignment,
                  o.lifespans, o.readSteps, o.pools, o.pin);
}

bool Pool::operator==(const Pool &o) const {
  return std::tie(name, baseAddress, capacityBytes, alignment, accessCost) ==
         std::tie(o.name, o.baseAddress, o.capacityBytes, o.alignment,
                  o.accessCost);
}

bool Problem::operator==(const Problem &o) const {
  return std::tie(name, buffers, aliases, pools, forbiddenSharing, period) ==
         std::tie(o.name, o.buffers, o.aliases, o.pools, o.forbiddenSharing,
                  o.period);
}

bool Plan::operator==(const Plan &o) const {
  return std::tie(placements, pools, strategy, winner, proof) ==
         std::tie(o.placements, o.pools, o.strategy, o.winner, o.proof);
}

} // namespace tpu_mlir::planning
