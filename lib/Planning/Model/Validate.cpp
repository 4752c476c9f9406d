//===- Validate.cpp - The independent referee of plans --------------------===//
//
// P5 is decided in two stages. A sweep over time keeps the live byte ranges of
// each pool in address order. As long as no two of them overlap, a new range
// can only hit its two neighbours, so the first conflict shows in O(log n) an
// event, and a plan without any is accepted in O(n log n). Only when there is
// a conflict are the pairs listed, by comparing each new range with all live
// ones.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/Validate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

/// offset + size, or nullopt when that is no int64_t. Written here and not
/// taken from Support: the referee trusts nobody's arithmetic.
std::optional<int64_t> endOf(int64_t offset, int64_t size) {
  if (offset > kMaxInt64 - size)
    return std::nullopt;
  return offset + size;
}

struct Event {
  int64_t step;
  bool isStart;
  BufferId buffer;
};

/// A plan in front of its problem; every buffer has a placement.
class PlanView {
protected:
  PlanView(const Problem &problem, const Plan &plan)
      : problem(problem), plan(plan), aliasOf(problem.buffers.size(), nullptr) {
    for (const Alias &alias : problem.aliases)
      aliasOf[alias.member] = &alias;
    for (const Overlap &pair : problem.overlaps)
      distances[{pair.lower, pair.upper}] = pair.distanceBytes;
  }

  std::string nameOf(BufferId id) const {
    const std::string &name = problem.buffers[id].name;
    return name.empty() ? "#" + std::to_string(id) : "'" + name + "'";
  }
  const Pool &poolOf(BufferId id) const {
    return problem.pools[plan.placements[id].pool];
  }
  int64_t offsetOf(BufferId id) const {
    return plan.placements[id].offsetBytes;
  }
  Interval bytesOf(BufferId id) const {
    return {offsetOf(id), offsetOf(id) + problem.buffers[id].sizeBytes};
  }
  std::string rangeText(BufferId id) const {
    const Interval bytes = bytesOf(id);
    return nameOf(id) + " at [" + std::to_string(bytes.begin) + "," +
           std::to_string(bytes.end) + ")";
  }
  BufferId classOf(BufferId id) const {
    return aliasOf[id] ? aliasOf[id]->root : id;
  }
  bool conflict(BufferId a, BufferId b) const {
    return plan.placements[a].pool == plan.placements[b].pool &&
           classOf(a) != classOf(b) && bytesOf(a).overlaps(bytesOf(b));
  }

  /// Sharing bytes while both are alive, as the overlap of their storage says.
  bool mayOverlap(BufferId memberA, BufferId memberB) const {
    const BufferId a = classOf(memberA), b = classOf(memberB);
    const auto isApart = [&](BufferId lower, BufferId upper) {
      const auto found = distances.find({lower, upper});
      return found != distances.end() &&
             offsetOf(upper) - offsetOf(lower) >= found->second;
    };
    return !distances.empty() && (isApart(a, b) || isApart(b, a));
  }

  const Problem &problem;
  const Plan &plan;
  std::vector<const Alias *> aliasOf;
  std::map<std::pair<BufferId, BufferId>, int64_t> distances;
};

/// Starts and ends sorted apart: half the work of sorting them together.
std::vector<Event> inTimeOrder(std::vector<Event> starts,
                               std::vector<Event> ends) {
  auto isBefore = [](const Event &a, const Event &b) {
    return std::tie(a.step, a.isStart, a.buffer) <
           std::tie(b.step, b.isStart, b.buffer);
  };
  std::sort(starts.begin(), starts.end(), isBefore);
  std::sort(ends.begin(), ends.end(), isBefore);
  std::vector<Event> events(starts.size() + ends.size());
  std::merge(starts.begin(), starts.end(), ends.begin(), ends.end(),
             events.begin(), isBefore);
  return events;
}

bool covers(const std::vector<Interval> &life, const Interval &span) {
  // The only interval that can hold the span ends at or after its end.
  const auto i = std::lower_bound(
      life.begin(), life.end(), span.end,
      [](const Interval &r, int64_t end) { return r.end < end; });
  return i != life.end() && i->contains(span);
}

