//===- PoolChoice.cpp - Some storage, one pool; who goes to which ---------===//

#include "lib/Planning/Pools/PoolPacker.h"

#include "lib/Planning/Kit/FirstFit.h"
#include "lib/Planning/Kit/Overlaps.h"
#include "lib/Planning/Pools/PoolChoice.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {

PackingProblem PoolPacker::packingProblem(PoolId pool,
                                          const ClassIds &ids) const {
  PackingProblem packing;
  const Pool &where = poolOf(pool);
  if (where.capacityBytes)
    packing.capacityBytes = usableEnd(where);
  packing.period = asked.problem.period;
  packing.items.reserve(ids.size());
  for (size_t id : ids)
    packing.items.push_back(itemOf(classes[id], where));
  if (asked.problem.forbiddenSharing.empty() && asked.problem.overlaps.empty())
    return packing;
  ItemOfBuffer itemOfBuffer(asked.problem);
  for (size_t i = 0; i < ids.size(); ++i)
    itemOfBuffer.add(classes[ids[i]], i);
  packing.forbiddenSharing =
      forbiddenItems(asked.problem, itemOfBuffer, packing.items);
  packing.exactPairs =
      forbiddenItems(asked.problem, itemOfBuffer, packing.items,
                     /*onlyRoots=*/true);
  packing.overlaps = overlapsOfItems(asked.problem, itemOfBuffer);
  return packing;
}

PackedPool PoolPacker::pack(PoolId pool, ClassIds ids) {
  PackedPool packed;
  packed.classes = std::move(ids);
  if (asked.strategy.followsBufferOrder)
    std::sort(packed.classes.begin(), packed.classes.end());
  else
    sortByContent(packed.classes, classes);
  PackingProblem packing = packingProblem(pool, packed.classes);
  packed.bound = boundInPool(packing.items, packing.exactPairs, poolOf(pool),
                             packing.overlaps);
  packing.lowerBoundBytes = packed.bound.bytes;
  // No layout can help: do not waste time on one.
  if (!isOver(pool, packed.bound))
    packAroundReserved(pool, packing, packed);
  return packed;
}

void PoolPacker::packAroundReserved(PoolId pool, PackingProblem &packing,
                                    PackedPool &packed) {
  const std::vector<Interval> &reserved = poolOf(pool).reserved;
  const int64_t end = usableEnd(poolOf(pool));
  size_t met = packing.items.size() - packed.classes.size();
  size_t below = met; // Ranges that lie below the end of the pool.
  while (below < reserved.size() && reserved[below].begin < end)
    ++below;
  bool isSure = true;
  for (int round = 1;; ++round) {
    // Looking for the lowest plan, ranges that need not be met would count as
    // bytes to keep below.
    if (round > kMostRounds ||
        (asked.options.fitIsEnough && packing.capacityBytes)) {
      isSure &= met == below;
      appendReserved(packing.items, poolOf(pool), met, below);
      met = below;
    }
    std::optional<Packing> answer = asked.strategy.pack(packing, asked.options);
    if (!answer)
      return;
    // What a strategy proves is true without overlaps only.
    packed.isProvedOver |= answer->isProvedOver && packing.overlaps.empty() &&
                           !packing.isStricter();
    if (packing.isStricter() && answer->proof == Proof::Optimal)
      answer->proof = Proof::LimitHit;
    if (!asked.strategy.sharesNothing)
      packOverlapping(packing, *answer);
    nodeCount += answer->nodes;
    packed.usedBytes = packing.highWater(answer->offsets);
    packed.isProvedOver |=
        !packing.overlaps.empty() && answer->proof == Proof::Optimal &&
        packing.capacityBytes && packed.usedBytes > *packing.capacityBytes;
    size_t reached = met;
    while (reached < below && reserved[reached].begin < packed.usedBytes)
      ++reached;
    if (reached == met) {
      answer->offsets.resize(packed.classes.size());
      packed.offsets = std::move(answer->offsets);
      packed.isPacked = true;
      packed.proof = isSure || answer->proof != Proof::Optimal
                         ? answer->proof
                         : Proof::LimitHit;
      packed.winner = std::move(answer->winner);
      return;
    }
    // The lowest packing without them reaches them: so does any with them.
    isSure &= answer->proof == Proof::Optimal;
    appendReserved(packing.items, poolOf(pool), met, reached);
    met = reached;
  }
}

