//===- Solve.cpp - check, fold, choose, pack, put together, validate ------===//

#include "lib/Planning/Pools/PoolChoice.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Names.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// Without a plan, Auto tries all choices of so many classes.
constexpr size_t kFewChoosers = 32;

class Solver {
public:
  Solver(const Problem &problem, SolveOptions solveOptions,
         const Strategy &strategy)
      : options(std::move(solveOptions)), choice({problem, strategy, options}) {
  }

  SolveResult run() {
    auto first = chooseByOrder(choice);
    if (auto *assignment = std::get_if<Assignment>(&first))
      known = std::move(*assignment);
    policy = PoolPolicy::Order;
    if (!choice.choosers.empty())
      choosePools();
    if (!known) {
      Infeasible failure = std::get<Infeasible>(std::move(first));
      failure.isProved |= isProvedOver && !failure.boundExceeds;
      failure.isCutByTime &= !failure.isCertain();
      failure.isInterrupted &= !failure.isCertain();
      return failure;
    }
    return checked(assemble());
  }

private:
  void choosePools() {
    const PoolPolicy wanted = options.poolPolicy;
    const bool byValue = wanted == PoolPolicy::Value ||
                         wanted == PoolPolicy::Exact ||
                         (wanted == PoolPolicy::Auto && choice.hasCosts);
    if (byValue && !isCheapest())
      improveByValue();
    const bool tryAll = wanted == PoolPolicy::Auto && !known &&
                        choice.choosers.size() <= kFewChoosers;
    if ((wanted == PoolPolicy::Exact && !isCheapest()) || tryAll)
      searchExactly();
    if (wanted != PoolPolicy::Auto)
      policy = wanted;
    if (known && isCheapest())
      costProof = Proof::LowerBound;
  }
  bool isCheapest() const {
    return known && choice.costOf(*known) <= choice.leastCost();
  }
  void improveByValue() {
    auto better = chooseByValue(choice, known ? &*known : nullptr);
    if (!better || (known && choice.costOf(*better) >= choice.costOf(*known)))
      return;
    known = std::move(better);
    policy = PoolPolicy::Value;
  }
  void searchExactly() {
    ExactChoice found = chooseExactly(choice, known ? &*known : nullptr);
    costProof = found.proof;
    // Its bounds know nothing of overlaps.
    if (costProof == Proof::Optimal && !choice.problem.overlaps.empty())
      costProof = Proof::LimitHit;
    isProvedOver = !found.best && costProof == Proof::Optimal;
    if (!found.best)
      return;
    known = std::move(found.best);
    policy = PoolPolicy::Exact;
  }

  SolveResult checked(Plan plan) const {
    std::vector<std::string> broken;
    for (const Violation &violation : validate(choice.problem, plan))
      broken.push_back(violation.message);
    if (!broken.empty())
      return InvalidPlan{options.strategy, std::move(broken)};
    return plan;
  }

  Plan assemble() const {
    Plan plan;
    plan.strategy = options.strategy;
    plan.placements.resize(choice.problem.buffers.size());
    plan.pools.resize(choice.problem.pools.size());
    for (PoolId pool = 0; pool < PoolId(plan.pools.size()); ++pool) {
      placePool(pool, plan);
      const PackedPool &packed = known->pools[size_t(pool)];
      plan.pools[size_t(pool)].usedBytes = packed.usedBytes;
      // With a choice of pools only some buffers have to be here.
      plan.pools[size_t(pool)].lowerBoundBytes =
          choice.choosers.empty() ? packed.bound.bytes
                                  : liveBound(choice.problem, pool).bytes;
    }
    for (const Alias &alias : choice.problem.aliases) {
      const Placement &root = plan.placements[size_t(alias.root)];
      plan.placements[size_t(alias.member)] = {
          root.pool, root.offsetBytes + alias.offsetBytes};
    }
    plan.winner = winners();
    plan.proof = proofOf(plan);
    plan.nodes = choice.packer.nodes();
    plan.accessCost = accessCost();
    if (!choice.choosers.empty()) {
      plan.poolPolicy = std::string(poolPolicyName(policy));
      plan.costProof = costProof;
    }
    const bool isChoiceCut =
        policy == PoolPolicy::Value && costProof == Proof::None;
    const bool isCut = options.deadline.isOver() &&
                       (plan.proof == Proof::LimitHit ||
                        costProof == Proof::LimitHit || isChoiceCut);
    plan.isInterrupted = isCut && options.deadline.isStopped();
    plan.isCutByTime = isCut && !plan.isInterrupted;
    return plan;
  }
  void placePool(PoolId pool, Plan &plan) const {
    const PackedPool &packed = known->pools[size_t(pool)];
    for (size_t i = 0; i < packed.classes.size(); ++i)
      plan.placements[size_t(choice.classes[packed.classes[i]].root)] = {
          pool, packed.offsets[i]};
  }
  int64_t accessCost() const {
    int64_t sum = 0;
    for (size_t id = 0; id < choice.classes.size(); ++id) {
      const PoolId pool = choice.poolAt(id, known->candidate[id]);
      sum = saturatedAdd(
          sum, saturatedMul(choice.classes[id].servedBytes,
                            choice.problem.pools[size_t(pool)].accessCost));
    }
    return sum;
  }
  /// The winners of the pools, in pool order, each named once.
  std::string winners() const {
    std::vector<std::string> names;
    for (const PackedPool &packed : known->pools)
      if (!packed.classes.empty() && !packed.winner.empty() &&
          std::find(names.begin(), names.end(), packed.winner) == names.end())
        names.push_back(packed.winner);
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + name;
    return text;
  }
  Proof proofOf(const Plan &plan) const {
    bool allAtBound = true, allProved = true, anyLimit = false;
    for (size_t pool = 0; pool < plan.pools.size(); ++pool) {
      const bool atBound =
          plan.pools[pool].usedBytes == plan.pools[pool].lowerBoundBytes;
      const Proof proof = known->pools[pool].proof;
      allAtBound &= atBound;
      allProved &= atBound || proof == Proof::Optimal;
      anyLimit |= !atBound && proof == Proof::LimitHit;
    }
    if (allAtBound)
      return Proof::LowerBound;
    // With a choice of pools, optimal parts do not make an optimal whole.
    if (allProved && choice.choosers.empty())
      return Proof::Optimal;
    return anyLimit ? Proof::LimitHit : Proof::None;
  }

  const SolveOptions options;
  PoolChoice choice;
  std::optional<Assignment> known; ///< The best so far.
  PoolPolicy policy = PoolPolicy::Order;
  Proof costProof = Proof::None;
  bool isProvedOver = false;
};

constexpr Named<PoolPolicy> kPolicies[] = {
    {PoolPolicy::Auto, "auto"},
    {PoolPolicy::Order, "order"},
    {PoolPolicy::Value, "value"},
    {PoolPolicy::Exact, "exact"},
};

} // namespace

std::string_view poolPolicyName(PoolPolicy policy) {
  return nameIn(kPolicies, policy);
}

std::optional<PoolPolicy> poolPolicyOfName(std::string_view name) {
  return valueIn(kPolicies, name);
}

SolveResult solve(const Problem &problem, const SolveOptions &options) {
  const Strategy *strategy = StrategyRegistry::find(options.strategy);
  if (!strategy)
    return InvalidProblem{{{"unknown strategy '" + options.strategy +
                            "'; there are " + StrategyRegistry::names()}}};
  if (std::vector<ProblemError> errors = check(problem); !errors.empty())
    return InvalidProblem{std::move(errors)};
  return Solver(problem, timed(options), *strategy).run();
}

} // namespace tpu_mlir::planning
