//===- GroupPlan.cpp - Running one group of layers from local memory ------===//

#include "tpu_mlir/LayerPlanning/GroupPlan.h"

#include "lib/LayerPlanning/GridSearch.h"
#include "tpu_mlir/Support/Bytes.h"

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
      : graph(graph), draft(draft), chip(chip) {}

  std::vector<BankPair> run() {
    for (size_t i = 0; i < draft.range.size(); ++i)
      addLayer(i);
    return std::move(pairs);
  }

private:
  const TensorSlices &slicesOf(TensorId tensor) const {
    return draft.slices.tensors[draft.slices.indexOf[tensor]];
  }

  void addLayer(size_t position) {
    const LayerId id = draft.range[position];
    const Layer &layer = graph.layers[id];
    const int64_t row = draft.steps.rowOfLayer[position];
    const int64_t work =
        computeCycles(graph, layer, slicesOf(layer.result).maxExtents(), chip);
    std::vector<int64_t> touched{draft.slices.indexOf[layer.result]};
    for (const LayerOperand &operand : layer.operands)
      touched.push_back(draft.slices.indexOf[operand.tensor]);
    for (size_t b = 0; b < draft.steps.buffers.size(); ++b)
      if (draft.steps.buffers[b].scratchOf == id)
        touched.push_back(static_cast<int64_t>(b));
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (size_t i = 0; i < touched.size(); ++i)
      for (size_t j = i + 1; j < touched.size(); ++j)
        add(touched[i], touched[j], work);
    for (const auto *transfers : {&draft.steps.loads, &draft.steps.stores})
      for (const Transfer &transfer : *transfers)
        if (transfer.row == row)
          addTransfer(touched, transfer, work);
  }

  void addTransfer(const std::vector<int64_t> &touched,
                   const Transfer &transfer, int64_t work) {
    const int64_t moved = draft.slices.indexOf[transfer.tensor];
    const int64_t bytes = draft.steps.buffers[moved].sizeBytes * chip.lanes;
    int64_t wait = std::min(work, transferCycles(bytes, chip));
    // Costs are of each section, but what is held is loaded once.
    if (transfer.isHeld)
      wait = ceilDiv(wait, countSections(draft.slices.sections));
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
  std::vector<BankPair> pairs;
};

} // namespace

LmemProblem GroupPlanner::lmemProblem(const GroupDraft &draft) const {
  LmemProblem problem;
  problem.name = graph.layers[draft.range.front()].name;
  problem.setChip(chip);
  problem.period = draft.steps.numRows;
  problem.isCyclic = draft.steps.isLoop;
  for (const LocalBuffer &buffer : draft.steps.buffers) {
    LmemBuffer &entry = problem.buffers.emplace_back();
    entry.name = buffer.tensor >= 0
                     ? graph.tensors[buffer.tensor].name
                     : "scratch of " + graph.layers[buffer.scratchOf].name;
    entry.sizeBytes = buffer.sizeBytes;
    entry.lifespans = lifespans(buffer, draft.steps);
    if (buffer.overwrites >= 0)
      entry.inPlaceOf = buffer.overwrites;
  }
  problem.bankPairs = BankWishes(graph, draft, chip).run();
  return problem;
}

std::variant<GroupDraft, GroupRefusal>
GroupPlanner::draft(const LayerRange &range, const GridHint &hint) const {
  GridSearch search(graph, range, chip, options, hint);
  const std::vector<GridSearch::Candidate> candidates =
      search.run(GridSearch::Finer::IfFree);
  if (candidates.empty())
    return search.refusal();
  return search.draft(candidates.front());
}

std::optional<GroupEstimate>
GroupPlanner::estimate(const LayerRange &range, const GridHint &hint) const {
  GridSearch search(graph, range, chip, options, hint);
  const std::vector<GridSearch::Candidate> candidates =
      search.run(GridSearch::Finer::IfFree);
  if (candidates.empty())
    return std::nullopt;
  return GroupEstimate{candidates.front().cost, search.hintForNext()};
}

namespace {

/// Cycles that wait for banks, in all sections.
int64_t waitingCycles(const GroupPlan &plan) {
  return checkedMul(plan.placement.conflicts.cost,
                    countSections(plan.draft.slices.sections))
      .value_or(std::numeric_limits<int64_t>::max());
}

} // namespace

std::variant<GroupPlan, GroupRefusal>
GroupPlanner::plan(const LayerRange &range, const GridHint &hint) const {
  GridSearch search(graph, range, chip, options, hint);
  GroupPlan plan;
  std::set<std::pair<Sections, std::vector<bool>>> tried;
  for (auto finer : {GridSearch::Finer::IfFree, GridSearch::Finer::Always})
    for (const GridSearch::Candidate &candidate : search.run(finer)) {
      if (!tried.emplace(candidate.sections, candidate.isReloaded).second)
        continue;
      plan.draft = search.draft(candidate);
      LmemOptions limits;
      limits.nodeLimit = options.nodeLimit;
      LmemResult result = placeLmem(lmemProblem(plan.draft), limits);
      if (!std::holds_alternative<LmemPlacement>(result)) {
        // Shorter lives are easier to place.
        plan.draft = search.draft(candidate, /*isBalanced=*/false);
        plan.draft.cost =
            groupCost(graph, range, plan.draft.slices, plan.draft.steps, chip);
        result = placeLmem(lmemProblem(plan.draft), limits);
      }
      auto *placement = std::get_if<LmemPlacement>(&result);
      if (!placement) {
        ++plan.numPoorPackings;
        if (const auto *over = std::get_if<LmemInfeasible>(&result))
          search.rememberPacking(plan.draft, over->needBytes);
        continue;
      }
      plan.placement = std::move(*placement);
      plan.cost = plan.draft.cost;
      plan.cost += {0, 0, waitingCycles(plan), 0};
      plan.recomputePercent = search.recomputePercent(plan.draft.cost);
      return plan;
    }
  return search.refusal();
}

} // namespace tpu_mlir::layer
