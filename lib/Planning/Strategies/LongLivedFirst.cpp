//===- LongLivedFirst.cpp - What is kept, then what comes and goes --------===//
//
// Training keeps activations from the forward to the backward pass; what else
// there is lives for a few steps. The two kinds want different orders. What is
// kept is packed as a stack, in the order in which it ends, the last one at the
// bottom (or in the order in which it begins, likewise): a pass frees it from
// the top down, and leaves one large hole instead of many small ones. Where
// passes are woven into each other, what "skyline" makes of it alone is better.
// What comes and goes is then placed by size, largest first, into the holes.
//
//     bytes |      __t__            t: temporaries, in the holes
//       ^   |   __|_____|__
//           |  |__last____|__
//           | |_____kept_____|
//           |_|______________|____> steps
//
// Which lives are long the lives themselves say: sorted, they have breaks,
// where the next one is several times as long. The three widest are tried, each
// with all three orders, the widest first, all by first fit (FirstFit.h):
// O(n log^2 n) for networks. A node is one question to a set of bytes, or one
// of "skyline".
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Strategies/BestOrder.h"
#include "lib/Planning/Strategies/LifeBreaks.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tpu_mlir::planning {
namespace {

enum class Stack { LastEndFirst, LastBeginFirst, Skyline };

/// An order: items whose lives are at least as long are stacked first.
struct Way {
  int64_t longLife;
  Stack stack;

  bool isLong(const Item &item) const { return totalLife(item) >= longLife; }
};

/// Without any break no life is long, and every stack would be empty.
std::vector<Way> waysFor(const std::vector<Item> &items) {
  const std::vector<int64_t> breaks = lifeBreaks(items);
  if (breaks.empty())
    return {{std::numeric_limits<int64_t>::max(), Stack::LastEndFirst}};
  std::vector<Way> ways;
  for (int64_t life : breaks)
    for (Stack stack :
         {Stack::LastEndFirst, Stack::LastBeginFirst, Stack::Skyline})
      ways.push_back({life, stack});
  return ways;
}

/// Smaller ones first.
using Key = std::array<int64_t, 4>;

Key keyOf(const Item &item, Way way) {
  const Interval hull = hullOf(item);
  const int64_t life = totalLife(item);
  if (!way.isLong(item))
    return {1, -item.sizeBytes, hull.begin, -life};
  return {0, way.stack == Stack::LastEndFirst ? -hull.end : -hull.begin, -life,
          -item.sizeBytes};
}

class Stacks {
public:
  Stacks(const PackingProblem &problem, const SolveOptions &options)
      : problem(problem), options(options), orders(problem, options) {}

  std::optional<Packing> run() {
    for (Way way : waysFor(problem.items)) {
      if (orders.isKnown() && !orders.canGoOn())
        break;
      orders.offer(ordered(way));
    }
    return orders.result();
  }

private:
  std::vector<size_t> ordered(Way way) {
    std::vector<Key> keys(problem.items.size());
    for (size_t id : orders.unpinned())
      keys[id] = keyOf(problem.items[id], way);
    if (way.stack == Stack::Skyline)
      followSkyline(way, keys);
    std::vector<size_t> ids = orders.unpinned();
    std::stable_sort(ids.begin(), ids.end(),
                     [&](size_t a, size_t b) { return keys[a] < keys[b]; });
    return ids;
  }

  /// Long-lived items from the bottom up as "skyline" has them.
  void followSkyline(Way way, std::vector<Key> &keys) {
    PackingProblem kept;
    std::vector<size_t> ids;
    for (size_t id : orders.unpinned())
      if (way.isLong(problem.items[id])) {
        kept.items.push_back(problem.items[id]);
        ids.push_back(id);
      }
    kept.lowerBoundBytes = boundOfItems(kept.items).bytes;
    SolveOptions left = options;
    left.nodeLimit -= orders.nodes();
    left.other = nullptr;
    const auto packing = StrategyRegistry::find("skyline")->pack(kept, left);
    if (!packing)
      return;
    orders.count(packing->nodes);
    for (size_t i = 0; i < ids.size(); ++i)
      keys[ids[i]] = {0, packing->offsets[i], 0, 0};
  }

  const PackingProblem &problem;
  const SolveOptions &options;
  BestOrder orders;
};

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  return Stacks(problem, options).run();
}

const RegisterStrategy registration({
    "long-lived-first",
    "what is kept first, as a stack, then what comes and goes by size, each at "
    "the lowest free offset; O(n log^2 n) for networks",
    pack,
    {false, true, false, false},
    AutoPlace{45, std::numeric_limits<size_t>::max(), 0, 2000},
});

} // namespace
} // namespace tpu_mlir::planning
