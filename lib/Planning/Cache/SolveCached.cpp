//===- SolveCached.cpp - Plans of problems that were seen before ----------===//

#include "tpu_mlir/Planning/PlanCache.h"
#include "tpu_mlir/Planning/Validate.h"

namespace tpu_mlir::planning {
namespace {

/// The form of keys and values below.
constexpr int64_t kForm = 1;

void add(CacheWriter &key, const std::vector<Interval> &intervals) {
  key.number(int64_t(intervals.size()));
  for (const Interval &one : intervals)
    key.number(one.begin).number(one.end);
}

void add(CacheWriter &key, const std::optional<int64_t> &value) {
  key.number(value.has_value()).number(value.value_or(0));
}

void add(CacheWriter &key, const Buffer &buffer) {
  key.number(int64_t(buffer.kind))
      .number(buffer.sizeBytes)
      .number(buffer.alignment);
  add(key, buffer.lifespans);
  key.numbers(buffer.readSteps);
  add(key, buffer.accesses);
  key.numbers(buffer.pools);
  key.number(buffer.pin.has_value());
  if (buffer.pin)
    key.number(buffer.pin->pool).number(buffer.pin->offsetBytes);
}

void add(CacheWriter &key, const Pool &pool) {
  add(key, pool.capacityBytes);
  key.number(pool.alignment)
      .number(pool.accessCost)
      .number(int64_t(pool.access))
      .number(pool.isCallers);
  add(key, pool.reserved);
}

void add(CacheWriter &key, const SolveOptions &options) {
  const ExactOptions &exact = options.exact;
  key.word(options.strategy)
      .number(int64_t(options.seed))
      .number(options.nodeLimit)
      .number(options.fitIsEnough)
      .number(options.enoughBytes)
      .number(int64_t(options.poolPolicy));
  for (bool part : {exact.dominance, exact.unplacedFloor, exact.decomposition,
                    exact.reranking, exact.symmetry, exact.restarts})
    key.number(part);
}

std::string textOf(const Plan &plan) {
  CacheWriter text;
  text.number(int64_t(plan.placements.size()));
  for (const Placement &one : plan.placements)
    text.number(one.pool).number(one.offsetBytes);
  text.number(int64_t(plan.pools.size()));
  for (const PoolUse &use : plan.pools)
    text.number(use.usedBytes).number(use.lowerBoundBytes);
  text.word(plan.strategy).word(plan.winner).word(plan.poolPolicy);
  text.number(int64_t(plan.proof))
      .number(plan.accessCost)
      .number(int64_t(plan.costProof))
      .number(plan.nodes);
  return text.take();
}

std::optional<Plan> planOf(std::string_view text) {
  CacheReader reader(text);
  Plan plan;
  plan.placements.resize(reader.count(2));
  for (Placement &one : plan.placements) {
    one.pool = reader.number();
    one.offsetBytes = reader.number();
  }
  plan.pools.resize(reader.count(2));
  for (PoolUse &use : plan.pools) {
    use.usedBytes = reader.number();
    use.lowerBoundBytes = reader.number();
  }
  plan.strategy = reader.word();
  plan.winner = reader.word();
  plan.poolPolicy = reader.word();
  plan.proof = Proof(reader.number(0, int64_t(Proof::LimitHit)));
  plan.accessCost = reader.number(0, INT64_MAX);
  plan.costProof = Proof(reader.number(0, int64_t(Proof::LimitHit)));
  plan.nodes = reader.number(0, INT64_MAX);
  return reader.isWhole() ? std::optional(std::move(plan)) : std::nullopt;
}

/// Every rule of the validator, and what a plan says of itself as far as that
/// can be seen without a search.
bool holds(const Problem &problem, const SolveOptions &options,
           const Plan &plan) {
  if (plan.strategy != options.strategy ||
      plan.placements.size() != problem.buffers.size() ||
      plan.pools.size() != problem.pools.size() ||
      !validate(problem, plan).empty())
    return false;
  for (const PoolUse &use : plan.pools)
    if (use.lowerBoundBytes < 0 || use.lowerBoundBytes > use.usedBytes)
      return false;
  return true;
}

} // namespace

std::string cacheKey(const Problem &problem, const SolveOptions &options) {
  CacheWriter key;
  key.word("problem").number(kForm).word(plannerFingerprint());
  add(key, options);
  add(key, problem.period);
  key.number(int64_t(problem.pools.size()));
  for (const Pool &pool : problem.pools)
    add(key, pool);
  key.number(int64_t(problem.buffers.size()));
  for (const Buffer &buffer : problem.buffers)
    add(key, buffer);
  key.number(int64_t(problem.aliases.size()));
  for (const Alias &alias : problem.aliases)
    key.number(alias.member).number(alias.root).number(alias.offsetBytes);
  key.number(int64_t(problem.forbiddenSharing.size()));
  for (const auto &[one, other] : problem.forbiddenSharing)
    key.number(one).number(other);
  key.number(int64_t(problem.overlaps.size()));
  for (const Overlap &overlap : problem.overlaps)
    key.number(overlap.lower)
        .number(overlap.upper)
        .number(overlap.distanceBytes);
  return key.take();
}

SolveResult solveCached(const Problem &problem, const SolveOptions &options,
                        PlanCache &cache) {
  // What makes no sense is told of in the words of solve().
  if (!StrategyRegistry::find(options.strategy) || !check(problem).empty())
    return solve(problem, options);
  const std::string key = cacheKey(problem, options);
  if (const std::optional<std::string> known = cache.find(key)) {
    std::optional<Plan> plan = planOf(*known);
    if (plan && holds(problem, options, *plan))
      return std::move(*plan);
    cache.reject(key);
  }
  const SolveOptions running = timed(options);
  SolveResult result = solve(problem, running);
  const auto *plan = std::get_if<Plan>(&result);
  // Not only where the plan says that it was cut: what improves a plan without
  // a proof has ended early, too.
  if (plan && !running.deadline.isOver())
    cache.add(key, textOf(*plan));
  return result;
}

} // namespace tpu_mlir::planning
