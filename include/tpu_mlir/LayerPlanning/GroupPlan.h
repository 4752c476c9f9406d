//===- GroupPlan.h - Running one group of layers from local memory -*- C++
//-*-===//
//
// Finds the grid of sections for a given group, when its buffers live, and
// where they are.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_GROUPPLAN_H
#define TPU_MLIR_LAYERPLANNING_GROUPPLAN_H

#include "tpu_mlir/LayerPlanning/CostModel.h"
#include "tpu_mlir/LayerPlanning/InputCopies.h"
#include "tpu_mlir/LayerPlanning/LineBuffers.h"
#include "tpu_mlir/LayerPlanning/LmemPlacement.h"

#include <optional>
#include <variant>

namespace tpu_mlir::layer {

struct GroupOptions {
  Objective objective = Objective::Balanced;
  /// A grid in which the layers compute more than this many times their whole
  /// results (in hundredths) is not considered.
  int64_t maxRecomputePercent = 150;
  /// The largest number of parts of one dimension.
  int64_t maxParts = 1024;
  /// Cut results along channels, too; parameters with them.
  bool cutChannels = true;
  /// Of one address search.
  int64_t nodeLimit = 100'000;
  /// Groups in rows may keep rows from section to section; on one core alone.
  bool lineBuffers = false;
};

/// Where the search for a grid may begin: what was found for the group without
/// its last layer. It makes the search short and does not change what is found,
/// as long as more parts never need more bytes.
struct GridHint {
  /// The fewest parts with whole channels; all 1: nothing is known.
  Sections sections{1, 1, 1, 1, 1};
};

/// What a group has that its layers do not ask for: one of these, at most.
struct GroupChanges {
  std::vector<InputCopy> copies; ///< All that inputCopies() offers.
  Lines lines;                   ///< One of lineBufferChoices(),
  int lineChoice = 0;            ///< counted from 1; 0: none.

  bool empty() const { return copies.empty() && lines.empty(); }
  /// The tensor of a graph of `numTensors` that `tensor` is, is a copy of, or
  /// has rows of.
  TensorId original(TensorId tensor, size_t numTensors) const {
    if (static_cast<size_t>(tensor) < numTensors)
      return tensor;
    const size_t index = tensor - numTensors;
    return lines.empty() ? copies[index].tensor : lines[index];
  }
};

/// How a group is cut and when it runs; not yet where its buffers are.
struct GroupDraft {
  LayerRange range;
  /// Tensor and layer ids of a draft are those after addCopies() or
  /// addLineBuffers().
  GroupChanges changes;
  /// What runs: the range, with line buffers. Rows are theirs, one each.
  LayerRange order;
  GroupTensors tensors;
  GroupSlices slices;
  TimeSteps steps;
  /// For each of tensors.inputs: loaded in every section though its part never
  /// changes.
  std::vector<bool> isReloaded;
  /// Loads are moved to where the DMA engine has time.
  bool isBalanced = true;
  /// Without bank conflicts.
  Cost cost;
  /// No placement ends below this.
  int64_t liveBytes = 0;
  GridHint hint; ///< For the group with one more layer.
};

/// What a search for where to cut needs of a draft.
struct GroupEstimate {
  Cost cost;
  GridHint hint;
};

struct GroupPlan {
  GroupDraft draft;
  LmemPlacement placement; ///< One address for each of draft.steps.buffers.
  /// With bank conflicts.
  Cost cost;
  /// Grids that would have been cheaper but found no placement within the
  /// search limit though their live bytes fit.
  int64_t numPoorPackings = 0;
  /// Work of all sections over work of the whole results, in hundredths.
  int64_t recomputePercent = 100;
};

/// What a search found out about a group, without what follows from the group
/// itself: enough to make the plan again, for any group that is alike.
struct GroupDecision {
  Sections sections{1, 1, 1, 1, 1};
  bool hasCopies = false;
  int lineChoice = 0; ///< As in GroupChanges.
  bool isBalanced = true;
  std::vector<bool> isReloaded;
  GridHint hint;
  LmemPlacement placement;
  int64_t numPoorPackings = 0;
  Cost cost;
};
GroupDecision decisionOf(const GroupPlan &plan);

/// Why a group cannot run from local memory: the smallest need of any grid.
struct GroupRefusal {
  int64_t needBytes = 0;
  int64_t haveBytes = 0;
  Sections sections{1, 1, 1, 1, 1};
  /// The tensor with the largest buffer in that grid; -1: it is scratch.
  TensorId largest = -1;
  /// It fits, but only with more recomputation than the options allow.
  bool isTooMuchWork = false;
  /// The live bytes of a grid fit, but no placement was found for it.
  bool isPoorPacking = false;
  /// It fits, but costs no less than its layers one by one.
  bool isNotCheaper = false;
};

/// Enumerates the grids of one group, cheapest first. Holds references to
/// graph, chip and options. Not for several threads at once.
class GroupPlanner {
public:
  GroupPlanner(const LayerGraph &graph, const target::ChipSpec &chip,
               const GroupOptions &options)
      : graph(graph), chip(chip), options(options) {}

