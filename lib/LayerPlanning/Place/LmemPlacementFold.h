//===- LmemPlacementFold.h - A placement problem, ready to search -*- C++
//-*-===//
//
// Buffers that lie in place of one another become one block; which blocks live
// together and which should not share a bank is looked up, not computed, from
// here on. Blocks stand in an order of their own contents, so that the order of
// the buffers in the problem does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTFOLD_H
#define TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTFOLD_H

#include "tpu_mlir/LayerPlanning/LmemPlacement.h"

namespace tpu_mlir::layer {

/// One bank pair, seen from one of its blocks. The sizes are those of the two
/// buffers: either may be smaller than its block.
struct BankEdge {
  int32_t other = 0;
  int64_t sizeBytes = 0, otherSizeBytes = 0;
  int64_t cost = 0;
};

/// Buffers that start at one address.
struct Block {
  int64_t sizeBytes = 0; ///< Of the largest.
  std::vector<Interval> lifespans;
  std::vector<BankEdge> edges; ///< Ascending in `other`.
  int64_t edgeCost = 0;        ///< Sum over the edges.
};

struct FoldedLmem {
  int64_t limitBytes = 0;
  int64_t bankBytes = 0; ///< 0: no banks, and no edges either.
  int64_t euBytes = 1;
  std::vector<Block> blocks;
  std::vector<int32_t> blockOf; ///< By buffer.
  /// By block, ascending: the others that live when it does.
  std::vector<std::vector<int32_t>> neighbours;
  /// Cost of the pairs within blocks, which no address avoids.
  int64_t innerCost = 0;

  int64_t firstBank(int64_t address) const { return address / bankBytes; }
  int64_t lastBank(int64_t address, int64_t sizeBytes) const {
    return (address + sizeBytes - 1) / bankBytes;
  }
  bool shareBank(int64_t address, const BankEdge &edge,
                 int64_t otherAddress) const {
    return firstBank(address) <= lastBank(otherAddress, edge.otherSizeBytes) &&
           firstBank(otherAddress) <= lastBank(address, edge.sizeBytes);
  }
  /// The first address after the last bank of `sizeBytes` bytes at `address`.
  int64_t behind(int64_t address, int64_t sizeBytes) const;

  int64_t cost(const std::vector<int64_t> &addresses) const;
  /// What every placement within the limit costs: the pairs of one block, and
  /// those of which neither has room after the banks of the other.
  int64_t leastCost() const;
  int64_t highWater(const std::vector<int64_t> &addresses) const;
  /// One address a buffer from one a block.
  std::vector<int64_t> unfold(const std::vector<int64_t> &addresses) const;
};

/// The problem has passed checkProblem. O((b + n) log b + pairs) for b blocks
/// of which n pairs live together.
FoldedLmem foldLmem(const LmemProblem &problem, int64_t limitBytes);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTFOLD_H
