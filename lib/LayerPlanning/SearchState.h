//===- SearchState.h - What the stretches of one graph share --------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_SEARCHSTATE_H
#define TPU_MLIR_LIB_LAYERPLANNING_SEARCHSTATE_H

#include "lib/LayerPlanning/RangeSignature.h"
#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include <unordered_map>

namespace tpu_mlir::layer {

/// Grid hints repeat, and there are many stretches.
class HintTable {
public:
  int add(const GridHint &hint) {
    const auto [it, isNew] =
        numbers.emplace(hint.sections, static_cast<int>(hints.size()));
    if (isNew)
      hints.push_back(hint);
    return it->second;
  }
  const GridHint &operator[](int number) const { return hints[number]; }

private:
  std::map<Sections, int> numbers;
  std::vector<GridHint> hints;
};

/// What was found for a stretch, and for all that are like it.
struct Draft {
  bool exists = false;
  int hint = 0; ///< For longer groups; see HintTable.
  Cost cost;
};

/// Drafts and plans of one graph: of stretches that are alike only the first
/// one is looked at.
class SearchState {
public:
  SearchState(const LayerGraph &graph, const target::ChipSpec &chip,
              const SearchOptions &options)
      : graph(graph), chip(chip), options(options),
        planner(graph, chip, this->options.group), signatures(graph),
        deadline(options.deadline), lookDeadline(options.lookDeadline) {}
  /// The planner refers to the options here.
  SearchState(const SearchState &) = delete;

  /// The draft of a group, looked for from `hint` on.
  const Draft &draftOf(const LayerRange &range, int hint);
  /// The full plan of a group; nullopt when there is none.
  std::optional<GroupPlan> planOf(const LayerRange &range, int hint);
  /// The cost of a layer by itself: in global memory, or on several cores as a
  /// group of its own where that is better.
  Cost costOf(LayerId layer);
  /// That group, where it is better; nullopt once the time is over.
  std::optional<GroupPlan> groupOf(LayerId layer);
  /// The full plan, with its bank conflicts weighed in full.
  void refine(GroupPlan &plan, int hint);

  bool isBetter(const Cost &a, const Cost &b) const {
    return layer::isBetter(a, b, options.group.objective, chip);
  }
  /// The time for anything that could be left out is over; the time for looking
  /// at further groups is before, so that those on the way have a chance.
  bool isOver() { return isAfter(deadline); }
  bool isLookingOver() { return isAfter(lookDeadline) || isAfter(deadline); }
  /// From now on there are so many seconds. What is not planned in the end
  /// costs less than before, as there are groups to fall back on.
  void limit(double seconds) {
    deadline.endIn(seconds);
    lookDeadline.endIn(seconds * 3 / 4);
  }

  const LayerGraph &graph;
  const target::ChipSpec &chip;
  const SearchOptions options;
  const GroupPlanner planner;
  RangeSignatures signatures;
  HintTable hints;
  int64_t numDrafts = 0, numPlans = 0; ///< As in Grouping.
  bool isCut = false;                  ///< Something was left out for the time.

private:
  /// What was decided; nullopt: there is no plan, or it is not known.
  struct Known {
    std::optional<GroupDecision> plan, refined;
  };
  struct HashQuestion {
    size_t operator()(const std::pair<Signature, int> &question) const {
      return HashSignature()(question.first) + question.second;
    }
  };
  std::string keyOf(const LayerRange &range, int hint);
  bool isAfter(const planning::Deadline &deadline) {
    const bool isAfter = deadline.isOver();
    isCut |= isAfter;
    return isAfter;
  }

  planning::Deadline deadline, lookDeadline; ///< Of what is at hand.
  std::unordered_map<std::pair<Signature, int>, Draft, HashQuestion> drafts;
  std::map<std::string, Known> known;
  std::unordered_map<Signature, Cost, HashSignature> costs; ///< See costOf.
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_SEARCHSTATE_H
