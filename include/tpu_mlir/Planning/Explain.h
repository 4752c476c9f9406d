//===- Explain.h - Why a problem fits or does not ---------------*- C++ -*-===//
//
//     bytes    capacity 10
//     ^ ....................      Three ways to be too large. The live sum is
//     |   +----+                  over: these three alone are, whatever a
//     |   | c  |                  planner does. The live sum fits, but no
//     |   +----+--+               packing does: some set of buffers can be
//     shown
//     +-----+  b  |               to be in each other's way. Or this strategy
//     |  a  +-----+               found no packing, and nothing is known.
//     +-----+-----> steps
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_EXPLAIN_H
#define TPU_MLIR_PLANNING_EXPLAIN_H

#include "tpu_mlir/Planning/Strategy.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tpu_mlir::planning {

enum class Fit {
  Fits,       ///< There is a plan within the capacity.
  BoundOver,  ///< The live sum alone is over the capacity.
  ProvedOver, ///< The live sum fits; the bound or a search says nothing does.
  PackingFailed, ///< The strategy found no plan that fits; others may.
  NotKnown,      ///< Another pool failed before this one was packed.
};

/// "fits", "bound-over", "proved-over", "packing-failed", "not-known".
std::string_view fitName(Fit fit);

/// One piece of storage that is alive at a peak.
struct LiveStorage {
  BufferId root = 0;
  int64_t sizeBytes = 0;
  std::vector<Interval> lifespans; ///< Of the root and its aliases, joined.
};

/// What a plan makes of one pool.
struct PoolPacking {
  int64_t usedBytes = 0;
  /// Lower bound for just what the plan put here (see LiveBound).
  int64_t boundBytes = 0;
  /// usedBytes - boundBytes: what a better packing of the same storage could
  /// save at most.
  int64_t fragmentationBytes = 0;
  /// Storage that ends at the high-water mark, ascending.
  std::vector<BufferId> topmost;
  /// Bytes that go to and come from this pool in one run: the sum of
  /// servedBytes() of what is here, at most INT64_MAX.
  int64_t servedBytes = 0;
};

struct PoolExplanation {
  PoolId pool = 0;
  /// What no plan can beat, from the storage that has to be in this pool.
  int64_t lowerBoundBytes = 0;
  /// LiveBound::liveSumBytes; less where alignments, pins or pairs that must
  /// not share force more.
  int64_t liveSumBytes = 0;
  /// nullopt: as much as 63 bits can say.
  std::optional<int64_t> capacityBytes;
  int64_t peakStep = 0;
  /// Plain sum of `peakSet`, without padding.
  int64_t liveBytes = 0;
  /// Alive at peakStep, largest first, ties by id.
  std::vector<LiveStorage> peakSet;
  Fit fit = Fit::NotKnown;
  /// The least that was reached when the packing failed.
  std::optional<int64_t> bestBytes;
  std::optional<PoolPacking> packing;
};

struct Explanation {
  std::vector<PoolExplanation> pools; ///< In pool order.
  /// What the problem itself is accused of; `pools` is empty then.
  std::vector<ProblemError> errors;
};

struct ExplainOptions {
  /// Explain this plan, which has an allowed pool for each buffer; whether it
  /// is valid is for validate() to say. nullptr: solve with `solve` first.
  const Plan *plan = nullptr;
  SolveOptions solve;
};

/// Pool by pool. What solve() costs, plus O(n log n) a pool.
Explanation explain(const Problem &problem, const ExplainOptions &options = {});

/// Storage that does not fit a pool together, whatever a planner does.
struct InfeasibleSubset {
  PoolId pool = 0;
  /// True: all are alive at `peakStep`, and their sum is over. False: it took
  /// a search to show it.
  bool isLiveSum = false;
  /// Without any one of them the rest was found to fit: each one matters.
  bool isIrreducible = false;
  /// Roots. Largest first for a live sum, else ascending.
  std::vector<BufferId> buffers;
  /// Live sum of the subset, with the padding that alignment asks for.
  int64_t boundBytes = 0;
  int64_t haveBytes = 0;
  int64_t peakStep = 0;
};

