//===- GridSearch.cpp - The grids of sections that one group could have ---===//

#include "lib/LayerPlanning/Grid/GridSearch.h"

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

} // namespace

GridSearch::GridSearch(const LayerGraph &graph, const LayerRange &range,
                       const target::ChipSpec &chip,
                       const GroupOptions &options, const GridHint &hint,
                       const Cost &separate)
    : graph(graph), range(range), chip(chip), options(options), hint(hint),
      tensors(groupTensors(graph, range)), slicer(graph, range, tensors, chip),
      limit(maxSections(graph, range, tensors, chip)), separate(separate) {
  for (int64_t &parts : limit)
    parts = std::clamp<int64_t>(parts, 1, options.maxParts);
  if (!options.cutChannels)
    limit[C] = 1;
  for (LayerId layer : range)
    if (graph.layers[layer].isLineBuffer)
      // Rows follow one another only where nothing is cut inside them.
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
  const Candidate *base = consider(sections, isReloaded);
  if (!base && isHopeless(sections)) {
    closest.isTooMuchWork = true;
    return;
  }
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
  const Laid &grid = layOut(sections, isReloaded);
  if (liveBound(grid.steps, chip) > chip.laneBytes)
    return nullptr;
  TimeSteps steps = grid.steps;
  balanceLoads(graph, range, grid.slices, chip, steps);
  candidate.liveBytes = liveBound(steps, chip);
  candidate.cost = groupCost(graph, range, grid.slices, steps, chip);
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
