//===- SqueakyWheel.cpp - What ends too high goes earlier next time -------===//
//
// First fit depends on its order, and no single order is right for every
// problem. This strategy learns one: it packs, blames the items that end at or
// above the best high-water mark of the run so far, raises their priority by a
// random share of at most a half, and packs again in the order of the new
// priorities. The idea is squeaky wheel optimization (Joslin and Clements,
// 1999).
//
//     priorities -> first fit -> items at the top -> higher priorities -> ...
//
// There are six runs, each from other priorities: size, size by the fourth and
// by the second root of the life, the bytes alive during the life, these times
// the size, and the life alone. All six are packed once before any of them is
// improved; then each has the same share of the node limit. A run ends early
// when 32 + n^2/16 packings in a row have not lowered its mark, and everything
// ends when the lower bound is met.
//
// A node is one question to a set of bytes (FirstFit.h). The first packing is
// made whatever the limit is; no packing begins when it is used up, and one
// that the deadline meets is given up. Numbers are drawn from
// SolveOptions::seed, so results repeat. Square roots and products of doubles
// are exactly rounded by IEEE 754, so priorities repeat as well.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/FirstFit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace tpu_mlir::planning {
namespace {

/// For each item the sum of sizes of items whose hulls overlap its own: those
/// that begin before its end, without those that end before its begin.
std::vector<double> pressures(const std::vector<Item> &items) {
  std::vector<std::pair<int64_t, double>> begins, ends;
  for (const Item &item : items) {
    begins.emplace_back(hullOf(item).begin, double(item.sizeBytes));
    ends.emplace_back(hullOf(item).end, double(item.sizeBytes));
  }
  for (auto *list : {&begins, &ends}) {
    std::sort(list->begin(), list->end());
    for (size_t i = 1; i < list->size(); ++i)
      (*list)[i].second += (*list)[i - 1].second;
  }
  auto sumWhere = [](const auto &list, auto end) {
    return end == list.begin() ? 0.0 : std::prev(end)->second;
  };
  auto isBefore = [](const auto &entry, int64_t step) {
    return entry.first < step;
  };
  auto isAfter = [](int64_t step, const auto &entry) {
    return step < entry.first;
  };
  std::vector<double> result;
  for (const Item &item : items) {
    const Interval hull = hullOf(item);
    result.push_back(
        sumWhere(begins, std::lower_bound(begins.begin(), begins.end(),
                                          hull.end, isBefore)) -
        sumWhere(ends, std::upper_bound(ends.begin(), ends.end(), hull.begin,
                                        isAfter)));
  }
  return result;
}

constexpr size_t kRuns = 6;

/// The priorities with which the runs begin.
std::array<std::vector<double>, kRuns>
startPriorities(const std::vector<Item> &items) {
  const std::vector<double> pressure = pressures(items);
  std::array<std::vector<double>, kRuns> runs;
  for (size_t id = 0; id < items.size(); ++id) {
    const double size = double(items[id].sizeBytes);
    const double life = double(totalLife(items[id]));
    runs[0].push_back(size);
    runs[1].push_back(size * std::sqrt(std::sqrt(life)));
    runs[2].push_back(size * std::sqrt(life));
    // Rounding may leave less than the item's own size.
    const double pressed = std::max(pressure[id], size);
    runs[3].push_back(pressed);
    runs[4].push_back(pressed * size);
    runs[5].push_back(life);
  }
  return runs;
}

class Search {
public:
  Search(const PackingProblem &problem, const SolveOptions &options)
      : problem(problem), options(options), firstFit(problem),
        unpinned(firstFit.unpinnedItems()), random(options.seed),
        runs(startPriorities(problem.items)) {
    runBest.fill(kMaxOffset);
  }

  std::optional<Packing> go() {
    packOnce(0);
    for (size_t run = 1; run < kRuns && mayGoOn(options.nodeLimit); ++run)
      packOnce(run);
    // What the first packings have used up is taken from all shares alike.
    const int64_t left = options.nodeLimit - firstFit.nodes();
    for (size_t run = 0; run < kRuns; ++run)
      improve(run, firstFit.nodes() + left / int64_t(kRuns));
    if (!best)
      return std::nullopt;
    Packing packing;
    packing.offsets = std::move(*best);
    packing.nodes = firstFit.nodes();
    if (bestBytes > problem.lowerBoundBytes)
      packing.proof = Proof::LimitHit;
    return packing;
  }

private:
  bool mayGoOn(int64_t nodeLimit) const {
    const bool isDone = best && bestBytes <= problem.lowerBoundBytes;
    return !isDone && firstFit.nodes() < nodeLimit &&
           !options.deadline.isOver();
  }

  void improve(size_t run, int64_t nodeLimit) {
    const double patience =
        32.0 + double(unpinned.size()) * double(unpinned.size()) / 16.0;
    double inVain = 0;
    // Blame needs the last packing of this run.
    if (mayGoOn(nodeLimit))
      packOnce(run);
    while (mayGoOn(nodeLimit) && inVain < patience && blame(run)) {
      const int64_t before = runBest[run];
      packOnce(run);
      inVain = runBest[run] < before ? 0 : inVain + 1;
    }
  }

  void packOnce(size_t run) {
    const std::vector<double> &priority = runs[run];
    std::vector<size_t> order = unpinned;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return priority[a] > priority[b];
    });
    last = firstFit.packUntil(options.deadline, order, !best && !options.other);
    if (!last)
      return;
    const int64_t bytes = problem.highWater(*last);
    runBest[run] = std::min(runBest[run], bytes);
    if (best && bytes >= bestBytes)
      return;
    best = last;
    bestBytes = bytes;
  }

  /// Raises the priorities of what the run's last packing put too high. False
  /// when there is nothing to learn from: no packing, or only pinned items.
  bool blame(size_t run) {
    if (!last)
      return false;
    bool isAnyBlamed = false;
    double highest = 0;
    for (size_t id : unpinned) {
      double &priority = runs[run][id];
      if ((*last)[id] + problem.items[id].sizeBytes >= runBest[run]) {
        priority *= 1.0 + double(random() % 1024) / 2048.0;
        isAnyBlamed = true;
      }
      highest = std::max(highest, priority);
    }
    // Only the order matters: keep far from infinity.
    if (highest > 1e200)
      for (double &priority : runs[run])
        priority = std::ldexp(priority, -300);
    return isAnyBlamed;
  }

  const PackingProblem &problem;
  const SolveOptions &options;
  FirstFit firstFit;
  const std::vector<size_t> unpinned;
  std::mt19937_64 random;
  std::array<std::vector<double>, kRuns> runs; ///< Priorities by item.
  std::array<int64_t, kRuns> runBest;
  std::optional<std::vector<int64_t>> last, best;
  int64_t bestBytes = kMaxOffset;
};

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  return Search(problem, options).go();
}

const RegisterStrategy registration({
    "squeaky-wheel",
    "first fit again and again, what ended too high earlier each time; stops "
    "at the node limit",
    pack,
    {true, true, false, false},
    AutoPlace{50, 200'000},
});

} // namespace
} // namespace tpu_mlir::planning
