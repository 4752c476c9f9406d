//===- Check.cpp - Does this problem make sense? --------------------------===//
//
// Four rounds, each of which trusts what the ones before have established:
// single pools, single buffers, aliases with their classes, and what several
// classes demand of one another. A round with errors ends the check: later ones
// would only repeat them in other words.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Model/CheckOverlaps.h"
#include "lib/Planning/Model/FoldAliases.h"
#include "lib/Planning/Model/ReservedAt.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

/// lcm(a, b), or nullopt when it leaves 63 bits. Both are at least 1.
std::optional<int64_t> checkedLcm(int64_t a, int64_t b) {
  return checkedMul(a / std::gcd(a, b), b);
}

std::string text(const Interval &interval) {
  return "[" + std::to_string(interval.begin) + "," +
         std::to_string(interval.end) + ")";
}

/// What is wrong with ranges that have to be sorted and apart.
std::vector<std::string> flawsOf(const std::vector<Interval> &ranges,
                                 const std::string &what,
                                 std::optional<int64_t> period) {
  std::vector<std::string> flaws;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].empty())
      flaws.push_back("has the empty " + what + " " + text(ranges[i]));
    else if (ranges[i].begin < 0)
      flaws.push_back("has the negative " + what + " " + text(ranges[i]));
    else if (period && ranges[i].end > *period)
      flaws.push_back("lives in " + text(ranges[i]) +
                      ", beyond the period of " + std::to_string(*period) +
                      " steps");
    if (i > 0 && ranges[i].begin < ranges[i - 1].end)
      flaws.push_back("has " + what + "s that are unsorted or overlap: " +
                      text(ranges[i - 1]) + " and " + text(ranges[i]));
  }
  return flaws;
}

/// What rounds have in common: they add to the same errors.
class Round {
public:
  Round(const Problem &problem, std::vector<ProblemError> &errors)
      : problem(problem), errors(errors) {}

protected:
  void atPool(PoolId pool, const std::string &what) {
    errors.push_back({"pool '" + problem.pools[pool].name + "' " + what,
                      std::nullopt, pool});
  }
  void atBuffer(BufferId id, const std::string &what) {
    errors.push_back({"buffer '" + nameOf(id) + "' " + what, id});
  }
  std::string nameOf(BufferId id) const {
    const std::string &name = problem.buffers[id].name;
    return name.empty() ? "#" + std::to_string(id) : name;
  }

  const Problem &problem;
  std::vector<ProblemError> &errors;
};

