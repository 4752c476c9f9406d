//===- GroupPlan.cpp - Running one group of layers from local memory ------===//

#include "tpu_mlir/LayerPlanning/GroupPlan.h"

#include "lib/LayerPlanning/Grid/GridSearch.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/Dealing.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tpu_mlir::layer {

namespace {

/// Lives of `buffer` as the placement wants them.
std::vector<Interval> lifespans(const LocalBuffer &buffer,
                                const TimeSteps &steps) {
  if (!steps.isLoop)
    return {{buffer.start, buffer.last + 1}};
  const int64_t rows =
      buffer.isHeld ? steps.numRows : buffer.last - buffer.start + 1;
  return circularLife(buffer.start, rows, steps.numRows);
}

/// The wishes of one group: who should not share a bank with whom, and how many
/// cycles of a section wait when they do.
class BankWishes {
public:
  BankWishes(const LayerGraph &graph, const GroupDraft &draft,
             const target::ChipSpec &chip)
      : graph(graph), draft(draft), chip(chip),
        dealing(countSections(draft.slices.sections), chip.usedCores),
        scratchOf(draft.order.size()), transfersOf(draft.steps.numRows) {
    findScratch();
    for (const auto *transfers : {&draft.steps.loads, &draft.steps.stores})
      for (const Transfer &transfer : *transfers)
        transfersOf[transfer.row].push_back(&transfer);
  }

  std::vector<BankPair> run() {
    for (size_t i = 0; i < draft.order.size(); ++i)
      addLayer(i);
    return std::move(pairs);
  }

private:
  const TensorSlices &slicesOf(TensorId tensor) const {
    return draft.slices.tensors[draft.slices.indexOf[tensor]];
  }

  void findScratch() {
    size_t position = 0;
    for (size_t b = 0; b < draft.steps.buffers.size(); ++b) {
      const LayerId owner = draft.steps.buffers[b].scratchOf;
      if (owner < 0)
        continue;
      while (draft.order[position] != owner)
        ++position;
      scratchOf[position] = static_cast<int64_t>(b);
    }
  }

  void addLayer(size_t position) {
    const LayerId id = draft.order[position];
    const Layer &layer = graph.layers[id];
    const int64_t work =
        computeCycles(graph, layer, slicesOf(layer.result).maxExtents(), chip);
    std::vector<int64_t> touched{draft.slices.indexOf[layer.result]};
    for (const LayerOperand &operand : layer.operands)
      touched.push_back(draft.slices.indexOf[operand.tensor]);
    if (scratchOf[position])
      touched.push_back(*scratchOf[position]);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (size_t i = 0; i < touched.size(); ++i)
      for (size_t j = i + 1; j < touched.size(); ++j)
        add(touched[i], touched[j], work);
    for (const Transfer *transfer :
         transfersOf[draft.steps.rowOfLayer[position]])
      addTransfer(touched, *transfer, work);
  }

  void addTransfer(const std::vector<int64_t> &touched,
                   const Transfer &transfer, int64_t work) {
    const int64_t moved = draft.slices.indexOf[transfer.tensor];
    const int64_t bytes = draft.steps.buffers[moved].sizeBytes * chip.lanes;
    int64_t wait =
        std::min(work, transferCycles(bytes, chip, dealing.activeCores(),
                                      graph.tensors[transfer.tensor].isInL2));
    // Costs are of each section, but what is held is loaded once.
    if (transfer.isHeld)
      wait = ceilDiv(wait, dealing.sectionsOfFirst());
    for (int64_t buffer : touched)
      if (buffer != moved)
        add(buffer, moved, wait);
  }

  void add(int64_t a, int64_t b, int64_t cycles) {
    // A result written over its operand is one buffer with it.
    if (draft.steps.buffers[a].overwrites == b ||
        draft.steps.buffers[b].overwrites == a)
      return;
    pairs.push_back({a, b, std::max<int64_t>(1, cycles)});
  }

