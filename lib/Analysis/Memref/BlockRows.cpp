//===- BlockRows.cpp - Cut the blocks of a region at their gates ----------===//
//
// One pass over the branches in the order of the text finds the cuts; liveness
// steps over whole rows instead of visiting every block.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/BlockRows.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir {

BlockRows::BlockRows(Region &region, const OpTicks &ticks) {
  SmallVector<Block *> blocks;
  for (Block &block : region)
    blocks.push_back(&block);
  cut(blocks);
  size_t at = 0;
  std::vector<bool> isThrough;
  for (size_t row = 0; row < rows.size(); ++row) {
    size_t first = at;
    while (at < blocks.size() && rowOf(blocks[at]) == row)
      ++at;
    auto own = ArrayRef(blocks).slice(first, at - first);
    rows[row].range = {ticks.range(own.front()).begin,
                       ticks.range(own.back()).end};
    isThrough.push_back(goesThrough(row, own));
  }
  for (size_t row = 1; row < rows.size(); ++row)
    rows[row].firstBefore =
        isThrough[row - 1] ? rows[row - 1].firstBefore : row;
  for (size_t row = rows.size(); row-- > 0;)
    rows[row].lastBehind = isThrough[row] ? rows[row + 1].lastBehind : row;
}

/// Makes the rows of their gates.
void BlockRows::cut(ArrayRef<Block *> blocks) {
  DenseMap<Block *, size_t> positions;
  for (auto [position, block] : llvm::enumerate(blocks))
    positions[block] = position;
  // How many branches forbid a cut before a block, as differences.
  std::vector<int64_t> forbidden(blocks.size() + 1, 0);
  auto forbid = [&](size_t first, size_t end) {
    if (first >= end)
      return;
    ++forbidden[first];
    --forbidden[end];
  };
  for (auto [from, block] : llvm::enumerate(blocks))
    for (Block *successor : block->getSuccessors()) {
      size_t to = positions.lookup(successor);
      if (from < to)
        forbid(from + 1, to);
      else
        forbid(to + 1, from + 1);
    }
  int64_t numForbidding = 0;
  for (auto [position, block] : llvm::enumerate(blocks)) {
    numForbidding += forbidden[position];
    if (position == 0 || numForbidding == 0)
      rows.push_back({block, {}});
    rowOfBlock[block] = rows.size() - 1;
  }
}

/// Every block of the row is on a way from its gate to the next one.
bool BlockRows::goesThrough(size_t row, ArrayRef<Block *> blocks) const {
  if (row + 1 == rows.size())
    return false;
  auto countFrom = [&](Block *start, bool isForward) {
    llvm::SmallPtrSet<Block *, 8> seen;
    SmallVector<Block *> work = {start};
    auto visit = [&](Block *next) {
      if (rowOf(next) == row && seen.insert(next).second)
        work.push_back(next);
    };
    visit(start);
    while (!work.empty()) {
      Block *block = work.pop_back_val();
      if (isForward)
        llvm::for_each(block->getSuccessors(), visit);
      else
        llvm::for_each(block->getPredecessors(), visit);
    }
    return seen.size();
  };
  return countFrom(blocks.front(), /*isForward=*/true) == blocks.size() &&
         countFrom(gate(row + 1), /*isForward=*/false) == blocks.size();
}

size_t BlockRows::lastThroughFrom(size_t row, int64_t end) const {
  auto behind = std::partition_point(
      rows.begin() + row, rows.begin() + rows[row].lastBehind,
      [&](const Row &other) { return other.range.end <= end; });
  return behind - rows.begin();
}

} // namespace tpu_mlir