/// Pools and buffers one by one.
class SinglesRound : Round {
public:
  using Round::Round;
  void checkPools() {
    if (problem.period && *problem.period < 1)
      errors.push_back({"the period is " + std::to_string(*problem.period) +
                        ", but a schedule has at least 1 step"});
    for (size_t pool = 0; pool < problem.pools.size(); ++pool)
      checkPool(PoolId(pool));
  }
  void checkBuffers() {
    lastNamedBy.assign(problem.pools.size(), std::nullopt);
    for (size_t id = 0; id < problem.buffers.size(); ++id)
      checkBuffer(BufferId(id));
  }

private:
  void checkPool(PoolId id) {
    const Pool &pool = problem.pools[id];
    if (pool.alignment < 1)
      atPool(id, "has alignment " + std::to_string(pool.alignment) +
                     ", which is below 1");
    if (pool.accessCost < 0)
      atPool(id,
             "has the negative access cost " + std::to_string(pool.accessCost));
    if (pool.baseAddress < 0)
      atPool(id, "has the negative base address " +
                     std::to_string(pool.baseAddress));
    if (pool.capacityBytes && *pool.capacityBytes < 0)
      atPool(id, "has the negative capacity " +
                     std::to_string(*pool.capacityBytes));
    else if (pool.capacityBytes && pool.baseAddress >= 0 &&
             !checkedAdd(pool.baseAddress, *pool.capacityBytes))
      atPool(id, "ends above 63 bits");
    for (const std::string &flaw :
         flawsOf(pool.reserved, "reserved range", std::nullopt))
      atPool(id, flaw);
  }
  void checkBuffer(BufferId id) {
    const Buffer &buffer = problem.buffers[id];
    if (buffer.sizeBytes < 0)
      atBuffer(id, "has the negative size " + std::to_string(buffer.sizeBytes));
    if (buffer.alignment < 1)
      atBuffer(id, "has alignment " + std::to_string(buffer.alignment) +
                       ", which is below 1");
    if (buffer.accesses && *buffer.accesses < 0)
      atBuffer(id, "has the negative number of accesses " +
                       std::to_string(*buffer.accesses));
    if (buffer.lifespans.empty())
      atBuffer(id, "has no lifespan");
    for (const std::string &flaw :
         flawsOf(buffer.lifespans, "lifespan", problem.period))
      atBuffer(id, flaw);
    checkReads(id);
    checkCandidates(id);
  }
  void checkReads(BufferId id) {
    const Buffer &buffer = problem.buffers[id];
    if (!std::is_sorted(buffer.readSteps.begin(), buffer.readSteps.end())) {
      atBuffer(id, "has reads that are not in ascending order");
      return;
    }
    size_t span = 0;
    for (int64_t step : buffer.readSteps) {
      while (span < buffer.lifespans.size() &&
             buffer.lifespans[span].end <= step)
        ++span;
      if (span < buffer.lifespans.size() &&
          buffer.lifespans[span].contains(step))
        continue;
      atBuffer(id, "is read at step " + std::to_string(step) +
                       ", when it is not alive");
      return;
    }
  }
  void checkCandidates(BufferId id) {
    const Buffer &buffer = problem.buffers[id];
    if (buffer.pools.empty())
      atBuffer(id, "has no pool");
    for (PoolId pool : buffer.pools) {
      if (pool < 0 || pool >= PoolId(problem.pools.size()))
        atBuffer(id, "names pool " + std::to_string(pool) +
                         ", which does not exist");
      else if (lastNamedBy[pool] == id)
        atBuffer(id, "names pool '" + problem.pools[pool].name + "' twice");
      else
        lastNamedBy[pool] = id;
    }
    if (buffer.pin && std::find(buffer.pools.begin(), buffer.pools.end(),
                                buffer.pin->pool) == buffer.pools.end())
      atBuffer(id, "is pinned to a pool that is not one of its own");
    else if (buffer.pin && buffer.pin->offsetBytes < 0)
      atBuffer(id, "is pinned outside pool '" +
                       problem.pools[buffer.pin->pool].name +
                       "': to the negative offset " +
                       std::to_string(buffer.pin->offsetBytes));
    if (errors.empty())
      checkRights(id);
  }
  /// A read-only candidate that cannot be meant is passed over as long as there
  /// is another one.
  void checkRights(BufferId id) {
    const Buffer &buffer = problem.buffers[id];
    auto isRefused = [&](PoolId pool) {
      return !mayHold(problem.pools[pool], buffer);
    };
    if (buffer.pin && isRefused(buffer.pin->pool))
      atBuffer(id, "is pinned to the read-only pool '" +
                       problem.pools[buffer.pin->pool].name +
                       "', but is no weight");
    else if (std::all_of(buffer.pools.begin(), buffer.pools.end(), isRefused))
      atBuffer(id, "is no weight, but may only live in the read-only pool '" +
                       problem.pools[buffer.pools.front()].name + "'");
  }

  std::vector<std::optional<BufferId>> lastNamedBy; ///< By pool, the last one.
};

