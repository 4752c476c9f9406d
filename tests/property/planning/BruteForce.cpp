//===- BruteForce.cpp - The lowest packing of tiny problems ---------------===//

#include "tests/property/planning/BruteForce.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tpu_mlir::planning {
namespace {

/// A buffer that is no alias, with all that its aliases ask of it.
struct Thing {
  BufferId id = 0;
  int64_t size = 0;
  std::vector<int64_t> units; ///< The offset is a multiple of all of them.
  std::optional<int64_t> pin;
  bool isReserved = false; ///< No buffer: a range that none may use.
};

class Things {
public:
  explicit Things(const Problem &problem) : problem(problem) {
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      rootOf.push_back(BufferId(i));
    for (const Alias &alias : problem.aliases)
      rootOf[size_t(alias.member)] = alias.root;
    for (size_t i = 0; i < rootOf.size(); ++i)
      if (rootOf[i] == BufferId(i))
        add(BufferId(i));
    for (const Interval &range : problem.pools[0].reserved)
      list.push_back({BufferId(problem.buffers.size() + list.size()),
                      range.length(),
                      {},
                      range.begin,
                      true});
    for (const Thing &a : list)
      for (const Thing &b : list)
        if (a.id != b.id && (a.isReserved || b.isReserved || shareSteps(a, b) ||
                             isForbidden(a, b)))
          conflicts.insert({a.id, b.id});
    for (const Overlap &pair : problem.overlaps)
      distances[{pair.lower, pair.upper}] = pair.distanceBytes;
  }

  std::vector<Thing> list; ///< Those that have bytes.
  /// Things without bytes are in nobody's way, but a pin holds them up.
  int64_t least = 0;

  bool inConflict(const Thing &a, const Thing &b) const {
    return conflicts.count({a.id, b.id}) > 0;
  }

  /// At these offsets they may share bytes though they are alive together.
  bool mayOverlap(const Thing &lower, int64_t lowerAt, const Thing &upper,
                  int64_t upperAt) const {
    const auto found = distances.find({lower.id, upper.id});
    return found != distances.end() && upperAt - lowerAt >= found->second &&
           !isForbidden(lower, upper);
  }

private:
  void add(BufferId id) {
    const Buffer &root = problem.buffers[size_t(id)];
    Thing thing{
        id, root.sizeBytes, {root.alignment, problem.pools[0].alignment}, {}};
    if (root.pin)
      thing.pin = root.pin->offsetBytes;
    for (const Alias &alias : problem.aliases) {
      if (alias.root != id)
        continue;
      const Buffer &member = problem.buffers[size_t(alias.member)];
      thing.units.push_back(member.alignment);
      if (member.pin)
        thing.pin = member.pin->offsetBytes - alias.offsetBytes;
    }
    if (thing.size > 0)
      list.push_back(thing);
    else
      least = std::max(least, thing.pin.value_or(0));
  }
  bool shareSteps(const Thing &a, const Thing &b) const {
    for (const Interval &x : problem.buffers[size_t(a.id)].lifespans)
      for (const Interval &y : problem.buffers[size_t(b.id)].lifespans)
        if (x.begin < y.end && y.begin < x.end)
          return true;
    return false;
  }
  bool isForbidden(const Thing &a, const Thing &b) const {
    for (const auto &[x, y] : problem.forbiddenSharing)
      if ((rootOf[size_t(x)] == a.id && rootOf[size_t(y)] == b.id) ||
          (rootOf[size_t(x)] == b.id && rootOf[size_t(y)] == a.id))
        return true;
    return false;
  }

  const Problem &problem;
  std::vector<BufferId> rootOf;
  std::set<std::pair<BufferId, BufferId>> conflicts;
  std::map<std::pair<BufferId, BufferId>, int64_t> distances;
};

bool isAligned(const Thing &thing, int64_t offset) {
  return std::all_of(thing.units.begin(), thing.units.end(),
                     [&](int64_t unit) { return offset % unit == 0; });
}

class AllOrders {
public:
  explicit AllOrders(const Things &things)
      : things(things), offsets(things.list.size(), -1) {
    place(0, 0, things.least);
  }
  int64_t best = std::numeric_limits<int64_t>::max();

private:
  void place(size_t count, int64_t lowest, int64_t top) {
    // More things only add to it.
    if (top >= best)
      return;
    if (count == offsets.size()) {
      best = top;
      return;
    }
    for (size_t i = 0; i < offsets.size(); ++i) {
      const int64_t at = offsets[i] < 0 ? offsetFor(i) : -1;
      if (at < lowest)
        continue;
      offsets[i] = at;
      place(count + 1, at,
            things.list[i].isReserved
                ? top
                : std::max(top, at + things.list[i].size));
      offsets[i] = -1;
    }
  }
  /// -1: its pin is not above what is there.
  int64_t offsetFor(size_t i) const {
    const Thing &thing = things.list[i];
    int64_t at = 0;
    for (size_t j = 0; j < offsets.size(); ++j)
      if (offsets[j] >= 0 && things.inConflict(thing, things.list[j]))
        at = std::max(at, offsets[j] + things.list[j].size);
    if (thing.pin)
      return *thing.pin >= at ? *thing.pin : -1;
    while (!isAligned(thing, at))
      ++at;
    return at;
  }

  const Things &things;
  std::vector<int64_t> offsets; ///< -1: not placed.
};

class AllOffsets {
public:
  AllOffsets(const Things &things, int64_t height)
      : things(things), height(height) {}
  bool fits() { return height >= things.least && place(); }

private:
  bool place() {
    if (offsets.size() == things.list.size())
      return true;
    const Thing &thing = things.list[offsets.size()];
    // Reserved ranges may lie above.
    const int64_t end = thing.isReserved ? *thing.pin + thing.size : height;
    for (int64_t at = 0; at + thing.size <= end; ++at) {
      if (!isAligned(thing, at) || at != thing.pin.value_or(at) ||
          !isFree(thing, at))
        continue;
      offsets.push_back(at);
      if (place())
        return true;
      offsets.pop_back();
    }
    return false;
  }
  bool isFree(const Thing &thing, int64_t at) const {
    for (size_t j = 0; j < offsets.size(); ++j)
      if (things.inConflict(thing, things.list[j]) &&
          at < offsets[j] + things.list[j].size &&
          offsets[j] < at + thing.size &&
          !things.mayOverlap(thing, at, things.list[j], offsets[j]) &&
          !things.mayOverlap(things.list[j], offsets[j], thing, at))
        return false;
    return true;
  }

  const Things &things;
  const int64_t height;
  std::vector<int64_t> offsets; ///< Of the first things.
};

} // namespace

int64_t leastBytes(const Problem &problem) {
  return AllOrders(Things(problem)).best;
}

bool fitsAtSomeOffsets(const Problem &problem, int64_t height) {
  const Things things(problem);
  return AllOffsets(things, height).fits();
}

} // namespace tpu_mlir::planning