  const LayerGraph &graph;
  const GroupDraft &draft;
  const target::ChipSpec &chip;
  const target::Dealing dealing;
  /// By position in the range; scratch comes in its order.
  std::vector<std::optional<int64_t>> scratchOf;
  std::vector<std::vector<const Transfer *>> transfersOf; ///< By row.
  std::vector<BankPair> pairs;
};

LmemProblem lmemProblemOf(const LayerGraph &graph, const GroupDraft &draft,
                          const target::ChipSpec &chip) {
  LmemProblem problem;
  problem.name = graph.layers[draft.range.front()].name;
  problem.setChip(chip);
  if (draft.steps.isLoop)
    problem.period = draft.steps.numRows;
  std::vector<planning::BufferId> below;
  for (const LocalBuffer &buffer : draft.steps.buffers) {
    problem.add(buffer.tensor >= 0
                    ? graph.tensors[buffer.tensor].name
                    : "scratch of " + graph.layers[buffer.scratchOf].name,
                buffer.sizeBytes, lifespans(buffer, draft.steps));
    below.push_back(buffer.overwrites);
  }
  putInPlace(problem, below);
  problem.bankPairs = BankWishes(graph, draft, chip).run();
  return problem;
}

/// With the cycles that wait for banks, in all sections of a core.
void addWaits(GroupPlan &plan, const target::ChipSpec &chip) {
  const target::Dealing dealing(countSections(plan.draft.slices.sections),
                                chip.usedCores);
  plan.cost = plan.draft.cost;
  plan.cost +=
      {0, 0,
       saturatedMul(plan.placement.conflicts.cost, dealing.sectionsOfFirst()),
       0};
}

/// Of the node limit, while grids and cuts are compared.
constexpr int64_t kExploringShare = 16;

LmemResult place(const LmemProblem &problem, int64_t nodeLimit) {
  LmemOptions limits;
  limits.nodeLimit = nodeLimit / kExploringShare;
  LmemResult result = placeLmem(problem, limits);
  const auto *over = std::get_if<LmemInfeasible>(&result);
  if (!over || over->isProved)
    return result;
  limits.nodeLimit = nodeLimit;
  return placeLmem(problem, limits);
}

/// Finds the plan of one group in a graph that may have copies.
std::variant<GroupPlan, GroupRefusal>
planOn(const LayerGraph &graph, const LayerRange &range,
       const target::ChipSpec &chip, const GroupOptions &options,
       const GridHint &hint, const Cost &separate) {
  GridSearch search(graph, range, chip, options, hint, separate);
  GroupPlan plan;
  const auto tryDraft = [&]() -> LmemResult {
    if (!chainsLeaveRoom(plan.draft.steps))
      return LmemInvalid{{"a chain in place is longer than the rows"}};
    return place(lmemProblemOf(graph, plan.draft, chip), options.nodeLimit);
  };
  std::optional<GroupPlan> best;
  std::set<std::pair<Sections, std::vector<bool>>> tried;
  for (auto finer : {GridSearch::Finer::IfFree, GridSearch::Finer::Always}) {
    for (const GridSearch::Candidate &candidate : search.run(finer)) {
      // Waits come on top: no later one can be better.
      if (best &&
          !isBetter(candidate.cost, best->cost, options.objective, chip))
        break;
      if (!tried.emplace(candidate.sections, candidate.isReloaded).second)
        continue;
      plan.draft = search.draft(candidate);
      LmemResult result = tryDraft();
      if (!std::holds_alternative<LmemPlacement>(result)) {
        // Shorter lives are easier to place.
        plan.draft = search.draft(candidate, /*isBalanced=*/false);
        plan.draft.cost =
            groupCost(graph, range, plan.draft.slices, plan.draft.steps, chip);
        result = tryDraft();
      }
      auto *placement = std::get_if<LmemPlacement>(&result);
      if (!placement) {
        ++plan.numPoorPackings;
        if (const auto *over = std::get_if<LmemInfeasible>(&result))
          search.rememberPacking(plan.draft, over->needBytes);
        continue;
      }
      plan.placement = std::move(*placement);
      addWaits(plan, chip);
      plan.recomputePercent =
          search.recomputePercent(plan.draft.cost.computeCycles);
      if (!best || isBetter(plan.cost, best->cost, options.objective, chip))
        best = plan;
    }
    // A grid that would be cheaper, but has no placement, may have neighbours
    // that do.
    if (best &&
        (plan.numPoorPackings == 0 || options.objective != Objective::Traffic))
      return std::move(*best);
  }
  if (best)
    return std::move(*best);
  return search.refusal();
}

/// What was decided for a group in a graph that may have copies; nullopt when
/// it does not hold there.
std::optional<GroupPlan>
rebuildOn(const LayerGraph &graph, const LayerRange &range,
          const target::ChipSpec &chip, const GroupOptions &options,
          const GroupDecision &decision, const Cost &separate) {
  GridSearch search(graph, range, chip, options, {}, separate);
  std::optional<GroupDraft> draft = search.draftOf(
      decision.sections, decision.isReloaded, decision.isBalanced);
  if (!draft || !chainsLeaveRoom(draft->steps))
    return std::nullopt;
  const LmemProblem problem = lmemProblemOf(graph, *draft, chip);
  GroupPlan plan;
  plan.draft = std::move(*draft);
  plan.draft.hint = decision.hint;
  plan.placement = decision.placement;
  const std::vector<int64_t> &addresses = plan.placement.addresses;
  if (addresses.size() != problem.buffers.size() ||
      !checkAddresses(problem, addresses).empty() ||
      !(plan.placement.conflicts == countConflicts(problem, addresses)))
    return std::nullopt;
  int64_t top = 0;
  for (size_t i = 0; i < addresses.size(); ++i)
    top = std::max(top, addresses[i] + problem.buffers[i].sizeBytes);
  addWaits(plan, chip);
  plan.numPoorPackings = decision.numPoorPackings;
  plan.recomputePercent =
      search.recomputePercent(plan.draft.cost.computeCycles);
  const Cost &said = decision.cost;
  if (top != plan.placement.highWaterBytes ||
      plan.cost.loadBytes != said.loadBytes ||
      plan.cost.storeBytes != said.storeBytes ||
      plan.cost.cycles != said.cycles ||
      plan.cost.computeCycles != said.computeCycles ||
      plan.recomputePercent > options.maxRecomputePercent)
    return std::nullopt;
  return plan;
}

} // namespace

