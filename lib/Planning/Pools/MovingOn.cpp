//===- MovingOn.cpp - First come, and what does not fit moves on ----------===//

#include "lib/Planning/Pools/MultiPool.h"
#include "lib/Planning/Pools/PoolChoice.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

/// Every class is somewhere; each pool is packed when those in it have changed.
class Mover {
public:
  Mover(PoolChoice &choice, const MovingOrder &order)
      : choice(choice), order(order), place(choice.classes.size(), 0),
        here(choice.problem.pools.size()), packed(choice.problem.pools.size()),
        isStale(choice.problem.pools.size(), true),
        victimRank(choice.classes.size()) {
    for (size_t id = 0; id < place.size(); ++id)
      here[size_t(poolOf(id))].push_back(id);
    for (size_t i = 0; i < order.victims.size(); ++i)
      victimRank[order.victims[i]] = i;
  }

  std::variant<Assignment, Infeasible> run() {
    for (bool isSettled = false; !isSettled;) {
      isSettled = true;
      for (size_t pool = 0; pool < here.size(); ++pool) {
        if (!isStale[pool])
          continue;
        isSettled = false;
        if (auto failure = settle(PoolId(pool)))
          return *failure;
      }
    }
    Assignment result;
    for (size_t id = 0; id < place.size(); ++id)
      result.candidate.push_back(candidateOf(id));
    result.pools = std::move(packed);
    return result;
  }

private:
  const StorageClass &classOf(size_t id) const { return choice.classes[id]; }
  size_t candidateOf(size_t id) const {
    return choice.hasChoice(id) ? order.preference[id][place[id]]
                                : choice.onlyCandidate(id);
  }
  PoolId poolOf(size_t id) const { return choice.poolAt(id, candidateOf(id)); }
  bool canMove(size_t id) const {
    return choice.hasChoice(id) && place[id] + 1 < order.preference[id].size();
  }
  int64_t endOf(PoolId pool) const {
    return usableEnd(choice.problem.pools[size_t(pool)]);
  }

  /// Packs the pool until it fits, moving classes on to further candidates.
  std::optional<Infeasible> settle(PoolId pool) {
    isStale[size_t(pool)] = false;
    moveOn(pool, overLiveSum(pool));
    // Growing batches keep the number of packings logarithmic.
    for (size_t batch = 1;; batch *= 2) {
      PackedPool &now = packed[size_t(pool)];
      now = choice.packer.pack(pool, here[size_t(pool)]);
      if (choice.packer.fits(pool, now) || keepWhatFits(pool))
        return std::nullopt;
      ClassIds movable = movableNearOverflow(pool);
      if (movable.empty())
        return failure(pool);
      movable.resize(std::min(movable.size(), batch));
      moveOn(pool, movable);
    }
  }

  /// Classes that no layout of this pool can hold.
  ClassIds overLiveSum(PoolId pool) const {
    const ClassIds &ids = here[size_t(pool)];
    std::vector<Item> items;
    std::vector<bool> isMovable;
    for (size_t id : ids) {
      items.push_back(itemOf(classOf(id), choice.problem.pools[size_t(pool)]));
      isMovable.push_back(canMove(id));
    }
    ClassIds over;
    // Without anything to move it only costs time.
    if (std::count(isMovable.begin(), isMovable.end(), true) > 0)
      for (size_t item : itemsOverCapacity(items, isMovable, victimsAmong(ids),
                                           choice.roomOf(pool)))
        over.push_back(ids[item]);
    return over;
  }
  /// Positions in `ids`, the first to go first.
  std::vector<size_t> victimsAmong(const ClassIds &ids) const {
    std::vector<size_t> positions;
    for (size_t i = 0; i < ids.size(); ++i)
      positions.push_back(i);
    std::sort(positions.begin(), positions.end(), [&](size_t a, size_t b) {
      return victimRank[ids[a]] < victimRank[ids[b]];
    });
    return positions;
  }

