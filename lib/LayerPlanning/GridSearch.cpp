//===- GridSearch.cpp - The grids of sections that one group could have ---===//

#include "lib/LayerPlanning/GridSearch.h"

#include "lib/LayerPlanning/Balance.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tpu_mlir::layer {

namespace {

/// Finer grids are not looked at after so many that take no less time.
constexpr int kSlowerInARow = 3;
/// Of cuts along channels with which rows are cut, too, the coarsest that fit.
constexpr int kChannelsWithRows = 2;
/// Of the work that is allowed. Finer grids have more rows in common, give or
/// take those between which an upsampling repeats. Not so where outputs of
/// several lengths are cut: the parts of some grids are apart, of finer ones
/// not.
constexpr int64_t kHopelessTimes = 2;
/// A grid that somebody names has no more sections.
constexpr int64_t kMostNamedSections = 1 << 22;

} // namespace

GridSearch::GridSearch(const LayerGraph &graph, const LayerRange &range,
                       const target::ChipSpec &chip,
                       const GroupOptions &options, const GridHint &hint)
    : graph(graph), range(range), chip(chip), options(options), hint(hint),
      tensors(groupTensors(graph, range)), slicer(graph, range, tensors, chip),
      limit(maxSections(graph, range, tensors, chip)) {
  for (int64_t &parts : limit)
    parts = std::clamp<int64_t>(parts, 1, options.maxParts);
  if (!options.cutChannels)
    limit[C] = 1;
  for (LayerId layer : range)
    if (!graph.layers[layer].isLineBuffer)
      separate += globalCost(graph, layer, chip);
    else // Rows follow one another only where nothing is cut inside them.
      limit[W] = limit[C] = 1;
  closest.haveBytes = chip.laneBytes;
}

std::vector<GridSearch::Candidate> GridSearch::run(Finer finer) {
  isAlwaysFiner =
      finer == Finer::Always || options.objective != Objective::Traffic;
  found.clear();
  const std::vector<bool> allHeld(tensors.inputs.size());
  tryGrids(allHeld);
  if (found.empty()) {
    tryChannelsAndRows(allHeld);
    tryReloading();
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](const Candidate &a, const Candidate &b) {
                     return isBetter(a.cost, b.cost, options.objective, chip);
                   });
  return std::move(found);
}

GroupDraft GridSearch::outline(const Candidate &candidate) const {
  GroupDraft draft;
  draft.cost = candidate.cost;
  draft.liveBytes = candidate.liveBytes;
  draft.hint = learned;
  return draft;
}

GroupDraft GridSearch::draft(const Candidate &candidate,
                             bool isBalanced) const {
  GroupDraft draft = outline(candidate);
  draft.range = draft.order = range;
  draft.tensors = tensors;
  draft.isReloaded = candidate.isReloaded;
  draft.slices = slicer.slice(candidate.sections);
  draft.steps = assignTimeSteps(graph, range, tensors, draft.slices, chip,
                                {candidate.isReloaded, true});
  draft.isBalanced = isBalanced;
  if (isBalanced && liveBound(draft.steps, chip) <= chip.laneBytes)
    balanceLoads(graph, range, draft.slices, chip, draft.steps);
  return draft;
}

