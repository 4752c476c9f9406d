//===- PoolBruteForce.cpp - The cheapest choice of pools, by all of them --===//

#include "tests/property/planning/PoolBruteForce.h"

#include "tests/property/planning/BruteForce.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tpu_mlir::planning {
namespace {

/// A buffer that is no alias, and those inside it.
struct Group {
  BufferId root = 0;
  std::vector<BufferId> all;
  std::vector<PoolId> pools;
  int64_t served = 0;
};

int64_t servedBy(const Buffer &buffer) {
  int64_t times = buffer.accesses.value_or(
      std::max<int64_t>(int64_t(buffer.readSteps.size()), 1) +
      (buffer.kind == BufferKind::Weight ? 0 : 1));
  return times * buffer.sizeBytes;
}

std::vector<Group> groupsOf(const Problem &problem) {
  std::map<BufferId, Group> byRoot;
  std::vector<BufferId> rootOf(problem.buffers.size());
  for (size_t i = 0; i < rootOf.size(); ++i)
    rootOf[i] = BufferId(i);
  for (const Alias &alias : problem.aliases)
    rootOf[size_t(alias.member)] = alias.root;
  for (size_t i = 0; i < rootOf.size(); ++i)
    byRoot[rootOf[i]].all.push_back(BufferId(i));
  std::vector<Group> groups;
  for (auto &[root, group] : byRoot) {
    group.root = root;
    for (BufferId id : group.all)
      group.served += servedBy(problem.buffers[size_t(id)]);
    for (PoolId pool : problem.buffers[size_t(root)].pools) {
      const bool isAllowed =
          std::all_of(group.all.begin(), group.all.end(), [&](BufferId id) {
            const Buffer &b = problem.buffers[size_t(id)];
            return std::count(b.pools.begin(), b.pools.end(), pool) > 0 &&
                   (problem.pools[size_t(pool)].access ==
                        PoolAccess::ReadWrite ||
                    b.kind == BufferKind::Weight);
          });
      if (isAllowed)
        group.pools.push_back(pool);
    }
    groups.push_back(group);
  }
  return groups;
}

std::optional<PoolId> pinnedTo(const Problem &problem, const Group &group) {
  for (BufferId id : group.all)
    if (problem.buffers[size_t(id)].pin)
      return problem.buffers[size_t(id)].pin->pool;
  return std::nullopt;
}

class Costs {
public:
  Costs(const Problem &problem, const std::vector<Group> &groups)
      : problem(problem) {
    for (const Group &group : groups)
      if (!pinnedTo(problem, group))
        for (PoolId pool : group.pools)
          isGiven |= costOf(pool) != costOf(group.pools.front());
  }
  int64_t of(const Group &group, PoolId pool) const {
    const auto place = std::find(group.pools.begin(), group.pools.end(), pool) -
                       group.pools.begin();
    return group.served * (isGiven ? costOf(pool) : int64_t(place));
  }

private:
  int64_t costOf(PoolId pool) const {
    return problem.pools[size_t(pool)].accessCost;
  }
  const Problem &problem;
  bool isGiven = false;
};

/// The groups of `mask` alone in `pool`, whose reserved bytes are pinned
/// buffers that are always there.
Problem alone(const Problem &problem, const std::vector<Group> &groups,
              uint32_t mask, PoolId pool) {
  Problem part;
  const Pool &where = problem.pools[size_t(pool)];
  part.pools.resize(1);
  part.pools[0].alignment = where.alignment;
  std::map<BufferId, BufferId> newId;
  for (size_t i = 0; i < groups.size(); ++i)
    for (BufferId id : groups[i].all) {
      if (!(mask >> i & 1))
        continue;
      newId[id] = BufferId(part.buffers.size());
      part.buffers.push_back(problem.buffers[size_t(id)]);
      part.buffers.back().pools = {0};
      if (part.buffers.back().pin)
        part.buffers.back().pin->pool = 0;
    }
  for (const Alias &alias : problem.aliases)
    if (newId.count(alias.root))
      part.aliases.push_back(
          {newId[alias.member], newId[alias.root], alias.offsetBytes});
  for (const auto &[a, b] : problem.forbiddenSharing)
    if (newId.count(a) && newId.count(b))
      part.forbiddenSharing.push_back({newId[a], newId[b]});
  for (const Interval &range : where.reserved) {
    const int64_t end = std::min(range.end, *where.capacityBytes);
    if (range.begin >= end)
      continue;
    Buffer reserved;
    reserved.sizeBytes = end - range.begin;
    reserved.lifespans = {{0, 1'000'000}};
    reserved.pin = Pin{0, range.begin};
    part.buffers.push_back(reserved);
  }
  return part;
}

class AllChoices {
public:
  explicit AllChoices(const Problem &problem)
      : problem(problem), groups(groupsOf(problem)), costs(problem, groups),
        masks(problem.pools.size(), 0) {
    choose(0, 0);
  }
  std::optional<int64_t> best;

private:
  void choose(size_t index, int64_t cost) {
    if (best && cost >= *best)
      return;
    if (index == groups.size()) {
      best = cost;
      return;
    }
    const Group &group = groups[index];
    const auto pin = pinnedTo(problem, group);
    for (PoolId pool : group.pools) {
      if (pin && *pin != pool)
        continue;
      masks[size_t(pool)] |= 1u << index;
      // What does not fit does not fit with more in it either.
      if (fits(pool))
        choose(index + 1, cost + costs.of(group, pool));
      masks[size_t(pool)] &= ~(1u << index);
    }
  }
  bool fits(PoolId pool) {
    const Pool &where = problem.pools[size_t(pool)];
    if (!where.capacityBytes)
      return true;
    const auto key = std::pair(pool, masks[size_t(pool)]);
    const auto it = known.find(key);
    if (it != known.end())
      return it->second;
    const bool answer = leastBytes(alone(problem, groups, key.second, pool)) <=
                        *where.capacityBytes;
    return known[key] = answer;
  }

