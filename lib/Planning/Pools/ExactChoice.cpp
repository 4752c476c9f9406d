//===- ExactChoice.cpp - All choices that can be cheaper ------------------===//
//
// Depth first over the classes that have a choice, those first whose choice
// makes the largest difference, the cheapest candidate first. A branch ends
// when
//
//   bound      what is chosen, what each other class costs at least, and what
//              it costs at least to bring each pool's fullest step below its
//              room is no less than the best known. The last is a fractional
//              knapsack: those with the least regret for a byte leave, the last
//              of them in part. A class counts for its cheapest pool alone, so
//              pools may be added up.
//   packing    a pool cannot hold what was chosen for it. A gap in its packing
//              settles that in most cases; otherwise the strategy "exact" does,
//              and its answers are kept.
//   symmetry   of classes that cannot be told apart a later one would be in a
//              better candidate.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Pools/PoolChoice.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
/// Nodes that one step of this search counts for.
constexpr int64_t kNodesOfStep = 100;
/// Classes times steps; beyond it the knapsack takes longer than it saves.
constexpr size_t kMostForKnapsack = 200'000;

enum class Answer { Fits, Over, NotKnown };

SolveOptions oracleOptions(const SolveOptions &options) {
  SolveOptions result = options;
  result.strategy = "exact";
  result.fitIsEnough = true;
  return result;
}

/// Whether a pool can hold a set of classes.
class Oracle {
public:
  explicit Oracle(const PoolChoice &choice)
      : choice(choice), options(oracleOptions(choice.options)),
        asked{choice.problem, *StrategyRegistry::find("exact"), options},
        packer(asked, choice.classes) {}

  /// Adds `id` to what is packed.
  Answer add(PoolId pool, size_t id, PackedPool &packed) {
    if (packer.fill(pool, packed, {id}).empty())
      return Answer::Fits;
    ClassIds ids = packed.classes;
    ids.push_back(id);
    return pack(pool, std::move(ids), packed);
  }

  Answer pack(PoolId pool, ClassIds ids, PackedPool &packed) {
    std::sort(ids.begin(), ids.end());
    const auto key = std::pair(pool, ids);
    if (const auto known = over.find(key); known != over.end())
      return known->second;
    options.nodeLimit =
        std::max<int64_t>(choice.options.nodeLimit - nodes(), 1);
    PackedPool answer = packer.pack(pool, std::move(ids));
    if (packer.fits(pool, answer)) {
      packed = std::move(answer);
      return Answer::Fits;
    }
    const bool isOver =
        packer.isOver(pool, answer.bound) || answer.isProvedOver;
    return over[key] = isOver ? Answer::Over : Answer::NotKnown;
  }

  void count(int64_t more) { ownNodes += more; }
  int64_t nodes() const { return ownNodes + packer.nodes(); }
  bool isLate() const {
    return nodes() >= choice.options.nodeLimit ||
           choice.options.deadline.isOver();
  }

private:
  const PoolChoice &choice;
  SolveOptions options;
  PoolQuestion asked;
  PoolPacker packer;
  std::map<std::pair<PoolId, ClassIds>, Answer> over;
  int64_t ownNodes = 0;
};

/// What the classes that are not chosen yet cost at least.
class Knapsack {
public:
  Knapsack(const PoolChoice &choice, const ClassIds &order)
      : choice(choice), order(order), load(choice.problem.pools.size()),
        byRegret(choice.problem.pools.size()) {
    for (const StorageClass &storage : choice.classes)
      for (const Interval &span : storage.lifespans)
        steps.push_back(span.begin);
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    isUsed = order.size() * steps.size() <= kMostForKnapsack;
    if (!isUsed)
      return;
    for (auto &one : load)
      one.assign(steps.size(), 0);
    for (size_t place = 0; place < order.size(); ++place)
      byRegret[size_t(cheapestPool(place))].push_back(place);
    for (std::vector<size_t> &places : byRegret)
      std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
        const __int128 left = __int128(regret(a)) * sizeOf(b);
        const __int128 right = __int128(regret(b)) * sizeOf(a);
        return left != right ? left < right : a < b;
      });
  }

  void add(size_t id, PoolId pool, int sign) {
    if (!isUsed)
      return;
    for (const Interval &span : choice.classes[id].lifespans)
      for (auto s = std::lower_bound(steps.begin(), steps.end(), span.begin);
           s != steps.end() && *s < span.end; ++s)
        load[size_t(pool)][size_t(s - steps.begin())] +=
            sign * __int128(choice.classes[id].sizeBytes);
  }

  /// For the classes from `place` on, beyond their cheapest candidates;
  /// INT64_MAX when some pool has no room for those that have to be there.
  int64_t extra(size_t place) const {
    int64_t sum = 0;
    for (size_t pool = 0; isUsed && pool < load.size(); ++pool) {
      int64_t most = 0;
      if (choice.problem.pools[pool].capacityBytes)
        for (size_t s = 0; s < steps.size() && most < kMaxInt64; ++s)
          most = std::max(most, extraAt(pool, s, place));
      sum = saturatedAdd(sum, most);
    }
    return sum;
  }