std::optional<GroupDraft>
GridSearch::draftOf(const Sections &sections,
                    const std::vector<bool> &isReloaded,
                    bool isBalanced) const {
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

bool GridSearch::fits(const Sections &sections,
                      const std::vector<bool> &isReloaded, Look look) {
  if (isReloaded != askedReloaded) {
    answers.clear();
    askedReloaded = isReloaded;
  }
  auto [it, isNew] = answers.try_emplace({sections, look}, false);
  if (!isNew)
    return it->second;
  const GroupSlices all =
      look == Look::AtAll ? slicer.slice(sections) : GroupSlices();
  const TimeSteps steps = assignTimeSteps(
      graph, range, tensors, look == Look::AtAll ? all : sampleOf(sections),
      chip, {isReloaded, true});
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

/// A reloaded parameter costs its bytes in every section.
int64_t GridSearch::sectionLimit(const std::vector<bool> &isReloaded) const {
  int64_t reloaded = 0;
  for (size_t i = 0; i < tensors.inputs.size(); ++i)
    if (isReloaded[i])
      reloaded += graph.tensors[tensors.inputs[i]].globalBytes;
  if (reloaded == 0)
    return std::numeric_limits<int64_t>::max();
  const int64_t affordable =
      options.objective == Objective::Traffic
          ? separate.trafficBytes()
          : saturatedMul(separate.cycles,
                         dmaBytesPerCycle(chip, chip.usedCores));
  return std::max<int64_t>(1, affordable / reloaded);
}

bool GridSearch::cut(Sections &sections, Dim dim,
                     const std::vector<bool> &isReloaded) {
  const int64_t others = countSections(sections) / sections[dim];
  const int64_t most = std::min(
      limit[dim], std::max<int64_t>(1, sectionLimit(isReloaded) / others));
  int64_t tooFew = sections[dim], enough = 0;
  int64_t step = tooFew;
  if (const int64_t known = std::min(hint.sections[dim], most);
      known > tooFew + 1) {
    // Begin next to what the shorter group needed.
    for (int64_t parts : {known, known - 1}) {
      sections[dim] = parts;
      if (!fits(sections, isReloaded, Look::AtSome)) {
        tooFew = parts;
        break;
      }
      enough = parts;
    }
    step = 1;
    if (enough == 0 && isHopeless(sections))
      tooFew = most;
  }
  for (; tooFew < most && enough == 0; step *= 2) {
    sections[dim] = std::min(most, tooFew + step);
    (fits(sections, isReloaded, Look::AtSome) ? enough : tooFew) =
        sections[dim];
    if (enough == 0 && isHopeless(sections))
      break;
  }
  if (enough == 0) {
    sections[dim] = most;
    return false;
  }
  while (tooFew + 1 < enough) {
    sections[dim] = tooFew + (enough - tooFew) / 2;
    (fits(sections, isReloaded, Look::AtSome) ? enough : tooFew) =
        sections[dim];
  }
  for (sections[dim] = enough; sections[dim] <= most;
       sections[dim] += 1 + sections[dim] / 8)
    if (fits(sections, isReloaded, Look::AtAll))
      return true;
    else if (isHopeless(sections))
      break;
  sections[dim] = most;
  return false;
}

bool GridSearch::fewestParts(Sections &sections,
                             const std::vector<bool> &isReloaded) {
  if (fits(sections, isReloaded, Look::AtAll))
    return true;
  for (Dim dim : {N, D, H, W})
    if (cut(sections, dim, isReloaded))
      return true;
  return false;
}

/// Every byte once: nothing can move less, and that has a placement for all
/// that is known.
bool GridSearch::isIdeal() const {
  if (isAlwaysFiner)
    return false;
  int64_t ideal = 0;
  for (const auto *list : {&tensors.inputs, &tensors.outputs})
    for (TensorId tensor : *list)
      ideal += graph.tensors[tensor].globalBytes;
  return options.objective == Objective::Traffic &&
         std::any_of(found.begin(), found.end(), [&](const Candidate &one) {
           return one.cost.trafficBytes() <= ideal;
         });
}

/// Some operand is needed in parts along one of rows and columns and whole
/// along the other one, as those of a matrix product are.
bool GridSearch::hasColumnsOfItsOwn() const {
  for (LayerId layer : range)
    for (const LayerOperand &operand : graph.layers[layer].operands)
      if ((operand.rules[H].resultDim == H) !=
          (operand.rules[W].resultDim == W))
        return true;
  return false;
}

void GridSearch::tryGrids(const std::vector<bool> &isReloaded) {
  tryWholeChannels(isReloaded);
  if (limit[W] > 1 && limit[H] > 1 && hasColumnsOfItsOwn() && !isIdeal()) {
    Sections columns{1, 1, 1, 1, 1};
    if (cut(columns, W, isReloaded)) {
      considerForCores(columns, isReloaded, {W});
      considerFiner(columns, isReloaded);
    }
  }
  // Along channels alone: cut along rows, too, parameters or inputs would be
  // read several times.
  for (int64_t channels = 2; channels <= limit[C] && !isIdeal();
       channels *= 2) {
    const Sections sections{1, channels, 1, 1, 1};
    if (fits(sections, isReloaded, Look::AtAll))
      considerFiner(sections, isReloaded);
  }
}

/// Where neither is enough: parameters are then read once for each part of the
/// rows, and inputs once for each part of the channels.
void GridSearch::tryChannelsAndRows(const std::vector<bool> &isReloaded) {
  if (limit[C] == 1 || !fits(limit, isReloaded, Look::AtSome))
    return;
  int tried = 0;
  for (int64_t channels = 2; channels <= limit[C] && tried < kChannelsWithRows;
       channels *= 2) {
    Sections sections{1, channels, 1, 1, 1}, thinnest = limit;
    thinnest[C] = channels;
    if (!fits(thinnest, isReloaded, Look::AtSome) ||
        !fewestParts(sections, isReloaded))
      continue;
    considerFiner(sections, isReloaded);
    ++tried;
  }
}

void GridSearch::tryWholeChannels(const std::vector<bool> &isReloaded) {
  // The shorter group's grid fits: no need to ask for the thinnest.
  Sections thinnest = limit;
  thinnest[C] = 1;
  const bool isHinted = countSections(hint.sections) > 1 &&
                        fits(hint.sections, isReloaded, Look::AtSome);
  if (!isHinted && !fits(thinnest, isReloaded, Look::AtSome))
    return;
  for (int64_t columns : {1, 2, 4}) {
    if (columns > limit[W] || isIdeal())
      return;
    Sections sections{1, 1, 1, 1, columns};
    if (!fewestParts(sections, isReloaded))
      return;
    if (columns == 1)
      learned.sections = sections;
    considerFiner(sections, isReloaded);
    // Narrow parts may need fewer of them than thin ones.
    if (sections[H] <= 1 || sections[H] * 4 < limit[H])
      return;
  }
}

/// Holding all parameters leaves no room: reload the largest ones.
void GridSearch::tryReloading() {
  std::vector<size_t> bySize;
  for (size_t i = 0; i < tensors.inputs.size(); ++i)
    if (graph.tensors[tensors.inputs[i]].isParameter)
      bySize.push_back(i);
  std::stable_sort(bySize.begin(), bySize.end(), [&](size_t a, size_t b) {
    return graph.tensors[tensors.inputs[a]].globalBytes >
           graph.tensors[tensors.inputs[b]].globalBytes;
  });
  std::vector<bool> isReloaded(tensors.inputs.size());
  int64_t heldBytes = 0;
  const auto bytesOf = [&](size_t input) {
    const Tensor &tensor = graph.tensors[tensors.inputs[input]];
    return laneBytes(chip, tensor.shape, tensor.elementBits, tensor.euAligned)
        .value_or(0);
  };
  for (size_t input : bySize) {
    isReloaded[input] = true;
    heldBytes += bytesOf(input);
  }
  // Nothing fits even with nothing held.
  Sections thinnest = limit;
  thinnest[C] = 1;
  if (bySize.empty() || (!fits(thinnest, isReloaded, Look::AtSome) &&
                         !fits(limit, isReloaded, Look::AtSome)))
    return;
  isReloaded.assign(tensors.inputs.size(), false);
  const size_t known = found.size();
  for (size_t count = 0; count < bySize.size() && found.size() == known;) {
    const size_t next = std::min(bySize.size(), std::max<size_t>(1, count * 2));
    for (; count < next; ++count) {
      isReloaded[bySize[count]] = true;
      heldBytes -= bytesOf(bySize[count]);
    }
    if (limit[C] > 1 || heldBytes <= chip.laneBytes)
      tryGrids(isReloaded);
  }
}

/// As many sections as the cores can share evenly, or a multiple: more parts of
/// the first one of `dims` that has them.
void GridSearch::considerForCores(Sections sections,
                                  const std::vector<bool> &isReloaded,
                                  std::initializer_list<Dim> dims) {
  if (chip.usedCores == 1)
    return;
  for (Dim dim : dims) {
    const int64_t others = countSections(sections) / sections[dim];
    const int64_t step = chip.usedCores / std::gcd(others, chip.usedCores);
    const int64_t fewest = alignUp(sections[dim], step);
    if (fewest > limit[dim]) {
      sections[dim] = limit[dim];
      continue;
    }
    for (int64_t parts : {fewest, fewest + step, fewest * 2, fewest * 4})
      if (parts <= limit[dim]) {
        sections[dim] = parts;
        consider(sections, isReloaded);
      }
    return;
  }
}

void GridSearch::considerFiner(const Sections &sections,
                               const std::vector<bool> &isReloaded) {
  considerForCores(sections, isReloaded, {N, D, H, W});
  if (isHopeless(sections)) {
    closest.isTooMuchWork = true;
    return;
  }
  const Candidate *base = consider(sections, isReloaded);
  const int64_t traffic = base ? base->cost.globalBytes() : 0;
  if (!base && !isAlwaysFiner)
    return;
  for (Dim dim : {N, D, H, W}) {
    // The innermost dimension that is cut, else the first that can be.
    const bool isLast =
        sections[dim] > 1 ||
        (countSections(sections) == sections[C] && limit[dim] > 1);
    if (!isLast)
      continue;
    const int64_t parts = sections[dim];
    int64_t fastest = base ? base->cost.cycles : separate.cycles;
    int slower = 0;
    for (int64_t finer :
         {parts + 1, parts + 2, parts * 3 / 2 + 2, parts * 2 + 2, parts * 4}) {
      if (finer > limit[dim])
        break;
      Sections more = sections;
      more[dim] = finer;
      const Candidate *next = consider(more, isReloaded);
      // More parts move more at their borders; where they do not, they may
      // still overlap better.
      if (!isAlwaysFiner && (!next || next->cost.globalBytes() > traffic))
        return;
      if (next && next->cost.cycles < fastest) {
        fastest = next->cost.cycles;
        slower = 0;
      } else if (++slower == kSlowerInARow) {
        return;
      }
    }
    return;
  }
}

const GridSearch::Candidate *
GridSearch::consider(const Sections &sections,
                     const std::vector<bool> &isReloaded) {
  for (const Candidate &candidate : found)
    if (candidate.sections == sections && candidate.isReloaded == isReloaded)
      return &candidate;
  Candidate candidate;
  candidate.sections = sections;
  candidate.isReloaded = isReloaded;
  // Most that are no candidates are none for this, which is known first.
  if (closest.isTooMuchWork &&
      leastWorkPercent(sections) > options.maxRecomputePercent)
    return nullptr;
  const GroupDraft tried = draft(candidate);
  candidate.liveBytes = liveBound(tried.steps, chip);
  if (candidate.liveBytes > chip.laneBytes)
    return nullptr;
  candidate.cost = groupCost(graph, range, tried.slices, tried.steps, chip);
  if (recomputePercent(candidate.cost.computeCycles) >
      options.maxRecomputePercent) {
    closest.isTooMuchWork = true;
    return nullptr;
  }
  if (!isBetter(candidate.cost, separate, options.objective, chip)) {
    closest.isNotCheaper = true;
    return nullptr;
  }
  found.push_back(std::move(candidate));
  return &found.back();
}

} // namespace tpu_mlir::layer
