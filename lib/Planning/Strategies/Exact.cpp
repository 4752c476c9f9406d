//===- Exact.cpp - The lowest packing, or how near it is ------------------===//
//
// Parts of the schedule that have nothing to do with each other are solved one
// by one, those with the highest bound first; a part only has to come down to
// the highest of the others. A part begins with what the cheap strategies make
// of it. Then targets between its bound and its best packing are searched
// (Search/Attempts.h): the bound itself first, then nearer and nearer to what
// is known, with more nodes each time nothing was found. It ends when the bound
// is met, when a complete search has shown that one step lower is impossible,
// or at a limit.
//
// When the first round of targets has not met the bound, problems that are like
// this one are packed and their packings settled (Search/Relatives/Relatives.h,
// Search/Relatives/Settle.h); so are parts that are too large to be searched.
//
// SolveOptions::fitIsEnough changes nothing but the end: what fits is found on
// the way that minimising goes, or by neither.
//
// Worst case exponential, as the problem is NP-hard (Garey and Johnson, 1979,
// "dynamic storage allocation"); O(n^2) memory within a part, so parts of more
// than 4,000 items that cannot be glued together keep the cheap packing.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Kit/Placing.h"
#include "lib/Planning/Search/Attempts.h"
#include "lib/Planning/Search/Relatives/Relatives.h"
#include "lib/Planning/Search/Relatives/Settle.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tpu_mlir::planning {
namespace {

/// Parts of more items begin with the skyline only: the others take long, and
/// are hardly ever better.
constexpr size_t kManyItems = 20'000;
/// Single parts of more items are not put in the order of their lives first.
constexpr size_t kManyOfOne = 200'000;

/// Offsets of all sensible packings are multiples of this.
int64_t commonStep(const PackingProblem &problem) {
  int64_t step = 0;
  for (const Item &item : problem.items) {
    step = std::gcd(step, item.sizeBytes);
    step = std::gcd(step, item.pinOffset.value_or(0));
  }
  // A smaller step may be at odds with an alignment that was fine before.
  for (int64_t before = -1; step != before;) {
    before = step;
    for (const Item &item : problem.items)
      if (step > 0 && item.alignment % step != 0 && step % item.alignment != 0)
        step = std::gcd(step, item.alignment);
  }
  return std::max<int64_t>(step, 1);
}

/// Groups of items between which no lifespan and no forbidden pair reaches.
std::vector<std::vector<size_t>> independentParts(const PackingProblem &p) {
  std::vector<Interval> hulls;
  for (const Item &item : p.items)
    hulls.push_back(hullOf(item));
  for (const auto &[a, b] : p.forbiddenSharing) {
    Interval &first = hulls[size_t(a)], &second = hulls[size_t(b)];
    first = second = {std::min(first.begin, second.begin),
                      std::max(first.end, second.end)};
  }
  std::vector<size_t> order(p.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tie(hulls[a].begin, a) < std::tie(hulls[b].begin, b);
  });
  std::vector<std::vector<size_t>> parts;
  int64_t end = 0;
  for (size_t id : order) {
    if (parts.empty() || hulls[id].begin >= end)
      parts.emplace_back();
    parts.back().push_back(id);
    end = std::max(end, hulls[id].end);
  }
  return parts;
}

/// The parts as problems, with what is known of the whole.
std::vector<PackingProblem>
problemsOf(const PackingProblem &whole,
           const std::vector<std::vector<size_t>> &parts) {
  std::vector<PackingProblem> problems(parts.size());
  std::vector<size_t> partOf(whole.items.size());
  std::vector<int64_t> indexOf(whole.items.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    problems[part].capacityBytes = whole.capacityBytes;
    problems[part].period = whole.period;
    for (size_t id : parts[part]) {
      partOf[id] = part;
      indexOf[id] = int64_t(problems[part].items.size());
      problems[part].items.push_back(whole.items[id]);
    }
  }
  for (const auto &[a, b] : whole.forbiddenSharing)
    problems[partOf[size_t(a)]].forbiddenSharing.push_back(
        std::minmax(indexOf[size_t(a)], indexOf[size_t(b)]));
  for (PackingProblem &problem : problems)
    problem.lowerBoundBytes =
        boundOfItems(problem.items, problem.forbiddenSharing).bytes;
  return problems;
}

