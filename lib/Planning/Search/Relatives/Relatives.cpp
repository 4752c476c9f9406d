//===- Relatives.cpp - Problems that are alike, but easier ----------------===//

#include "lib/Planning/Search/Relatives/Relatives.h"

#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Kit/Placing.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

/// Of gluings with what is missing, with several totals and by chance, those
/// with the fewest blocks are improved. Shares of the node limit, one in so
/// many.
constexpr uint64_t kSeedsOfRace = 2;
constexpr int64_t kForRace = 64, kForWinner = 8;
/// One that has hardly a block for so many items gets all there is.
constexpr size_t kItemsOfBlock = 6;
/// From sizes that lost a byte to sizes that are a twentieth off.
constexpr Nearness kNearness[] = {{0, 1},    {0.017, 0}, {0.006, 0},
                                  {0.01, 0}, {0.025, 0}, {0.002, 0}};
/// Gluings with one idea of how near.
constexpr size_t kSeeds = 2;
constexpr size_t kGluings = std::size(kNearness) * kSeeds;
/// Rounds of BlockBuilder::improve() for each item and at most, and what one
/// costs; what gluing an item costs.
constexpr int64_t kImprovements = 4, kMostImprovements = 20'000;
constexpr int64_t kRoundsOfLook = 256;
constexpr int64_t kNodesOfImprovement = 100, kNodesOfItem = 20;
/// The finest and the coarsest grid, as powers of two; each up and to the
/// nearest.
constexpr int kFinest = 4, kCoarsest = 24;
constexpr size_t kRoundings = 2 * size_t(kCoarsest - kFinest + 1);
constexpr int64_t kMostStep = kMaxOffset / 4;
/// Rounding may change the bound by a fiftieth.
constexpr int64_t kDearest = 50;

/// Union and find.
class Groups {
public:
  explicit Groups(size_t count) : parents(count) {
    std::iota(parents.begin(), parents.end(), 0);
  }
  size_t find(size_t id) {
    while (parents[id] != id)
      id = parents[id] = parents[parents[id]];
    return id;
  }
  void join(size_t a, size_t b) {
    a = find(a), b = find(b);
    parents[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<size_t> parents;
};

} // namespace

std::vector<int64_t>
Relative::offsetsOf(const std::vector<std::vector<int64_t>> &ofLayers) const {
  if (itemsOf.empty())
    return blocks ? blocks->expand(ofLayers.front()) : ofLayers.front();
  size_t count = 0;
  for (const std::vector<size_t> &ids : itemsOf)
    count += ids.size();
  std::vector<int64_t> offsets(count, 0);
  int64_t top = 0;
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    for (size_t i = 0; i < itemsOf[layer].size(); ++i)
      offsets[itemsOf[layer][i]] = saturatedAdd(ofLayers[layer][i], top);
    top = saturatedAdd(top, layers[layer].highWater(ofLayers[layer]));
  }
  return offsets;
}

static int64_t roundsFor(size_t items) {
  return std::min(kImprovements * int64_t(items), kMostImprovements);
}

static int64_t nodesOfGluing(size_t items) {
  return kNodesOfImprovement * roundsFor(items) + kNodesOfItem * int64_t(items);
}

bool Relatives::hasNearFits() const {
  return nodeLimit - nodeCount >= nodesOfGluing(problem.items.size());
}

std::optional<Relative> Relatives::next() {
  while (!isLate()) {
    const size_t index = nextIndex;
    if (index >= kExact && (index >= kExact + kGluings + kRoundings ||
                            nodeCount >= nodeLimit || !hasNearFits()))
      break;
    ++nextIndex;
    auto relative = index == 0           ? layered()
                    : index < kCompleted ? aligned()
                    : index < kPromising
                        ? completed(index - kCompleted, /*wantsPromising=*/true)
                    : index < kExact ? completed(index - kPromising, false)
                    : index < kExact + kGluings
                        ? glued(index - kExact)
                        : rounded(index - kExact - kGluings);
    if (relative)
      return relative;
  }
  return std::nullopt;
}

