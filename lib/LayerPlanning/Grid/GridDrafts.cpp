//===- GridDrafts.cpp - What becomes of one grid of sections --------------===//
//
// Its parts and timesteps, whether they fit a lane, and what is computed again.
//
//===----------------------------------------------------------------------===//

#include "lib/LayerPlanning/Grid/GridSearch.h"

#include "lib/LayerPlanning/Balance.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::layer {

namespace {

/// Of the work that is allowed. Finer grids have more rows in common, give or
/// take those between which an upsampling repeats. Not so where outputs of
/// several lengths are cut: the parts of some grids are apart, of finer ones
/// not.
constexpr int64_t kHopelessTimes = 2;
/// A grid that somebody names has no more sections.
constexpr int64_t kMostNamedSections = 1 << 22;

} // namespace

GroupDraft GridSearch::outline(const Candidate &candidate) const {
  GroupDraft draft;
  draft.cost = candidate.cost;
  draft.liveBytes = candidate.liveBytes;
  draft.hint = learned;
  return draft;
}

GroupDraft GridSearch::draft(const Candidate &candidate, bool isBalanced) {
  GroupDraft draft = outline(candidate);
  draft.range = draft.order = range;
  draft.tensors = tensors;
  draft.isReloaded = candidate.isReloaded;
  const Laid &grid = layOut(candidate.sections, candidate.isReloaded);
  draft.slices = grid.slices;
  draft.steps = grid.steps;
  draft.isBalanced = isBalanced;
  if (isBalanced && liveBound(draft.steps, chip) <= chip.laneBytes)
    balanceLoads(graph, range, draft.slices, chip, draft.steps);
  return draft;
}

std::optional<GroupDraft>
GridSearch::draftOf(const Sections &sections,
                    const std::vector<bool> &isReloaded, bool isBalanced) {
  int64_t count = 1;
  for (int dim = 0; dim < kNumDims; ++dim) {
    count = saturatedMul(count, sections[dim]);
    if (sections[dim] < 1 || sections[dim] > limit[dim] ||
        count > kMostNamedSections)
      return std::nullopt;
  }
  if (isReloaded.size() != tensors.inputs.size())
    return std::nullopt;
  Candidate candidate;
  candidate.sections = sections;
  candidate.isReloaded = isReloaded;
  GroupDraft result = draft(candidate);
  const int64_t live = liveBound(result.steps, chip);
  if (live > chip.laneBytes)
    return std::nullopt;
  if (!isBalanced)
    result = draft(candidate, false);
  result.liveBytes = live;
  result.cost = groupCost(graph, range, result.slices, result.steps, chip);
  return result;
}

int64_t GridSearch::recomputePercent(int64_t computeCycles) const {
  const auto scaled = checkedMul(computeCycles, 100);
  return scaled && separate.computeCycles > 0 ? *scaled / separate.computeCycles
                                              : 100;
}

/// Sections that are rounded up by themselves take more.
int64_t GridSearch::leastWorkPercent(const Sections &sections) {
  const auto [it, isNew] = leastWork.try_emplace(sections, 0);
  if (!isNew)
    return it->second;
  const std::vector<Shape5> lengths = slicer.computedLengths(sections);
  int64_t cycles = 0;
  for (size_t i = 0; i < range.size(); ++i)
    cycles = saturatedAdd(
        cycles, computeCycles(graph, graph.layers[range[i]], lengths[i], chip));
  return it->second = recomputePercent(cycles);
}

bool GridSearch::isHopeless(const Sections &sections) {
  const auto isAlikeAlong = [&](int dim) {
    return std::all_of(
        tensors.outputs.begin(), tensors.outputs.end(), [&](TensorId output) {
          return graph.tensors[output].shape[dim] ==
                 graph.tensors[tensors.outputs.front()].shape[dim];
        });
  };
  for (int dim = 0; dim < kNumDims; ++dim)
    if (sections[dim] > 1 && !isAlikeAlong(dim))
      return false;
  return leastWorkPercent(sections) >
         saturatedMul(options.maxRecomputePercent, kHopelessTimes);
}

const GridSearch::Laid &
GridSearch::layOut(const Sections &sections,
                   const std::vector<bool> &isReloaded) {
  if (laid.slices.sections == sections && laid.isReloaded == isReloaded &&
      !laid.slices.tensors.empty())
    return laid;
  laid.isReloaded = isReloaded;
  laid.slices = slicer.slice(sections);
  laid.steps = assignTimeSteps(graph, range, tensors, laid.slices, chip,
                               {isReloaded, true});
  return laid;
}

bool GridSearch::fits(const Sections &sections,
                      const std::vector<bool> &isReloaded, Look look) {
  if (isReloaded != askedReloaded) {
    answers.clear();
    askedReloaded = isReloaded;
  }
  auto [it, isNew] = answers.try_emplace({sections, look}, false);
  if (!isNew)
    return it->second;
  const TimeSteps some =
      look == Look::AtSome
          ? assignTimeSteps(graph, range, tensors, sampleOf(sections), chip,
                            {isReloaded, true})
          : TimeSteps();
  const TimeSteps &steps =
      look == Look::AtSome ? some : layOut(sections, isReloaded).steps;
  const int64_t liveBytes = liveBound(steps, chip);
  it->second = liveBytes <= chip.laneBytes;
  if (!it->second)
    remember(sections, steps, liveBytes);
  return it->second;
}

const GroupSlices &GridSearch::sampleOf(const Sections &sections) {
  const auto [it, isNew] = samples.try_emplace(sections);
  if (isNew)
    it->second = slicer.sample(sections);
  return it->second;
}

/// Keeps the grid that was over by the fewest bytes.
void GridSearch::remember(const Sections &sections, const TimeSteps &steps,
                          int64_t needBytes) {
  if (closest.needBytes != 0 && closest.needBytes <= needBytes)
    return;
  closest.needBytes = needBytes;
  closest.sections = sections;
  int64_t most = -1;
  for (const LocalBuffer &buffer : steps.buffers)
    if (buffer.sizeBytes > most) {
      most = buffer.sizeBytes;
      closest.largest = buffer.tensor;
    }
}

void GridSearch::rememberPacking(const GroupDraft &tried, int64_t needBytes) {
  closest.isPoorPacking = true;
  remember(tried.slices.sections, tried.steps, needBytes);
}

} // namespace tpu_mlir::layer
