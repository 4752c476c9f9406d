//===- Oracle.cpp - The invariants by brute force -------------------------===//

#include "tests/property/planning/Oracle.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

using Wide = __int128;

struct Judge {
  Judge(const Problem &problem, const Plan &plan)
      : problem(problem), plan(plan) {
    for (size_t i = 0; i < count(); ++i)
      rootOf.push_back(BufferId(i));
    for (const Alias &alias : problem.aliases)
      rootOf[alias.member] = alias.root;
    for (const auto &[a, b] : problem.forbiddenSharing) {
      forbidden.insert({a, b});
      forbidden.insert({b, a});
    }
  }

  const Problem &problem;
  const Plan &plan;
  std::vector<BufferId> rootOf;
  std::set<std::pair<BufferId, BufferId>> forbidden;

  size_t count() const { return problem.buffers.size(); }
  Wide begin(size_t i) const { return plan.placements[i].offsetBytes; }
  Wide end(size_t i) const { return begin(i) + problem.buffers[i].sizeBytes; }
  bool shareBytes(size_t i, size_t j) const {
    return plan.placements[i].pool == plan.placements[j].pool &&
           problem.buffers[i].sizeBytes > 0 &&
           problem.buffers[j].sizeBytes > 0 && begin(i) < end(j) &&
           begin(j) < end(i);
  }
  bool shareSteps(size_t i, size_t j) const {
    for (const Interval &a : problem.buffers[i].lifespans)
      for (const Interval &b : problem.buffers[j].lifespans)
        if (a.begin < b.end && b.begin < a.end)
          return true;
    return false;
  }
  /// One of them begins as far above the other as they need to be read before
  /// they are written.
  bool mayOverlap(size_t memberI, size_t memberJ) const {
    const size_t i = size_t(rootOf[memberI]), j = size_t(rootOf[memberJ]);
    for (const Overlap &pair : problem.overlaps) {
      const size_t lower = size_t(pair.lower), upper = size_t(pair.upper);
      const bool isThis =
          (lower == i && upper == j) || (lower == j && upper == i);
      if (isThis && begin(upper) >= begin(lower) + pair.distanceBytes)
        return true;
    }
    return false;
  }
  bool isMember(size_t i) const { return rootOf[i] != BufferId(i); }
  /// Step by step, because the root may hold the time in several pieces.
  bool isAliveWhenever(size_t root, size_t member) const {
    for (const Interval &span : problem.buffers[member].lifespans)
      for (int64_t step = span.begin; step < span.end; ++step)
        if (std::none_of(problem.buffers[root].lifespans.begin(),
                         problem.buffers[root].lifespans.end(),
                         [&](const Interval &i) {
                           return i.begin <= step && step < i.end;
                         }))
          return false;
    return true;
  }

  bool isAllowed(size_t i) const {
    const auto &pools = problem.buffers[i].pools;
    const PoolId at = plan.placements[i].pool;
    return std::count(pools.begin(), pools.end(), at) > 0 &&
           (problem.pools[at].access == PoolAccess::ReadWrite ||
            problem.buffers[i].kind == BufferKind::Weight);
  }
  bool hasReservedBytes(size_t i) const {
    for (const Interval &range :
         problem.pools[plan.placements[i].pool].reserved)
      if (begin(i) < end(i) && begin(i) < range.end && range.begin < end(i))
        return true;
    return false;
  }
  bool fits(size_t i) const {
    const Pool &pool = problem.pools[plan.placements[i].pool];
    const Wide limit = pool.capacityBytes ? Wide(*pool.capacityBytes)
                                          : Wide(INT64_MAX) - pool.baseAddress;
    return begin(i) >= 0 && end(i) <= limit;
  }
  bool isAligned(size_t i) const {
    const Pool &pool = problem.pools[plan.placements[i].pool];
    return begin(i) % problem.buffers[i].alignment == 0 &&
           (isMember(i) || begin(i) % pool.alignment == 0);
  }
  bool isAsPinned(size_t i) const {
    const auto &pin = problem.buffers[i].pin;
    return !pin || (pin->pool == plan.placements[i].pool &&
                    pin->offsetBytes == plan.placements[i].offsetBytes);
  }
  bool sitsInRoot(const Alias &alias) const {
    return plan.placements[alias.member].pool ==
               plan.placements[alias.root].pool &&
           begin(alias.member) == begin(alias.root) + alias.offsetBytes &&
           begin(alias.member) >= begin(alias.root) &&
           end(alias.member) <= end(alias.root);
  }
  bool reportsRightMark(size_t pool) const {
    Wide top = 0;
    for (size_t i = 0; i < count(); ++i)
      if (plan.placements[i].pool == PoolId(pool))
        top = std::max(top, end(i));
    return top == plan.pools[pool].usedBytes;
  }
};

} // namespace

std::set<int> brokenInvariants(const Problem &problem, const Plan &plan) {
  if (plan.placements.size() != problem.buffers.size())
    return {1};
  const Judge judge(problem, plan);
  std::set<int> broken;
  for (size_t i = 0; i < judge.count(); ++i)
    if (!judge.isAllowed(i))
      return {1};
  for (size_t i = 0; i < judge.count(); ++i) {
    if (!judge.fits(i) || judge.hasReservedBytes(i))
      broken.insert(2);
    if (!judge.isAligned(i))
      broken.insert(3);
    if (!judge.isAsPinned(i))
      broken.insert(4);
    for (size_t j = i + 1; j < judge.count(); ++j)
      if (judge.rootOf[i] != judge.rootOf[j] && judge.shareBytes(i, j) &&
          ((judge.shareSteps(i, j) && !judge.mayOverlap(i, j)) ||
           judge.forbidden.count({BufferId(i), BufferId(j)})))
        broken.insert(5);
  }
  for (const Alias &alias : problem.aliases) {
    if (!judge.sitsInRoot(alias))
      broken.insert(6);
    if (!judge.isAliveWhenever(alias.root, alias.member))
      broken.insert(7);
  }
  if (plan.pools.size() != problem.pools.size())
    broken.insert(8);
  else
    for (size_t pool = 0; pool < plan.pools.size(); ++pool)
      if (!judge.reportsRightMark(pool))
        broken.insert(8);
  return broken;
}

int64_t plainLiveSum(const Problem &problem, PoolId pool) {
  std::vector<bool> counts;
  for (const Buffer &buffer : problem.buffers)
    counts.push_back(buffer.pools == std::vector<PoolId>{pool});
  for (const Alias &alias : problem.aliases)
    counts[alias.member] = false;
  int64_t peak = 0;
  for (const Buffer &at : problem.buffers)
    for (const Interval &moment : at.lifespans) {
      int64_t sum = 0;
      for (size_t i = 0; i < problem.buffers.size(); ++i)
        for (const Interval &span : problem.buffers[i].lifespans)
          if (counts[i] && span.contains(moment.begin))
            sum += problem.buffers[i].sizeBytes;
      peak = std::max(peak, sum);
    }
  return peak;
}

bool namesMembers(const Problem &problem) {
  for (const auto &[a, b] : problem.forbiddenSharing)
    for (const Alias &alias : problem.aliases)
      if (alias.member == a || alias.member == b)
        return true;
  return false;
}

} // namespace tpu_mlir::planning
