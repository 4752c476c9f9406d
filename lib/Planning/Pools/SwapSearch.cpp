//===- SwapSearch.cpp - A class takes the place of cheaper ones -----------===//
//
//     fast pool          slow pool         x is worth more than a and b: they
//     +---+---+---+      +-------+         go where they find a gap, x takes
//     | a | b | c |      |   x   |         their bytes. What all of it costs
//     +---+---+---+      +-------+         has to become smaller, or nothing
//     |   x   | c |      | a | b |         happens.
//     +-------+---+      +-------+
//
// Classes that could be in a cheaper pool are tried in the order of what that
// would save, again and again until nothing changes or the limit is hit.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Placing.h"
#include "lib/Planning/Pools/PoolChoice.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

/// For any storage class those that it may not share bytes with in a pool:
/// alive at the same time, or a forbidden partner.
///
/// The classes in the order in which their lives begin, under a tree of the
/// last step at which any of a stretch ends: O(log n) for each class whose hull
/// overlaps, nothing for the others. Building it takes O(n log n).
class Neighbours {
public:
  Neighbours(const Problem &problem, const std::vector<StorageClass> &classes);

  /// Ascending; without `id` itself and those of 0 bytes, none when it has no
  /// bytes. Adds to `nodes` how many hulls were looked at.
  std::vector<size_t> of(size_t id, int64_t &nodes) const;

private:
  void collect(size_t node, size_t from, size_t to, size_t id,
               std::vector<size_t> &found, int64_t &nodes) const;
  Interval hullOf(size_t id) const {
    return {classes[id].lifespans.front().begin,
            classes[id].lifespans.back().end};
  }

  const std::vector<StorageClass> &classes;
  std::vector<size_t> byBegin;
  std::vector<int64_t> lastEnd; ///< Children of node k: 2k and 2k+1.
  size_t leafCount = 1;
  std::vector<std::vector<size_t>> partners; ///< Empty when there are none.
};

} // namespace

Neighbours::Neighbours(const Problem &problem,
                       const std::vector<StorageClass> &classes)
    : classes(classes) {
  for (size_t id = 0; id < classes.size(); ++id)
    if (classes[id].sizeBytes > 0)
      byBegin.push_back(id);
  std::sort(byBegin.begin(), byBegin.end(), [&](size_t a, size_t b) {
    return std::pair(hullOf(a).begin, a) < std::pair(hullOf(b).begin, b);
  });
  while (leafCount < byBegin.size())
    leafCount *= 2;
  lastEnd.assign(2 * leafCount, 0);
  for (size_t i = 0; i < byBegin.size(); ++i)
    lastEnd[leafCount + i] = hullOf(byBegin[i]).end;
  for (size_t node = leafCount - 1; node > 0; --node)
    lastEnd[node] = std::max(lastEnd[2 * node], lastEnd[2 * node + 1]);

  if (problem.forbiddenSharing.empty())
    return;
  std::vector<size_t> classOf(problem.buffers.size());
  for (size_t id = 0; id < classes.size(); ++id) {
    classOf[size_t(classes[id].root)] = id;
    for (BufferId member : classes[id].members)
      classOf[size_t(member)] = id;
  }
  partners.resize(classes.size());
  for (const auto &[first, second] : problem.forbiddenSharing) {
    const size_t a = classOf[size_t(first)], b = classOf[size_t(second)];
    if (a == b || classes[a].sizeBytes == 0 || classes[b].sizeBytes == 0)
      continue;
    partners[a].push_back(b);
    partners[b].push_back(a);
  }
}