  bool sticksOut(PoolId pool, size_t item) const {
    const PackedPool &now = packed[size_t(pool)];
    return now.offsets[item] + classOf(now.classes[item]).sizeBytes >
           endOf(pool);
  }
  /// When everything beyond the end can move on, it does, and the rest stays as
  /// it was packed.
  bool keepWhatFits(PoolId pool) {
    PackedPool &now = packed[size_t(pool)];
    if (!now.isPacked)
      return false;
    PackedPool kept;
    ClassIds beyond;
    for (size_t item = 0; item < now.classes.size(); ++item) {
      const size_t id = now.classes[item];
      if (sticksOut(pool, item)) {
        beyond.push_back(id);
        continue;
      }
      kept.classes.push_back(id);
      kept.offsets.push_back(now.offsets[item]);
      kept.usedBytes =
          std::max(kept.usedBytes, now.offsets[item] + classOf(id).sizeBytes);
    }
    if (!std::all_of(beyond.begin(), beyond.end(),
                     [&](size_t id) { return canMove(id); }))
      return false;
    kept.isPacked = true;
    kept.winner = std::move(now.winner);
    now = std::move(kept);
    moveOn(pool, beyond);
    return true;
  }

  /// The movable classes that live when some immovable one lies beyond the end,
  /// or all movable ones when that is not known, the first to go first.
  ClassIds movableNearOverflow(PoolId pool) const {
    const PackedPool &now = packed[size_t(pool)];
    std::vector<Interval> crowded;
    for (size_t item = 0; item < now.classes.size(); ++item) {
      const size_t id = now.classes[item];
      if (!now.isPacked || (!canMove(id) && sticksOut(pool, item)))
        crowded.insert(crowded.end(), classOf(id).lifespans.begin(),
                       classOf(id).lifespans.end());
    }
    crowded = normalize(std::move(crowded));
    ClassIds movable;
    for (size_t id : now.classes)
      if (canMove(id) && classOf(id).sizeBytes > 0 &&
          anyOverlap(classOf(id).lifespans, crowded))
        movable.push_back(id);
    std::sort(movable.begin(), movable.end(), [&](size_t a, size_t b) {
      return victimRank[a] < victimRank[b];
    });
    return movable;
  }

  void moveOn(PoolId pool, const ClassIds &ids) {
    for (size_t id : ids) {
      ++place[id];
      here[size_t(poolOf(id))].push_back(id);
      isStale[size_t(poolOf(id))] = true;
    }
    ClassIds &from = here[size_t(pool)];
    from.erase(std::remove_if(from.begin(), from.end(),
                              [&](size_t id) { return poolOf(id) != pool; }),
               from.end());
  }

  Infeasible failure(PoolId pool) const {
    const PackedPool &now = packed[size_t(pool)];
    Infeasible result;
    result.pool = pool;
    result.haveBytes =
        choice.problem.pools[size_t(pool)].capacityBytes.value_or(
            kMaxInt64 - choice.problem.pools[size_t(pool)].baseAddress);
    result.strategy = choice.options.strategy;
    const LiveBound certain = liveBound(choice.problem, pool);
    result.boundExceeds =
        certain.leaves63Bits || certain.liveSumBytes > endOf(pool);
    if (result.boundExceeds) {
      result.needBytes = certain.bytes;
      result.peakStep = certain.peakStep;
      result.witness = certain.peakSet;
      return result;
    }
    result.isProved = choice.packer.isOver(pool, certain) ||
                      (now.isProvedOver && choice.choosers.empty());
    const Deadline &deadline = choice.options.deadline;
    const bool isCut =
        !result.isProved && now.proof == Proof::LimitHit && deadline.isOver();
    result.isInterrupted = isCut && deadline.isStopped();
    result.isCutByTime = isCut && !result.isInterrupted;
    if (now.isPacked)
      result.needBytes = now.usedBytes;
    else
      result.needBytes =
          now.bound.bytes > result.haveBytes ? now.bound.bytes : kMaxInt64;
    result.peakStep = now.bound.peakStep;
    for (BufferId item : now.bound.peakSet)
      result.witness.push_back(classOf(now.classes[size_t(item)]).root);
    return result;
  }

  PoolChoice &choice;
  const MovingOrder &order;
  std::vector<size_t> place; ///< Index into the preference.
  std::vector<ClassIds> here;
  std::vector<PackedPool> packed;
  std::vector<bool> isStale;
  std::vector<size_t> victimRank;
};

/// Into gaps of better pools.
class Returner {
public:
  Returner(PoolChoice &choice, const MovingOrder &order, Assignment &assignment)
      : choice(choice), order(order), assignment(assignment),
        hasLost(assignment.pools.size(), false) {}

  void untilNoneFits() {
    while (onePass())
      ;
  }

