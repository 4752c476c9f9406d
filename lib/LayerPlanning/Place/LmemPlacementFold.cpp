//===- LmemPlacementFold.cpp - A placement problem, ready to search -------===//

#include "lib/LayerPlanning/Place/LmemPlacementFold.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Overlaps.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

namespace tpu_mlir::layer {

namespace {

/// What is known of a block before its neighbours are looked at.
using Content = std::tuple<std::vector<std::pair<int64_t, int64_t>>, int64_t,
                           int64_t, size_t>;

Content contentOf(const Block &block) {
  std::vector<std::pair<int64_t, int64_t>> lives;
  for (const Interval &life : block.lifespans)
    lives.push_back({life.begin, life.end});
  return {std::move(lives), -block.sizeBytes, -block.edgeCost,
          block.edges.size()};
}

/// Ranks equal keys equally.
template <typename Key>
std::vector<int64_t> ranksOf(const std::vector<Key> &keys) {
  std::map<Key, int64_t> rankOf;
  for (const Key &key : keys)
    rankOf[key] = 0;
  int64_t rank = 0;
  for (auto &entry : rankOf)
    entry.second = rank++;
  std::vector<int64_t> ranks;
  for (const Key &key : keys)
    ranks.push_back(rankOf[key]);
  return ranks;
}

/// Ranks by content, then by the ranks of the neighbours, round after round:
/// the refinement of colours that tests of graph isomorphism use. What is still
/// equal after some rounds is hardly ever different.
std::vector<int64_t> canonicalRanks(const std::vector<Block> &blocks) {
  constexpr int kRounds = 4;
  std::vector<Content> contents;
  for (const Block &block : blocks)
    contents.push_back(contentOf(block));
  std::vector<int64_t> ranks = ranksOf(contents);
  using Edge = std::array<int64_t, 4>;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::pair<int64_t, std::vector<Edge>>> keys;
    for (size_t i = 0; i < blocks.size(); ++i) {
      std::vector<Edge> edges;
      for (const BankEdge &edge : blocks[i].edges)
        edges.push_back({ranks[edge.other], edge.cost, edge.sizeBytes,
                         edge.otherSizeBytes});
      std::sort(edges.begin(), edges.end());
      keys.push_back({ranks[i], std::move(edges)});
    }
    ranks = ranksOf(keys);
  }
  return ranks;
}

void sortByContent(FoldedLmem &folded) {
  const std::vector<int64_t> ranks = canonicalRanks(folded.blocks);
  std::vector<int32_t> order(folded.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return ranks[a] < ranks[b]; });
  std::vector<int32_t> placeOf(order.size());
  std::vector<Block> sorted;
  for (size_t place = 0; place < order.size(); ++place) {
    placeOf[order[place]] = int32_t(place);
    sorted.push_back(std::move(folded.blocks[order[place]]));
  }
  for (Block &block : sorted) {
    for (BankEdge &edge : block.edges)
      edge.other = placeOf[edge.other];
    std::sort(block.edges.begin(), block.edges.end(),
              [](const BankEdge &a, const BankEdge &b) {
                return std::tie(a.other, a.sizeBytes, a.otherSizeBytes,
                                a.cost) <
                       std::tie(b.other, b.sizeBytes, b.otherSizeBytes, b.cost);
              });
  }
  folded.blocks = std::move(sorted);
  for (int32_t &block : folded.blockOf)
    block = placeOf[block];
}

void addEdges(const LmemProblem &problem, FoldedLmem &folded) {
  for (const BankPair &pair : problem.bankPairs) {
    const int32_t a = folded.blockOf[pair.first];
    const int32_t b = folded.blockOf[pair.second];
    const int64_t sizeA = problem.buffers[pair.first].sizeBytes;
    const int64_t sizeB = problem.buffers[pair.second].sizeBytes;
    if (a == b) {
      folded.innerCost += pair.cost;
      continue;
    }
    folded.blocks[a].edges.push_back({b, sizeA, sizeB, pair.cost});
    folded.blocks[b].edges.push_back({a, sizeB, sizeA, pair.cost});
    folded.blocks[a].edgeCost += pair.cost;
    folded.blocks[b].edgeCost += pair.cost;
  }
}

void addNeighbours(FoldedLmem &folded) {
  std::vector<OwnedInterval> lives;
  for (size_t block = 0; block < folded.blocks.size(); ++block)
    for (const Interval &life : folded.blocks[block].lifespans)
      lives.push_back({life, block});
  folded.neighbours.resize(folded.blocks.size());
  forEachOverlap(std::move(lives), [&](size_t a, size_t b) {
    folded.neighbours[a].push_back(int32_t(b));
    folded.neighbours[b].push_back(int32_t(a));
    return true;
  });
  for (std::vector<int32_t> &list : folded.neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

} // namespace

int64_t FoldedLmem::behind(int64_t address, int64_t sizeBytes) const {
  return alignUp((lastBank(address, sizeBytes) + 1) * bankBytes, euBytes);
}

int64_t FoldedLmem::cost(const std::vector<int64_t> &addresses) const {
  int64_t sum = innerCost;
  for (size_t a = 0; a < blocks.size(); ++a)
    for (const BankEdge &edge : blocks[a].edges)
      if (size_t(edge.other) > a &&
          shareBank(addresses[a], edge, addresses[edge.other]))
        sum += edge.cost;
  return sum;
}

int64_t FoldedLmem::leastCost() const {
  int64_t sum = innerCost;
  for (size_t a = 0; a < blocks.size(); ++a)
    for (const BankEdge &edge : blocks[a].edges)
      if (size_t(edge.other) > a &&
          behind(0, edge.sizeBytes) + blocks[edge.other].sizeBytes >
              limitBytes &&
          behind(0, edge.otherSizeBytes) + blocks[a].sizeBytes > limitBytes)
        sum += edge.cost;
  return sum;
}

int64_t FoldedLmem::highWater(const std::vector<int64_t> &addresses) const {
  int64_t end = 0;
  for (size_t i = 0; i < blocks.size(); ++i)
    end = std::max(end, addresses[i] + blocks[i].sizeBytes);
  return end;
}

std::vector<int64_t>
FoldedLmem::unfold(const std::vector<int64_t> &addresses) const {
  std::vector<int64_t> result;
  for (int32_t block : blockOf)
    result.push_back(addresses[block]);
  return result;
}

FoldedLmem foldLmem(const LmemProblem &problem, int64_t limitBytes) {
  FoldedLmem folded;
  folded.limitBytes = limitBytes;
  folded.bankBytes =
      problem.banks > 0 ? problem.laneBytes() / problem.banks : 0;
  folded.euBytes = problem.euBytes();
  std::vector<planning::BufferId> roots(problem.buffers.size());
  std::iota(roots.begin(), roots.end(), 0);
  for (const planning::Alias &alias : problem.aliases)
    roots[alias.member] = alias.root;
  folded.blockOf.assign(roots.size(), -1);
  for (size_t i = 0; i < roots.size(); ++i) {
    int32_t &block = folded.blockOf[roots[i]];
    if (block < 0) {
      const planning::Buffer &root = problem.buffers[roots[i]];
      block = int32_t(folded.blocks.size());
      folded.blocks.push_back(
          {root.sizeBytes, normalize(root.lifespans), {}, 0});
    }
    folded.blockOf[i] = block;
  }
  if (folded.bankBytes > 0)
    addEdges(problem, folded);
  sortByContent(folded);
  addNeighbours(folded);
  return folded;
}

} // namespace tpu_mlir::layer
