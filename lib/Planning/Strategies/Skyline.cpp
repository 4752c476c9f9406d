//===- Skyline.cpp - Fill the lowest valley first -------------------------===//
//
// The tops of the placed items, drawn over time, are a skyline of segments.
// Again and again the lowest segment is looked at: of the items whose lives lie
// within it, the first by rank is placed on it; when there is none, the segment
// is filled up to its lower neighbour and joins it.
//
//   tops   |    ___                 the lowest valley: of the items that live
//    ^     |___|   |      ____      within [3,9), the first by rank goes there
//    |         .   |_____|
//    +--------------3-----9------> time
//
// This places items exactly as "lowest possible offset first, ties by rank"
// does, the order of MiniMalloc's first dive (Moffitt, ASPLOS 2024), without a
// list of conflicts. Ranks by the highest load during the life and then the
// area come first, five others follow while the node limit lasts, then three
// that prefer items alive where most is left to be placed; a look at a valley
// counts as ten nodes. The lowest packing wins.
//
// A tree over the items by begin, with the earliest end and the first rank of
// each subtree, finds the item. Each subtree inside the valley that it enters
// holds an item that fits, and it stops at a good one when the very first takes
// too long, so an order costs O(n log n): 3 seconds for 1,000,000 buffers.
//
// Gaps, pins and forbidden pairs are not seen by the skyline. Where there are
// any, it works on the hulls of the lives, and its order from the bottom up is
// packed again by first fit (FirstFit.h), which sees all of them.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Skyline.h"
#include "lib/Planning/Kit/FirstFit.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

/// A look at a valley ends with the best bar found after so many nodes of the
/// tree: more of them change the packings little.
constexpr int kMostVisits = 100;
constexpr int64_t kNodesOfLook = 10;

constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

/// An item on the grid of distinct steps.
struct Bar {
  int32_t begin;
  int32_t end;
  int64_t sizeBytes;
  int64_t alignment;
  size_t item;
  int64_t life;
  int64_t highestLoad;
};

/// Everything the orders have in common: bars sorted by begin.
struct Grid {
  std::vector<Bar> bars;
  std::vector<int32_t> firstBarAt; ///< By step; one more at the end.

  explicit Grid(const PackingProblem &problem) {
    std::vector<int64_t> steps;
    for (const Item &item : problem.items)
      if (item.sizeBytes > 0) {
        steps.push_back(hullOf(item).begin);
        steps.push_back(hullOf(item).end);
      }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    auto at = [&](int64_t step) {
      return int32_t(std::lower_bound(steps.begin(), steps.end(), step) -
                     steps.begin());
    };
    for (size_t id = 0; id < problem.items.size(); ++id) {
      const Item &item = problem.items[id];
      if (item.sizeBytes > 0)
        bars.push_back({at(hullOf(item).begin), at(hullOf(item).end),
                        item.sizeBytes, item.alignment, id,
                        hullOf(item).length(), 0});
    }
    std::sort(bars.begin(), bars.end(), [](const Bar &a, const Bar &b) {
      return std::tie(a.begin, a.end, a.item) <
             std::tie(b.begin, b.end, b.item);
    });
    firstBarAt.assign(steps.size() + 1, int32_t(bars.size()));
    for (size_t i = bars.size(); i-- > 0;)
      firstBarAt[size_t(bars[i].begin)] = int32_t(i);
    for (size_t s = firstBarAt.size() - 1; s-- > 0;)
      firstBarAt[s] = std::min(firstBarAt[s], firstBarAt[s + 1]);
    findLoads(int32_t(steps.size()));
  }
  int32_t stepCount() const { return int32_t(firstBarAt.size()) - 2; }

private:
  /// The highest load during each bar: the largest of a range, for ranges that
  /// end at growing steps, from a stack of falling loads.
  void findLoads(int32_t steps) {
    std::vector<int64_t> load(size_t(steps) + 1, 0);
    for (const Bar &bar : bars) {
      load[size_t(bar.begin)] += bar.sizeBytes;
      load[size_t(bar.end)] -= bar.sizeBytes;
    }
    std::partial_sum(load.begin(), load.end(), load.begin());
    std::vector<int32_t> byEnd(bars.size());
    std::iota(byEnd.begin(), byEnd.end(), 0);
    std::sort(byEnd.begin(), byEnd.end(), [&](int32_t a, int32_t b) {
      return std::tie(bars[size_t(a)].end, a) <
             std::tie(bars[size_t(b)].end, b);
    });
    std::vector<int32_t> falling; ///< Steps; each load is below the one before.
    int32_t seen = 0;
    for (int32_t id : byEnd) {
      Bar &bar = bars[size_t(id)];
      for (; seen < bar.end; ++seen) {
        while (!falling.empty() &&
               load[size_t(falling.back())] <= load[size_t(seen)])
          falling.pop_back();
        falling.push_back(seen);
      }
      bar.highestLoad = load[size_t(
          *std::lower_bound(falling.begin(), falling.end(), bar.begin))];
    }
  }
};