private:
  size_t best(size_t place) const {
    return choice.cheapestFirst(order[place]).front();
  }
  PoolId cheapestPool(size_t place) const {
    return choice.poolAt(order[place], best(place));
  }
  int64_t sizeOf(size_t place) const {
    return std::max<int64_t>(choice.classes[order[place]].sizeBytes, 1);
  }
  int64_t regret(size_t place) const {
    const size_t id = order[place];
    return choice.costOf(id, choice.cheapestFirst(id)[1]) -
           choice.costOf(id, best(place));
  }
  bool isAlive(size_t place, size_t step) const {
    const auto &spans = choice.classes[order[place]].lifespans;
    return std::any_of(spans.begin(), spans.end(), [&](const Interval &span) {
      return span.contains(steps[step]);
    });
  }

  int64_t extraAt(size_t pool, size_t step, size_t place) const {
    __int128 over = load[pool][step] - choice.roomOf(PoolId(pool));
    std::vector<size_t> alive;
    for (size_t other : byRegret[pool])
      if (other >= place && isAlive(other, step)) {
        alive.push_back(other);
        over += choice.classes[order[other]].sizeBytes;
      }
    int64_t cost = 0;
    for (size_t other : alive) {
      if (over <= 0)
        break;
      const int64_t size = sizeOf(other);
      if (over >= size)
        cost = saturatedAdd(cost, regret(other));
      else
        cost = saturatedAdd(cost, int64_t(regret(other) * over / size));
      over -= size;
    }
    return over > 0 ? kMaxInt64 : cost;
  }

  const PoolChoice &choice;
  const ClassIds &order;
  std::vector<int64_t> steps;
  std::vector<std::vector<__int128>> load;   ///< By pool and step.
  std::vector<std::vector<size_t>> byRegret; ///< Places in `order`, by pool.
  bool isUsed = false;
};

class Search {
public:
  Search(PoolChoice &choice, const Assignment *known)
      : choice(choice), order(differenceFirst()), knapsack(choice, order),
        oracle(choice), pools(choice.problem.pools.size()),
        candidate(choice.classes.size(), 0), wish(order.size(), 0),
        leastFrom(order.size() + 1, 0), isTwin(order.size(), false) {
    if (known)
      bestCost = choice.costOf(*known);
    for (size_t i = order.size(); i-- > 0;)
      leastFrom[i] = saturatedAdd(
          leastFrom[i + 1],
          choice.costOf(order[i], choice.cheapestFirst(order[i]).front()));
    if (choice.problem.forbiddenSharing.empty() &&
        choice.problem.overlaps.empty())
      for (size_t i = 1; i < order.size(); ++i)
        isTwin[i] =
            areAlike(choice.classes[order[i - 1]], choice.classes[order[i]]);
  }

  ExactChoice run(const Assignment *known) {
    ExactChoice result;
    if (placeThoseWithoutChoice())
      visit(0);
    if (best)
      result.best = finished();
    else if (known)
      result.best = *known;
    result.proof = isComplete ? Proof::Optimal : Proof::LimitHit;
    return result;
  }

private:
  ClassIds differenceFirst() const {
    ClassIds ids = choice.choosers;
    std::vector<int64_t> difference(choice.classes.size(), 0);
    for (size_t id : ids)
      difference[id] = choice.costOf(id, choice.cheapestFirst(id).back()) -
                       choice.costOf(id, choice.cheapestFirst(id).front());
    choice.sortBy(
        ids, [&](size_t a, size_t b) { return difference[a] > difference[b]; });
    return ids;
  }
  static bool areAlike(const StorageClass &a, const StorageClass &b) {
    return a.lifespans == b.lifespans && a.alignment == b.alignment &&
           a.sizeBytes == b.sizeBytes && a.servedBytes == b.servedBytes &&
           a.pools == b.pools;
  }
  bool isLimited(PoolId pool) const {
    return choice.problem.pools[size_t(pool)].capacityBytes.has_value();
  }