  const Problem &problem;
  const std::vector<Group> groups;
  const Costs costs;
  std::vector<uint32_t> masks; ///< The groups in each pool.
  std::map<std::pair<PoolId, uint32_t>, bool> known;
};

/// Whether `group` would do with `offset` of `pool`.
bool isFreeAt(const Problem &problem, const Plan &plan,
              const std::vector<Group> &groups, const Group &group, PoolId pool,
              int64_t offset) {
  const Buffer &root = problem.buffers[size_t(group.root)];
  const Pool &where = problem.pools[size_t(pool)];
  const int64_t end = offset + root.sizeBytes;
  if (offset % where.alignment || offset % root.alignment)
    return false;
  for (const Alias &alias : problem.aliases)
    if (alias.root == group.root &&
        offset % problem.buffers[size_t(alias.member)].alignment)
      return false;
  for (const Interval &range : where.reserved)
    if (offset < range.end && range.begin < end)
      return false;
  std::set<BufferId> enemies;
  for (const auto &[a, b] : problem.forbiddenSharing) {
    if (std::count(group.all.begin(), group.all.end(), a))
      enemies.insert(b);
    if (std::count(group.all.begin(), group.all.end(), b))
      enemies.insert(a);
  }
  for (const Group &other : groups) {
    const Placement &at = plan.placements[size_t(other.root)];
    const Buffer &that = problem.buffers[size_t(other.root)];
    if (other.root == group.root || at.pool != pool || that.sizeBytes == 0 ||
        at.offsetBytes >= end || offset >= at.offsetBytes + that.sizeBytes)
      continue;
    bool isEnemy = anyOverlap(root.lifespans, that.lifespans);
    for (BufferId id : other.all)
      isEnemy |= enemies.count(id) > 0;
    if (isEnemy)
      return false;
  }
  return true;
}

} // namespace

std::optional<int64_t> leastAccessCost(const Problem &problem) {
  return AllChoices(problem).best;
}

int64_t accessCostOf(const Problem &problem, const Plan &plan) {
  const std::vector<Group> groups = groupsOf(problem);
  const Costs costs(problem, groups);
  int64_t sum = 0;
  for (const Group &group : groups)
    sum += costs.of(group, plan.placements[size_t(group.root)].pool);
  return sum;
}

BufferId whoCouldMoveUp(const Problem &problem, const Plan &plan) {
  const std::vector<Group> groups = groupsOf(problem);
  for (const Group &group : groups) {
    const Buffer &root = problem.buffers[size_t(group.root)];
    if (root.sizeBytes == 0 || pinnedTo(problem, group))
      continue;
    for (PoolId pool : group.pools) {
      if (pool == plan.placements[size_t(group.root)].pool)
        break;
      const auto capacity = problem.pools[size_t(pool)].capacityBytes;
      const int64_t last =
          capacity.value_or(std::numeric_limits<int32_t>::max()) -
          root.sizeBytes;
      for (int64_t offset = 0; offset <= last; ++offset)
        if (isFreeAt(problem, plan, groups, group, pool, offset))
          return group.root;
    }
  }
  return -1;
}

} // namespace tpu_mlir::planning