/// The first stage of P5; see above.
bool hasLiveConflict(const Problem &problem, const Plan &plan,
                     const std::vector<Event> &events) {
  std::vector<std::map<int64_t, int64_t>> live(problem.pools.size());
  // Events jump about among the buffers. Sizes on their own stay near, and
  // what a later event needs is fetched meanwhile: half the time of a
  // million.
  constexpr size_t kAhead = 16;
  std::vector<int64_t> sizeBytes;
  sizeBytes.reserve(problem.buffers.size());
  for (const Buffer &buffer : problem.buffers)
    sizeBytes.push_back(buffer.sizeBytes);
  for (size_t i = 0; i < events.size(); ++i) {
    const BufferId later =
        events[std::min(i + kAhead, events.size() - 1)].buffer;
    __builtin_prefetch(&plan.placements[later]);
    __builtin_prefetch(&sizeBytes[later]);
    const Event &event = events[i];
    const Placement &at = plan.placements[event.buffer];
    auto &ranges = live[at.pool];
    if (!event.isStart) {
      ranges.erase(at.offsetBytes);
      continue;
    }
    const Interval bytes{at.offsetBytes,
                         at.offsetBytes + sizeBytes[event.buffer]};
    const auto after = ranges.lower_bound(bytes.begin);
    if (after != ranges.end() && after->first < bytes.end)
      return true;
    if (after != ranges.begin() && std::prev(after)->second > bytes.begin)
      return true;
    ranges.emplace(bytes.begin, bytes.end);
  }
  return false;
}

class Referee : PlanView {
public:
  Referee(const Problem &problem, const Plan &plan, size_t limit)
      : PlanView(problem, plan), limit(limit) {}

  std::vector<Violation> run() {
    if (plan.placements.size() != problem.buffers.size()) {
      report(1, std::nullopt, std::nullopt,
             "P1: the plan places " + std::to_string(plan.placements.size()) +
                 " buffers, the problem has " +
                 std::to_string(problem.buffers.size()));
      return std::move(violations);
    }
    checkAllowedPools();
    if (!violations.empty())
      return std::move(violations);
    checkCapacities();
    // Later checks add offsets and sizes, so they need sound ranges.
    if (allRangesSound) {
      checkAlignments();
      checkPins();
      checkSharing();
      checkAliasOffsets();
      checkAliasLives();
      checkHighWaterMarks();
    }
    return std::move(violations);
  }

private:
  bool isFull() const { return violations.size() >= limit; }
  void report(int invariant, std::optional<BufferId> first,
              std::optional<BufferId> second, std::string message) {
    if (!isFull())
      violations.push_back({invariant, first, second, std::move(message)});
  }

  void checkAllowedPools() {
    for (BufferId id = 0; id < BufferId(problem.buffers.size()); ++id) {
      const PoolId pool = plan.placements[id].pool;
      const std::vector<PoolId> &allowed = problem.buffers[id].pools;
      if (std::find(allowed.begin(), allowed.end(), pool) == allowed.end())
        report(1, id, std::nullopt,
               "P1: " + nameOf(id) + " is in pool " + std::to_string(pool) +
                   ", where it may not be");
      else if (problem.pools[pool].access == PoolAccess::ReadOnly &&
               problem.buffers[id].kind != BufferKind::Weight)
        report(1, id, std::nullopt,
               "P1: " + nameOf(id) + " is no weight, but in the read-only " +
                   "pool '" + problem.pools[pool].name + "'");
    }
  }