class AliasRound : Round {
public:
  using Round::Round;
  void run() {
    const BufferId count = BufferId(problem.buffers.size());
    std::vector<bool> isMember(count, false);
    for (const Alias &alias : problem.aliases) {
      if (alias.member < 0 || alias.member >= count || alias.root < 0 ||
          alias.root >= count) {
        errors.push_back({"an alias names a buffer that does not exist"});
        continue;
      }
      if (isMember[alias.member])
        atBuffer(alias.member, "is an alias twice");
      isMember[alias.member] = true;
      checkAlias(alias);
    }
    if (!errors.empty())
      return;
    for (const Alias &alias : problem.aliases)
      if (isMember[alias.root])
        atBuffer(alias.member, "is an alias of '" + nameOf(alias.root) +
                                   "', which is an alias itself");
  }

private:
  void checkAlias(const Alias &alias) {
    const Buffer &member = problem.buffers[alias.member];
    const Buffer &root = problem.buffers[alias.root];
    const std::string ofRoot = " its root '" + nameOf(alias.root) + "'";
    if (alias.member == alias.root) {
      atBuffer(alias.member, "is an alias of itself");
      return;
    }
    const auto end = checkedAdd(alias.offsetBytes, member.sizeBytes);
    if (alias.offsetBytes < 0 || !end || *end > root.sizeBytes)
      atBuffer(alias.member,
               "sticks out of" + ofRoot + ": " +
                   std::to_string(member.sizeBytes) + " bytes at offset " +
                   std::to_string(alias.offsetBytes) + ", and the root has " +
                   std::to_string(root.sizeBytes));
    else if (alias.offsetBytes % member.alignment != 0)
      atBuffer(alias.member, "is misaligned in" + ofRoot + ": offset " +
                                 std::to_string(alias.offsetBytes) +
                                 " is no multiple of " +
                                 std::to_string(member.alignment));
    checkAliasLife(alias);
  }
  /// P7. Intervals that touch are one for this question.
  void checkAliasLife(const Alias &alias) {
    const auto [it, isNew] = lifeOfRoot.try_emplace(alias.root);
    std::vector<Interval> &rootLife = it->second;
    if (isNew)
      rootLife = normalize(problem.buffers[alias.root].lifespans);
    for (const Interval &span : problem.buffers[alias.member].lifespans) {
      auto after = std::upper_bound(
          rootLife.begin(), rootLife.end(), span.begin,
          [](int64_t step, const Interval &i) { return step < i.begin; });
      if (after == rootLife.begin() || !std::prev(after)->contains(span))
        atBuffer(alias.member, "lives in " + text(span) + ", but its root '" +
                                   nameOf(alias.root) +
                                   "' does not live all that time");
    }
  }

  /// A root with many gaps may have many aliases: joined once each.
  std::map<BufferId, std::vector<Interval>> lifeOfRoot;
};