  void repackWhatHasLost() {
    for (size_t pool = 0; pool < hasLost.size(); ++pool) {
      if (!hasLost[pool])
        continue;
      PackedPool &now = assignment.pools[pool];
      PackedPool again = choice.packer.pack(PoolId(pool), now.classes);
      if (choice.packer.fits(PoolId(pool), again) &&
          again.usedBytes < now.usedBytes)
        now = std::move(again);
    }
  }

private:
  bool onePass() {
    bool hasMoved = false;
    for (size_t pool = 0; pool < assignment.pools.size(); ++pool) {
      const ClassIds wanting = whoWants(PoolId(pool));
      const ClassIds left =
          choice.packer.fill(PoolId(pool), assignment.pools[pool], wanting);
      if (left.size() == wanting.size())
        continue;
      hasMoved = true;
      const size_t first = assignment.pools[pool].classes.size() -
                           (wanting.size() - left.size());
      take(PoolId(pool), first);
    }
    return hasMoved;
  }

  size_t placeOf(size_t id, size_t candidate) const {
    const std::vector<size_t> &wishes = order.preference[id];
    return size_t(std::find(wishes.begin(), wishes.end(), candidate) -
                  wishes.begin());
  }
  ClassIds whoWants(PoolId pool) const {
    ClassIds wanting;
    for (size_t id : order.returners) {
      if (!choice.hasChoice(id))
        continue;
      const std::vector<size_t> &wishes = order.preference[id];
      const size_t place = placeOf(id, assignment.candidate[id]);
      for (size_t i = 0; i < place; ++i)
        if (choice.poolAt(id, wishes[i]) == pool)
          wanting.push_back(id);
    }
    return wanting;
  }

  /// The classes from `first` on are new in `pool`: they leave where they were.
  void take(PoolId pool, size_t first) {
    const ClassIds &classes = assignment.pools[size_t(pool)].classes;
    std::vector<bool> loses(assignment.pools.size(), false);
    for (size_t i = first; i < classes.size(); ++i) {
      const size_t id = classes[i];
      loses[size_t(choice.poolAt(id, assignment.candidate[id]))] = true;
      const std::vector<PoolId> &pools = choice.classes[id].pools;
      assignment.candidate[id] =
          size_t(std::find(pools.begin(), pools.end(), pool) - pools.begin());
    }
    for (size_t from = 0; from < loses.size(); ++from)
      if (loses[from])
        dropThoseWhoLeft(from);
  }
  void dropThoseWhoLeft(size_t pool) {
    hasLost[pool] = true;
    PackedPool &from = assignment.pools[pool];
    PackedPool kept;
    kept.isPacked = true;
    for (size_t i = 0; i < from.classes.size(); ++i) {
      const size_t id = from.classes[i];
      if (choice.poolAt(id, assignment.candidate[id]) != PoolId(pool))
        continue;
      kept.classes.push_back(id);
      kept.offsets.push_back(from.offsets[i]);
      kept.usedBytes = std::max(kept.usedBytes,
                                from.offsets[i] + choice.classes[id].sizeBytes);
    }
    kept.winner = std::move(from.winner);
    from = std::move(kept);
  }

  PoolChoice &choice;
  const MovingOrder &order;
  Assignment &assignment;
  std::vector<bool> hasLost;
};

} // namespace

std::variant<Assignment, Infeasible> moveOn(PoolChoice &choice,
                                            const MovingOrder &order) {
  return Mover(choice, order).run();
}

void moveBack(PoolChoice &choice, const MovingOrder &order, bool mayRepack,
              Assignment &assignment) {
  if (choice.choosers.empty())
    return;
  Returner returner(choice, order, assignment);
  returner.untilNoneFits();
  if (!mayRepack)
    return;
  returner.repackWhatHasLost();
  // A pool packed anew may have other gaps.
  returner.untilNoneFits();
}

MovingOrder firstCome(const PoolChoice &choice) {
  MovingOrder order;
  if (!choice.choosers.empty())
    order.preference.resize(choice.classes.size());
  for (size_t id : choice.choosers)
    for (size_t i = 0; i < choice.classes[id].pools.size(); ++i)
      order.preference[id].push_back(i);
  order.victims = choice.byContent;
  choice.sortBy(order.victims, [&](size_t a, size_t b) {
    return choice.classes[a].sizeBytes > choice.classes[b].sizeBytes;
  });
  order.returners = order.victims;
  return order;
}

std::variant<Assignment, Infeasible> chooseByOrder(PoolChoice &choice) {
  const MovingOrder order = firstCome(choice);
  auto result = moveOn(choice, order);
  if (auto *assignment = std::get_if<Assignment>(&result))
    moveBack(choice, order, !choice.options.fitIsEnough, *assignment);
  return result;
}

} // namespace tpu_mlir::planning
