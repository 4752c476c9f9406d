//===- Explain.cpp - What a plan makes of each pool -----------------------===//

#include "tpu_mlir/Planning/Explain.h"

#include "lib/Planning/Kit/Packing.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Names.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

class Explainer {
public:
  Explainer(const Problem &problem, const ExplainOptions &options)
      : problem(problem), options(options), classes(foldAliases(problem)) {}

  Explanation run() {
    Explanation result;
    std::optional<SolveResult> solved;
    const Plan *plan = options.plan;
    if (!plan) {
      solved = solve(problem, options.solve);
      plan = std::get_if<Plan>(&*solved);
      if (auto *invalid = std::get_if<InvalidProblem>(&*solved)) {
        result.errors = std::move(invalid->errors);
        return result;
      }
    }
    for (PoolId id = 0; id < PoolId(problem.pools.size()); ++id) {
      result.pools.push_back(bound(id));
      if (plan)
        describe(*plan, result.pools.back());
      else if (const auto *failure = std::get_if<Infeasible>(&*solved))
        if (failure->pool == id)
          describe(*failure, result.pools.back());
    }
    return result;
  }

private:
  PoolExplanation bound(PoolId id) const {
    const Pool &pool = problem.pools[id];
    const LiveBound bound = liveBound(problem, id);
    PoolExplanation result;
    result.pool = id;
    result.lowerBoundBytes = bound.bytes;
    result.liveSumBytes = bound.liveSumBytes;
    result.capacityBytes = pool.capacityBytes;
    result.peakStep = bound.peakStep;
    for (BufferId root : bound.peakSet) {
      const StorageClass &storage = classOf(root);
      result.peakSet.push_back({root, storage.sizeBytes, storage.lifespans});
      result.liveBytes =
          checkedAdd(result.liveBytes, storage.sizeBytes).value_or(kMaxInt64);
    }
    if (bound.leaves63Bits || bound.liveSumBytes > usableEnd(pool))
      result.fit = Fit::BoundOver;
    return result;
  }

  const StorageClass &classOf(BufferId root) const {
    return *std::lower_bound(
        classes.begin(), classes.end(), root,
        [](const StorageClass &c, BufferId id) { return c.root < id; });
  }

  void describe(const Plan &plan, PoolExplanation &result) const {
    std::vector<Item> items;
    ItemOfBuffer itemOfBuffer(problem);
    PoolPacking packing;
    for (const StorageClass &storage : classes) {
      const Placement &at = plan.placements[storage.root];
      if (at.pool != result.pool)
        continue;
      itemOfBuffer.add(storage, items.size());
      items.push_back(itemOf(storage, problem.pools[at.pool]));
      packing.servedBytes =
          saturatedAdd(packing.servedBytes, storage.servedBytes);
      const int64_t end =
          checkedAdd(at.offsetBytes, storage.sizeBytes).value_or(kMaxInt64);
      if (end > packing.usedBytes)
        packing.topmost.clear();
      packing.usedBytes = std::max(packing.usedBytes, end);
      if (end == packing.usedBytes && storage.sizeBytes > 0)
        packing.topmost.push_back(storage.root);
    }
    const IndexPairs pairs =
        forbiddenItems(problem, itemOfBuffer, items, /*onlyRoots=*/true);
    packing.boundBytes =
        boundInPool(items, pairs, problem.pools[result.pool]).bytes;
    packing.fragmentationBytes =
        std::max<int64_t>(packing.usedBytes - packing.boundBytes, 0);
    const bool fits =
        packing.usedBytes <= usableEnd(problem.pools[result.pool]);
    if (result.fit != Fit::BoundOver)
      result.fit = fits ? Fit::Fits : Fit::PackingFailed;
    if (!fits)
      result.bestBytes = packing.usedBytes;
    result.packing = std::move(packing);
  }

  static void describe(const Infeasible &failure, PoolExplanation &result) {
    if (failure.boundExceeds)
      result.fit = Fit::BoundOver;
    else
      result.fit = failure.isProved ? Fit::ProvedOver : Fit::PackingFailed;
    if (!failure.boundExceeds && failure.needBytes < kMaxInt64)
      result.bestBytes = failure.needBytes;
  }

  const Problem &problem;
  const ExplainOptions &options;
  const std::vector<StorageClass> classes;
};

} // namespace

static constexpr Named<Fit> kFits[] = {
    {Fit::Fits, "fits"},
    {Fit::BoundOver, "bound-over"},
    {Fit::ProvedOver, "proved-over"},
    {Fit::PackingFailed, "packing-failed"},
    {Fit::NotKnown, "not-known"},
};

std::string_view fitName(Fit fit) { return nameIn(kFits, fit); }

/// What only makes no sense since a pin lies beyond the end of its pool, as in
/// a pool with more room.
static Explanation explainBeyondEnd(const Problem &problem,
                                    const ExplainOptions &options,
                                    std::vector<ProblemError> errors) {
  Problem unlimited = problem;
  for (Pool &pool : unlimited.pools)
    pool.capacityBytes.reset();
  if (!check(unlimited).empty())
    return {{}, std::move(errors)};
  Explanation result = explain(unlimited, options);
  for (PoolExplanation &pool : result.pools) {
    pool.capacityBytes = problem.pools[size_t(pool.pool)].capacityBytes;
    if (!pool.capacityBytes)
      continue;
    if (pool.lowerBoundBytes > *pool.capacityBytes)
      pool.fit = Fit::BoundOver;
    else if (pool.packing && pool.packing->usedBytes > *pool.capacityBytes)
      pool.fit = Fit::PackingFailed;
    if (!pool.packing || pool.fit == Fit::Fits)
      continue;
    pool.bestBytes = pool.packing->usedBytes;
    pool.packing.reset();
  }
  return result;
}

Explanation explain(const Problem &problem, const ExplainOptions &options) {
  if (std::vector<ProblemError> errors = check(problem); !errors.empty())
    return explainBeyondEnd(problem, options, std::move(errors));
  const size_t placed =
      options.plan ? options.plan->placements.size() : problem.buffers.size();
  if (placed != problem.buffers.size())
    return {{}, {{"the plan is not one of this problem"}}};
  return Explainer(problem, options).run();
}

} // namespace tpu_mlir::planning