ClassIds PoolPacker::fill(PoolId pool, PackedPool &packed,
                          const ClassIds &ids) {
  if (ids.empty())
    return {};
  ClassIds all = packed.classes;
  all.insert(all.end(), ids.begin(), ids.end());
  PackingProblem packing = packingProblem(pool, all);
  std::vector<int64_t> offsets = packed.offsets;
  offsets.resize(all.size(), -1);
  const size_t known = packed.classes.size();
  appendReserved(packing.items, poolOf(pool), 0, poolOf(pool).reserved.size());
  for (size_t i = all.size(); i < packing.items.size(); ++i)
    offsets.push_back(*packing.items[i].pinOffset);
  std::vector<size_t> order;
  for (size_t i = known; i < all.size(); ++i)
    order.push_back(i);
  FirstFit firstFit(packing);
  firstFit.fill(offsets, order, usableEnd(poolOf(pool)));
  nodeCount += firstFit.nodes();

  ClassIds left;
  for (size_t i = known; i < all.size(); ++i) {
    if (offsets[i] < 0) {
      left.push_back(all[i]);
      continue;
    }
    packed.classes.push_back(all[i]);
    packed.offsets.push_back(offsets[i]);
    packed.usedBytes =
        std::max(packed.usedBytes, offsets[i] + packing.items[i].sizeBytes);
  }
  if (left.size() != ids.size()) {
    packed.bound = LiveBound();
    packed.proof = Proof::None;
    packed.winner.clear();
  }
  return left;
}

PoolChoice::PoolChoice(const PoolQuestion &asked)
    : PoolQuestion(asked), classes(foldAliases(problem)),
      packer(*this, classes) {
  for (size_t id = 0; id < classes.size(); ++id)
    if (hasChoice(id))
      choosers.push_back(id);
  if (choosers.empty())
    return;
  byContent.resize(classes.size());
  std::iota(byContent.begin(), byContent.end(), 0);
  sortByContent(byContent, classes);
  rank.resize(classes.size());
  for (size_t i = 0; i < byContent.size(); ++i)
    rank[byContent[i]] = i;
  sortBy(choosers, [](size_t, size_t) { return false; });
  for (size_t id : choosers)
    for (size_t i = 1; i < classes[id].pools.size(); ++i)
      hasCosts |= accessCostAt(id, i) != accessCostAt(id, 0);
  preference.resize(classes.size());
  for (size_t id : choosers)
    preferCheap(id);
}

void PoolChoice::preferCheap(size_t id) {
  std::vector<size_t> &wishes = preference[id];
  wishes.resize(classes[id].pools.size());
  std::iota(wishes.begin(), wishes.end(), 0);
  if (hasCosts)
    std::stable_sort(wishes.begin(), wishes.end(), [&](size_t a, size_t b) {
      return accessCostAt(id, a) < accessCostAt(id, b);
    });
}

size_t PoolChoice::onlyCandidate(size_t id) const {
  const StorageClass &storage = classes[id];
  if (!storage.pin)
    return 0;
  return size_t(
      std::find(storage.pools.begin(), storage.pools.end(), storage.pin->pool) -
      storage.pools.begin());
}

int64_t PoolChoice::costOf(size_t id, size_t candidate) const {
  const int64_t cost =
      hasCosts ? accessCostAt(id, candidate) : int64_t(candidate);
  return saturatedMul(classes[id].servedBytes, cost);
}

int64_t PoolChoice::costOf(const Assignment &assignment) const {
  int64_t sum = 0;
  for (size_t id = 0; id < classes.size(); ++id)
    sum = saturatedAdd(sum, costOf(id, assignment.candidate[id]));
  return sum;
}

int64_t PoolChoice::leastCost() const {
  int64_t sum = 0;
  for (size_t id = 0; id < classes.size(); ++id)
    sum = saturatedAdd(sum, costOf(id, hasChoice(id) ? preference[id].front()
                                                     : onlyCandidate(id)));
  return sum;
}

int64_t PoolChoice::roomOf(PoolId pool) const {
  const Pool &where = problem.pools[size_t(pool)];
  const int64_t end = usableEnd(where);
  int64_t room = end;
  for (const Interval &range : where.reserved)
    if (range.begin < end)
      room -= range.length();
  return room;
}

} // namespace tpu_mlir::planning