  void checkCapacities() {
    for (BufferId id = 0; id < BufferId(problem.buffers.size()); ++id) {
      const Pool &pool = poolOf(id);
      const int64_t limitBytes =
          pool.capacityBytes.value_or(kMaxInt64 - pool.baseAddress);
      const auto end = endOf(offsetOf(id), problem.buffers[id].sizeBytes);
      if (offsetOf(id) < 0 || !end)
        allRangesSound = false;
      if (offsetOf(id) < 0)
        report(2, id, std::nullopt,
               "P2: " + nameOf(id) + " has the negative offset " +
                   std::to_string(offsetOf(id)));
      else if (!end || *end > limitBytes)
        report(2, id, std::nullopt,
               "P2: " + nameOf(id) + " at offset " +
                   std::to_string(offsetOf(id)) + " ends beyond the " +
                   std::to_string(limitBytes) + " bytes of pool '" + pool.name +
                   "'");
      else
        checkReserved(id, pool);
    }
  }
  void checkReserved(BufferId id, const Pool &pool) {
    for (const Interval &range : pool.reserved)
      if (range.overlaps(bytesOf(id)))
        report(2, id, std::nullopt,
               "P2: " + rangeText(id) + " has reserved bytes of pool '" +
                   pool.name + "', [" + std::to_string(range.begin) + "," +
                   std::to_string(range.end) + ")");
  }

  void checkAlignments() {
    for (BufferId id = 0; id < BufferId(problem.buffers.size()); ++id) {
      const int64_t own = problem.buffers[id].alignment;
      // The pool's alignment is for storage; an alias is inside storage.
      const int64_t pools = aliasOf[id] ? 1 : poolOf(id).alignment;
      for (int64_t alignment : {own, pools}) {
        if (offsetOf(id) % alignment == 0)
          continue;
        report(
            3, id, std::nullopt,
            "P3: " + nameOf(id) + " at offset " + std::to_string(offsetOf(id)) +
                " is not aligned to multiples of " + std::to_string(alignment));
        break;
      }
    }
  }

  void checkPins() {
    for (BufferId id = 0; id < BufferId(problem.buffers.size()); ++id) {
      const auto &pin = problem.buffers[id].pin;
      if (pin &&
          !(Placement{pin->pool, pin->offsetBytes} == plan.placements[id]))
        report(4, id, std::nullopt,
               "P4: " + nameOf(id) + " is pinned to offset " +
                   std::to_string(pin->offsetBytes) + ", but is at " +
                   std::to_string(offsetOf(id)));
    }
  }