/// Shares of the node limit, one in so many.
constexpr int64_t kForRelatives = 3, kForPromising = 8, kForRelative = 64,
                  kForSettling = 4;
/// What a tiny part leaves them.
constexpr int64_t kForRelativesOfTiny = 8;
/// Parts of more items have no relatives that are worth their time.
constexpr size_t kMostForRelatives = 50'000;

/// One part of the problem, or a relative of one.
class PartSolver {
public:
  PartSolver(const PackingProblem &problem, const SolveOptions &options,
             bool isRelative = false)
      : problem(problem), options(options), attempts(problem, options),
        lower(problem.lowerBoundBytes), step(commonStep(problem)),
        isRelative(isRelative) {}

  /// Comes down to `enough` or as low as it can. False when offsets leave 63
  /// bits. With SolveOptions::fitIsEnough the way is the same, and ends where
  /// the capacity is met or proved to be too small. `known`: a valid packing.
  bool solve(int64_t wanted, int64_t nodeLimit,
             const std::vector<int64_t> *known = nullptr) {
    enough = wanted;
    allNodes = nodeLimit;
    // What was found for all items is good enough to begin with.
    if (known && problem.items.size() > kManyItems) {
      takeIfBetter(*known);
    } else {
      if (wantsSweepFirst(problem, options))
        tryStrategy("best-fit");
      tryStrategy("skyline");
    }
    if (problem.items.size() <= kManyItems) {
      tryStrategy("first-fit-decreasing");
      tryStrategy("best-fit");
      tryStrategy("long-lived-first");
    }
    minimize(nodeLimit);
    // Those that are too large for a search, too.
    askRelatives(nodeLimit);
    settleMore(nodeLimit - nodes());
    isProvedOver = problem.capacityBytes && lower > *problem.capacityBytes;
    return !best.empty();
  }

  std::vector<int64_t> best;
  int64_t bestBytes = kMaxOffset;
  /// bestBytes is the lowest there is.
  bool isOptimal() const { return bestBytes <= lower; }
  bool isProvedOver = false;
  int64_t nodes() const { return attempts.nodes() + otherNodes; }

private:
  bool takeIfBetter(std::optional<Packing> packing) {
    return packing && isTrusted(problem, packing->offsets) &&
           takeIfBetter(std::move(packing->offsets));
  }
  bool takeIfBetter(std::vector<int64_t> offsets) {
    const int64_t bytes = problem.highWater(offsets);
    if (!best.empty() && bytes >= bestBytes)
      return false;
    bestBytes = bytes;
    best = std::move(offsets);
    return true;
  }

  /// Nothing lower is asked for, or there is nothing: also where nothing ends
  /// within 63 bits.
  bool isDone() const {
    if (bestBytes <= std::max(lower, enough))
      return true;
    return options.fitIsEnough && problem.capacityBytes &&
           ((!best.empty() && bestBytes <= *problem.capacityBytes) ||
            lower > *problem.capacityBytes);
  }

  /// One pass is enough to begin with.
  void tryStrategy(const char *name) {
    if (!best.empty() && (isDone() || options.deadline.isOver()))
      return;
    SolveOptions quick = options;
    quick.nodeLimit = 1;
    quick.other = best.empty() ? nullptr : &best;
    takeIfBetter(StrategyRegistry::find(name)->pack(problem, quick));
  }

  void tell() const {
    if (!options.progress || isRelative || best.empty())
      return;
    options.progress->bestBytes = bestBytes;
    options.progress->boundBytes = lower;
    options.progress->nodes = nodes();
  }

  SearchOutcome search(int64_t target, int64_t nodeLimit) {
    tell();
    const SearchOutcome outcome = attempts.run(target, nodeLimit);
    if (outcome == SearchOutcome::Found)
      takeIfBetter(attempts.offsets());
    if (outcome == SearchOutcome::Exhausted)
      lower = std::max(lower, target + 1);
    return outcome;
  }