  bool placeThoseWithoutChoice() {
    std::vector<ClassIds> fixed(pools.size());
    for (size_t id = 0; id < choice.classes.size(); ++id) {
      if (choice.hasChoice(id))
        continue;
      candidate[id] = choice.onlyCandidate(id);
      const PoolId pool = choice.poolAt(id, candidate[id]);
      fixed[size_t(pool)].push_back(id);
      knapsack.add(id, pool, 1);
      cost = saturatedAdd(cost, choice.costOf(id, candidate[id]));
    }
    for (size_t pool = 0; pool < pools.size(); ++pool) {
      if (!isLimited(PoolId(pool))) {
        pools[pool].classes = fixed[pool];
        continue;
      }
      const Answer answer = oracle.pack(PoolId(pool), fixed[pool], pools[pool]);
      isComplete &= answer != Answer::NotKnown;
      if (answer != Answer::Fits)
        return false;
    }
    return true;
  }

  int64_t boundAt(size_t place) const {
    return saturatedAdd(saturatedAdd(cost, leastFrom[place]),
                        knapsack.extra(place));
  }

  void visit(size_t place) {
    if (oracle.isLate()) {
      isComplete = false;
      return;
    }
    oracle.count(kNodesOfStep);
    if (bestCost && boundAt(place) >= *bestCost)
      return;
    // Without a known cost the bound can still say that there is no room.
    if (!bestCost && knapsack.extra(place) == kMaxInt64)
      return;
    if (place == order.size()) {
      bestCost = cost;
      best = {candidate, pools};
      return;
    }
    const size_t id = order[place];
    const std::vector<size_t> &wishes = choice.cheapestFirst(id);
    for (size_t i = isTwin[place] ? wish[place - 1] : 0; i < wishes.size();
         ++i) {
      wish[place] = i;
      choose(place, id, wishes[i]);
    }
  }

  void choose(size_t place, size_t id, size_t which) {
    const PoolId pool = choice.poolAt(id, which);
    PackedPool &packed = pools[size_t(pool)];
    PackedPool before = packed;
    Answer answer = Answer::Fits;
    if (isLimited(pool))
      answer = oracle.add(pool, id, packed);
    else
      packed.classes.push_back(id);
    isComplete &= answer != Answer::NotKnown;
    if (answer == Answer::Fits) {
      const int64_t costBefore = cost;
      candidate[id] = which;
      cost = saturatedAdd(cost, choice.costOf(id, which));
      knapsack.add(id, pool, 1);
      visit(place + 1);
      knapsack.add(id, pool, -1);
      cost = costBefore;
    }
    packed = std::move(before);
  }

  /// Packed by the strategy that was asked for, where that fits, too.
  std::optional<Assignment> finished() {
    for (size_t pool = 0; pool < best->pools.size(); ++pool) {
      PackedPool &now = best->pools[pool];
      PackedPool again = choice.packer.pack(PoolId(pool), now.classes);
      if (choice.packer.fits(PoolId(pool), again))
        now = std::move(again);
      else if (!now.isPacked)
        return std::nullopt;
    }
    return std::move(best);
  }

  PoolChoice &choice;
  const ClassIds order;
  Knapsack knapsack;
  Oracle oracle;
  std::vector<PackedPool> pools;
  std::vector<size_t> candidate;
  std::vector<size_t> wish; ///< Place in cheapestFirst(), by place in `order`.
  std::vector<int64_t> leastFrom; ///< Sum of the cheapest from a place on.
  std::vector<bool> isTwin;       ///< Cannot be told from the one before.
  int64_t cost = 0;
  std::optional<int64_t> bestCost;
  std::optional<Assignment> best;
  bool isComplete = true;
};

} // namespace

ExactChoice chooseExactly(PoolChoice &choice, const Assignment *known) {
  return Search(choice, known).run(known);
}

} // namespace tpu_mlir::planning
