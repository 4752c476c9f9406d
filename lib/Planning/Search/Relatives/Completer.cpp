//===- Completer.cpp - Gluing with pieces that are missing ----------------===//

#include "lib/Planning/Search/Relatives/Completer.h"

#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Kit/Placing.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// Blocks of one round that are taken apart, and how deep, at most.
constexpr int64_t kMostTaken = 8, kMostDeep = 4;
/// Rounds that bring nothing, at least and for each block; rounds between two
/// looks at the clock.
constexpr int64_t kMostIdle = 1'000, kIdleOfBlock = 4, kRoundsOfLook = 64;
/// What it costs to look at a block, and to glue one.
constexpr int64_t kBlocksOfNode = 8, kNodesOfGluing = 8;

Interval wholeOf(const std::vector<Item> &items) {
  Interval whole = hullOf(items.front());
  for (const Item &item : items)
    whole = {std::min(whole.begin, hullOf(item).begin),
             std::max(whole.end, hullOf(item).end)};
  return whole;
}

} // namespace

Completer::Completer(const PackingProblem &problem, int64_t total,
                     uint64_t seed, llvm::function_ref<bool()> isLate)
    : problem(problem), random(seed), whole(wholeOf(problem.items)),
      alignment(problem.items.front().alignment) {
  for (const Item &item : problem.items) {
    roots.push_back(add({hullOf(item), item.sizeBytes, false, false, {}}));
    staysAlone.push_back(item.pinOffset.has_value());
  }
  for (const auto &[a, b] : problem.forbiddenSharing)
    staysAlone[size_t(a)] = staysAlone[size_t(b)] = true;
  for (const Missing &piece : missingItems(problem.items, total, seed, isLate))
    roots.push_back(add({piece.life, piece.bytes, true, true, {}}));
  roots = glue(roots, seed);
  liveNodes = forest.size();
}

int32_t Completer::add(Node node) {
  forest.push_back(std::move(node));
  return int32_t(forest.size()) - 1;
}

std::vector<int32_t> Completer::glue(const std::vector<int32_t> &ids,
                                     uint64_t seed) {
  PackingProblem pieces;
  for (int32_t id : ids) {
    Item &item = pieces.items.emplace_back();
    item.sizeBytes = forest[size_t(id)].bytes;
    item.alignment = alignment;
    item.lifespans = {forest[size_t(id)].life};
    if (size_t(id) < problem.items.size() && staysAlone[size_t(id)])
      item.pinOffset = 0; // Nothing is glued to it.
  }
  nodeCount += kNodesOfGluing * int64_t(ids.size());
  const BlockedProblem blocked = BlockBuilder(pieces, seed).blocked();
  // By number among what was glued; parts have lower numbers.
  std::vector<int32_t> idOf = ids;
  for (size_t i = 0; i + 1 < blocked.firstPart.size(); ++i) {
    Node block;
    for (uint32_t p = blocked.firstPart[i]; p < blocked.firstPart[i + 1]; ++p) {
      const int64_t offset = blocked.parts[p].offsetBytes;
      const int32_t id = idOf[size_t(blocked.parts[p].node)];
      const Node &part = forest[size_t(id)];
      block.life = block.parts.empty()
                       ? part.life
                       : Interval{std::min(block.life.begin, part.life.begin),
                                  std::max(block.life.end, part.life.end)};
      block.bytes = std::max(block.bytes, offset + part.bytes);
      block.hasMissing |= part.hasMissing;
      block.parts.push_back({id, offset});
    }
    idOf.push_back(add(std::move(block)));
  }
  std::vector<int32_t> glued;
  for (int32_t number : blocked.nodeOf)
    glued.push_back(idOf[size_t(number)]);
  return glued;
}

void Completer::takeApart(int32_t id, int depth, std::vector<int32_t> &pieces) {
  const Node &node = forest[size_t(id)];
  // Where something is missing it goes deeper most of the time.
  const bool isDeep = depth <= 0 && (!node.hasMissing || below(4) != 0);
  if (node.parts.empty() || isDeep) {
    pieces.push_back(id);
    return;
  }
  for (const Part &part : node.parts)
    takeApart(part.node, depth - 1 - int(below(2)), pieces);
}