/// The graph with the copies or line buffers of one group, until the end of the
/// scope.
class GroupPlanner::Changed {
public:
  Changed(const GroupPlanner &planner, const LayerRange &range,
          const GroupChanges &changes)
      : graph(graphOf(planner)), changes(changes) {
    addCopies(graph, changes.copies);
    order = addLineBuffers(graph, range, changes.lines);
  }
  Changed(const Changed &) = delete;
  Changed &operator=(const Changed &) = delete;
  ~Changed() {
    removeLineBuffers(graph, changes.lines);
    removeCopies(graph, changes.copies);
  }

  /// As GroupPlanner::separateCost; line buffers are no layers of their own.
  Cost separateCost(const target::ChipSpec &chip) const {
    Cost sum;
    for (LayerId layer : order)
      if (!graph.layers[layer].isLineBuffer)
        sum += globalCost(graph, layer, chip);
    return sum;
  }

  LayerGraph &graph;
  LayerRange order;

private:
  static LayerGraph &graphOf(const GroupPlanner &planner) {
    if (!planner.changing)
      planner.changing = std::make_unique<LayerGraph>(planner.graph);
    return *planner.changing;
  }

  const GroupChanges changes;
};

std::vector<GroupChanges>
GroupPlanner::changesBeside(const LayerRange &range,
                            const Sections *sections) const {
  if (sections && countSections(*sections) == 1)
    return {};
  std::vector<GroupChanges> changes = lineChanges(range);
  if (auto copies = inputCopies(graph, range); !copies.empty())
    changes.insert(changes.begin(), {std::move(copies), {}, 0});
  return changes;
}

std::vector<GroupChanges>
GroupPlanner::lineChanges(const LayerRange &range) const {
  std::vector<GroupChanges> changes;
  if (!options.lineBuffers || chip.usedCores > 1)
    return changes;
  for (Lines &lines : lineBufferChoices(graph, range, chip))
    changes.push_back(
        {{}, std::move(lines), static_cast<int>(changes.size()) + 1});
  return changes;
}

Cost GroupPlanner::separateCost(const LayerRange &range) const {
  costs.resize(graph.layers.size());
  Cost sum;
  for (LayerId layer : range) {
    std::optional<Cost> &cost = costs[layer];
    if (!cost)
      cost = globalCost(graph, layer, chip);
    sum += *cost;
  }
  return sum;
}

LmemProblem GroupPlanner::lmemProblem(const GroupDraft &draft) const {
  if (draft.changes.empty())
    return lmemProblemOf(graph, draft, chip);
  const Changed changed(*this, draft.range, draft.changes);
  return lmemProblemOf(changed.graph, draft, chip);
}

