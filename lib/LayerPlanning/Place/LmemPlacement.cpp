//===- LmemPlacement.cpp - Addresses in one lane's memory -----------------===//

#include "lib/LayerPlanning/Place/LmemPlacementGreedy.h"
#include "lib/LayerPlanning/Place/LmemPlacementSearch.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"

#include <algorithm>

namespace tpu_mlir::layer {

namespace {

/// Nodes of the first round of a search for fewer conflicts.
constexpr int64_t kFirstRoundNodes = 1000;

class Placer {
public:
  Placer(const LmemProblem &problem, const LmemOptions &options)
      : problem(problem), options(options),
        limitBytes(std::min(
            problem.laneBytes(),
            options.highWaterLimitBytes.value_or(problem.laneBytes()))),
        asked(problem), folded(foldLmem(problem, limitBytes)), greedy(folded) {
    asked.pools[0].capacityBytes = limitBytes;
  }

  LmemResult run() {
    const planning::LiveBound bound = planning::liveBound(asked, 0);
    lowerBoundBytes = bound.bytes;
    if (bound.bytes > limitBytes)
      return overBound(bound);
    if (!options.minimizePeak)
      best = greedy.best();
    if (!best)
      if (auto failure = packByCore())
        return *failure;
    if (!best)
      return LmemInvalid{{"the planning core gave no plan for '" +
                          problem.name + "': an error in this program"}};
    lowerCost();
    return answer();
  }

private:
  int64_t nodesLeft() const {
    return std::max<int64_t>(0, options.nodeLimit - nodes());
  }
  int64_t nodes() const { return coreNodes + greedy.nodes() + searchNodes; }

  LmemInfeasible overBound(const planning::LiveBound &bound) const {
    LmemInfeasible result;
    result.needBytes = bound.bytes;
    result.haveBytes = limitBytes;
    result.peakStep = bound.peakStep;
    result.alive = bound.peakSet;
    result.boundExceeds = bound.liveSumBytes > limitBytes;
    result.isProved = true;
    return result;
  }

  /// The planning core knows nothing of banks: it finds the lowest packing, or
  /// any that fits.
  std::optional<LmemInfeasible> packByCore() {
    planning::SolveOptions ask;
    ask.strategy = "exact";
    // Lowering the peak may take any number; the conflicts get their part.
    ask.nodeLimit = std::max<int64_t>(1, options.minimizePeak ? nodesLeft() / 2
                                                              : nodesLeft());
    ask.fitIsEnough = !options.minimizePeak;
    const auto result = planning::solve(asked, ask);
    if (const auto *failure = std::get_if<planning::Infeasible>(&result))
      return infeasible(*failure);
    // Not set: the core refused its own plan, or the problem that has passed
    // checkProblem. An error of ours, told by run().
    if (const auto *plan = std::get_if<planning::Plan>(&result)) {
      coreNodes += plan->nodes;
      takePlan(*plan);
    }
    return std::nullopt;
  }

  LmemInfeasible infeasible(const planning::Infeasible &failure) const {
    LmemInfeasible result;
    result.needBytes = failure.needBytes;
    result.haveBytes = failure.haveBytes;
    result.peakStep = failure.peakStep;
    result.alive = failure.witness;
    result.boundExceeds = failure.boundExceeds;
    result.isProved = failure.isProved || failure.boundExceeds;
    return result;
  }

  void takePlan(const planning::Plan &plan) {
    Candidate found;
    found.addresses.resize(folded.blocks.size());
    for (size_t buffer = 0; buffer < folded.blockOf.size(); ++buffer)
      found.addresses[folded.blockOf[buffer]] =
          plan.placements[buffer].offsetBytes;
    found.cost = folded.cost(found.addresses);
    found.highWaterBytes = folded.highWater(found.addresses);
    if (options.minimizePeak) {
      limitBytes = folded.limitBytes = found.highWaterBytes;
      isLowestPeak = plan.proof == planning::Proof::Optimal;
      isLimitHit |= plan.proof == planning::Proof::LimitHit;
    }
    best = std::move(found);
  }

  /// Changing what there is finds good placements fast, searching in order
  /// ends with certainty: both in turn, each longer than before, so that small
  /// problems end early.
  void lowerCost() {
    const int64_t leastCost = folded.leastCost();
    BankSearch search(folded);
    isLeastCost = best->cost <= leastCost;
    for (int64_t each = kFirstRoundNodes; !isLeastCost; each *= 4) {
      if (nodesLeft() == 0) {
        isLimitHit = true;
        return;
      }
      best = greedy.improve(std::move(*best), leastCost,
                            std::min(each, nodesLeft()));
      if (best->cost > leastCost)
        isLeastCost = searchOnce(search, std::min(4 * each, nodesLeft()));
      isLeastCost |= best->cost <= leastCost;
    }
  }

  bool searchOnce(BankSearch &search, int64_t nodeLimit) {
    const auto outcome = search.run(best->cost, nodeLimit);
    searchNodes = search.nodes();
    if (search.hasFound())
      best = Candidate{search.addresses(), folded.cost(search.addresses()),
                       folded.highWater(search.addresses())};
    return outcome != BankSearch::Outcome::Stopped;
  }

  LmemResult answer() const {
    LmemPlacement result;
    result.addresses = folded.unfold(best->addresses);
    result.highWaterBytes = best->highWaterBytes;
    result.lowerBoundBytes = lowerBoundBytes;
    result.conflicts = countConflicts(problem, result.addresses);
    result.isPeakProved =
        isLowestPeak || best->highWaterBytes <= lowerBoundBytes;
    result.isCostProved = isLeastCost;
    result.isLimitHit = isLimitHit;
    result.nodes = nodes();
    std::vector<std::string> errors = checkAddresses(problem, result.addresses);
    if (!errors.empty())
      return LmemInvalid{std::move(errors)};
    return result;
  }

  const LmemProblem &problem;
  const LmemOptions &options;
  int64_t limitBytes;
  planning::Problem asked; ///< Within the limit, of no banks.
  FoldedLmem folded;
  GreedyPlacer greedy;
  std::optional<Candidate> best;
  int64_t lowerBoundBytes = 0;
  int64_t coreNodes = 0, searchNodes = 0;
  bool isLowestPeak = false, isLeastCost = false, isLimitHit = false;
};

} // namespace

LmemResult placeLmem(const LmemProblem &problem, const LmemOptions &options) {
  std::vector<std::string> errors = checkProblem(problem);
  if (options.highWaterLimitBytes && *options.highWaterLimitBytes < 0)
    errors.push_back("the limit is " +
                     std::to_string(*options.highWaterLimitBytes) +
                     " bytes, below 0");
  if (!errors.empty())
    return LmemInvalid{std::move(errors)};
  return Placer(problem, options).run();
}

} // namespace tpu_mlir::layer
