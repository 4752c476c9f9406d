//===- HillClimb.cpp - Swaps in the order of first fit --------------------===//
//
// Begins with the order of "greedy-by-size" and packs it by first fit. Then, at
// most 500 times: pick an item that ends at the high-water mark, one neighbour
// that was placed before it, and a second item placed before it: three times
// out of four a neighbour of its neighbours, else another neighbour. Swap the
// two in the order and pack again.
//
//         order:  a  b  c  d  e           e ends at the mark; it keeps away
//                 ^     ^                 from c, and c from a: swap a and c
//                 c  b  a  d  e
//
// A lower mark is kept; a higher or equal one only with a probability of
//
//     50 * (new - old) / new / round   percent, rounded down twice,
//
// which is next to never after the first rounds; otherwise the swap is undone.
// The lowest packing that was seen is returned.
//
// This is `hill_climb` of the memory planner of Apache TVM (USMP), with its
// proportions. The original returns the state in which it stops, which may be a
// worse one, and draws from the platform's rand(); here SolveOptions::seed
// decides, and FirstFit.h keeps alignments, pins, partners and gaps in lives.
//
// A node is one question to a set of bytes (FirstFit.h). The first packing is
// made whatever the limit is; no packing begins when it is used up. Choosing a
// swap costs O(i) more, i the number of lifespan intervals.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/FirstFit.h"
#include "lib/Planning/Strategies/InsertionOrders.h"

#include <algorithm>
#include <random>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kRounds = 500;

class Climb {
public:
  Climb(const PackingProblem &problem, const SolveOptions &options)
      : problem(problem), options(options), firstFit(problem),
        partners(forbiddenPartners(problem)), random(options.seed),
        order(bySizeThenConflicts(problem, firstFit.unpinnedItems())),
        placeOf(problem.items.size(), -1) {
    for (size_t place = 0; place < order.size(); ++place)
      placeOf[order[place]] = int64_t(place);
  }

  std::optional<Packing> run() {
    auto start = firstFit.packUntil(options.deadline, order, true);
    if (!start)
      return std::nullopt;
    acceptedBytes = bestBytes = problem.highWater(*start);
    best = accepted = std::move(*start);
    for (int64_t round = 1; round <= kRounds && mayGoOn(); ++round)
      climb(round);
    Packing packing;
    packing.offsets = std::move(best);
    packing.nodes = firstFit.nodes();
    if (bestBytes > problem.lowerBoundBytes)
      packing.proof = Proof::LimitHit;
    return packing;
  }

private:
  bool mayGoOn() const {
    return bestBytes > problem.lowerBoundBytes &&
           firstFit.nodes() < options.nodeLimit && !options.deadline.isOver();
  }

  void climb(int64_t round) {
    const auto swap = chooseSwap();
    if (!swap)
      return;
    swapPlaces(*swap);
    auto offsets = firstFit.packUntil(options.deadline, order, false);
    const int64_t bytes = offsets ? problem.highWater(*offsets) : kMaxOffset;
    if (!offsets || !isAccepted(bytes, round)) {
      swapPlaces(*swap);
      return;
    }
    acceptedBytes = bytes;
    accepted = std::move(*offsets);
    if (bytes < bestBytes) {
      bestBytes = bytes;
      best = accepted;
    }
  }

  bool isAccepted(int64_t bytes, int64_t round) {
    if (bytes < acceptedBytes)
      return true;
    const double worse = double(bytes - acceptedBytes) / double(bytes);
    const auto percent = int64_t(50.0 * worse) / round;
    return int64_t(random() % 100) < percent;
  }

  using Pair = std::pair<size_t, size_t>;

  void swapPlaces(const Pair &pair) {
    std::swap(placeOf[pair.first], placeOf[pair.second]);
    order[placeOf[pair.first]] = pair.first;
    order[placeOf[pair.second]] = pair.second;
  }

  size_t draw(const std::vector<size_t> &list) {
    return list[random() % list.size()];
  }

  /// Two items that come before one at the mark; nullopt when the one that was
  /// drawn has no two to swap.
  std::optional<Pair> chooseSwap() {
    std::vector<size_t> atMark;
    for (size_t id : order)
      if (accepted[id] + problem.items[id].sizeBytes == acceptedBytes)
        atMark.push_back(id);
    if (atMark.empty())
      return std::nullopt;
    const size_t top = draw(atMark);
    std::vector<bool> isNear(problem.items.size(), false);
    isNear[top] = true;
    const std::vector<size_t> first = neighboursBefore(top, {top}, isNear);
    if (first.empty())
      return std::nullopt;
    for (size_t id : first)
      isNear[id] = true;
    return pairOf(first, neighboursBefore(top, first, isNear));
  }

  std::optional<Pair> pairOf(std::vector<size_t> first,
                             const std::vector<size_t> &second) {
    const size_t one = draw(first);
    first.erase(std::find(first.begin(), first.end(), one));
    const bool wantsSecond = random() % 100 < 75;
    if (!second.empty() && (wantsSecond || first.empty()))
      return Pair{one, draw(second)};
    if (first.empty())
      return std::nullopt;
    return Pair{one, draw(first)};
  }

  /// Items placed before `top` that keep away from at least one of `from`,
  /// without those marked in `isNear`; in their order.
  std::vector<size_t> neighboursBefore(size_t top,
                                       const std::vector<size_t> &from,
                                       const std::vector<bool> &isNear) const {
    std::vector<Interval> lives;
    std::vector<bool> isPartner(problem.items.size(), false);
    for (size_t id : from) {
      const Item &item = problem.items[id];
      lives.insert(lives.end(), item.lifespans.begin(), item.lifespans.end());
      for (int64_t partner : partners[id])
        isPartner[partner] = true;
    }
    lives = normalize(std::move(lives));
    std::vector<size_t> result;
    for (int64_t place = 0; place < placeOf[top]; ++place) {
      const size_t id = order[place];
      if (!isNear[id] && problem.items[id].sizeBytes > 0 &&
          (isPartner[id] || anyOverlap(problem.items[id].lifespans, lives)))
        result.push_back(id);
    }
    return result;
  }

  const PackingProblem &problem;
  const SolveOptions &options;
  FirstFit firstFit;
  const std::vector<std::vector<int64_t>> partners;
  std::mt19937_64 random;
  std::vector<size_t> order;
  std::vector<int64_t> placeOf; ///< By item; -1 for pinned ones.
  std::vector<int64_t> accepted, best;
  int64_t acceptedBytes = 0, bestBytes = 0;
};

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  return Climb(problem, options).run();
}

const RegisterStrategy registration({
    "hill-climb",
    "TVM's local search: swaps in the order of greedy-by-size, at most 500; "
    "stops at the node limit",
    pack,
    {true, true, false, false},
});

} // namespace
} // namespace tpu_mlir::planning
