//===- Remedies.cpp - What would help where nothing fits ------------------===//

#include "lib/Planning/Pools/MultiPool.h"
#include "lib/Planning/Pools/PoolChoice.h"
#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

/// More buffers than these are asked about less often.
constexpr size_t kManyBuffers = 2'000, kVeryManyBuffers = 20'000;
constexpr int kFewQuestions = 6;

int questionsFor(const Problem &problem) {
  const size_t count = problem.buffers.size();
  return count > kVeryManyBuffers ? 0
         : count > kManyBuffers   ? kFewQuestions
                                  : kMostQuestions;
}

/// `wanted` for a quick answer. What fits by order fits by any policy.
SolveOptions quick(const Problem &problem, const SolveOptions &wanted) {
  SolveOptions options = wanted;
  options.nodeLimit = std::min(options.nodeLimit, kNodesOfQuestion);
  if (problem.buffers.size() > kManyBuffers)
    options.poolPolicy = PoolPolicy::Order;
  return options;
}

/// Finds the least capacity of one pool.
class Bisection {
public:
  Bisection(const Problem &problem, PoolId pool, const SolveOptions &wanted)
      : problem(problem), pool(pool), options(quick(problem, wanted)) {}

  PoolRequirement run() {
    PoolRequirement result;
    result.pool = pool;
    result.haveBytes = *problem.pools[size_t(pool)].capacityBytes;
    result.atLeastBytes = liveBound(problem, pool).bytes;
    options.fitIsEnough = false;
    std::optional<int64_t> works = usedWithout(asLastResort());
    // With little in other pools they may fail where they need not.
    if (!works || !fitsWith(*works))
      works = usedWithout(problem);
    if (!works || !fitsWith(*works))
      return result;
    result.worksWithBytes =
        least(std::max(result.atLeastBytes, saturatedAdd(result.haveBytes, 1)),
              *works);
    return result;
  }

private:
  /// Buffers with another candidate go to this pool when nothing else is left.
  Problem asLastResort() const {
    Problem changed = problem;
    for (Buffer &buffer : changed.buffers) {
      const auto at = std::find(buffer.pools.begin(), buffer.pools.end(), pool);
      if (at != buffer.pools.end())
        std::rotate(at, at + 1, buffer.pools.end());
    }
    // Now candidate order says it all.
    for (Pool &other : changed.pools)
      other.accessCost = 0;
    return changed;
  }
  std::optional<int64_t> usedWithout(Problem limited) const {
    limited.pools[size_t(pool)].capacityBytes.reset();
    const SolveResult result = solve(limited, options);
    const auto *plan = std::get_if<Plan>(&result);
    if (!plan)
      return std::nullopt;
    return plan->pools[size_t(pool)].usedBytes;
  }
  bool fitsWith(int64_t capacityBytes) {
    Problem changed = problem;
    changed.pools[size_t(pool)].capacityBytes = capacityBytes;
    SolveOptions any = options;
    any.fitIsEnough = true;
    return std::holds_alternative<Plan>(solve(changed, any));
  }

  /// `works` is known to, and below `from` there is nothing to look for.
  int64_t least(int64_t from, int64_t works) {
    int questions = questionsFor(problem);
    while (from < works && questions-- > 0 && !options.deadline.isOver()) {
      const int64_t middle = from + (works - from) / 2;
      if (fitsWith(middle))
        works = middle;
      else
        from = middle + 1;
    }
    return works;
  }

  const Problem &problem;
  const PoolId pool;
  SolveOptions options;
};

/// The largest storage at the peaks, as little as is over.
std::vector<BufferId> overflowing(const Problem &problem, PoolId pool) {
  std::vector<Item> items;
  std::vector<BufferId> roots;
  const Pool &where = problem.pools[size_t(pool)];
  for (const StorageClass &storage : foldAliases(problem)) {
    const bool isHere = storage.pin ? storage.pin->pool == pool
                                    : storage.pools == std::vector{pool};
    if (!isHere)
      continue;
    items.push_back(itemOf(storage, where));
    roots.push_back(storage.root);
  }
  std::vector<size_t> largestFirst(items.size());
  std::iota(largestFirst.begin(), largestFirst.end(), 0);
  std::stable_sort(largestFirst.begin(), largestFirst.end(),
                   [&](size_t a, size_t b) {
                     return items[a].sizeBytes > items[b].sizeBytes;
                   });
  int64_t room = usableEnd(where);
  for (const Interval &range : where.reserved)
    if (range.begin < usableEnd(where))
      room -= range.length();
  std::vector<size_t> over = itemsOverCapacity(
      items, std::vector<bool>(items.size(), true), largestFirst, room);
  std::stable_sort(over.begin(), over.end(), [&](size_t a, size_t b) {
    return items[a].sizeBytes > items[b].sizeBytes;
  });
  std::vector<BufferId> result;
  for (size_t item : over)
    result.push_back(roots[item]);
  return result;
}

/// The problem with nothing in these alias classes.
Problem without(const Problem &problem, const std::vector<BufferId> &roots) {
  Problem rest = problem;
  auto empty = [&](BufferId id) {
    Buffer &buffer = rest.buffers[size_t(id)];
    buffer.sizeBytes = 0;
    buffer.pin.reset();
  };
  for (BufferId root : roots)
    empty(root);
  for (Alias &alias : rest.aliases)
    if (std::count(roots.begin(), roots.end(), alias.root) > 0) {
      empty(alias.member);
      alias.offsetBytes = 0;
    }
  return rest;
}

void chooseMoves(const Problem &problem, const SolveOptions &wanted,
                 Remedies &result) {
  SolveOptions options = quick(problem, wanted);
  options.fitIsEnough = true;
  auto isEnough = [&](const std::vector<BufferId> &moved) {
    return !moved.empty() && std::holds_alternative<Plan>(
                                 solve(without(problem, moved), options));
  };
  result.toMove = overflowing(problem, result.failure.pool);
  result.isMovingEnough = isEnough(result.toMove);
  std::vector<BufferId> moved = result.toMove;
  size_t more = 0;
  for (BufferId id : result.failure.witness) {
    if (result.isMovingEnough || ++more > kMostMoves ||
        options.deadline.isOver())
      return;
    if (std::count(moved.begin(), moved.end(), id) > 0)
      continue;
    moved.push_back(id);
    if (isEnough(moved)) {
      result.toMove = moved;
      result.isMovingEnough = true;
    }
  }
}

} // namespace

Remedies remedies(const Problem &problem, const Infeasible &failure,
                  const SolveOptions &wanted) {
  const SolveOptions options = timed(wanted);
  Remedies result;
  result.failure = failure;
  for (PoolId pool = 0; pool < PoolId(problem.pools.size()); ++pool)
    if (problem.pools[size_t(pool)].capacityBytes)
      result.capacities.push_back(Bisection(problem, pool, options).run());
  chooseMoves(problem, options, result);
  return result;
}

} // namespace tpu_mlir::planning