class ClassRound : Round {
public:
  using Round::Round;
  /// The classes that matter to the last round, if there are no errors.
  std::vector<StorageClass> run() {
    // Alignments first: folding multiplies them.
    std::vector<int64_t> alignment(problem.buffers.size());
    for (size_t id = 0; id < alignment.size(); ++id)
      alignment[id] = problem.buffers[id].alignment;
    for (const Alias &alias : problem.aliases) {
      const auto lcm = checkedLcm(alignment[alias.root],
                                  problem.buffers[alias.member].alignment);
      if (!lcm)
        atBuffer(alias.root, "and its aliases have no common alignment");
      alignment[alias.root] = lcm.value_or(1);
    }
    if (!errors.empty())
      return {};
    std::vector<StorageClass> classes = foldEntangled(problem);
    std::vector<bool> isMember(problem.buffers.size(), false);
    for (const Alias &alias : problem.aliases)
      isMember[alias.member] = true;
    auto next = classes.begin();
    for (size_t id = 0; id < problem.buffers.size(); ++id) {
      if (next != classes.end() && next->root == BufferId(id))
        checkClass(*next++);
      else if (!isMember[id])
        checkCommonAlignment(BufferId(id), problem.buffers[id].alignment,
                             problem.buffers[id].pools);
    }
    checkMemberPins(classes);
    return classes;
  }

private:
  void checkCommonAlignment(BufferId root, int64_t alignment,
                            const std::vector<PoolId> &pools) {
    for (PoolId pool : pools)
      if (!checkedLcm(alignment, problem.pools[pool].alignment))
        atBuffer(root, "has no common alignment with pool '" +
                           problem.pools[pool].name + "'");
  }
  void checkClass(const StorageClass &storage) {
    if (storage.pools.empty())
      atBuffer(storage.root,
               "and its aliases have no pool in common" +
                   std::string(hasReadOnlyPools() ? " where all may be written"
                                                  : ""));
    checkCommonAlignment(storage.root, storage.alignment, storage.pools);
    if (storage.pin && errors.empty())
      checkPin(storage);
  }
  bool hasReadOnlyPools() const {
    return std::any_of(
        problem.pools.begin(), problem.pools.end(),
        [](const Pool &pool) { return pool.access == PoolAccess::ReadOnly; });
  }
  void checkPin(const StorageClass &storage) {
    const int64_t offset = storage.pin->offsetBytes;
    const Pool &pool = problem.pools[storage.pin->pool];
    const auto end = checkedAdd(offset, storage.sizeBytes);
    const int64_t limit =
        pool.capacityBytes.value_or(kMaxInt64 - pool.baseAddress);
    if (offset < 0 || !end || *end > limit)
      atBuffer(storage.root, "is pinned outside pool '" + pool.name +
                                 "': it has " +
                                 std::to_string(storage.sizeBytes) +
                                 " bytes at offset " + std::to_string(offset) +
                                 ", the pool " + std::to_string(limit));
    else if (const int64_t unit =
                 *checkedLcm(storage.alignment, pool.alignment);
             offset % unit != 0)
      atBuffer(storage.root,
               "is pinned to the misaligned offset " + std::to_string(offset) +
                   ", which is no multiple of " + std::to_string(unit));
    else if (const auto taken = reservedAt(pool, {offset, *end}, limit))
      atBuffer(storage.root, "is pinned onto the reserved bytes " +
                                 text(*taken) + " of pool '" + pool.name + "'");
    if (std::find(storage.pools.begin(), storage.pools.end(),
                  storage.pin->pool) == storage.pools.end())
      atBuffer(storage.root, "is pinned to pool '" + pool.name +
                                 "', where one of its aliases may not live");
  }
  /// Every pinned member must agree with the pin of its class.
  void checkMemberPins(const std::vector<StorageClass> &classes) {
    std::vector<std::optional<Pin>> pinOfRoot(problem.buffers.size());
    for (const StorageClass &storage : classes)
      pinOfRoot[storage.root] = storage.pin;
    for (const Alias &alias : problem.aliases) {
      const auto &pin = problem.buffers[alias.member].pin;
      if (!pin || !pinOfRoot[alias.root])
        continue;
      const Pin implied{pin->pool, pin->offsetBytes - alias.offsetBytes};
      if (!(implied == *pinOfRoot[alias.root]))
        atBuffer(alias.member, "is pinned to another place than its root '" +
                                   nameOf(alias.root) + "'");
    }
  }
};

/// What classes demand of one another.
class MutualRound : Round {
public:
  MutualRound(const Problem &problem, const std::vector<StorageClass> &classes,
              std::vector<ProblemError> &errors)
      : Round(problem, errors), classes(classes) {}

  /// Pins that exclude each other. A sweep over time; as long as no two live
  /// pinned ranges overlap, only neighbours in address order can.
  void checkPins() {
    std::vector<PinEvent> events;
    for (const StorageClass &storage : classes)
      if (storage.pin && storage.sizeBytes > 0)
        for (const Interval &span : storage.lifespans) {
          events.push_back({span.begin, true, &storage});
          events.push_back({span.end, false, &storage});
        }
    std::sort(events.begin(), events.end(),
              [](const PinEvent &a, const PinEvent &b) {
                return std::tie(a.step, a.isStart, a.storage->root) <
                       std::tie(b.step, b.isStart, b.storage->root);
              });
    std::vector<std::map<int64_t, const StorageClass *>> live(
        problem.pools.size());
    for (const PinEvent &event : events) {
      auto &pool = live[event.storage->pin->pool];
      if (!event.isStart)
        pool.erase(event.storage->pin->offsetBytes);
      else if (!startPin(pool, *event.storage))
        return;
    }
  }

