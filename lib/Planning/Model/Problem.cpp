//===- Problem.cpp - Problems and plans are values ------------------------===//

#include "tpu_mlir/Planning/Problem.h"
#include "tpu_mlir/Planning/Plan.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir::planning {

bool Buffer::operator==(const Buffer &o) const {
  return std::tie(name, location, kind, sizeBytes, alignment, lifespans,
                  readSteps, accesses, pools, pin) ==
         std::tie(o.name, o.location, o.kind, o.sizeBytes, o.alignment,
                  o.lifespans, o.readSteps, o.accesses, o.pools, o.pin);
}

bool Pool::operator==(const Pool &o) const {
  return std::tie(name, baseAddress, capacityBytes, alignment, accessCost,
                  access, reserved, targets, isCallers) ==
         std::tie(o.name, o.baseAddress, o.capacityBytes, o.alignment,
                  o.accessCost, o.access, o.reserved, o.targets, o.isCallers);
}

bool Problem::operator==(const Problem &o) const {
  return std::tie(name, buffers, aliases, pools, forbiddenSharing, period,
                  overlaps) == std::tie(o.name, o.buffers, o.aliases, o.pools,
                                        o.forbiddenSharing, o.period,
                                        o.overlaps);
}

bool Plan::operator==(const Plan &o) const {
  return std::tie(placements, pools, strategy, winner, proof, poolPolicy,
                  accessCost, costProof) ==
         std::tie(o.placements, o.pools, o.strategy, o.winner, o.proof,
                  o.poolPolicy, o.accessCost, o.costProof);
}

int64_t accessesOf(const Buffer &buffer) {
  if (buffer.accesses)
    return *buffer.accesses;
  const auto reads = std::max<int64_t>(int64_t(buffer.readSteps.size()), 1);
  return reads + (buffer.kind == BufferKind::Weight ? 0 : 1);
}

int64_t servedBytes(const Buffer &buffer) {
  return saturatedMul(buffer.sizeBytes, accessesOf(buffer));
}

std::vector<int64_t> servedByPools(const Problem &problem, const Plan &plan) {
  std::vector<int64_t> served(problem.pools.size(), 0);
  for (size_t id = 0; id < plan.placements.size(); ++id) {
    int64_t &sum = served[size_t(plan.placements[id].pool)];
    sum = saturatedAdd(sum, servedBytes(problem.buffers[id]));
  }
  return served;
}

bool mayHold(const Pool &pool, const Buffer &buffer) {
  return pool.access == PoolAccess::ReadWrite ||
         buffer.kind == BufferKind::Weight;
}

} // namespace tpu_mlir::planning
