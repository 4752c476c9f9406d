//===- Solve.cpp - check, fold, pack, put together, validate --------------===//

#include "lib/Planning/MultiPool.h"
#include "lib/Planning/Packing.h"
#include "tpu_mlir/Planning/Validate.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

/// One pool's share of the problem and the best answer so far.
struct PoolState {
  /// Indices into the alias classes; items of `packing` in the same order.
  std::vector<size_t> classes;
  PackingProblem packing;
  LiveBound bound; ///< Of all classes that are here now.
  std::optional<Packing> answer;
  int64_t usedBytes = 0;
  bool isStale = true;
};

class Solver {
public:
  Solver(const Problem &problem, const SolveOptions &options,
         const Strategy &strategy)
      : problem(problem), options(options), strategy(strategy),
        classes(foldAliases(problem)), candidate(classes.size(), 0),
        states(problem.pools.size()) {
    for (size_t id = 0; id < classes.size(); ++id)
      choosePinnedPool(id);
  }

  SolveResult run() {
    for (bool isSettled = false; !isSettled;) {
      isSettled = true;
      for (PoolId pool = 0; pool < PoolId(states.size()); ++pool) {
        if (!states[pool].isStale)
          continue;
        isSettled = false;
        if (auto failure = settle(pool))
          return *failure;
      }
    }
    Plan plan = assemble();
    std::vector<std::string> broken;
    for (const Violation &violation : validate(problem, plan))
      broken.push_back(violation.message);
    if (!broken.empty())
      return InvalidPlan{options.strategy, std::move(broken)};
    return plan;
  }

private:
  void choosePinnedPool(size_t id) {
    const StorageClass &storage = classes[id];
    if (storage.pin)
      candidate[id] = std::find(storage.pools.begin(), storage.pools.end(),
                                storage.pin->pool) -
                      storage.pools.begin();
    states[poolOf(id)].classes.push_back(id);
  }
  PoolId poolOf(size_t id) const { return classes[id].pools[candidate[id]]; }
  bool canMove(size_t id) const {
    return !classes[id].pin && candidate[id] + 1 < classes[id].pools.size();
  }
  int64_t capacityOf(PoolId pool) const {
    const Pool &p = problem.pools[pool];
    return p.capacityBytes.value_or(kMaxInt64 - p.baseAddress);
  }

  bool isOver(const LiveBound &bound, PoolId pool) const {
    return bound.leaves63Bits || bound.bytes > capacityOf(pool);
  }

  /// Packs the pool until it fits, moving buffers on to further candidates.
  std::optional<Infeasible> settle(PoolId pool) {
    PoolState &state = states[pool];
    state.isStale = false;
    moveOn(pool, overLiveSum(pool));
    // Growing batches keep the number of packings logarithmic.
    for (size_t batch = 1;; batch *= 2) {
      pack(pool);
      if (state.answer && state.usedBytes <= capacityOf(pool))
        return std::nullopt;
      if (keepWhatFits(pool))
        return std::nullopt;
      std::vector<size_t> movable = movableNearOverflow(pool);
      if (movable.empty())
        return failure(pool);
      movable.resize(std::min(movable.size(), batch));
      moveOn(pool, movable);
    }
  }

  /// Buffers that no layout of this pool can hold.
  std::vector<size_t> overLiveSum(PoolId pool) const {
    const std::vector<size_t> &here = states[pool].classes;
    std::vector<Item> items;
    std::vector<bool> isMovable;
    for (size_t id : here) {
      items.push_back(itemOf(classes[id], problem.pools[pool]));
      isMovable.push_back(canMove(id));
    }
    std::vector<size_t> over;
    // Without anything to move it only costs time.
    if (std::count(isMovable.begin(), isMovable.end(), true) > 0)
      for (size_t item : itemsOverCapacity(items, isMovable, capacityOf(pool)))
        over.push_back(here[item]);
    return over;
  }