  void minimize(int64_t nodeLimit) {
    int64_t each =
        64 * kNodesOfPlacement * (int64_t(problem.items.size()) + 16);
    // The rest is for relatives, and for what comes after them.
    const int64_t before = isTiny()
                               ? nodeLimit - nodeLimit / kForRelativesOfTiny
                               : nodeLimit / kForRelatives;
    while (!isDone() && canGoOn(nodeLimit)) {
      const bool isBefore = !isRelative && !hasAsked;
      if (improveOnce(each, isBefore ? before + earlyNodes : nodeLimit))
        continue;
      each *= 2;
      if (!isTiny() || nodes() >= before + earlyNodes)
        askRelatives(nodeLimit);
    }
  }
  bool isTiny() const { return problem.items.size() <= kTinyProblem; }
  bool canGoOn(int64_t nodeLimit) {
    return nodes() < nodeLimit && !attempts.isLate() && !attempts.isTooLarge();
  }

  /// Targets from the most to the least that could be gained; of a tiny part
  /// only these two, as a search that comes to an end proves what lies above,
  /// too.
  bool improveOnce(int64_t each, int64_t nodeLimit) {
    const int64_t most = bestBytes - std::max(lower, enough);
    for (int64_t gain = most; canGoOn(nodeLimit);
         gain = isTiny() ? step : gain / 4) {
      const bool isLeast = gain <= step || gain < most / 256;
      const int64_t target =
          isLeast ? (bestBytes - 1) / step * step : bestBytes - gain;
      if (target >= lower &&
          search(target, std::min(each, nodeLimit - nodes())) ==
              SearchOutcome::Found)
        return true;
      if (!isTiny() && !relatives) {
        const int64_t bytesBefore = bestBytes, nodesBefore = nodes();
        askRelatives(allNodes, /*onlyPromising=*/true);
        earlyNodes = nodes() - nodesBefore;
        if (bestBytes < bytesBefore)
          return true;
      }
      if (target < lower && isLeast) {
        // Nothing lies between what is known and what is impossible.
        lower = std::max(lower, bestBytes);
        return true;
      }
      if (isLeast || isDone())
        return false;
    }
    return false;
  }

  /// Once: packings of problems that are like this one, and what lies around
  /// the best of them. `onlyPromising`: of a few; the others may be asked
  /// later.
  void askRelatives(int64_t nodeLimit, bool onlyPromising = false) {
    if (isRelative || hasAsked)
      return;
    hasAsked = !onlyPromising;
    const int64_t last = std::min(
        nodes() + nodeLimit / (onlyPromising ? kForPromising : kForRelatives),
        nodeLimit);
    if (isDone() || !options.exact.restarts || attempts.isLate() ||
        problem.items.size() > kMostForRelatives || last <= nodes())
      return;
    if (!relatives) {
      relatives.emplace(problem, options);
      settler.emplace(problem, options);
    }
    relatives->setNodeLimit(last - nodes());
    const bool isLong = relatives->hasNearFits();
    while (!isDone() && nodes() < last && !attempts.isLate() &&
           !(onlyPromising && relatives->isPastPromising())) {
      const std::optional<Relative> relative = relatives->next();
      otherNodes +=
          relatives->nodes() - std::exchange(countedNodes, relatives->nodes());
      if (!relative)
        break;
      if (const auto offsets = packRelative(
              *relative, std::max<int64_t>(nodeLimit / kForRelative, 1)))
        settler->settle(*offsets);
      settled(*settler);
    }
    if (hasAsked && isLong)
      settleMore(std::min(nodeLimit / kForSettling, nodeLimit - nodes()),
                 &*settler);
  }

  /// nullopt: offsets leave 63 bits.
  std::optional<std::vector<int64_t>> packRelative(const Relative &relative,
                                                   int64_t nodeLimit) {
    SolveOptions plain = options;
    plain.fitIsEnough = false;
    plain.other = nullptr;
    std::vector<std::vector<int64_t>> offsets;
    for (const PackingProblem &layer : relative.layers) {
      PartSolver solver(layer, plain, true);
      const bool isPacked = solver.solve(0, nodeLimit);
      otherNodes += solver.nodes();
      if (!isPacked)
        return std::nullopt;
      offsets.push_back(std::move(solver.best));
    }
    return relative.offsetsOf(offsets);
  }

  /// What the settler has found.
  void settled(Settler &settler) {
    tell();
    otherNodes +=
        settler.nodes() - std::exchange(settlerNodes, settler.nodes());
    if (settler.bestBytes() < bestBytes && isTrusted(problem, settler.best()))
      takeIfBetter(settler.best());
  }

