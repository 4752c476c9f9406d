//===- Auto.cpp - The best of the others ----------------------------------===//
//
// Runs every strategy that is in it (Strategy::inAuto), lowest rank first, ties
// by name; those for which a pool has too many items are left out. An answer
// wins only when the validator accepts it (in pools of more than 100,000 items
// solve() has the only word). The lowest high-water mark wins, ties go to the
// one that came first. It ends when nothing can be better: the lower bound is
// met, a search has proved the best packing, any fit is enough and it fits, or
// the time is over.
//
// Where there is a clock and more than 20,000 items, best-fit comes before all
// others, too, so that the time runs out on a packing that is one; else when
// the time is over or the search interrupted.
//
// More than 200,000 items need no more than one percent above the bound,
// unless there is a clock. Where some of them are kept and others come and go,
// what looks for pieces of a tiling comes last.
//
// Each strategy gets the whole node limit, so none can beat it, and the skyline
// up to ten times that: in a large network it meets the bound with its fifth or
// sixth order, in less time than the others take to miss it.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Strategies/LifeBreaks.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

constexpr size_t kHugePool = 200'000;
/// Of the bound.
constexpr int64_t kNearShare = 100;

/// By rank.
std::vector<const Strategy *> membersFor(const PackingProblem &problem,
                                         const SolveOptions &options) {
  const size_t items = problem.items.size();
  const Strategy *sweep = wantsSweepFirst(problem, options)
                              ? StrategyRegistry::find("best-fit")
                              : nullptr;
  std::vector<const Strategy *> members;
  for (const Strategy *strategy : StrategyRegistry::all())
    if (strategy != sweep && strategy->inAuto &&
        items <= strategy->inAuto->itemLimit)
      members.push_back(strategy);
  std::stable_sort(members.begin(), members.end(),
                   [](const Strategy *a, const Strategy *b) {
                     return a->inAuto->rank < b->inAuto->rank;
                   });
  if (items > kHugePool && hasLongAndShort(problem.items))
    std::stable_partition(
        members.begin(), members.end(),
        [](const Strategy *member) { return member->name != "exact"; });
  if (sweep)
    members.insert(members.begin(), sweep);
  return members;
}

/// The best packing of those offered.
class Contest {
public:
  explicit Contest(const PackingProblem &problem) : problem(problem) {}

  void offer(std::optional<Packing> packing, std::string_view name) {
    if (!packing)
      return;
    nodes += packing->nodes;
    isLimitHit |= packing->proof == Proof::LimitHit;
    if (packing->offsets.size() != problem.items.size())
      return;
    const int64_t bytes = problem.highWater(packing->offsets);
    const bool isBetter = !best || bytes < bestBytes;
    const bool isProof =
        packing->proof == Proof::Optimal && bytes <= (best ? bestBytes : bytes);
    // Of the others only the numbers are taken.
    const bool isUsed = isBetter || isProof || packing->isProvedOver;
    if (isUsed && !isTrusted(problem, packing->offsets))
      return;
    isProvedOver |= packing->isProvedOver;
    if (isBetter) {
      bestBytes = bytes;
      best = std::move(packing);
      best->winner = std::string(name);
    }
    isOptimal |= isProof;
  }

  /// Of the best packing; nullptr without one.
  const std::vector<int64_t> *offsets() const {
    return best ? &best->offsets : nullptr;
  }

  bool isAtBound() const {
    return best && bestBytes <= problem.lowerBoundBytes;
  }
  bool isEnough(const SolveOptions &options) const {
    return best && bestBytes <= options.enoughBytes;
  }
  /// Nothing better can come, or nothing may that takes more time.
  bool isDecided(const SolveOptions &options) const {
    const bool fits = options.fitIsEnough && problem.capacityBytes && best &&
                      bestBytes <= *problem.capacityBytes;
    return isAtBound() || isOptimal || isProvedOver || fits ||
           isEnough(options) || (best && options.deadline.isOver());
  }

  void tell(SearchProgress *progress) const {
    if (!progress || !best)
      return;
    progress->bestBytes = bestBytes;
    progress->boundBytes = problem.lowerBoundBytes;
    progress->nodes = nodes;
  }

  std::optional<Packing> result(const SolveOptions &options) {
    if (best) {
      best->nodes = nodes;
      best->isProvedOver = isProvedOver;
      const bool isCut = bestBytes > problem.lowerBoundBytes &&
                         (options.deadline.isOver() || isEnough(options));
      best->proof = isOptimal             ? Proof::Optimal
                    : isLimitHit || isCut ? Proof::LimitHit
                                          : Proof::None;
    }
    return std::move(best);
  }

private:
  const PackingProblem &problem;
  std::optional<Packing> best;
  int64_t bestBytes = 0, nodes = 0;
  bool isOptimal = false, isProvedOver = false, isLimitHit = false;
};

SolveOptions optionsFor(const AutoPlace &place, size_t items,
                        SolveOptions options) {
  constexpr int64_t kTimes = 10;
  const int64_t useful =
      std::max(place.usefulNodes, place.usefulNodesOfItem * int64_t(items));
  const int64_t most =
      options.nodeLimit < useful / kTimes ? options.nodeLimit * kTimes : useful;
  options.nodeLimit = std::max(options.nodeLimit, most);
  return options;
}

/// What is low enough; 0: nothing but the bound.
int64_t enoughBytes(const PackingProblem &problem,
                    const SolveOptions &options) {
  if (problem.items.size() <= kHugePool || options.deadline.isSet())
    return options.enoughBytes;
  const int64_t bound = problem.lowerBoundBytes;
  const int64_t near =
      checkedAdd(bound, bound / kNearShare).value_or(kMaxOffset);
  return std::max(options.enoughBytes,
                  std::min(near, problem.capacityBytes.value_or(near)));
}

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &given) {
  SolveOptions options = given;
  options.enoughBytes = enoughBytes(problem, given);
  Contest contest(problem);
  for (const Strategy *member : membersFor(problem, options)) {
    SolveOptions ofMember =
        optionsFor(*member->inAuto, problem.items.size(), options);
    ofMember.other = contest.offsets();
    contest.offer(member->pack(problem, ofMember), member->name);
    contest.tell(options.progress);
    if (contest.isDecided(options))
      break;
  }
  // What the first pass had no time for is piled up; a sweep takes hardly any.
  if (options.deadline.isOver() && !contest.isAtBound() && isSwept(problem) &&
      (!options.deadline.isSet() || !isForSweep(problem)))
    contest.offer(StrategyRegistry::find("best-fit")->pack(problem, options),
                  "best-fit");
  return contest.result(options);
}

const RegisterStrategy registration({
    "auto",
    "runs the others, cheap ones first, until one is proved the best; the best "
    "wins",
    pack,
    // What any of them looks at.
    {true, true, true, true},
});

} // namespace
} // namespace tpu_mlir::planning