std::vector<size_t> Neighbours::of(size_t id, int64_t &nodes) const {
  std::vector<size_t> found;
  if (classes[id].sizeBytes == 0)
    return found;
  collect(1, 0, leafCount, id, found, nodes);
  if (!partners.empty())
    found.insert(found.end(), partners[id].begin(), partners[id].end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Neighbours::collect(size_t node, size_t from, size_t to, size_t id,
                         std::vector<size_t> &found, int64_t &nodes) const {
  const Interval life = hullOf(id);
  if (lastEnd[node] <= life.begin || from >= byBegin.size() ||
      hullOf(byBegin[from]).begin >= life.end)
    return;
  if (to - from == 1) {
    ++nodes;
    const size_t other = byBegin[from];
    if (other != id &&
        anyOverlap(classes[id].lifespans, classes[other].lifespans))
      found.push_back(other);
    return;
  }
  const size_t middle = from + (to - from) / 2;
  collect(2 * node, from, middle, id, found, nodes);
  collect(2 * node + 1, middle, to, id, found, nodes);
}

namespace {

/// Of the places in a pool that would save something, as many are tried.
constexpr size_t kMostTried = 4;

class SwapSearch {
public:
  SwapSearch(PoolChoice &choice, int64_t nodeLimit, Assignment &assignment)
      : choice(choice), nodeLimit(nodeLimit), assignment(assignment),
        neighbours(choice.problem, choice.classes), at(choice.classes.size()) {
    for (size_t pool = 0; pool < assignment.pools.size(); ++pool) {
      const PackedPool &packed = assignment.pools[pool];
      for (size_t i = 0; i < packed.classes.size(); ++i)
        at[packed.classes[i]] = {assignment.candidate[packed.classes[i]],
                                 packed.offsets[i]};
    }
  }

  bool run() {
    bool hasChanged = false;
    for (bool isNew = true; isNew && mayGoOn();) {
      isNew = false;
      for (size_t id : mostToSaveFirst())
        if (mayGoOn() && improve(id))
          isNew = true;
      hasChanged |= isNew;
    }
    if (hasChanged)
      writeBack();
    return hasChanged;
  }

private:
  bool mayGoOn() const {
    return nodes < nodeLimit && !choice.options.deadline.isOver();
  }
  struct Where {
    size_t candidate = 0;
    std::optional<int64_t> offset; ///< nullopt: nowhere for the moment.
  };
  /// Bytes that are in the way, and of whom, if that one could move.
  struct Taken {
    Interval bytes;
    std::optional<size_t> id;
  };
  struct Offer {
    int64_t loss;
    int64_t offset;
  };

  const StorageClass &classOf(size_t id) const { return choice.classes[id]; }
  PoolId poolOf(size_t id) const { return choice.poolAt(id, at[id].candidate); }
  int64_t costOf(size_t id) const {
    return choice.costOf(id, at[id].candidate);
  }
  const Pool &pool(PoolId id) const { return choice.problem.pools[size_t(id)]; }

  ClassIds mostToSaveFirst() const {
    ClassIds ids;
    std::vector<int64_t> saving(at.size(), 0);
    for (size_t id : choice.choosers) {
      saving[id] =
          costOf(id) - choice.costOf(id, choice.cheapestFirst(id).front());
      if (saving[id] > 0)
        ids.push_back(id);
    }
    choice.sortBy(ids,
                  [&](size_t a, size_t b) { return saving[a] > saving[b]; });
    return ids;
  }

  /// What lies in a pool and is in the way of a class, in address order.
  std::vector<Taken> takenFor(size_t id, PoolId where) {
    std::vector<Taken> taken;
    for (size_t other : neighbours.of(id, nodes)) {
      const auto offset = at[other].offset;
      if (!offset || poolOf(other) != where)
        continue;
      const Interval bytes{*offset, *offset + classOf(other).sizeBytes};
      taken.push_back({bytes, choice.hasChoice(other) ? std::optional(other)
                                                      : std::nullopt});
    }
    for (const Interval &range : pool(where).reserved)
      taken.push_back({range, std::nullopt});
    std::sort(taken.begin(), taken.end(), [](const Taken &a, const Taken &b) {
      return std::tie(a.bytes, a.id) < std::tie(b.bytes, b.id);
    });
    return taken;
  }
  std::optional<int64_t> gapIn(size_t id, PoolId where,
                               const std::vector<Taken> &taken) const {
    std::vector<Interval> blocked;
    for (const Taken &one : taken)
      blocked.push_back(one.bytes);
    return lowestFit(0, classOf(id).sizeBytes,
                     itemOf(classOf(id), pool(where)).alignment, blocked,
                     usableEnd(pool(where)));
  }

  bool improve(size_t id) {
    for (size_t candidate : choice.cheapestFirst(id)) {
      const int64_t gain = costOf(id) - choice.costOf(id, candidate);
      if (gain <= 0)
        return false;
      const PoolId where = choice.poolAt(id, candidate);
      const std::vector<Taken> taken = takenFor(id, where);
      if (const auto gap = gapIn(id, where, taken)) {
        at[id] = {candidate, *gap};
        return true;
      }
      for (const Offer &offer : offersIn(id, where, taken, gain))
        if (swap(id, {candidate, offer.offset}, taken, gain))
          return true;
    }
    return false;
  }

  /// Places where less is lost than gained if those in the way go to their next
  /// best pools, the least loss first.
  std::vector<Offer> offersIn(size_t id, PoolId where,
                              const std::vector<Taken> &taken, int64_t gain) {
    const int64_t size = classOf(id).sizeBytes;
    const int64_t alignment = itemOf(classOf(id), pool(where)).alignment;
    const int64_t last = usableEnd(pool(where)) - size;
    std::vector<int64_t> offsets = {0};
    for (const Taken &one : taken) {
      offsets.push_back(one.bytes.begin - size);
      offsets.push_back(one.bytes.begin);
      offsets.push_back(one.bytes.end);
    }
    std::vector<Offer> offers;
    for (int64_t &offset : offsets) {
      if (offset < 0 || offset > last)
        continue;
      // Down, so that what is below is met and not what is above.
      offset -= offset % alignment;
      nodes += int64_t(taken.size()) / 8 + 1;
      if (nodes >= nodeLimit)
        break;
      if (const auto loss = lossAt({offset, offset + size}, taken);
          loss && *loss < gain)
        offers.push_back({*loss, offset});
    }
    std::sort(offers.begin(), offers.end(), [](const Offer &a, const Offer &b) {
      return std::tie(a.loss, a.offset) < std::tie(b.loss, b.offset);
    });
    offers.erase(std::unique(offers.begin(), offers.end(),
                             [](const Offer &a, const Offer &b) {
                               return a.offset == b.offset;
                             }),
                 offers.end());
    offers.resize(std::min(offers.size(), kMostTried));
    return offers;
  }
  std::optional<int64_t> lossAt(const Interval &bytes,
                                const std::vector<Taken> &taken) const {
    int64_t loss = 0;
    for (const Taken &one : taken) {
      if (one.bytes.begin >= bytes.end)
        break;
      if (!one.bytes.overlaps(bytes))
        continue;
      if (!one.id)
        return std::nullopt;
      loss = saturatedAdd(loss, lossOf(*one.id));
    }
    return loss;
  }
  /// What it costs more in the next best other pool.
  int64_t lossOf(size_t id) const {
    for (size_t candidate : choice.cheapestFirst(id))
      if (candidate != at[id].candidate)
        return std::max<int64_t>(choice.costOf(id, candidate) - costOf(id), 0);
    return 0;
  }

  /// Puts `id` there and those in the way into gaps anywhere. False, and no
  /// change, when that is not cheaper.
  bool swap(size_t id, Where to, const std::vector<Taken> &taken,
            int64_t gain) {
    const Interval bytes{*to.offset, *to.offset + classOf(id).sizeBytes};
    ClassIds leaving;
    for (const Taken &one : taken)
      if (one.bytes.overlaps(bytes))
        leaving.push_back(*one.id);
    choice.sortBy(leaving, [&](size_t a, size_t b) {
      return classOf(a).sizeBytes > classOf(b).sizeBytes;
    });
    std::vector<Where> before = {at[id]};
    for (size_t other : leaving) {
      before.push_back(at[other]);
      at[other].offset.reset();
    }
    at[id] = to;
    int64_t left = gain;
    for (size_t i = 0; i < leaving.size() && left > 0; ++i)
      left = settle(leaving[i], before[i + 1], left);
    if (left > 0)
      return true;
    at[id] = before[0];
    for (size_t i = 0; i < leaving.size(); ++i)
      at[leaving[i]] = before[i + 1];
    return false;
  }
  /// Into the cheapest pool with a gap. What is left of the gain, <= 0 when
  /// there is none or it finds no place.
  int64_t settle(size_t id, const Where &before, int64_t gain) {
    for (size_t candidate : choice.cheapestFirst(id)) {
      const int64_t loss =
          choice.costOf(id, candidate) - choice.costOf(id, before.candidate);
      if (loss >= gain)
        return 0;
      const PoolId where = choice.poolAt(id, candidate);
      if (const auto gap = gapIn(id, where, takenFor(id, where))) {
        at[id] = {candidate, *gap};
        return loss < 0 ? saturatedAdd(gain, -loss) : gain - loss;
      }
    }
    return 0;
  }

  void writeBack() {
    std::vector<PackedPool> pools(assignment.pools.size());
    for (size_t id = 0; id < at.size(); ++id) {
      assignment.candidate[id] = at[id].candidate;
      PackedPool &packed = pools[size_t(poolOf(id))];
      packed.classes.push_back(id);
      packed.offsets.push_back(*at[id].offset);
      packed.usedBytes =
          std::max(packed.usedBytes, *at[id].offset + classOf(id).sizeBytes);
    }
    for (size_t i = 0; i < pools.size(); ++i) {
      pools[i].isPacked = true;
      pools[i].winner = std::move(assignment.pools[i].winner);
    }
    assignment.pools = std::move(pools);
  }

  PoolChoice &choice;
  const int64_t nodeLimit;
  Assignment &assignment;
  const Neighbours neighbours;
  std::vector<Where> at; ///< By class.
  int64_t nodes = 0;
};

} // namespace

bool improveBySwaps(PoolChoice &choice, int64_t nodeLimit,
                    Assignment &assignment) {
  return SwapSearch(choice, nodeLimit, assignment).run();
}

} // namespace tpu_mlir::planning