  void checkForbidden() {
    if (problem.forbiddenSharing.empty())
      return;
    const BufferId count = BufferId(problem.buffers.size());
    std::vector<std::optional<Pin>> pinOf = pinsOfBuffers();
    std::vector<BufferId> rootOf(count);
    std::iota(rootOf.begin(), rootOf.end(), 0);
    for (const Alias &alias : problem.aliases)
      rootOf[alias.member] = alias.root;
    for (const auto &[a, b] : problem.forbiddenSharing) {
      if (a < 0 || a >= count || b < 0 || b >= count)
        errors.push_back(
            {"a forbidden pair names a buffer that does not exist"});
      else if (a == b)
        atBuffer(a, "is forbidden to share bytes with itself");
      else if (rootOf[a] != rootOf[b] && pinOf[a] && pinOf[b] &&
               pinOf[a]->pool == pinOf[b]->pool &&
               bytesAt(*pinOf[a], problem.buffers[a].sizeBytes)
                   .overlaps(bytesAt(*pinOf[b], problem.buffers[b].sizeBytes)))
        atBuffer(a, "is pinned onto bytes of '" + nameOf(b) +
                        "', with which it must not share any");
    }
  }

private:
  struct PinEvent {
    int64_t step;
    bool isStart;
    const StorageClass *storage;
  };
  bool startPin(std::map<int64_t, const StorageClass *> &live,
                const StorageClass &storage) {
    const Interval bytes = bytesAt(*storage.pin, storage.sizeBytes);
    const auto overlaps = [&](const auto &entry) {
      const StorageClass &other = *entry.second;
      return bytesAt(*other.pin, other.sizeBytes).overlaps(bytes);
    };
    const auto after = live.lower_bound(bytes.begin);
    const StorageClass *other = nullptr;
    if (after != live.end() && overlaps(*after))
      other = after->second;
    else if (after != live.begin() && overlaps(*std::prev(after)))
      other = std::prev(after)->second;
    if (other) {
      atBuffer(storage.root, "is pinned onto bytes of '" + nameOf(other->root) +
                                 "', which is pinned and alive at the same "
                                 "time");
      return false;
    }
    live.emplace(bytes.begin, &storage);
    return true;
  }
  static Interval bytesAt(const Pin &pin, int64_t sizeBytes) {
    return {pin.offsetBytes, pin.offsetBytes + sizeBytes};
  }
  /// Pins of all buffers, members of pinned classes included.
  std::vector<std::optional<Pin>> pinsOfBuffers() const {
    std::vector<std::optional<Pin>> pinOf(problem.buffers.size());
    for (const StorageClass &storage : classes)
      pinOf[storage.root] = storage.pin;
    for (const Alias &alias : problem.aliases)
      if (const auto &pin = pinOf[alias.root])
        pinOf[alias.member] =
            Pin{pin->pool, pin->offsetBytes + alias.offsetBytes};
    return pinOf;
  }

  const std::vector<StorageClass> &classes;
};

} // namespace

std::vector<ProblemError> check(const Problem &problem) {
  std::vector<ProblemError> errors;
  SinglesRound(problem, errors).checkPools();
  if (errors.empty())
    SinglesRound(problem, errors).checkBuffers();
  if (errors.empty())
    AliasRound(problem, errors).run();
  if (!errors.empty())
    return errors;
  const std::vector<StorageClass> classes = ClassRound(problem, errors).run();
  MutualRound mutual(problem, classes, errors);
  if (errors.empty())
    mutual.checkPins();
  if (errors.empty())
    mutual.checkForbidden();
  checkOverlaps(problem, classes, errors);
  return errors;
}

} // namespace tpu_mlir::planning
