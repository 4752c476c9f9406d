//===- LmemPlacementGreedy.cpp - One block after the other ----------------===//

#include "lib/LayerPlanning/Place/LmemPlacementGreedy.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::layer {

GreedyPlacer::GreedyPlacer(const FoldedLmem &folded)
    : folded(folded), address(folded.blocks.size(), -1) {}

/// Ascending, without those that end above the limit.
void GreedyPlacer::collectAddresses(int32_t block) {
  const int64_t last = folded.limitBytes - folded.blocks[block].sizeBytes;
  tried.clear();
  const auto add = [&](int64_t at) {
    if (at <= last)
      tried.push_back(at);
  };
  add(0);
  for (int32_t other : folded.neighbours[block])
    if (address[other] >= 0)
      add(alignUp(address[other] + folded.blocks[other].sizeBytes,
                  folded.euBytes));
  for (const BankEdge &edge : folded.blocks[block].edges)
    if (address[edge.other] >= 0)
      add(folded.behind(address[edge.other], edge.otherSizeBytes));
  std::sort(tried.begin(), tried.end());
  tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
  nodeCount += int64_t(tried.size());
}

/// The bytes of placed blocks that live when `block` does, lowest first.
void GreedyPlacer::collectTaken(int32_t block) {
  taken.clear();
  for (int32_t other : folded.neighbours[block])
    if (address[other] >= 0)
      taken.push_back(
          {address[other], address[other] + folded.blocks[other].sizeBytes});
  std::sort(taken.begin(), taken.end());
}

int64_t GreedyPlacer::costAt(int32_t block, int64_t at) const {
  int64_t cost = 0;
  for (const BankEdge &edge : folded.blocks[block].edges)
    if (address[edge.other] >= 0 &&
        folded.shareBank(at, edge, address[edge.other]))
      cost += edge.cost;
  return cost;
}

bool GreedyPlacer::place(int32_t block, Preference preference) {
  collectAddresses(block);
  collectTaken(block);
  const int64_t size = folded.blocks[block].sizeBytes;
  std::optional<Choice> best;
  size_t below = 0;     // Of `taken`, how many begin at or below the address.
  int64_t takenEnd = 0; // The largest end of those.
  for (int64_t at : tried) {
    for (; below < taken.size() && taken[below].begin <= at; ++below)
      takenEnd = std::max(takenEnd, taken[below].end);
    if (takenEnd > at ||
        (below < taken.size() && taken[below].begin < at + size))
      continue;
    const int64_t cost = costAt(block, at);
    if (!best || cost < best->cost)
      best = Choice{at, cost};
    if (cost == 0 || preference == Preference::LowAddress)
      break;
  }
  if (best)
    address[block] = best->address;
  return best.has_value();
}

bool GreedyPlacer::placeAll(const std::vector<int32_t> &order,
                            Preference preference) {
  std::fill(address.begin(), address.end(), -1);
  return std::all_of(order.begin(), order.end(),
                     [&](int32_t block) { return place(block, preference); });
}

Candidate GreedyPlacer::current() const {
  return {address, folded.cost(address), folded.highWater(address)};
}

std::vector<std::vector<int32_t>> GreedyPlacer::orders() const {
  const std::vector<Block> &blocks = folded.blocks;
  const auto steps = [&](int32_t block) {
    int64_t sum = 0;
    for (const Interval &life : blocks[block].lifespans)
      sum += life.length();
    return sum;
  };
  // Products as doubles: they only rank.
  const auto area = [&](int32_t block) {
    return double(blocks[block].sizeBytes) * double(steps(block));
  };
  const auto size = [&](int32_t block) {
    return double(blocks[block].sizeBytes);
  };
  const auto pairs = [&](int32_t block) {
    return double(blocks[block].edgeCost);
  };
  const auto pull = [&](int32_t block) {
    return double(blocks[block].edgeCost) * double(blocks[block].sizeBytes);
  };
  std::vector<int32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<int32_t>> result;
  const auto addBy = [&](const auto &key) {
    std::vector<int32_t> sorted = order;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](int32_t a, int32_t b) { return key(a) > key(b); });
    result.push_back(std::move(sorted));
  };
  addBy(area);
  addBy(size);
  addBy(pairs);
  addBy(pull);
  addBy(steps);
  return result;
}

std::optional<Candidate> GreedyPlacer::best() {
  std::optional<Candidate> best;
  for (const std::vector<int32_t> &order : orders())
    for (Preference preference :
         {Preference::FewConflicts, Preference::LowAddress})
      if (placeAll(order, preference))
        if (Candidate found = current(); !best || found.isBetterThan(*best))
          best = std::move(found);
  return best;
}

/// SplitMix64 (Steele, Lea, Flood, 2014): the same numbers everywhere.
uint64_t GreedyPlacer::random(uint64_t below) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % below;
}

/// Any block when none is in conflict: then it is the peak that may fall.
int32_t GreedyPlacer::chooseInConflict(const Candidate &from) {
  std::vector<int32_t> guilty;
  for (size_t block = 0; block < folded.blocks.size(); ++block)
    for (const BankEdge &edge : folded.blocks[block].edges)
      if (folded.shareBank(from.addresses[block], edge,
                           from.addresses[edge.other])) {
        guilty.push_back(int32_t(block));
        break;
      }
  return guilty.empty() ? int32_t(random(folded.blocks.size()))
                        : guilty[random(guilty.size())];
}

/// One block, some of those that live with it or are its bank pairs, and now
/// and then any other, in random order.
std::vector<int32_t> GreedyPlacer::chooseToRemove(const Candidate &from) {
  const size_t count = folded.blocks.size();
  const int32_t seed = chooseInConflict(from);
  std::vector<int32_t> removed = {seed};
  const size_t wanted = std::min<size_t>(count, 2 + random(7));
  for (int tries = 0; removed.size() < wanted && tries < 32; ++tries) {
    const std::vector<int32_t> &near = folded.neighbours[seed];
    const std::vector<BankEdge> &edges = folded.blocks[seed].edges;
    int32_t next = int32_t(random(count));
    if (const uint64_t which = random(4); which < 2 && !near.empty())
      next = near[random(near.size())];
    else if (which == 2 && !edges.empty())
      next = edges[random(edges.size())].other;
    if (std::find(removed.begin(), removed.end(), next) == removed.end())
      removed.push_back(next);
  }
  for (size_t i = removed.size(); i > 1; --i)
    std::swap(removed[i - 1], removed[random(i)]);
  return removed;
}

Candidate GreedyPlacer::improve(Candidate start, int64_t enoughCost,
                                int64_t nodeLimit) {
  Candidate best = std::move(start);
  const int64_t lastNode = nodeCount + nodeLimit;
  while (best.cost > enoughCost && nodeCount < lastNode) {
    address = best.addresses;
    const std::vector<int32_t> removed = chooseToRemove(best);
    for (int32_t block : removed)
      address[block] = -1;
    // Choosing takes time too, even when the first block finds no place.
    nodeCount += int64_t(removed.size());
    if (!std::all_of(removed.begin(), removed.end(), [&](int32_t block) {
          return place(block, Preference::FewConflicts);
        }))
      continue;
    // Equal ones as well: a plateau is crossed by walking on it.
    if (Candidate found = current(); !best.isBetterThan(found))
      best = std::move(found);
  }
  return best;
}

} // namespace tpu_mlir::layer