  void pack(PoolId pool) {
    PoolState &state = states[pool];
    if (strategy.followsBufferOrder())
      std::sort(state.classes.begin(), state.classes.end());
    else
      sortByContent(state.classes, classes);
    state.packing = packingProblem(pool);
    state.bound =
        boundOfItems(state.packing.items, state.packing.forbiddenSharing);
    state.packing.lowerBoundBytes = state.bound.bytes;
    state.answer.reset();
    // No layout can help: do not waste time on one.
    if (isOver(state.bound, pool))
      return;
    state.answer = strategy.pack(state.packing, options);
    nodes += state.answer ? state.answer->nodes : 0;
    state.usedBytes =
        state.answer ? state.packing.highWater(state.answer->offsets) : 0;
  }

  PackingProblem packingProblem(PoolId pool) const {
    PackingProblem packing;
    packing.capacityBytes = problem.pools[pool].capacityBytes;
    packing.period = problem.period;
    std::vector<int64_t> itemOfBuffer(problem.buffers.size(), -1);
    for (size_t id : states[pool].classes) {
      const int64_t item = int64_t(packing.items.size());
      itemOfBuffer[classes[id].root] = item;
      for (BufferId member : classes[id].members)
        itemOfBuffer[member] = item;
      packing.items.push_back(itemOf(classes[id], problem.pools[pool]));
    }
    packing.forbiddenSharing =
        forbiddenItems(problem, itemOfBuffer, packing.items);
    return packing;
  }

  bool sticksOut(PoolId pool, size_t item) const {
    return states[pool].answer->offsets[item] +
               states[pool].packing.items[item].sizeBytes >
           capacityOf(pool);
  }
  /// When everything beyond the capacity can move on, it does, and the rest
  /// stays as it was packed.
  bool keepWhatFits(PoolId pool) {
    PoolState &state = states[pool];
    if (!state.answer)
      return false;
    std::vector<size_t> beyond;
    std::vector<int64_t> kept;
    for (size_t item = 0; item < state.classes.size(); ++item) {
      if (sticksOut(pool, item))
        beyond.push_back(state.classes[item]);
      else
        kept.push_back(state.answer->offsets[item]);
    }
    if (!std::all_of(beyond.begin(), beyond.end(),
                     [&](size_t id) { return canMove(id); }))
      return false;
    moveOn(pool, beyond);
    state.packing = packingProblem(pool);
    state.usedBytes = state.packing.highWater(kept);
    state.answer->offsets = std::move(kept);
    state.answer->proof = Proof::None;
    return true;
  }

  /// The movable buffers that live when some immovable one lies beyond the
  /// capacity, or all movable ones when that is not known, largest first.
  std::vector<size_t> movableNearOverflow(PoolId pool) const {
    const PoolState &state = states[pool];
    std::vector<Interval> crowded;
    for (size_t item = 0; item < state.classes.size(); ++item)
      if (!state.answer ||
          (!canMove(state.classes[item]) && sticksOut(pool, item)))
        crowded.insert(crowded.end(),
                       classes[state.classes[item]].lifespans.begin(),
                       classes[state.classes[item]].lifespans.end());
    crowded = normalize(std::move(crowded));
    std::vector<size_t> movable;
    for (size_t id : state.classes)
      if (canMove(id) && classes[id].sizeBytes > 0 &&
          anyOverlap(classes[id].lifespans, crowded))
        movable.push_back(id);
    std::stable_sort(movable.begin(), movable.end(), [&](size_t a, size_t b) {
      return classes[a].sizeBytes > classes[b].sizeBytes;
    });
    return movable;
  }

  void moveOn(PoolId pool, const std::vector<size_t> &ids) {
    for (size_t id : ids) {
      ++candidate[id];
      states[poolOf(id)].classes.push_back(id);
      states[poolOf(id)].isStale = true;
    }
    auto &from = states[pool].classes;
    from.erase(std::remove_if(from.begin(), from.end(),
                              [&](size_t id) { return poolOf(id) != pool; }),
               from.end());
  }