std::variant<GroupDraft, GroupRefusal>
GroupPlanner::best(const LayerRange &range, const GridHint &hint,
                   bool isComplete) const {
  using Candidates = std::vector<GridSearch::Candidate>;
  GridSearch search(graph, range, chip, options, hint, separateCost(range));
  const Candidates plain = search.run(GridSearch::Finer::IfFree);
  const bool isPlain = !plain.empty();
  std::optional<GroupDraft> best;
  Cost cost = isPlain ? plain.front().cost : Cost();
  for (const GroupChanges &changes :
       changesBeside(range, isPlain ? &plain.front().sections : nullptr)) {
    const Changed changed(*this, range, changes);
    GridSearch other(changed.graph, changed.order, chip, options, hint,
                     changed.separateCost(chip));
    const Candidates others = other.run(GridSearch::Finer::IfFree);
    if (others.empty() ||
        ((isPlain || best) &&
         !isBetter(others.front().cost, cost, options.objective, chip)))
      continue;
    cost = others.front().cost;
    best = isComplete ? other.draft(others.front())
                      : other.outline(others.front());
    best->range = range;
    best->changes = changes;
    // More layers may well do without changes.
    if (isPlain)
      best->hint = search.hintForNext();
  }
  if (best)
    return std::move(*best);
  if (!isPlain)
    return search.refusal();
  return isComplete ? search.draft(plain.front())
                    : search.outline(plain.front());
}

std::variant<GroupDraft, GroupRefusal>
GroupPlanner::draft(const LayerRange &range, const GridHint &hint) const {
  return best(range, hint, true);
}

std::optional<GroupEstimate>
GroupPlanner::estimate(const LayerRange &range, const GridHint &hint) const {
  auto result = best(range, hint, false);
  const auto *found = std::get_if<GroupDraft>(&result);
  if (!found)
    return std::nullopt;
  return GroupEstimate{found->cost, found->hint};
}

std::variant<GroupPlan, GroupRefusal>
GroupPlanner::plan(const LayerRange &range, const GridHint &hint) const {
  auto result = planOn(graph, range, chip, options, hint, separateCost(range));
  const auto *plain = std::get_if<GroupPlan>(&result);
  const Sections sections =
      plain ? plain->draft.slices.sections : Sections{1, 1, 1, 1, 1};
  const GridHint next = plain ? plain->draft.hint : GridHint();
  const bool isPlain = plain != nullptr;
  for (const GroupChanges &changes :
       changesBeside(range, isPlain ? &sections : nullptr)) {
    const Changed changed(*this, range, changes);
    auto other = planOn(changed.graph, changed.order, chip, options, hint,
                        changed.separateCost(chip));
    auto *otherPlan = std::get_if<GroupPlan>(&other);
    const auto *best = std::get_if<GroupPlan>(&result);
    if (!otherPlan || (best && !isBetter(otherPlan->cost, best->cost,
                                         options.objective, chip)))
      continue;
    otherPlan->draft.range = range;
    otherPlan->draft.changes = changes;
    if (isPlain)
      otherPlan->draft.hint = next;
    result = std::move(other);
  }
  return result;
}

GroupDecision decisionOf(const GroupPlan &plan) {
  GroupDecision decision;
  decision.sections = plan.draft.slices.sections;
  decision.hasCopies = !plan.draft.changes.copies.empty();
  decision.lineChoice = plan.draft.changes.lineChoice;
  decision.isBalanced = plan.draft.isBalanced;
  decision.isReloaded = plan.draft.isReloaded;
  decision.hint = plan.draft.hint;
  decision.placement = plan.placement;
  decision.numPoorPackings = plan.numPoorPackings;
  decision.cost = plan.cost;
  return decision;
}

std::optional<GroupPlan>
GroupPlanner::rebuild(const LayerRange &range,
                      const GroupDecision &decision) const {
  GroupChanges changes;
  if (decision.hasCopies)
    changes.copies = inputCopies(graph, range);
  for (const GroupChanges &one : lineChanges(range))
    if (one.lineChoice == decision.lineChoice)
      changes = one;
  if (changes.lineChoice != decision.lineChoice)
    return std::nullopt;
  if (changes.empty())
    return rebuildOn(graph, range, chip, options, decision,
                     separateCost(range));
  const Changed changed(*this, range, changes);
  auto plan = rebuildOn(changed.graph, changed.order, chip, options, decision,
                        changed.separateCost(chip));
  if (plan) {
    plan->draft.range = range;
    plan->draft.changes = changes;
  }
  return plan;
}

void GroupPlanner::refine(GroupPlan &plan) const {
  if (plan.placement.conflicts.cost == 0)
    return;
  LmemOptions limits;
  limits.nodeLimit = options.nodeLimit;
  LmemResult result = placeLmem(lmemProblem(plan.draft), limits);
  auto *placement = std::get_if<LmemPlacement>(&result);
  if (!placement || placement->conflicts.cost >= plan.placement.conflicts.cost)
    return;
  plan.placement = std::move(*placement);
  addWaits(plan, chip);
}

} // namespace tpu_mlir::layer
