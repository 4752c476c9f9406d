//===- GridSearch.h - The grids of sections that one group could have -----===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_GRID_GRIDSEARCH_H
#define TPU_MLIR_LIB_LAYERPLANNING_GRID_GRIDSEARCH_H

#include "tpu_mlir/LayerPlanning/GroupPlan.h"

#include <initializer_list>
#include <map>

namespace tpu_mlir::layer {

/// See GroupPlanner::draft for which grids are looked at.
class GridSearch {
public:
  struct Candidate {
    Sections sections{1, 1, 1, 1, 1};
    std::vector<bool> isReloaded;
    Cost cost;
    int64_t liveBytes = 0;
  };

  /// `separate`: of the layers one by one.
  GridSearch(const LayerGraph &graph, const LayerRange &range,
             const target::ChipSpec &chip, const GroupOptions &options,
             const GridHint &hint, const Cost &separate);

  /// Whether grids of more parts than needed are looked at where they move more
  /// bytes, too. They always are when cycles are the objective.
  enum class Finer { IfFree, Always };

  /// Grids whose live bytes fit, whose work is within the limit and which cost
  /// less than the layers one by one, cheapest first; equal ones in the order
  /// in which they were found.
  std::vector<Candidate> run(Finer finer);
  /// After run() found none (or none could be placed): why.
  const GroupRefusal &refusal() const { return closest; }
  /// The live bytes of `tried` fit, but its best placement ends at `needBytes`.
  void rememberPacking(const GroupDraft &tried, int64_t needBytes);
  /// `isBalanced`: with loads moved to where the DMA engine has time, as in the
  /// candidate's cost.
  GroupDraft draft(const Candidate &candidate, bool isBalanced = true);
  /// The draft of a grid that somebody names; nullopt when there is no such
  /// grid, or its live bytes do not fit.
  std::optional<GroupDraft> draftOf(const Sections &sections,
                                    const std::vector<bool> &isReloaded,
                                    bool isBalanced);
  /// A draft's numbers alone.
  GroupDraft outline(const Candidate &candidate) const;
  /// Of what the layers compute one by one.
  int64_t recomputePercent(int64_t computeCycles) const;
  const GridHint &hintForNext() const { return learned; }

private:
  enum class Look { AtSome, AtAll };
  /// A grid with all of its parts.
  struct Laid {
    std::vector<bool> isReloaded;
    GroupSlices slices;
    TimeSteps steps;
  };
  /// Live bytes fit a lane. A look at some parts may say so wrongly.
  bool fits(const Sections &sections, const std::vector<bool> &isReloaded,
            Look look);
  /// The fewest parts along `dim` (up to the limit) with which `sections` fits;
  /// false when none does: the dimension is then at its limit.
  bool cut(Sections &sections, Dim dim, const std::vector<bool> &isReloaded);
  bool fewestParts(Sections &sections, const std::vector<bool> &isReloaded);
  void tryGrids(const std::vector<bool> &isReloaded);
  bool hasColumnsOfItsOwn() const;
  void tryWholeChannels(const std::vector<bool> &isReloaded);
  void tryChannelsAndRows(const std::vector<bool> &isReloaded);
  void tryReloading();
  bool isIdeal() const;
  /// At least what recomputePercent() is of all sections together.
  int64_t leastWorkPercent(const Sections &sections);
  /// That is so far above the limit that no finer grid is worth a look.
  bool isHopeless(const Sections &sections);
  /// nullptr when it is none of those that run() results in.
  const Candidate *consider(const Sections &sections,
                            const std::vector<bool> &isReloaded);
  void considerForCores(Sections sections, const std::vector<bool> &isReloaded,
                        std::initializer_list<Dim> dims);
  void considerFiner(const Sections &sections,
                     const std::vector<bool> &isReloaded);
  /// No grid of more sections can pay.
  int64_t sectionLimit(const std::vector<bool> &isReloaded) const;
  void remember(const Sections &sections, const TimeSteps &steps,
                int64_t needBytes);
  /// Holds until the next grid.
  const Laid &layOut(const Sections &sections,
                     const std::vector<bool> &isReloaded);
  /// GroupSlicer::sample, once a grid.
  const GroupSlices &sampleOf(const Sections &sections);

  const LayerGraph &graph;
  const LayerRange &range;
  const target::ChipSpec &chip;
  const GroupOptions &options;
  const GridHint hint;
  const GroupTensors tensors;
  const GroupSlicer slicer;
  Sections limit;
  const Cost separate;
  std::vector<Candidate> found;
  bool isAlwaysFiner = false;
  GridHint learned;
  Laid laid; ///< The last one.
  /// Answers of fits() for `askedReloaded`.
  std::map<std::pair<Sections, Look>, bool> answers;
  std::vector<bool> askedReloaded;
  std::map<Sections, int64_t> leastWork;   ///< Answers of leastWorkPercent().
  std::map<Sections, GroupSlices> samples; ///< Of sampleOf().
  GroupRefusal closest;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_GRID_GRIDSEARCH_H
