//===- Strategy.h - Named ways to turn a Problem into a Plan ----*- C++ -*-===//
//
// A strategy sees one pool and no aliases: solve() folds alias classes into
// single items, splits the problem by pool, runs the strategy, puts the
// answer together and validates it. One .cpp file a strategy, registered by a
// static object; help texts, tests and documents iterate over the registry.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_STRATEGY_H
#define TPU_MLIR_PLANNING_STRATEGY_H

#include "tpu_mlir/Planning/Deadline.h"
#include "tpu_mlir/Planning/Plan.h"

#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tpu_mlir::planning {

/// One piece of storage in a single-pool problem.
struct Item {
  int64_t sizeBytes = 0;
  int64_t alignment = 1; ///< lcm of the buffers' and the pool's.
  std::vector<Interval> lifespans;
  /// Ascending. Empty: the last step of the last lifespan is the only read.
  std::vector<int64_t> readSteps;
  std::optional<int64_t> pinOffset;
  /// Bytes of the pool that nobody may use, as a pinned item that is always
  /// alive; does not count for the high-water mark.
  bool isReserved = false;
};

/// Overlap, by indices of items.
struct ItemOverlap {
  int64_t lower = 0, upper = 0;
  int64_t distanceBytes = 0;
};

/// A single-pool problem: all a strategy sees.
struct PackingProblem {
  std::vector<Item> items;
  std::optional<int64_t> capacityBytes;
  /// Pairs of items (a < b) that must not share bytes.
  std::vector<std::pair<int64_t, int64_t>> forbiddenSharing;
  std::optional<int64_t> period;
  /// No packing can end below this: the bounds of Bounds.h.
  int64_t lowerBoundBytes = 0;
  /// Pairs that may share bytes although they are alive together. A strategy
  /// takes no notice: solve() packs its answer once more with them.
  std::vector<ItemOverlap> overlaps = {};
  /// Those of the forbidden pairs that were asked for as they are. The others
  /// keep more apart, so that what is proved of this problem need not hold for
  /// the one that it was made from.
  std::vector<std::pair<int64_t, int64_t>> exactPairs = {};
  bool isStricter() const {
    return exactPairs.size() != forbiddenSharing.size();
  }

  /// Offset + size of the highest item that is not reserved. Offsets as of
  /// Packing.
  int64_t highWater(const std::vector<int64_t> &offsets) const;
};

/// One offset an item. A strategy ignores the capacity unless it can do
/// better with it: solve() compares the high-water mark.
struct Packing {
  /// Empty, with SolveOptions::other only, where nothing lower was found.
  std::vector<int64_t> offsets;
  Proof proof = Proof::None;
  std::string winner; ///< Only "auto" fills it.
  /// A search has shown that no packing fits the capacity, though `offsets` may
  /// not be the lowest packing.
  bool isProvedOver = false;
  /// Steps of a search, in the strategy's own unit; 0 for one-pass methods. A
  /// measure of work that does not depend on the machine.
  int64_t nodes = 0;
};

/// Parts of the exact search that can be switched off. The optimum is the same
/// with any of them off; only the number of nodes changes.
struct ExactOptions {
  /// Do not try an item that starts at or above the lowest possible top of
  /// another unplaced one.
  bool dominance = true;
  /// Bound each section by the lowest offset that its unplaced items have left.
  bool unplacedFloor = true;
  /// Solve parts of the schedule that share no unplaced item one by one.
  bool decomposition = true;
  /// Rank the items of a part anew by the loads that are left.
  bool reranking = true;
  /// Place items of the same life and size in index order only.
  bool symmetry = true;
  /// Begin again with other orders when a node limit is hit.
  bool restarts = true;
};

