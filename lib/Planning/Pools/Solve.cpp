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
/// Of the first round of those with a clock: nodes for each buffer, at least
/// the default of the library and at most that of memplan.
constexpr int64_t kNodesOfBuffer = 20, kFewestNodes = 1'000'000,
                  kMostNodes = 20'000'000;
constexpr int64_t kTimesMore = 4;

/// The winners of the pools, in pool order, each named once.
std::string winnersOf(const std::vector<PackedPool> &pools) {
  std::vector<std::string> names;
  for (const PackedPool &packed : pools)
    if (!packed.classes.empty() && !packed.winner.empty() &&
        std::find(names.begin(), names.end(), packed.winner) == names.end())
      names.push_back(packed.winner);
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// What a round has, and how.
struct Found {
  std::optional<Assignment> known; ///< The best so far.
  PoolPolicy policy = PoolPolicy::Order;
  Proof costProof = Proof::None;
};

class Solver {
public:
  Solver(const Problem &problem, SolveOptions solveOptions,
         const Strategy &strategy)
      : options(std::move(solveOptions)), choice({problem, strategy, options}) {
  }

  /// Where a clock stands behind a limit that nobody could wait for, it goes
  /// round: first with a small limit, then with four times as much each time.
  /// Or the first of many searches would have the time of all: of the first
  /// strategy, of the first part, of the first pool.
  SolveResult run() {
    const int64_t most = options.nodeLimit;
    if (options.deadline.isSet())
      options.nodeLimit = std::min(most, nodesOfFirstRound());
    SolveResult result = goRound();
    while (options.nodeLimit < most && wantsMore(result)) {
      options.nodeLimit = options.nodeLimit > most / kTimesMore
                              ? most
                              : options.nodeLimit * kTimesMore;
      ++options.seed;
      result = goRound();
    }
    return result;
  }

private:
  int64_t nodesOfFirstRound() const {
    return std::clamp(kNodesOfBuffer * int64_t(choice.problem.buffers.size()),
                      kFewestNodes, kMostNodes);
  }

  /// Time is left, and a search that more nodes may help.
  bool wantsMore(const SolveResult &result) const {
    if (options.deadline.isOver())
      return false;
    if (const auto *failure = std::get_if<Infeasible>(&result))
      return !failure->isCertain();
    const auto *plan = std::get_if<Plan>(&result);
    if (!plan)
      return false;
    return isCostOpen() ||
           (plan->proof == Proof::LimitHit && !options.fitIsEnough);
  }

  /// The choice of pools may become cheaper.
  bool isCostOpen() const {
    return found.costProof == Proof::LimitHit ||
           (found.policy == PoolPolicy::Value &&
            found.costProof == Proof::None);
  }

  SolveResult goRound() {
    const Found before = std::exchange(found, {});
    std::optional<Infeasible> failure = choose();
    if (before.known)
      keepBetter(before);
    if (found.known)
      return checked(assemble());
    // The best attempt of all rounds.
    if (nearest && nearest->pool == failure->pool && !failure->isCertain())
      failure->needBytes = std::min(failure->needBytes, nearest->needBytes);
    nearest = failure;
    return *failure;
  }

  /// nullopt: it has found an assignment.
  std::optional<Infeasible> choose() {
    auto first = chooseByOrder(choice);
    if (auto *assignment = std::get_if<Assignment>(&first))
      found.known = std::move(*assignment);
    if (!choice.choosers.empty())
      choosePools();
    if (found.known)
      return std::nullopt;
    Infeasible failure = std::get<Infeasible>(std::move(first));
    failure.isProved |= isProvedOver && !failure.boundExceeds;
    failure.isCutByTime &= !failure.isCertain();
    failure.isInterrupted &= !failure.isCertain();
    return failure;
  }

  /// What `before` has and this round has not.
  void keepBetter(const Found &before) {
    if (!found.known) {
      found = before;
      return;
    }
    if (choice.choosers.empty())
      return keepLowerPools(*before.known);
    if (rankOf(*before.known) < rankOf(*found.known)) {
      found = before;
      return;
    }
    const bool isProved = before.costProof == Proof::Optimal ||
                          before.costProof == Proof::LowerBound;
    if (isProved && choice.costOf(*before.known) == choice.costOf(*found.known))
      found.costProof = before.costProof;
  }
  void keepLowerPools(const Assignment &before) {
    for (size_t pool = 0; pool < before.pools.size(); ++pool) {
      const PackedPool &old = before.pools[pool];
      PackedPool &now = found.known->pools[pool];
      if (old.usedBytes < now.usedBytes ||
          (old.usedBytes == now.usedBytes && old.proof == Proof::Optimal))
        now = old;
    }
  }
  /// Lower is better.
  std::pair<int64_t, int64_t> rankOf(const Assignment &assignment) const {
    int64_t bytes = 0;
    for (const PackedPool &pool : assignment.pools)
      bytes = saturatedAdd(bytes, pool.usedBytes);
    return {choice.costOf(assignment), bytes};
  }

  void choosePools() {
    const PoolPolicy wanted = options.poolPolicy;
    const bool byValue = wanted == PoolPolicy::Value ||
                         wanted == PoolPolicy::Exact ||
                         (wanted == PoolPolicy::Auto && choice.hasCosts);
    if (byValue && !isCheapest())
      improveByValue();
    const bool tryAll = wanted == PoolPolicy::Auto && !found.known &&
                        choice.choosers.size() <= kFewChoosers;
    if ((wanted == PoolPolicy::Exact && !isCheapest()) || tryAll)
      searchExactly();
    if (wanted != PoolPolicy::Auto)
      found.policy = wanted;
    if (found.known && isCheapest())
      found.costProof = Proof::LowerBound;
  }
  bool isCheapest() const {
    return found.known && choice.costOf(*found.known) <= choice.leastCost();
  }
  void improveByValue() {
    auto better = chooseByValue(choice, found.known ? &*found.known : nullptr);
    if (!better ||
        (found.known && choice.costOf(*better) >= choice.costOf(*found.known)))
      return;
    found.known = std::move(better);
    found.policy = PoolPolicy::Value;
  }
  void searchExactly() {
    ExactChoice exact =
        chooseExactly(choice, found.known ? &*found.known : nullptr);
    found.costProof = exact.proof;
    // Its bounds know nothing of overlaps.
    if (found.costProof == Proof::Optimal && !choice.problem.overlaps.empty())
      found.costProof = Proof::LimitHit;
    isProvedOver = !exact.best && found.costProof == Proof::Optimal;
    if (!exact.best)
      return;
    found.known = std::move(exact.best);
    found.policy = PoolPolicy::Exact;
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
      const PackedPool &packed = found.known->pools[size_t(pool)];
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
    plan.winner = winnersOf(found.known->pools);
    plan.proof = proofOf(plan);
    plan.nodes = choice.packer.nodes();
    plan.accessCost = accessCost();
    if (!choice.choosers.empty()) {
      plan.poolPolicy = std::string(poolPolicyName(found.policy));
      plan.costProof = found.costProof;
    }
    const bool isCut = options.deadline.isOver() &&
                       (plan.proof == Proof::LimitHit || isCostOpen());
    plan.isInterrupted = isCut && options.deadline.isStopped();
    plan.isCutByTime = isCut && !plan.isInterrupted;
    return plan;
  }
  void placePool(PoolId pool, Plan &plan) const {
    const PackedPool &packed = found.known->pools[size_t(pool)];
    for (size_t i = 0; i < packed.classes.size(); ++i)
      plan.placements[size_t(choice.classes[packed.classes[i]].root)] = {
          pool, packed.offsets[i]};
  }
  int64_t accessCost() const {
    int64_t sum = 0;
    for (size_t id = 0; id < choice.classes.size(); ++id) {
      const PoolId pool = choice.poolAt(id, found.known->candidate[id]);
      sum = saturatedAdd(
          sum, saturatedMul(choice.classes[id].servedBytes,
                            choice.problem.pools[size_t(pool)].accessCost));
    }
    return sum;
  }
  Proof proofOf(const Plan &plan) const {
    bool allAtBound = true, allProved = true, anyLimit = false;
    for (size_t pool = 0; pool < plan.pools.size(); ++pool) {
      const bool atBound =
          plan.pools[pool].usedBytes == plan.pools[pool].lowerBoundBytes;
      const Proof proof = found.known->pools[pool].proof;
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

  SolveOptions options; ///< Limits are those of the round.
  PoolChoice choice;
  Found found;
  std::optional<Infeasible> nearest; ///< Of the rounds that found nothing.
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
