//===- Packing.cpp - Single-pool problems, inside the library -------------===//

#include "lib/Planning/Kit/Packing.h"

#include "tpu_mlir/Planning/Validate.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace tpu_mlir::planning {

Item itemOf(const StorageClass &storage, const Pool &pool) {
  Item item;
  item.sizeBytes = storage.sizeBytes;
  item.alignment = std::lcm(storage.alignment, pool.alignment);
  item.lifespans = storage.lifespans;
  item.readSteps = storage.readSteps;
  if (storage.pin)
    item.pinOffset = storage.pin->offsetBytes;
  return item;
}

int64_t PackingProblem::highWater(const std::vector<int64_t> &offsets) const {
  int64_t top = 0;
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i].isReserved)
      top = std::max(top, checkedAdd(offsets[i], items[i].sizeBytes)
                              .value_or(std::numeric_limits<int64_t>::max()));
  return top;
}

int64_t usableEnd(const Pool &pool) {
  int64_t end = pool.capacityBytes.value_or(
      std::numeric_limits<int64_t>::max() - pool.baseAddress);
  for (auto range = pool.reserved.rbegin();
       range != pool.reserved.rend() && range->end >= end; ++range)
    end = std::min(end, range->begin);
  return end;
}

/// [begin, end) of the pool as an item that is alive whenever `items` are.
static Item reservedItem(const Interval &bytes, const Interval &always,
                         int64_t alignment) {
  Item item;
  item.sizeBytes = bytes.length();
  item.alignment = std::max<int64_t>(std::gcd(bytes.begin, alignment), 1);
  item.lifespans = {always};
  item.pinOffset = bytes.begin;
  item.isReserved = true;
  return item;
}

void appendReserved(std::vector<Item> &items, const Pool &pool, size_t from,
                    size_t to) {
  const size_t count = items.size();
  Interval always{0, 1};
  int64_t alignment = 0;
  for (const Item &item : items) {
    always.end = std::max(always.end, item.lifespans.back().end);
    alignment = std::gcd(alignment, item.alignment);
  }
  items.reserve(count + (to - from));
  for (size_t i = from; i < to; ++i)
    items.push_back(reservedItem(pool.reserved[i], always, alignment));
}

LiveBound boundInPool(std::vector<Item> &items, const IndexPairs &forbidden,
                      const Pool &pool,
                      const std::vector<ItemOverlap> &overlaps) {
  size_t met = 0;
  while (true) {
    LiveBound bound = boundOfItems(items, forbidden, overlaps);
    const size_t before = met;
    while (met < pool.reserved.size() && pool.reserved[met].begin < bound.bytes)
      ++met;
    if (met == before) {
      auto isReserved = [&](BufferId i) { return items[size_t(i)].isReserved; };
      bound.peakSet.erase(std::remove_if(bound.peakSet.begin(),
                                         bound.peakSet.end(), isReserved),
                          bound.peakSet.end());
      return bound;
    }
    appendReserved(items, pool, before, met);
  }
}

IndexPairs forbiddenItems(const Problem &problem,
                          const ItemOfBuffer &itemOfBuffer,
                          const std::vector<Item> &items, bool onlyRoots) {
  IndexPairs pairs;
  std::vector<bool> isMember(problem.buffers.size(), false);
  for (const Alias &alias : problem.aliases)
    isMember[size_t(alias.member)] = onlyRoots;
  for (const auto &[first, second] : problem.forbiddenSharing) {
    if (isMember[size_t(first)] || isMember[size_t(second)])
      continue;
    const auto a = itemOfBuffer[first], b = itemOfBuffer[second];
    if (!a || !b || *a == *b)
      continue;
    if (!items[size_t(*a)].pinOffset || !items[size_t(*b)].pinOffset)
      pairs.push_back(std::minmax(*a, *b));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

void sortByContent(std::vector<size_t> &ids,
                   const std::vector<StorageClass> &classes) {
  // The first three decide nearly always; they are kept together so that
  // sorting does not jump through memory.
  struct Key {
    Interval first;
    int64_t sizeBytes;
    size_t id;
  };
  std::vector<Key> keys;
  keys.reserve(ids.size());
  for (size_t id : ids)
    keys.push_back({classes[id].lifespans.front(), classes[id].sizeBytes, id});
  auto rest = [&](size_t id) {
    const StorageClass &storage = classes[id];
    return std::tie(storage.lifespans, storage.alignment, storage.readSteps,
                    storage.servedBytes, storage.pools);
  };
  auto pinOf = [&](size_t id) {
    return classes[id].pin ? classes[id].pin->offsetBytes : -1;
  };
  std::sort(keys.begin(), keys.end(), [&](const Key &a, const Key &b) {
    if (!(a.first == b.first))
      return a.first < b.first;
    if (a.sizeBytes != b.sizeBytes)
      return a.sizeBytes > b.sizeBytes;
    if (rest(a.id) != rest(b.id))
      return rest(a.id) < rest(b.id);
    return std::pair(pinOf(a.id), a.id) < std::pair(pinOf(b.id), b.id);
  });
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = keys[i].id;
}

bool wantsSweepFirst(const PackingProblem &problem,
                     const SolveOptions &options) {
  return options.deadline.isSet() && isForSweep(problem);
}

bool isSwept(const PackingProblem &problem) {
  return problem.forbiddenSharing.empty() &&
         std::none_of(
             problem.items.begin(), problem.items.end(),
             [](const Item &item) { return item.pinOffset.has_value(); });
}

bool isForSweep(const PackingProblem &problem) {
  constexpr size_t kManyItems = 20'000;
  return problem.items.size() > kManyItems && isSwept(problem);
}

bool isValidPacking(const PackingProblem &problem,
                    const std::vector<int64_t> &offsets) {
  if (offsets.size() != problem.items.size())
    return false;
  Problem whole;
  whole.pools.resize(1);
  whole.forbiddenSharing = problem.forbiddenSharing;
  whole.period = problem.period;
  whole.buffers.reserve(offsets.size());
  Plan plan;
  int64_t top = 0;
  plan.placements.reserve(offsets.size());
  for (size_t i = 0; i < problem.items.size(); ++i) {
    const Item &item = problem.items[i];
    Buffer buffer;
    buffer.sizeBytes = item.sizeBytes;
    buffer.alignment = item.alignment;
    buffer.lifespans = item.lifespans;
    if (item.pinOffset)
      buffer.pin = Pin{0, *item.pinOffset};
    whole.buffers.push_back(std::move(buffer));
    plan.placements.push_back({0, offsets[i]});
    // To the validator reserved bytes are buffers like others.
    top = std::max(top, checkedAdd(offsets[i], item.sizeBytes)
                            .value_or(std::numeric_limits<int64_t>::max()));
  }
  plan.pools.push_back({top, 0});
  return validate(whole, plan, 1).empty();
}

bool isTrusted(const PackingProblem &problem,
               const std::vector<int64_t> &offsets) {
  constexpr size_t kMostChecked = 100'000;
  return problem.items.size() > kMostChecked
             ? offsets.size() == problem.items.size()
             : isValidPacking(problem, offsets);
}

} // namespace tpu_mlir::planning