enum class Order { LoadArea, Begin, LoadLife, Size, Life, Area };

/// How to choose among the items of a valley.
struct Choice {
  Order order;
  /// Prefer items alive at the step of the valley that has most bytes left to
  /// be placed.
  bool isPeakFirst = false;
};
constexpr Choice kChoices[] = {
    {Order::LoadArea},       {Order::Begin},          {Order::LoadLife},
    {Order::Size},           {Order::Life},           {Order::Area},
    {Order::LoadLife, true}, {Order::LoadArea, true}, {Order::Begin, true}};

/// Bars in the order in which they are preferred.
std::vector<int32_t> rankedBars(const Grid &grid, Order order) {
  struct Ranked {
    std::array<double, 3> key;
    int32_t bar;
  };
  // Keys lie beside what is sorted: a million of them elsewhere take five times
  // as long.
  std::vector<Ranked> ranked;
  ranked.reserve(grid.bars.size());
  const auto add = [&](double first, double second, double third) {
    ranked.push_back({{first, second, third}, int32_t(ranked.size())});
  };
  for (const Bar &bar : grid.bars) {
    const double life = double(bar.life), size = double(bar.sizeBytes);
    const double load = double(bar.highestLoad), area = life * size;
    switch (order) {
    case Order::LoadArea:
      add(load, area, life);
      break;
    case Order::Begin:
      add(-double(bar.begin), life, size);
      break;
    case Order::LoadLife:
      add(load, life, area);
      break;
    case Order::Size:
      add(size, life, load);
      break;
    case Order::Life:
      add(life, area, load);
      break;
    case Order::Area:
      add(area, life, load);
      break;
    }
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked &a, const Ranked &b) {
    return std::tie(b.key, a.bar) < std::tie(a.key, b.bar);
  });
  std::vector<int32_t> bars;
  bars.reserve(ranked.size());
  for (const Ranked &one : ranked)
    bars.push_back(one.bar);
  return bars;
}

/// Which bar that begins in a range of bars ends soon enough and ranks first?
class BarTree {
public:
  BarTree(const Grid &grid, const std::vector<int32_t> &ranked) {
    while (leaves < int32_t(ranked.size()))
      leaves *= 2;
    nodes.assign(size_t(leaves) * 2, kNobody);
    for (size_t rank = 0; rank < ranked.size(); ++rank)
      nodes[size_t(leaves) + size_t(ranked[rank])] = {
          grid.bars[size_t(ranked[rank])].end,
          grid.bars[size_t(ranked[rank])].end, int32_t(rank)};
    for (size_t node = size_t(leaves); node-- > 1;)
      join(node);
  }
  /// The lowest rank among bars [first, last) that end at or before `end` and
  /// after `after`; kNone when there is none.
  int32_t find(int32_t first, int32_t last, int32_t end, int32_t after = -1) {
    best = kNone;
    visits = 0;
    search(1, 0, leaves, {first, last, end, after});
    return best;
  }
  void remove(int32_t bar) {
    size_t node = size_t(leaves) + size_t(bar);
    nodes[node] = kNobody;
    for (node /= 2; node > 0; node /= 2)
      join(node);
  }

private:
  struct Node {
    int32_t earliestEnd;
    int32_t latestEnd;
    int32_t firstRank;
  };
  static constexpr Node kNobody{kNone, -1, kNone};
  struct Query {
    int32_t first, last, end, after;
  };
  void join(size_t node) {
    const Node &a = nodes[2 * node], &b = nodes[2 * node + 1];
    nodes[node] = {std::min(a.earliestEnd, b.earliestEnd),
                   std::max(a.latestEnd, b.latestEnd),
                   std::min(a.firstRank, b.firstRank)};
  }
  void search(size_t node, int32_t low, int32_t high, const Query &query) {
    const bool isEnough = best != kNone && visits > kMostVisits;
    ++visits;
    if (isEnough || nodes[node].earliestEnd > query.end ||
        nodes[node].latestEnd <= query.after || nodes[node].firstRank >= best ||
        low >= query.last || high <= query.first)
      return;
    if (node >= size_t(leaves)) {
      best = nodes[node].firstRank;
      return;
    }
    const int32_t middle = low + (high - low) / 2;
    // The side with the better rank first: it may spare the other one.
    if (nodes[2 * node].firstRank < nodes[2 * node + 1].firstRank) {
      search(2 * node, low, middle, query);
      search(2 * node + 1, middle, high, query);
    } else {
      search(2 * node + 1, middle, high, query);
      search(2 * node, low, middle, query);
    }
  }