/// Items that begin or end at one step belong together, but for the first and
/// the last step of all. Pins and forbidden pairs say what lies where: none.
std::optional<Relative> Relatives::layered() {
  nodeCount += int64_t(problem.items.size());
  const std::vector<int64_t> steps = stepsOf(problem.items);
  Groups groups(problem.items.size());
  std::map<int64_t, size_t> firstAt;
  for (size_t id = 0; id < problem.items.size(); ++id) {
    if (problem.items[id].pinOffset)
      return std::nullopt;
    for (const Interval &span : problem.items[id].lifespans)
      for (int64_t step : {span.begin, span.end})
        if (step != steps.front() && step != steps.back())
          groups.join(id, firstAt.try_emplace(step, id).first->second);
  }
  std::map<size_t, size_t> layerOf;
  Relative relative;
  for (size_t id = 0; id < problem.items.size(); ++id) {
    const auto [it, isNew] =
        layerOf.try_emplace(groups.find(id), layerOf.size());
    if (isNew) {
      relative.layers.emplace_back();
      relative.itemsOf.emplace_back();
    }
    relative.layers[it->second].items.push_back(problem.items[id]);
    relative.itemsOf[it->second].push_back(id);
  }
  // Hardly anything alike is no layer.
  if (relative.layers.size() < 2 || relative.layers.size() > 8 ||
      !problem.forbiddenSharing.empty())
    return std::nullopt;
  for (PackingProblem &layer : relative.layers) {
    layer.period = problem.period;
    layer.lowerBoundBytes = boundOfItems(layer.items).bytes;
  }
  return relative;
}

/// Of several alignments few offsets are right for all items. Where their
/// sizes fit, they still do in a packing of this, give or take a padding.
std::optional<PackingProblem>
Relatives::alignedAlike(const PackingProblem &problem) {
  int64_t common = 0;
  for (const Item &item : problem.items)
    common = std::gcd(common, item.alignment);
  if (std::all_of(problem.items.begin(), problem.items.end(),
                  [&](const Item &item) { return item.alignment == common; }))
    return std::nullopt;
  PackingProblem alike = problem;
  for (Item &item : alike.items)
    item.alignment = common;
  alike.lowerBoundBytes =
      boundOfItems(alike.items, alike.forbiddenSharing).bytes;
  return alike;
}

std::optional<Relative> Relatives::aligned() const {
  if (!alike)
    return std::nullopt;
  Relative relative;
  relative.layers.push_back(*alike);
  return relative;
}

/// Padded, and without gaps in lives where that costs hardly anything.
static std::optional<PackingProblem> plainOf(const PackingProblem &problem) {
  PackingProblem plain = problem;
  for (Item &item : plain.items) {
    const auto padded = checkedAlignUp(item.sizeBytes, item.alignment);
    if (!padded)
      return std::nullopt;
    item.sizeBytes = *padded;
    item.lifespans = {hullOf(item)};
    // Differences of steps have to be numbers, too.
    if (hullOf(item).begin < -kMostStep || hullOf(item).end > kMostStep)
      return std::nullopt;
  }
  const LiveBound bound = boundOfItems(plain.items, plain.forbiddenSharing);
  if (bound.leaves63Bits || bound.bytes > kMaxOffset / 4 ||
      bound.bytes >
          problem.lowerBoundBytes + problem.lowerBoundBytes / kDearest)
    return std::nullopt;
  plain.lowerBoundBytes = bound.bytes;
  return plain;
}