  Infeasible failure(PoolId pool) const {
    const PoolState &state = states[pool];
    Infeasible result;
    result.pool = pool;
    result.haveBytes = capacityOf(pool);
    result.strategy = options.strategy;
    const LiveBound certain = liveBound(problem, pool);
    result.boundExceeds =
        certain.leaves63Bits || certain.liveSumBytes > capacityOf(pool);
    if (result.boundExceeds) {
      result.needBytes = certain.bytes;
      result.peakStep = certain.peakStep;
      result.witness = certain.peakSet;
      return result;
    }
    result.isProved =
        isOver(certain, pool) ||
        (state.answer && state.answer->isProvedOver && !hasChoice());
    if (state.answer)
      result.needBytes = state.usedBytes;
    else
      result.needBytes =
          state.bound.bytes > result.haveBytes ? state.bound.bytes : kMaxInt64;
    result.peakStep = state.bound.peakStep;
    for (BufferId item : state.bound.peakSet)
      result.witness.push_back(classes[state.classes[item]].root);
    return result;
  }

  Plan assemble() const {
    Plan plan;
    plan.strategy = options.strategy;
    plan.placements.resize(problem.buffers.size());
    plan.pools.resize(problem.pools.size());
    for (PoolId pool = 0; pool < PoolId(states.size()); ++pool) {
      placePool(pool, plan);
      plan.pools[pool].usedBytes = states[pool].usedBytes;
      // With a choice of pools only some buffers have to be here.
      plan.pools[pool].lowerBoundBytes = hasChoice()
                                             ? liveBound(problem, pool).bytes
                                             : states[pool].bound.bytes;
    }
    plan.winner = winners();
    plan.proof = proofOf(plan);
    plan.nodes = nodes;
    return plan;
  }
  void placePool(PoolId pool, Plan &plan) const {
    const PoolState &state = states[pool];
    for (size_t i = 0; i < state.classes.size(); ++i)
      plan.placements[classes[state.classes[i]].root] = {
          pool, state.answer->offsets[i]};
    for (const Alias &alias : problem.aliases)
      if (const Placement root = plan.placements[alias.root]; root.pool == pool)
        plan.placements[alias.member] = {pool,
                                         root.offsetBytes + alias.offsetBytes};
  }
  /// The winners of the pools, in pool order, each named once.
  std::string winners() const {
    std::vector<std::string> names;
    for (const PoolState &state : states)
      if (!state.classes.empty() && !state.answer->winner.empty() &&
          std::find(names.begin(), names.end(), state.answer->winner) ==
              names.end())
        names.push_back(state.answer->winner);
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + name;
    return text;
  }
  Proof proofOf(const Plan &plan) const {
    bool allAtBound = true, allProved = true, anyLimit = false;
    for (size_t pool = 0; pool < states.size(); ++pool) {
      const bool atBound =
          plan.pools[pool].usedBytes == plan.pools[pool].lowerBoundBytes;
      const Proof proof = states[pool].answer->proof;
      allAtBound &= atBound;
      allProved &= atBound || proof == Proof::Optimal;
      anyLimit |= !atBound && proof == Proof::LimitHit;
    }
    if (allAtBound)
      return Proof::LowerBound;
    // With a choice of pools, optimal parts do not make an optimal whole.
    if (allProved && !hasChoice())
      return Proof::Optimal;
    return anyLimit ? Proof::LimitHit : Proof::None;
  }
  bool hasChoice() const {
    return std::any_of(classes.begin(), classes.end(),
                       [](const StorageClass &storage) {
                         return !storage.pin && storage.pools.size() > 1;
                       });
  }

  const Problem &problem;
  const SolveOptions &options;
  const Strategy &strategy;
  const std::vector<StorageClass> classes;
  std::vector<size_t> candidate; ///< Index into StorageClass::pools.
  std::vector<PoolState> states;
  int64_t nodes = 0;
};

} // namespace

SolveResult solve(const Problem &problem, const SolveOptions &options) {
  const Strategy *strategy = StrategyRegistry::find(options.strategy);
  if (!strategy)
    return InvalidProblem{{{"unknown strategy '" + options.strategy +
                            "'; there are " + StrategyRegistry::names()}}};
  if (std::vector<ProblemError> errors = check(problem); !errors.empty())
    return InvalidProblem{std::move(errors)};
  return Solver(problem, options, *strategy).run();
}

} // namespace tpu_mlir::planning