  int32_t leaves = 1;
  int32_t best = kNone;
  int visits = 0;
  std::vector<Node> nodes;
};

/// Bytes that are left to be placed at each step.
class Remaining {
public:
  explicit Remaining(const Grid &grid) {
    while (leaves < grid.stepCount())
      leaves *= 2;
    nodes.resize(size_t(leaves) * 2);
    for (const Bar &bar : grid.bars)
      add(bar.begin, bar.end, bar.sizeBytes);
  }
  void add(int32_t begin, int32_t end, int64_t bytes) {
    add(1, {0, leaves}, {begin, end}, bytes);
  }
  struct Peak {
    int64_t bytes = -1;
    int32_t step = 0;
  };
  /// The first step of [begin, end) with most bytes. O(log n).
  Peak peak(int32_t begin, int32_t end) const {
    return peak(1, {0, leaves}, {begin, end});
  }

private:
  struct Node {
    int64_t own = 0;  ///< Of bars that live during the whole stretch.
    int64_t most = 0; ///< Own and the most of the children.
  };
  void add(size_t node, Interval stretch, Interval range, int64_t bytes) {
    if (!stretch.overlaps(range))
      return;
    if (range.contains(stretch)) {
      nodes[node].own += bytes;
      nodes[node].most += bytes;
      return;
    }
    const int64_t middle = stretch.begin + stretch.length() / 2;
    add(2 * node, {stretch.begin, middle}, range, bytes);
    add(2 * node + 1, {middle, stretch.end}, range, bytes);
    nodes[node].most = nodes[node].own +
                       std::max(nodes[2 * node].most, nodes[2 * node + 1].most);
  }
  Peak peak(size_t node, Interval stretch, Interval range) const {
    if (!stretch.overlaps(range))
      return {};
    if (range.contains(stretch)) {
      const int64_t bytes = nodes[node].most;
      while (node < size_t(leaves))
        node = nodes[2 * node].most >= nodes[2 * node + 1].most ? 2 * node
                                                                : 2 * node + 1;
      return {bytes, int32_t(node - size_t(leaves))};
    }
    const int64_t middle = stretch.begin + stretch.length() / 2;
    const Peak left = peak(2 * node, {stretch.begin, middle}, range);
    const Peak right = peak(2 * node + 1, {middle, stretch.end}, range);
    Peak most = left.bytes >= right.bytes ? left : right;
    most.bytes += nodes[node].own;
    return most;
  }

  int32_t leaves = 1;
  std::vector<Node> nodes;
};

/// When to end, and how.
struct End {
  const Deadline &deadline;
  /// What is left then goes on top; otherwise nothing comes of it.
  bool hasToPack = false;

  bool looksAt(int64_t nodes) const {
    return nodes / kNodesOfLook % 1024 == 1023 &&
           (!hasToPack || nodes >= FirstFit::kNodesBeforeFirstLook);
  }
};

/// Bars without an offset (-1) above all others.
bool stackRest(const Grid &grid, std::vector<int64_t> &offsets) {
  std::vector<size_t> rest;
  for (size_t id = 0; id < offsets.size(); ++id)
    if (offsets[id] < 0)
      rest.push_back(id);
  return stackOnTop(offsets, rest, [&](size_t id) -> Extent {
    return {grid.bars[id].sizeBytes, grid.bars[id].alignment};
  });
}