void Relatives::raceCompleters() {
  plain = plainOf(problem);
  nodeCount += 4 * int64_t(problem.items.size());
  if (!plain)
    return;
  const auto late = [this] { return isLate(); };
  for (int64_t total : likelyTotals(plain->items, late))
    for (uint64_t s = 0; s < kSeedsOfRace; ++s) {
      auto completer = std::make_unique<Completer>(
          *plain, total, seed * kSeedsOfRace + s, late);
      completer->improve(nodeLimit / kForRace, late);
      nodeCount += completer->nodes();
      const auto place =
          std::upper_bound(completers.begin(), completers.end(), completer,
                           [](const auto &a, const auto &b) {
                             return a->blockCount() < b->blockCount();
                           });
      completers.insert(place, std::move(completer));
      if (completers.size() > kCompletions)
        completers.pop_back();
    }
}

std::optional<Relative> Relatives::completed(size_t index,
                                             bool wantsPromising) {
  if (index == 0 && wantsPromising)
    raceCompleters();
  if (index >= completers.size() || !completers[index])
    return std::nullopt;
  const bool isPromising =
      completers[index]->blockCount() < problem.items.size() / kItemsOfBlock;
  if (isPromising != wantsPromising)
    return std::nullopt;
  const int64_t before = completers[index]->nodes();
  completers[index]->improve(isPromising ? nodeLimit : nodeLimit / kForWinner,
                             [this] { return isLate(); });
  nodeCount += completers[index]->nodes() - before;
  Relative relative;
  relative.blocks = completers[index]->blocked();
  completers[index].reset();
  if (relative.blocks->reduced.items.size() > problem.items.size() / 2)
    return std::nullopt;
  relative.layers.push_back(relative.blocks->reduced);
  return relative;
}

std::optional<Relative> Relatives::glued(size_t index) {
  const size_t items = problem.items.size();
  BlockBuilder builder(problem, seed * kSeeds + index / std::size(kNearness),
                       kNearness[index % std::size(kNearness)]);
  for (int64_t left = roundsFor(items); left > 0 && !isLate();
       left -= kRoundsOfLook)
    builder.improve(std::min(left, kRoundsOfLook));
  nodeCount += nodesOfGluing(items);
  if (builder.blockCount() > items / 2)
    return std::nullopt;
  Relative relative;
  relative.blocks = builder.blocked();
  PackingProblem blocks = relative.blocks->reduced;
  blocks.lowerBoundBytes =
      boundOfItems(blocks.items, blocks.forbiddenSharing).bytes;
  relative.layers.push_back(std::move(blocks));
  return relative;
}

size_t Relatives::blocksOf(const PackingProblem &other) {
  nodeCount += kNodesOfItem * int64_t(other.items.size());
  return BlockBuilder(other, 0).blockCount();
}

size_t Relatives::ownBlocks() {
  if (!knownBlocks)
    knownBlocks = blocksOf(problem);
  return *knownBlocks;
}

/// Even indices round up, odd ones to the nearest multiple.
std::optional<Relative> Relatives::rounded(size_t index) {
  const int64_t grid = int64_t(1) << (kFinest + int(index / 2));
  const bool isUp = index % 2 == 0;
  PackingProblem other = problem;
  for (Item &item : other.items) {
    const int64_t size = item.sizeBytes;
    if (size == 0 || item.pinOffset)
      continue;
    const auto up = checkedAlignUp(size, grid);
    if (!up)
      return std::nullopt;
    const bool isNearerBelow = !isUp && *up - size > grid / 2 && *up > grid;
    item.sizeBytes = isNearerBelow ? *up - grid : *up;
  }
  nodeCount += 4 * int64_t(problem.items.size());
  const LiveBound bound = boundOfItems(other.items, other.forbiddenSharing);
  const int64_t most = problem.lowerBoundBytes / kDearest;
  if (bound.leaves63Bits || bound.bytes > problem.lowerBoundBytes + most ||
      bound.bytes < problem.lowerBoundBytes - most ||
      blocksOf(other) * 3 > ownBlocks() * 2)
    return std::nullopt;
  other.lowerBoundBytes = bound.bytes;
  Relative relative;
  relative.layers.push_back(std::move(other));
  return relative;
}

} // namespace tpu_mlir::planning