  /// The cheapest grid whose live bytes fit a lane and that costs less than the
  /// layers one by one: a lower bound of every plan of the group. Candidates:
  /// as few parts as fit along n, then d, h and w (1, 2 or 4 of w first where
  /// rows get thin); every power of two of parts along c alone; more parts
  /// where that costs no traffic; parameters reloaded, the largest first, where
  /// holding all of them leaves no room. A group of several sections is also
  /// tried with its inputs loaded twice, where layers far apart (or the first
  /// and the last one) read them, and with line buffers, if the options allow.
  std::variant<GroupDraft, GroupRefusal> draft(const LayerRange &range,
                                               const GridHint &hint = {}) const;

  /// The cost of that draft and the hint for the next group, without the draft;
  /// nullopt when there is none.
  std::optional<GroupEstimate> estimate(const LayerRange &range,
                                        const GridHint &hint) const;

  /// The cheapest grid that has a placement, with the bank conflicts of that:
  /// finer grids, whose buffers need not share banks, are placed for as long as
  /// they would cost less without any. Conflicts are weighed with a sixteenth
  /// of the node limit, the rest is kept for where nothing fits with that.
  std::variant<GroupPlan, GroupRefusal> plan(const LayerRange &range,
                                             const GridHint &hint = {}) const;

  /// The plan of a group for which all of this was decided, whoever says so:
  /// nullopt when it breaks a rule or does not cost what it says. No search.
  std::optional<GroupPlan> rebuild(const LayerRange &range,
                                   const GroupDecision &decision) const;

  /// Weighs the bank conflicts of `plan` with the whole node limit: its cost
  /// gets no higher.
  void refine(GroupPlan &plan) const;

  /// The question of where the buffers of `draft` are.
  LmemProblem lmemProblem(const GroupDraft &draft) const;

private:
  class Changed;
  /// Copies or line buffers to try, in this order. None where `sections` says
  /// that one section is enough: nothing is in the way of the next one.
  std::vector<GroupChanges> changesBeside(const LayerRange &range,
                                          const Sections *sections) const;
  std::vector<GroupChanges> lineChanges(const LayerRange &range) const;
  /// draft(); without slices and steps when only cost and hint are wanted.
  std::variant<GroupDraft, GroupRefusal>
  best(const LayerRange &range, const GridHint &hint, bool isComplete) const;

  /// Of the layers of `range` one by one.
  Cost separateCost(const LayerRange &range) const;

  const LayerGraph &graph;
  const target::ChipSpec &chip;
  const GroupOptions &options;
  /// Of each layer by itself, once somebody asked. The graph stays as it is.
  mutable std::vector<std::optional<Cost>> costs;
  /// A graph of its own to which copies and line buffers of one group are added
  /// for a while: much cheaper than one for each group. Made when it is needed
  /// first.
  mutable std::unique_ptr<LayerGraph> changing;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_GROUPPLAN_H