  /// Looks around the best packing for so many nodes.
  void settleMore(int64_t nodeLimit, Settler *settler = nullptr) {
    if (isRelative || isDone() || nodeLimit <= 0 || attempts.isLate() ||
        !options.exact.restarts)
      return;
    if (!settler) {
      settlerNodes = 0;
      Settler own(problem, options);
      return settleFrom(own, nodeLimit);
    }
    settleFrom(*settler, nodeLimit);
  }
  void settleFrom(Settler &settler, int64_t nodeLimit) {
    if (settler.bestBytes() > bestBytes)
      settler.settle(best);
    settler.improve(target(), nodeLimit);
    settled(settler);
  }
  /// Below this nothing more is wanted.
  int64_t target() const {
    const int64_t least = std::max(lower, enough);
    return options.fitIsEnough && problem.capacityBytes
               ? std::max(least, *problem.capacityBytes)
               : least;
  }

  const PackingProblem &problem;
  const SolveOptions &options;
  Attempts attempts;
  int64_t lower;
  int64_t enough = 0;
  int64_t allNodes = 0; ///< The node limit.
  int64_t otherNodes = 0, settlerNodes = 0, countedNodes = 0;
  int64_t earlyNodes = 0; ///< Of the relatives that were asked first.
  std::optional<Relatives> relatives;
  std::optional<Settler> settler;
  const int64_t step;
  const bool isRelative;
  bool hasAsked = false;
};

std::optional<Packing> packParts(const PackingProblem &problem,
                                 const SolveOptions &options) {
  std::vector<std::vector<size_t>> ids = independentParts(problem);
  // No copy of what is large: it is solved as it is.
  const bool isOne = ids.size() == 1 && problem.items.size() > kManyOfOne;
  if (isOne)
    std::iota(ids[0].begin(), ids[0].end(), 0);
  const std::vector<PackingProblem> copies =
      isOne ? std::vector<PackingProblem>() : problemsOf(problem, ids);
  const llvm::ArrayRef<PackingProblem> parts =
      isOne ? llvm::ArrayRef(problem) : llvm::ArrayRef(copies);
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return parts[a].lowerBoundBytes > parts[b].lowerBoundBytes;
  });

  Packing packing;
  packing.offsets.assign(problem.items.size(), 0);
  int64_t highest = 0;
  bool isProved = true;
  for (size_t i = 0; i < order.size(); ++i) {
    const PackingProblem &part = parts[order[i]];
    PartSolver solver(part, options);
    const int64_t left = options.nodeLimit - packing.nodes;
    const bool isLast = i + 1 == order.size();
    if (!solver.solve(highest, isLast ? left : left / 2,
                      isOne ? options.other : nullptr))
      return std::nullopt;
    for (size_t item = 0; item < part.items.size(); ++item)
      packing.offsets[ids[order[i]][item]] = solver.best[item];
    packing.nodes += solver.nodes();
    packing.isProvedOver |= solver.isProvedOver;
    if (solver.bestBytes > highest)
      isProved = solver.isOptimal();
    highest = std::max(highest, solver.bestBytes);
  }
  const bool fits = problem.capacityBytes && highest <= *problem.capacityBytes;
  packing.proof = isProved                      ? Proof::Optimal
                  : fits && options.fitIsEnough ? Proof::None
                                                : Proof::LimitHit;
  return packing;
}

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &wanted) {
  const SolveOptions options = timed(wanted);
  std::optional<Packing> packing = packParts(problem, options);
  // A part that ends early leaves its nodes to others, which may then take
  // another way than minimising goes. What that finds must not be missed.
  const bool isMissed =
      packing && options.fitIsEnough && problem.capacityBytes &&
      !packing->isProvedOver &&
      problem.highWater(packing->offsets) > *problem.capacityBytes &&
      !options.deadline.isOver();
  if (!isMissed || independentParts(problem).size() < 2)
    return packing;
  SolveOptions lowest = options;
  lowest.fitIsEnough = false;
  std::optional<Packing> other = packParts(problem, lowest);
  if (other)
    other->nodes += packing->nodes;
  return other;
}

const RegisterStrategy registration({
    "exact",
    "branch and bound with restarts: the lowest packing, or the best at the "
    "node limit; exponential",
    pack,
    {true, true, true, true},
    AutoPlace{40, 2'000'000, 0, 64},
});

} // namespace
} // namespace tpu_mlir::planning