/// One offset a bar, or nullopt when offsets leave 63 bits or it ends early.
std::optional<std::vector<int64_t>> packBars(const Grid &grid,
                                             const std::vector<int32_t> &ranked,
                                             bool isPeakFirst, const End &end,
                                             int64_t &nodes) {
  if (grid.bars.empty())
    return std::vector<int64_t>();
  BarTree tree(grid, ranked);
  Skyline skyline(grid.stepCount());
  std::optional<Remaining> remaining;
  if (isPeakFirst)
    remaining.emplace(grid);
  std::vector<int64_t> offsets(grid.bars.size(), -1);
  for (size_t left = grid.bars.size(); left > 0; nodes += kNodesOfLook) {
    if (end.looksAt(nodes) && end.deadline.isOver()) {
      if (!end.hasToPack)
        return std::nullopt;
      if (stackRest(grid, offsets))
        return offsets;
    }
    const int32_t begin = skyline.lowest();
    const Skyline::Segment valley = skyline.at(begin);
    const int32_t first = grid.firstBarAt[size_t(begin)];
    int32_t rank = kNone;
    if (remaining) {
      const int32_t step = remaining->peak(begin, valley.end).step;
      rank =
          tree.find(first, grid.firstBarAt[size_t(step) + 1], valley.end, step);
    }
    if (rank == kNone)
      rank = tree.find(first, grid.firstBarAt[size_t(valley.end)], valley.end);
    if (rank == kNone) {
      skyline.raise(begin);
      continue;
    }
    const int32_t id = ranked[size_t(rank)];
    const Bar &bar = grid.bars[size_t(id)];
    const auto offset = checkedAlignUp(valley.height, bar.alignment);
    const auto top = offset ? checkedAdd(*offset, bar.sizeBytes) : std::nullopt;
    if (!top)
      return std::nullopt;
    tree.remove(id);
    if (remaining)
      remaining->add(bar.begin, bar.end, -bar.sizeBytes);
    offsets[size_t(id)] = *offset;
    skyline.place(begin, bar.begin, bar.end, *top);
    --left;
  }
  return offsets;
}

bool hasOnlyLives(const PackingProblem &problem) {
  return problem.forbiddenSharing.empty() &&
         std::all_of(problem.items.begin(), problem.items.end(),
                     [](const Item &item) {
                       return !item.pinOffset && item.lifespans.size() == 1;
                     });
}
std::vector<int64_t> offsetsOfItems(const PackingProblem &problem,
                                    const Grid &grid,
                                    const std::vector<int64_t> &bars) {
  std::vector<int64_t> offsets(problem.items.size(), 0);
  for (size_t i = 0; i < bars.size(); ++i)
    offsets[grid.bars[i].item] = bars[i];
  return offsets;
}
/// The same order from the bottom up, but with everything respected.
std::optional<std::vector<int64_t>> firstFit(const PackingProblem &problem,
                                             const Grid &grid,
                                             const std::vector<int64_t> &bars,
                                             const Deadline &deadline,
                                             bool hasToPack) {
  FirstFit packer(problem);
  const auto offsets = offsetsOfItems(problem, grid, bars);
  std::vector<size_t> order = packer.unpinnedItems();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
  return packer.packUntil(deadline, order, hasToPack);
}

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  const Grid grid(problem);
  const bool isPlain = hasOnlyLives(problem);
  std::optional<Packing> best;
  int64_t bestBytes = 0, nodes = 0;
  for (const Choice &choice : kChoices) {
    if ((best && (bestBytes <= problem.lowerBoundBytes ||
                  nodes >= options.nodeLimit)) ||
        ((best || options.other) && options.deadline.isOver()))
      break;
    const bool hasToPack = !best && !options.other;
    const auto bars =
        packBars(grid, rankedBars(grid, choice.order), choice.isPeakFirst,
                 {options.deadline, hasToPack}, nodes);
    if (!bars)
      continue;
    auto offsets =
        isPlain ? std::optional(offsetsOfItems(problem, grid, *bars))
                : firstFit(problem, grid, *bars, options.deadline, hasToPack);
    if (!offsets)
      continue;
    const int64_t bytes = problem.highWater(*offsets);
    if (best && bytes >= bestBytes)
      continue;
    bestBytes = bytes;
    best.emplace();
    best->offsets = std::move(*offsets);
  }
  if (best) {
    best->nodes = nodes;
    // Nodes are its own limit: all orders are what it has to offer.
    if (bestBytes > problem.lowerBoundBytes && options.deadline.isOver())
      best->proof = Proof::LimitHit;
  }
  return best;
}

const RegisterStrategy registration({
    "skyline",
    "fills the lowest valley first, in nine ways; O(n log n) each",
    pack,
    {false, true, false, false},
    AutoPlace{5, std::numeric_limits<size_t>::max(), 10'000'000},
});

} // namespace
} // namespace tpu_mlir::planning
