//===- LongLivedFirst.cpp - What is kept, then what comes and goes --------===//
//
// Training keeps activations from the forward to the backward pass; what else
// there is lives for a few steps. The two kinds want different orders. What is
// kept is packed as a stack, in the order in which it ends, the last one at the
// bottom (or in the order in which it begins, likewise): a pass frees it from
// the top down, and leaves one large hole instead of many small ones. What
// comes and goes is then placed by size, largest first, into the holes.
//
//     bytes |      __t__            t: temporaries, in the holes
//       ^   |   __|_____|__
//           |  |__last____|__
//           | |_____kept_____|
//           |_|______________|____> steps
//
// Which lives are long the lives themselves say: sorted, they have breaks,
// where the next one is several times as long. The three widest are tried, each
// with both orders, the widest first, all by first fit (FirstFit.h): O(n log^2
// n) for networks. A node is one question to a set of bytes.
//
// In interleaved passes of several micro-batches this packs within a few parts
// of a thousand of the live sum where orders by size or life alone end one to
// eight percent above it.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/FirstFit.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kWideBreak = 4;
constexpr size_t kMostBreaks = 3;

enum class Stack { LastEndFirst, LastBeginFirst };

/// An order: items whose lives are at least as long are stacked first.
struct Way {
  int64_t longLife;
  Stack stack;
};

/// The widest break first. Without any break no life is long, and both stacks
/// would be empty.
std::vector<Way> waysFor(const std::vector<Item> &items) {
  std::vector<int64_t> lives;
  for (const Item &item : items)
    if (item.sizeBytes > 0 && !item.pinOffset)
      lives.push_back(totalLife(item));
  std::sort(lives.begin(), lives.end());
  lives.erase(std::unique(lives.begin(), lives.end()), lives.end());
  std::vector<std::pair<double, int64_t>> breaks;
  for (size_t i = 1; i < lives.size(); ++i)
    if (lives[i] / kWideBreak >= lives[i - 1])
      breaks.emplace_back(-double(lives[i]) / double(lives[i - 1]), lives[i]);
  if (breaks.empty())
    return {{std::numeric_limits<int64_t>::max(), Stack::LastEndFirst}};
  std::sort(breaks.begin(), breaks.end());
  breaks.resize(std::min(breaks.size(), kMostBreaks));
  std::vector<Way> ways;
  for (const auto &[ratio, life] : breaks)
    for (Stack stack : {Stack::LastEndFirst, Stack::LastBeginFirst})
      ways.push_back({life, stack});
  return ways;
}

std::vector<size_t> ordered(const std::vector<Item> &items,
                            std::vector<size_t> ids, Way way) {
  using Key = std::array<int64_t, 4>;
  std::vector<Key> keys(items.size());
  for (size_t id : ids) {
    const Item &item = items[id];
    const Interval hull = hullOf(item);
    const int64_t life = totalLife(item);
    if (life < way.longLife)
      keys[id] = {1, -item.sizeBytes, hull.begin, -life};
    else
      keys[id] = {0, way.stack == Stack::LastEndFirst ? -hull.end : -hull.begin,
                  -life, -item.sizeBytes};
  }
  std::stable_sort(ids.begin(), ids.end(),
                   [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return ids;
}

class Stacks {
public:
  Stacks(const PackingProblem &problem, const SolveOptions &options)
      : problem(problem), options(options), firstFit(problem),
        unpinned(firstFit.unpinnedItems()) {}

  std::optional<Packing> run() {
    for (Way way : waysFor(problem.items))
      if (!best || canGoOn())
        offer(ordered(problem.items, unpinned, way));
    if (!best)
      return std::nullopt;
    best->nodes = firstFit.nodes();
    if (bestBytes > problem.lowerBoundBytes && options.deadline.isOver())
      best->proof = Proof::LimitHit;
    return std::move(best);
  }

private:
  bool canGoOn() const {
    return bestBytes > problem.lowerBoundBytes &&
           firstFit.nodes() < options.nodeLimit && !options.deadline.isOver();
  }

  void offer(const std::vector<size_t> &order) {
    auto offsets = best || options.other
                       ? firstFit.pack(order, &options.deadline)
                       : firstFit.packAll(order, options.deadline);
    if (!offsets)
      return;
    const int64_t bytes = problem.highWater(*offsets);
    if (best && bytes >= bestBytes)
      return;
    bestBytes = bytes;
    best.emplace();
    best->offsets = std::move(*offsets);
  }

  const PackingProblem &problem;
  const SolveOptions &options;
  FirstFit firstFit;
  const std::vector<size_t> unpinned;
  std::optional<Packing> best;
  int64_t bestBytes = 0;
};

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  return Stacks(problem, options).run();
}

const RegisterStrategy registration({
    "long-lived-first",
    "what is kept stacked by its end, then what comes and goes by size, each "
    "at "
    "the lowest free offset; O(n log^2 n) for networks",
    pack,
    {false, true, false, false},
    AutoPlace{45},
});

} // namespace
} // namespace tpu_mlir::planning
