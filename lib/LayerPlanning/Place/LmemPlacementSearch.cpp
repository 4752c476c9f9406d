//===- LmemPlacementSearch.cpp - The fewest bank conflicts ----------------===//

#include "lib/LayerPlanning/Place/LmemPlacementSearch.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir::layer {

namespace {

/// The distinct points at which lives begin; between two of them nothing new
/// begins to live, so the load is largest at one of them.
std::vector<int64_t> beginsOf(const std::vector<Block> &blocks) {
  std::vector<int64_t> begins;
  for (const Block &block : blocks)
    for (const Interval &life : block.lifespans)
      begins.push_back(life.begin);
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  return begins;
}

size_t positionOf(const std::vector<int64_t> &begins, int64_t step) {
  return std::lower_bound(begins.begin(), begins.end(), step) - begins.begin();
}

} // namespace

BankSearch::BankSearch(const FoldedLmem &folded)
    : folded(folded), stepsOf(folded.blocks.size()),
      address(folded.blocks.size(), -1), least(folded.blocks.size(), 0) {
  const std::vector<int64_t> begins = beginsOf(folded.blocks);
  remaining.assign(begins.size(), 0);
  top.assign(begins.size(), 0);
  for (size_t block = 0; block < folded.blocks.size(); ++block) {
    padded.push_back(alignUp(folded.blocks[block].sizeBytes, folded.euBytes));
    for (const Interval &life : folded.blocks[block].lifespans)
      for (size_t step = positionOf(begins, life.begin);
           step < begins.size() && begins[step] < life.end; ++step) {
        stepsOf[block].push_back(int32_t(step));
        remaining[step] += padded[block];
      }
  }
}

BankSearch::Outcome BankSearch::run(int64_t belowCost, int64_t nodeLimit) {
  bestAddresses.clear();
  cost = folded.innerCost;
  bound = belowCost;
  lastNode = nodeCount + nodeLimit;
  isStopped = false;
  if (cost < bound)
    search(0, -1, folded.blocks.size());
  return isStopped    ? Outcome::Stopped
         : hasFound() ? Outcome::Improved
                      : Outcome::Exhausted;
}

void BankSearch::search(int64_t floor, int32_t lastBlock, size_t left) {
  if (left == 0) {
    bound = cost;
    bestAddresses = address;
    return;
  }
  const size_t begin = options.size();
  collectOptions(floor, lastBlock);
  const size_t end = options.size();
  for (size_t i = begin; i < end && !isStopped; ++i) {
    const Option option = options[i];
    if (cost + option.cost >= bound)
      continue;
    isStopped = nodeCount > lastNode;
    const size_t undoBefore = undo.size();
    if (place(option) && stepsStillFit(option.address))
      search(option.address, option.block, left - 1);
    takeBack(option, undoBefore);
  }
  options.resize(begin);
}

void BankSearch::collectOptions(int64_t floor, int32_t lastBlock) {
  const size_t begin = options.size();
  for (int32_t block = 0; block < int32_t(address.size()); ++block) {
    if (address[block] >= 0)
      continue;
    addOption(block, least[block], floor, lastBlock);
    for (const BankEdge &edge : folded.blocks[block].edges)
      if (address[edge.other] >= 0)
        if (const int64_t behind =
                folded.behind(address[edge.other], edge.otherSizeBytes);
            behind > least[block])
          addOption(block, behind, floor, lastBlock);
  }
  const auto key = [&](const Option &o) {
    return std::make_tuple(o.address, o.cost, -folded.blocks[o.block].sizeBytes,
                           o.block);
  };
  std::sort(options.begin() + begin, options.end(),
            [&](const Option &a, const Option &b) { return key(a) < key(b); });
  options.erase(std::unique(options.begin() + begin, options.end(),
                            [](const Option &a, const Option &b) {
                              return a.address == b.address &&
                                     a.block == b.block;
                            }),
                options.end());
}