void Completer::choose(std::vector<int32_t> &kept,
                       std::vector<int32_t> &taken) {
  const Node &first =
      forest[size_t(roots[size_t(below(int64_t(roots.size())))])];
  const int64_t center = below(2) != 0 ? first.life.begin : first.life.end;
  std::vector<std::pair<int64_t, int32_t>> byDistance;
  for (int32_t id : roots) {
    const Interval &life = forest[size_t(id)].life;
    byDistance.push_back(
        {std::min(std::abs(life.begin - center), std::abs(life.end - center)),
         id});
  }
  nodeCount += int64_t(roots.size()) / kBlocksOfNode;
  const int64_t count = 1 + below(kMostTaken);
  const int depth = int(2 + below(kMostDeep - 1));
  const size_t near = std::min(byDistance.size(), size_t(4 * kMostTaken));
  std::partial_sort(byDistance.begin(), byDistance.begin() + ptrdiff_t(near),
                    byDistance.end());
  std::vector<int64_t> steps;
  for (size_t i = 0; i < near; ++i) {
    const int32_t id = byDistance[i].second;
    if (int64_t(i) < count)
      takeApart(id, depth, taken);
    else
      taken.push_back(id);
  }
  for (int32_t id : taken)
    for (int64_t step :
         {forest[size_t(id)].life.begin, forest[size_t(id)].life.end})
      steps.push_back(step);
  std::sort(steps.begin(), steps.end());
  const auto isOfOne = [&](int64_t step) {
    return step != whole.begin && step != whole.end &&
           std::binary_search(steps.begin(), steps.end(), step);
  };
  for (size_t i = near; i < byDistance.size(); ++i) {
    const int32_t id = byDistance[i].second;
    const Interval &life = forest[size_t(id)].life;
    (isOfOne(life.begin) || isOfOne(life.end) ? taken : kept).push_back(id);
  }
}

void Completer::changeOnce() {
  const size_t numNodes = forest.size();
  std::vector<int32_t> kept, taken, pieces;
  choose(kept, taken);
  std::vector<Missing> missing;
  for (int32_t id : taken) {
    const Node &node = forest[size_t(id)];
    if (node.isMissing)
      missing.push_back({node.life, node.bytes});
    else
      pieces.push_back(id);
  }
  const uint64_t seed = random() | 1;
  for (const Missing &piece : cutAnew(missing, whole, seed))
    pieces.push_back(add({piece.life, piece.bytes, true, true, {}}));
  const std::vector<int32_t> glued = glue(pieces, seed);
  if (kept.size() + glued.size() > roots.size()) {
    forest.resize(numNodes);
    return;
  }
  roots = std::move(kept);
  roots.insert(roots.end(), glued.begin(), glued.end());
  if (forest.size() > 4 * liveNodes)
    collect();
}

void Completer::improve(int64_t nodeLimit, llvm::function_ref<bool()> isLate) {
  const int64_t end = nodeCount + nodeLimit;
  int64_t idle = 0;
  for (int64_t round = 0; nodeCount < end && roots.size() > 1; ++round) {
    const size_t before = roots.size();
    changeOnce();
    idle = roots.size() < before ? 0 : idle + 1;
    if (idle > std::max(kMostIdle, kIdleOfBlock * int64_t(roots.size())) ||
        (round % kRoundsOfLook == 0 && isLate()))
      return;
  }
}

void Completer::collect() {
  std::vector<int32_t> newIds(forest.size(), -1);
  for (int32_t root : roots)
    newIds[size_t(root)] = 0;
  for (size_t id = forest.size(); id-- > 0;)
    if (newIds[id] >= 0)
      for (const Part &part : forest[id].parts)
        newIds[size_t(part.node)] = 0;
  std::vector<Node> kept;
  for (size_t id = 0; id < forest.size(); ++id) {
    if (id >= problem.items.size() && newIds[id] < 0)
      continue;
    newIds[id] = int32_t(kept.size());
    kept.push_back(std::move(forest[id]));
    for (Part &part : kept.back().parts)
      part.node = newIds[size_t(part.node)];
  }
  for (int32_t &root : roots)
    root = newIds[size_t(root)];
  forest = std::move(kept);
  liveNodes = forest.size();
}

BlockedProblem Completer::blocked() const {
  BlockedProblem result;
  result.itemCount = problem.items.size();
  result.firstPart = {0};
  for (size_t id = result.itemCount; id < forest.size(); ++id) {
    const std::vector<Part> &parts = forest[id].parts;
    result.parts.insert(result.parts.end(), parts.begin(), parts.end());
    result.firstPart.push_back(uint32_t(result.parts.size()));
  }
  PackingProblem &reduced = result.reduced;
  reduced.capacityBytes = problem.capacityBytes;
  reduced.period = problem.period;
  std::vector<int64_t> indexOf(problem.items.size(), -1);
  for (int32_t id : roots) {
    const Node &node = forest[size_t(id)];
    if (node.isMissing)
      continue;
    result.nodeOf.push_back(id);
    if (node.parts.empty()) {
      indexOf[size_t(id)] = int64_t(reduced.items.size());
      reduced.items.push_back(problem.items[size_t(id)]);
      continue;
    }
    Item &item = reduced.items.emplace_back();
    item.sizeBytes = node.bytes;
    item.alignment = alignment;
    item.lifespans = {node.life};
  }
  for (const auto &[a, b] : problem.forbiddenSharing)
    reduced.forbiddenSharing.push_back(
        std::minmax(indexOf[size_t(a)], indexOf[size_t(b)]));
  reduced.lowerBoundBytes =
      boundOfItems(reduced.items, reduced.forbiddenSharing).bytes;
  return result;
}

} // namespace tpu_mlir::planning
