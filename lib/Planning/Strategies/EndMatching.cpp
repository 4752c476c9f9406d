//===- EndMatching.cpp - What ends together lies together -----------------===//
//
// A sweep over time, as an allocator at run time would do it, that knows when
// everything ends and how much memory there is. An item goes to an end of a
// free block at which its neighbour ends when it does itself, so that both
// leave one large block:
//
//     bytes |________ends 4_____
//       ^   |        |              The new item n ends at 9. Below it would
//           |  free  |              leave a block at 4 and another one at 9;
//           |        |_n: 9____     here all below the first is free after 9.
//           |________|_________
//           |________ends 9____|__> steps
//
// Where passes of training are woven into each other, each activation finds the
// place of one that has just been read for the last time, though no two have
// the same size: what comes next and what ends next are neighbours.
//
// Items with short lives (LifeBreaks.h) would break up these blocks, and those
// that stay for ever would lie in their way. The latter go to the bottom, one
// above the other, the former into the holes, by size, largest first. What
// comes out is an order for first fit (FirstFit.h), which sees to all that the
// sweep does not know of: alignments, pins, gaps, partners.
//
// The limit of a sweep decides how it ends: it is the live sum, then more,
// until a sweep succeeds. Nearby ones succeed by chance, so several rules are
// tried, and the schedule is also read from its end.
//
// Passes that are alike are planned in another way, too, one period for all
// (WovenPasses.h), with a node limit of its own; that has to be better.
//
// O(n (log n + b)) a sweep, b blocks free at one time. A node is a block that
// is looked at, or one of FirstFit.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/BestOrder.h"
#include "lib/Planning/Strategies/EndSweep.h"
#include "lib/Planning/Strategies/LifeBreaks.h"
#include "lib/Planning/Strategies/Woven/NestedStacks.h"
#include "lib/Planning/Strategies/Woven/WovenPasses.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

/// What is swept: lives of [fromLife, belowLife) steps.
struct Way {
  int64_t fromLife, belowLife;

  /// 0: at the bottom, 1: swept, 2: in the holes, as also what has no bytes.
  int rankOf(const Item &item) const {
    const int64_t life = item.sizeBytes > 0 ? totalLife(item) : 0;
    return life >= belowLife ? 0 : life >= fromLife ? 1 : 2;
  }
};

std::vector<Way> waysFor(const std::vector<Item> &items) {
  const std::vector<int64_t> breaks = lifeBreaks(items);
  std::vector<Way> ways;
  for (int64_t from : breaks) {
    int64_t below = kMaxOffset;
    for (int64_t other : breaks)
      if (other > from)
        below = std::min(below, other);
    ways.push_back({from, below});
    if (below != kMaxOffset)
      ways.push_back({from, kMaxOffset});
  }
  ways.push_back({1, kMaxOffset});
  return ways;
}

/// The last two weigh neighbours that end too late, or too early, heavier.
constexpr EndRule kRules[] = {
    {1, 1, false}, {1, 1, true}, {1, 4, false}, {2, 1, true}};

class Matching {
public:
  Matching(const PackingProblem &problem, const SolveOptions &options)
      : problem(problem), options(options), orders(problem, options),
        steps(stepsOf(problem.items)) {
    for (const Item &item : problem.items)
      granule = std::gcd(granule, item.alignment);
  }

  std::optional<Packing> run() {
    // Periods are quick, and most often near enough.
    const bool areWovenFirst = options.enoughBytes > 0 && orders.isKnown();
    if (areWovenFirst)
      offerWoven();
    orders.startLimit();
    for (Way way : waysFor(problem.items)) {
      if (!orders.canGoOn())
        break;
      follow(way);
    }
    if (!orders.isKnown())
      orders.offer(orders.unpinned());
    orders.startLimit();
    if (!areWovenFirst)
      offerWoven();
    return orders.result();
  }

private:
  void offerWoven() {
    if (orders.canGoOn())
      offerWovenPasses(problem, options, orders);
    orders.startLimit();
    if (orders.canGoOn())
      offerNestedStacks(problem, orders);
  }
  int64_t alignedBytes(const Item &item) const {
    return checkedAlignUp(item.sizeBytes, granule).value_or(kMaxOffset);
  }