/// Placements come in ascending order of address, then block.
void BankSearch::addOption(int32_t block, int64_t at, int64_t floor,
                           int32_t lastBlock) {
  ++nodeCount;
  if (at < floor || (at == floor && block < lastBlock) ||
      at + folded.blocks[block].sizeBytes > folded.limitBytes)
    return;
  if (isSwapped(block, at))
    return;
  int64_t added = 0;
  address[block] = at;
  for (const BankEdge &edge : folded.blocks[block].edges) {
    if (address[edge.other] < 0)
      added += isUnavoidable(edge.other, at, edge.sizeBytes) ? edge.cost : 0;
    else if (folded.shareBank(at, edge, address[edge.other]) &&
             !isUnavoidable(block, address[edge.other], edge.otherSizeBytes))
      added += edge.cost;
  }
  address[block] = -1;
  if (cost + added < bound)
    options.push_back({at, added, block});
}

/// `block` would lie right on top of one of the same life, and the two could
/// change places with the smaller one below, entering no further bank. Then the
/// other order is looked at, which has the lower sum of addresses.
bool BankSearch::isSwapped(int32_t block, int64_t at) const {
  for (int32_t below : folded.neighbours[block]) {
    if (address[below] < 0 || address[below] + padded[below] != at ||
        stepsOf[below] != stepsOf[block])
      continue;
    if (std::tie(padded[block], block) > std::tie(padded[below], below))
      continue;
    if (folded.bankBytes == 0 || entersNoBank(below, block, at))
      return true;
  }
  return false;
}

bool BankSearch::entersNoBank(int32_t below, int32_t block, int64_t at) const {
  const int64_t bottom = address[below];
  if (folded.firstBank(bottom) != folded.firstBank(at))
    return false;
  const int64_t moved = bottom + padded[block];
  const std::vector<BankEdge> &edges = folded.blocks[below].edges;
  return std::all_of(edges.begin(), edges.end(), [&](const BankEdge &edge) {
    return folded.lastBank(moved, edge.sizeBytes) ==
           folded.lastBank(bottom, edge.sizeBytes);
  });
}

/// The conflict of `later`, not placed yet, with `size` bytes at `at`.
bool BankSearch::isUnavoidable(int32_t later, int64_t at, int64_t size) const {
  return folded.behind(at, size) + folded.blocks[later].sizeBytes >
         folded.limitBytes;
}

bool BankSearch::place(const Option &option) {
  const int64_t end = option.address + padded[option.block];
  address[option.block] = option.address;
  cost += option.cost;
  for (int32_t step : stepsOf[option.block]) {
    remaining[step] -= padded[option.block];
    topUndo.push_back(top[step]);
    top[step] = end;
  }
  for (int32_t other : folded.neighbours[option.block]) {
    if (address[other] >= 0 || least[other] >= end)
      continue;
    undo.push_back({other, least[other]});
    least[other] = end;
    if (end + folded.blocks[other].sizeBytes > folded.limitBytes)
      return false;
  }
  return true;
}

/// Everything unplaced lies above the floor and above what is placed in its
/// steps; only the topmost one needs no padding.
bool BankSearch::stepsStillFit(int64_t floor) const {
  const int64_t limit = alignUp(folded.limitBytes, folded.euBytes);
  for (size_t step = 0; step < top.size(); ++step)
    if (remaining[step] > 0 &&
        std::max(floor, top[step]) + remaining[step] > limit)
      return false;
  return true;
}

void BankSearch::takeBack(const Option &option, size_t undoBefore) {
  while (undo.size() > undoBefore) {
    least[undo.back().block] = undo.back().least;
    undo.pop_back();
  }
  const std::vector<int32_t> &steps = stepsOf[option.block];
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    remaining[*step] += padded[option.block];
    top[*step] = topUndo.back();
    topUndo.pop_back();
  }
  cost -= option.cost;
  address[option.block] = -1;
}

} // namespace tpu_mlir::layer