  // P5.
  void checkSharing() {
    const size_t before = violations.size();
    const Lives lives = livesInTimeOrder();
    // A stray alias may share bytes with its class; the ordered set cannot tell
    // that apart, the list can.
    if (lives.hasStrayAliases || hasLiveConflict(problem, plan, lives.events))
      listLiveConflicts(lives.events);
    for (const auto &[a, b] : problem.forbiddenSharing)
      if (conflict(a, b))
        report(5, std::min(a, b), std::max(a, b),
               "P5: " + rangeText(a) + " and " + rangeText(b) +
                   " must not share bytes, but do");
    std::stable_sort(violations.begin() + before, violations.end(),
                     [](const Violation &a, const Violation &b) {
                       return std::tie(a.first, a.second) <
                              std::tie(b.first, b.second);
                     });
  }
  /// Members that break P6 or P7 stand for themselves; the others are covered
  /// by their roots.
  bool standsForItself(BufferId id) {
    if (problem.buffers[id].sizeBytes == 0)
      return false;
    return !aliasOf[id] ||
           !(sitsInRoot(*aliasOf[id]) && livesInRoot(*aliasOf[id]));
  }
  struct Lives {
    std::vector<Event> events; ///< In time order.
    bool hasStrayAliases;
  };
  Lives livesInTimeOrder() {
    std::vector<Event> starts, ends;
    bool hasStrayAliases = false;
    starts.reserve(problem.buffers.size());
    ends.reserve(problem.buffers.size());
    auto addSpan = [&](BufferId id, const Interval &span) {
      starts.push_back({span.begin, true, id});
      ends.push_back({span.end, false, id});
    };
    for (BufferId id = 0; id < BufferId(problem.buffers.size()); ++id) {
      if (!standsForItself(id))
        continue;
      hasStrayAliases |= aliasOf[id] != nullptr;
      const std::vector<Interval> &spans = problem.buffers[id].lifespans;
      if (spans.size() == 1)
        addSpan(id, spans.front());
      else
        for (const Interval &span : normalize(spans))
          addSpan(id, span);
    }
    return {inTimeOrder(std::move(starts), std::move(ends)), hasStrayAliases};
  }
  void listLiveConflicts(const std::vector<Event> &events) {
    std::vector<BufferId> live;
    std::map<std::pair<BufferId, BufferId>, int64_t> seen;
    for (const Event &event : events) {
      if (isFull())
        return;
      if (!event.isStart) {
        live.erase(std::find(live.begin(), live.end(), event.buffer));
        continue;
      }
      for (BufferId other : live) {
        const auto [a, b] = std::minmax(other, event.buffer);
        if (conflict(a, b) && !mayOverlap(a, b) &&
            seen.emplace(std::pair(a, b), event.step).second)
          report(5, a, b,
                 "P5: " + rangeText(a) + " and " + rangeText(b) + " in pool '" +
                     poolOf(a).name +
                     "' are both alive at "
                     "step " +
                     std::to_string(event.step));
      }
      live.push_back(event.buffer);
    }
  }
  // P6 and P7.
  bool sitsInRoot(const Alias &alias) const {
    const auto expected = endOf(offsetOf(alias.root), alias.offsetBytes);
    return expected && offsetOf(alias.member) == *expected &&
           bytesOf(alias.root).contains(bytesOf(alias.member)) &&
           plan.placements[alias.member].pool ==
               plan.placements[alias.root].pool;
  }
  bool livesInRoot(const Alias &alias) {
    const auto [it, isNew] = lifeOfRoot.try_emplace(alias.root);
    if (isNew)
      it->second = normalize(problem.buffers[alias.root].lifespans);
    const std::vector<Interval> &rootLife = it->second;
    const auto &spans = problem.buffers[alias.member].lifespans;
    return std::all_of(spans.begin(), spans.end(), [&](const Interval &span) {
      return covers(rootLife, span);
    });
  }
  void checkAliasOffsets() {
    for (BufferId id = 0; id < BufferId(aliasOf.size()); ++id)
      if (aliasOf[id] && !sitsInRoot(*aliasOf[id]))
        report(6, id, aliasOf[id]->root,
               "P6: " + nameOf(id) + " is not " +
                   std::to_string(aliasOf[id]->offsetBytes) +
                   " bytes into its root " + nameOf(aliasOf[id]->root));
  }
  void checkAliasLives() {
    for (BufferId id = 0; id < BufferId(aliasOf.size()); ++id)
      if (aliasOf[id] && !livesInRoot(*aliasOf[id]))
        report(7, id, aliasOf[id]->root,
               "P7: " + nameOf(id) + " lives at a time when its root " +
                   nameOf(aliasOf[id]->root) + " does not");
  }

  void checkHighWaterMarks() {
    if (plan.pools.size() != problem.pools.size()) {
      report(8, std::nullopt, std::nullopt,
             "P8: the plan reports " + std::to_string(plan.pools.size()) +
                 " pools, the problem has " +
                 std::to_string(problem.pools.size()));
      return;
    }
    std::vector<int64_t> top(problem.pools.size(), 0);
    for (BufferId id = 0; id < BufferId(problem.buffers.size()); ++id) {
      int64_t &end = top[plan.placements[id].pool];
      end = std::max(end, bytesOf(id).end);
    }
    for (size_t pool = 0; pool < top.size(); ++pool)
      if (top[pool] != plan.pools[pool].usedBytes)
        report(8, std::nullopt, std::nullopt,
               "P8: pool '" + problem.pools[pool].name + "' ends at " +
                   std::to_string(top[pool]) + ", but the plan reports " +
                   std::to_string(plan.pools[pool].usedBytes));
  }

  const size_t limit;
  std::map<BufferId, std::vector<Interval>> lifeOfRoot; ///< Joined intervals.
  std::vector<Violation> violations;
  bool allRangesSound = true;
};

} // namespace

std::vector<Violation> validate(const Problem &problem, const Plan &plan,
                                size_t limit) {
  return Referee(problem, plan, limit).run();
}

} // namespace tpu_mlir::planning
