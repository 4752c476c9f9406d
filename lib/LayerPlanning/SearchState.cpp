//===- SearchState.cpp - What the stretches of one graph share ------------===//

#include "lib/LayerPlanning/SearchState.h"

#include "tpu_mlir/Planning/PlanCache.h"

namespace tpu_mlir::layer {

/// Plans of longer groups are not kept: they hardly ever repeat.
static constexpr size_t kLongestKept = 512;

const Draft &SearchState::draftOf(const LayerRange &range, int hint) {
  const auto [it, isNew] = drafts.try_emplace({signatures.of(range), hint});
  if (!isNew)
    return it->second;
  ++numDrafts;
  if (const auto found = planner.estimate(range, hints[hint]))
    it->second = {true, hints.add(found->hint), found->cost};
  return it->second;
}

std::string SearchState::keyOf(const LayerRange &range, int hint) {
  planning::CacheWriter key;
  key.number(hint);
  for (int64_t word : signatures.wordsOf(range))
    key.number(word);
  return key.take();
}

std::optional<GroupPlan> SearchState::planOf(const LayerRange &range,
                                             int hint) {
  Known *kept = nullptr;
  if (range.size() <= kLongestKept) {
    const auto [it, isNew] = known.try_emplace(keyOf(range, hint));
    kept = &it->second;
    if (!isNew && !kept->plan)
      return std::nullopt;
    if (!isNew)
      if (auto plan = planner.rebuild(range, *kept->plan))
        return plan;
  }
  ++numPlans;
  auto result = planner.plan(range, hints[hint]);
  auto *plan = std::get_if<GroupPlan>(&result);
  if (!plan)
    return std::nullopt;
  if (kept)
    kept->plan = decisionOf(*plan);
  return std::move(*plan);
}

Cost SearchState::costOf(LayerId layer) {
  if (chip.usedCores == 1)
    return globalCost(graph, layer, chip);
  const auto [it, isNew] = costs.try_emplace(signatures.of({layer}));
  if (isNew) {
    const auto group = groupOf(layer);
    it->second = group ? group->cost : globalCost(graph, layer, chip);
  }
  return it->second;
}

std::optional<GroupPlan> SearchState::groupOf(LayerId layer) {
  if (chip.usedCores == 1 || isOver())
    return std::nullopt;
  auto group = planOf({layer}, hints.add({}));
  if (group && !isBetter(group->cost, globalCost(graph, layer, chip)))
    group.reset();
  return group;
}

void SearchState::refine(GroupPlan &plan, int hint) {
  const LayerRange &range = plan.draft.range;
  if (plan.placement.conflicts.cost == 0)
    return;
  Known *kept = nullptr;
  if (range.size() <= kLongestKept) {
    kept = &known[keyOf(range, hint)];
    if (kept->refined)
      if (auto refined = planner.rebuild(range, *kept->refined)) {
        plan = std::move(*refined);
        return;
      }
  }
  planner.refine(plan);
  if (kept)
    kept->refined = decisionOf(plan);
}

} // namespace tpu_mlir::layer
