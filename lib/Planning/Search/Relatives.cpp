//===- Relatives.cpp - Problems that are alike, but easier ----------------===//

#include "lib/Planning/Search/Relatives.h"

#include "lib/Planning/Kit/Packing.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// From sizes that lost a byte to sizes that are a twentieth off.
constexpr Nearness kNearness[] = {
    {0, 1}, {0.002, 0}, {0.006, 0}, {0.012, 0}, {0.02, 0}};
/// Gluings with one idea of how near.
constexpr size_t kSeeds = 3;
constexpr size_t kGluings = std::size(kNearness) * kSeeds;
/// Rounds of BlockBuilder::improve() for each item, and what one costs.
constexpr int64_t kImprovements = 24;
constexpr int64_t kNodesOfImprovement = 100;
/// The finest and the coarsest grid, as powers of two.
constexpr int kFinest = 4, kCoarsest = 24;
constexpr size_t kRoundings = 2 * size_t(kCoarsest - kFinest + 1);
/// Rounding up may cost so much of the bound: a fiftieth.
constexpr int64_t kDearest = 50;

} // namespace

std::optional<Relative> Relatives::next() {
  while (nextIndex < kGluings + kRoundings) {
    const size_t index = nextIndex++;
    auto relative =
        index < kRoundings ? rounded(index) : glued(index - kRoundings);
    if (relative)
      return relative;
  }
  return std::nullopt;
}

std::optional<Relative> Relatives::glued(size_t index) {
  const int64_t items = int64_t(problem.items.size());
  BlockBuilder builder(problem, seed * kSeeds + index / std::size(kNearness),
                       kNearness[index % std::size(kNearness)]);
  const int64_t steps = kImprovements * items;
  builder.improve(steps);
  nodeCount += kNodesOfImprovement * steps;
  if (int64_t(builder.blockCount()) > items / 2)
    return std::nullopt;
  Relative relative;
  relative.blocks = builder.blocked();
  relative.problem = relative.blocks->reduced;
  relative.problem.lowerBoundBytes =
      boundOfItems(relative.problem.items, relative.problem.forbiddenSharing)
          .bytes;
  return relative;
}

/// Even indices round up, odd ones to the nearest multiple.
std::optional<Relative> Relatives::rounded(size_t index) {
  const int64_t grid = int64_t(1) << (kFinest + int(index / 2));
  const bool isUp = index % 2 == 0;
  Relative relative;
  relative.problem = problem;
  bool isOther = false;
  for (Item &item : relative.problem.items) {
    const int64_t size = item.sizeBytes;
    if (size == 0 || item.pinOffset)
      continue;
    const auto up = checkedAlignUp(size, grid);
    if (!up)
      return std::nullopt;
    const bool isNearerBelow = !isUp && *up - size > grid / 2 && *up > grid;
    item.sizeBytes = isNearerBelow ? *up - grid : *up;
    isOther |= item.sizeBytes != size;
  }
  nodeCount += 4 * int64_t(problem.items.size());
  if (!isOther)
    return std::nullopt;
  const LiveBound bound =
      boundOfItems(relative.problem.items, relative.problem.forbiddenSharing);
  const int64_t more = bound.bytes - problem.lowerBoundBytes;
  if (bound.leaves63Bits || more > problem.lowerBoundBytes / kDearest) {
    // Coarser grids only cost more.
    if (isUp && more > problem.lowerBoundBytes / kDearest * 4)
      nextIndex = std::max(nextIndex, kRoundings);
    return std::nullopt;
  }
  relative.problem.lowerBoundBytes = bound.bytes;
  return relative;
}

} // namespace tpu_mlir::planning