/// Why there is no subset to show.
enum class NoSubset {
  Fits,      ///< All of it fits.
  NotProved, ///< A limit was hit, or the strategy cannot prove anything.
  BadProblem ///< check() objects, the pool is not there, or the strategy.
};

/// Of the storage that has to be in `pool`, a subset that cannot fit.
///
/// What is pinned beyond the pool's end is one by itself. When the live sum is
/// over: the largest at the peak, as few as are over; fewer of up to 64 of them
/// where reserved bytes, pins, overlaps or several alignments are in their way.
/// Else a deletion filter: parts are left out, large ones first, single ones at
/// the end, as long as `options.strategy` proves that the rest still does not
/// fit ("auto" stands for "exact"; its limits count for each question). At most
/// O(n) questions when nothing can be left out, O(k log n) for k that matter.
/// J. W. Chinneck, E. W. Dravnieks: Locating minimal infeasible constraint sets
/// in linear programs, 1991.
std::variant<InfeasibleSubset, NoSubset>
infeasibleSubset(const Problem &problem, PoolId pool,
                 const SolveOptions &options = {});

/// How large a pool would have to be, the others as they are.
struct PoolRequirement {
  PoolId pool = 0;
  int64_t haveBytes = 0;
  /// No plan exists with less.
  int64_t atLeastBytes = 0;
  /// solve() was asked with this capacity and has found a plan; the least for
  /// which it has. nullopt: it found none with an unlimited pool either, so
  /// another pool is too small as well.
  std::optional<int64_t> worksWithBytes;
};

/// What would help where a problem does not fit.
struct Remedies {
  Infeasible failure; ///< What they are for.
  /// Each pool that has a capacity, in pool order.
  std::vector<PoolRequirement> capacities;
  /// What could be somewhere else altogether. Of the storage that has to be in
  /// the pool that failed the largest at each peak, until the live sum fits;
  /// then what else was in the way, at most kMostMoves times, until solve()
  /// finds a plan for the rest. In that order.
  std::vector<BufferId> toMove;
  /// Without `toMove` solve() has found a plan.
  bool isMovingEnough = false;
};

/// For a `failure` of solve() with these options. Each capacity is found by
/// planning with the pool unlimited and as the last resort; where buffers have
/// a choice, by bisection after that: up to kMostQuestions plans for each pool,
/// fewer for large problems, with nodeLimit at most kNodesOfQuestion each.
Remedies remedies(const Problem &problem, const Infeasible &failure,
                  const SolveOptions &options = {});
constexpr int kMostQuestions = 40;
constexpr size_t kMostMoves = 8;
constexpr int64_t kNodesOfQuestion = 200'000;

/// The explanation as JSON (tpu_mlir/schema/explanation.schema.json), for
/// tools. `plan` is what was explained, if there was one; `help` may be null.
std::string printExplanationJson(const Problem &problem,
                                 const Explanation &explanation,
                                 const Plan *plan, const Remedies *help);

enum class Relaxed {
  NotThere,  ///< The pool has no constraint of this kind.
  Fits,      ///< Without it there is a plan within the capacity.
  StillOver, ///< Proved: it would not help.
  NotKnown,
};

/// What would happen if one kind of constraint alone were dropped.
struct Relaxations {
  Relaxed pins = Relaxed::NotThere;
  Relaxed forbiddenSharing = Relaxed::NotThere;
  Relaxed alignment = Relaxed::NotThere; ///< The buffers' and the pool's.
};

/// For the storage that has to be in `pool`; strategy as for infeasibleSubset.
/// Where that proves nothing, the portfolio "auto" tries to find a plan.
Relaxations relaxations(const Problem &problem, PoolId pool,
                        const SolveOptions &options = {});

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_EXPLAIN_H