  /// The items of a way.
  struct Split {
    std::vector<size_t> swept; ///< Ids of `items`.
    std::vector<SweptItem> items;
    int64_t bottomBytes = 0;
  };

  /// nullopt where the bottom would need more than a stack.
  std::optional<Split> split(Way way) const {
    Split parts;
    Interval common = {std::numeric_limits<int64_t>::min(), kMaxOffset};
    for (size_t id : orders.unpinned()) {
      const Item &item = problem.items[id];
      const int rank = way.rankOf(item);
      if (rank == 0) {
        const Interval hull = hullOf(item);
        common = {std::max(common.begin, hull.begin),
                  std::min(common.end, hull.end)};
        const auto sum = checkedAdd(parts.bottomBytes, alignedBytes(item));
        if (!sum || common.empty())
          return std::nullopt;
        parts.bottomBytes = *sum;
      }
      if (rank == 1) {
        parts.swept.push_back(id);
        parts.items.push_back(sweptOf(item));
      }
    }
    return parts;
  }
  SweptItem sweptOf(const Item &item) const {
    const auto placeOf = [&](int64_t step) {
      return std::lower_bound(steps.begin(), steps.end(), step) - steps.begin();
    };
    const Interval hull = hullOf(item);
    return {{placeOf(hull.begin), placeOf(hull.end)}, alignedBytes(item)};
  }

  /// All rules with the live sum as the limit, then with a thousandth more, and
  /// with two fifths more than that again and again, as long as it is less than
  /// what is known.
  void follow(Way way) {
    std::optional<Split> parts = split(way);
    if (!parts ||
        parts->swept.size() <= orders.unpinned().size() / kOneInSoMany)
      return;
    EndSweep sweep(std::move(parts->items));
    const int64_t least = sweep.peakBytes();
    const auto lowest = checkedAdd(parts->bottomBytes, least);
    if (!lowest)
      return;
    for (int64_t more = 0; more <= least / 2;
         more +=
         more == 0 ? least / 1000 + 1 : std::max(more * 2 / 5, int64_t(1)))
      for (const EndRule &rule : kRules) {
        if (!orders.canGoOn() || more >= orders.knownBytes() - *lowest)
          return;
        const int64_t before = sweep.nodes();
        const auto offsets =
            sweep.run(least + more, rule, orders.nodesLeft(), options.deadline);
        orders.count(sweep.nodes() - before);
        if (offsets)
          orders.offer(ordered(way, parts->swept, *offsets));
      }
  }

  std::vector<size_t> ordered(Way way, const std::vector<size_t> &swept,
                              const std::vector<int64_t> &offsets) const {
    std::vector<int64_t> offsetOf(problem.items.size());
    for (size_t i = 0; i < offsets.size(); ++i)
      offsetOf[swept[i]] = offsets[i];
    const auto keyOf = [&](size_t id) {
      const Item &item = problem.items[id];
      const int rank = way.rankOf(item);
      return std::make_tuple(rank,
                             rank == 1   ? offsetOf[id]
                             : rank == 2 ? -item.sizeBytes
                                         : int64_t(0),
                             hullOf(item).begin, -totalLife(item), id);
    };
    std::vector<size_t> order = orders.unpinned();
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return keyOf(a) < keyOf(b); });
    return order;
  }

  /// Fewer are not worth a first fit of all others.
  static constexpr size_t kOneInSoMany = 16;

  const PackingProblem &problem;
  const SolveOptions &options;
  BestOrder orders;
  const std::vector<int64_t> steps;
  int64_t granule = 0;
};

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  return Matching(problem, options).run();
}

const RegisterStrategy registration({
    "end-matching",
    "a sweep over time, each item beside what ends when it does; what comes "
    "and goes by size into the holes; O(n (log n + holes)) a sweep",
    pack,
    {false, true, false, false},
    AutoPlace{42, std::numeric_limits<size_t>::max(), 0, 400},
});

} // namespace
} // namespace tpu_mlir::planning