/// How a buffer with several candidate pools gets one.
///
/// The objective of `Value` and `Exact` is the access cost: the sum over all
/// buffers of servedBytes() times the accessCost of their pool. Where the pools
/// of no buffer differ in cost, the place in its list of candidates stands for
/// the cost.
enum class PoolPolicy {
  /// Value when candidates differ in cost, else Order. Should that find
  /// nothing, and there are few buffers with a choice, Exact.
  Auto,
  /// The first candidate; what does not fit moves on, what fits earlier moves
  /// back.
  Order,
  /// What is worth least per byte and step moves on; then a local search.
  /// Never dearer than Order.
  Value,
  /// Branch and bound over all choices, with the strategy "exact" to say
  /// whether a pool holds what it is given. Exponential; stops at the node
  /// limit with the best so far.
  Exact,
};

/// "auto", "order", "value", "exact".
std::string_view poolPolicyName(PoolPolicy policy);
std::optional<PoolPolicy> poolPolicyOfName(std::string_view name);

/// What a search has so far, for whoever looks on from another thread. Of one
/// pool; -1: nothing yet.
struct SearchProgress {
  std::atomic<int64_t> bestBytes{-1};
  std::atomic<int64_t> boundBytes{-1};
  std::atomic<int64_t> nodes{0};
};

/// Limits and knobs that all strategies understand. A strategy may ignore
/// what does not concern it.
struct SolveOptions {
  /// Registry name.
  std::string strategy = "auto";
  /// Seed for strategies that draw random numbers.
  uint64_t seed = 1;
  /// Search limit in nodes; counts, not seconds, so results repeat. A node is
  /// a step of about 100 ns: the default lets a search take a tenth of a second
  /// where the lower bound is not met at once.
  int64_t nodeLimit = 1'000'000;
  /// Wall-clock limit of one call of solve(), or of whatever else takes these
  /// options; the first packing is made in any case. With it results may differ
  /// from run to run: whoever wants the same bytes again limits nodes only.
  /// Where the node limit is more than a million, solve() goes round all pools
  /// and strategies with ever more nodes, so that none has all the time.
  std::optional<double> timeLimitSeconds;
  /// When that is; see timed(). It is over, too, once its stop token is asked.
  Deadline deadline;
  /// Threads that a search may use; 0: one for each core. Without a time limit
  /// the plan does not depend on it.
  int threads = 1;
  /// Any plan within the capacities will do: a search stops at the first one
  /// instead of looking for the lowest.
  bool fitIsEnough = false;
  /// The offsets of a packing that whoever asks has already: nothing that is
  /// not lower is of use, and at the deadline none is better than a late one,
  /// also the first. Has to outlive the call.
  const std::vector<int64_t> *other = nullptr;
  /// A packing of no more bytes is low enough: "auto" begins no other strategy
  /// then, and those that go through orders no other order.
  int64_t enoughBytes = 0;
  PoolPolicy poolPolicy = PoolPolicy::Auto;
  ExactOptions exact;
  /// Where "auto" and "exact" tell how far they are; has to outlive the call.
  SearchProgress *progress = nullptr;
};

/// The options with their time limit running: what calls solve() or a strategy
/// several times begins with this, so that all of them end together.
inline SolveOptions timed(SolveOptions options) {
  if (options.timeLimitSeconds && !options.deadline.isSet())
    options.deadline.endIn(*options.timeLimitSeconds);
  return options;
}

/// Which of the options beside the problem a strategy looks at.
struct StrategyKnobs {
  bool seed = false;
  /// nodeLimit, and the deadline.
  bool limits = false;
  bool threads = false;
  bool exactParts = false;

  StrategyKnobs operator|(const StrategyKnobs &o) const {
    return {seed || o.seed, limits || o.limits, threads || o.threads,
            exactParts || o.exactParts};
  }
};

/// Where "auto" runs a strategy.
struct AutoPlace {
  /// Lower first, ties by name.
  int rank = 0;
  /// Pools of more items do without it: its time would be out of proportion.
  size_t itemLimit = std::numeric_limits<size_t>::max();
  /// Nodes that it may use beyond a lower limit, up to ten times that: for a
  /// strategy whose proof spares the time that the others would take.
  int64_t usefulNodes = 0;
  /// The same for each item, where that is more.
  int64_t usefulNodesOfItem = 0;
};

struct Strategy {
  /// "best-fit": lower case, dashes. Like the summary, a literal.
  std::string_view name;
  /// One line for help texts: what it does and its complexity.
  std::string_view summary;
  /// Deterministic for (problem, options) as long as no deadline is over;
  /// searches end at it, with what they have. nullopt only when offsets leave
  /// 63 bits, or at the deadline with SolveOptions::other.
  std::optional<Packing> (*pack)(const PackingProblem &problem,
                                 const SolveOptions &options);
  /// What pack() looks at: setting anything else is told to have no effect.
  StrategyKnobs knobs = {};
  /// nullopt: "auto" never runs it.
  std::optional<AutoPlace> inAuto = std::nullopt;
  /// The order of the buffers is part of what it is asked. The others see the
  /// items in an order of their own contents, so that shuffling the buffers
  /// does not change the plan.
  bool followsBufferOrder = false;
  /// It promises that nothing ever shares a byte: Problem::overlaps are not for
  /// it.
  bool sharesNothing = false;
};

/// All strategies, by name. O(log n) each.
class StrategyRegistry {
public:
  static const Strategy *find(std::string_view name);
  /// Sorted by name.
  static std::vector<const Strategy *> all();
  /// "auto, best-fit, ...": for messages.
  static std::string names();
  static void add(const Strategy &strategy);
};

/// `const RegisterStrategy registration({"best-fit", ...});` in the strategy's
/// file.
struct RegisterStrategy {
  explicit RegisterStrategy(const Strategy &strategy) {
    StrategyRegistry::add(strategy);
  }
};

/// The problem made no sense, or the options did (unknown strategy).
struct InvalidProblem {
  std::vector<ProblemError> errors;
};
/// A strategy produced a plan that the validator rejected: our bug, reported
/// as such and never used.
struct InvalidPlan {
  std::string strategy;
  std::vector<std::string> violations;
};

using SolveResult = std::variant<Plan, Infeasible, InvalidProblem, InvalidPlan>;

/// check, fold, choose pools, pack each pool, put together, validate: always
/// all of them.
///
/// Order: a buffer with several candidate pools goes to its first one. While
/// the live sum of a pool is over its capacity, the largest buffer at the peak
/// that has a further candidate moves on to it. When the sum fits but the
/// packing does not, what lies beyond the capacity moves on; where that cannot
/// move, the largest buffers that live at the same time do, and the pool is
/// packed again. In the end whatever finds a gap in an earlier candidate moves
/// there: no buffer could be in an earlier one unless others moved.
///
/// Value: the same with the cheapest candidate first and the least valuable
/// buffer moving on, beside plans that put the most valuable buffers first,
/// each into the lowest gap of its cheapest pool that has one. The cheapest
/// plan of all, Order's among them, is improved by swaps and by other orders of
/// insertion, at most nodeLimit steps.
///
/// The strategy's time, for each pool some times; beyond that O(n log^2 n) for
/// lives as networks have them (see FirstFit.h) and the steps of the search.
SolveResult solve(const Problem &problem, const SolveOptions &options = {});

/// The allocation that tpu-mlir documents for neurons: reports say what it
/// would have taken.
constexpr const char *kClassicStrategy = "refcount-eol";

/// What that strategy uses of each pool, whatever the capacities; a buffer with
/// a choice is in its first pool. Empty when it has no plan. O((n + r) log n)
/// for r reads.
std::vector<int64_t> classicUse(Problem problem);

/// Fills PoolUse::classicBytes of a plan of the problem: for each pool what is
/// there. The problem is the same again afterwards; a copy of a large one would
/// be the most memory that a program needs.
void addClassicUse(Problem &problem, Plan &plan);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_STRATEGY_H
