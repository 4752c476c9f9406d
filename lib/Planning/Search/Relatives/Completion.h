//===- Completion.h - What is missing in a packing without holes -*- C++
//-*-===//
//
// Many tight problems are packings without holes from which some pieces were
// taken. Gluing (Blocks.h) comes to an end beside the holes; but what is
// missing shows in the live sum, which would be the same at all steps:
//
//      live sum  ------+     +----------   total
//                      |     |
//                      +-----+             a piece of this size and life
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_COMPLETION_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_COMPLETION_H

#include "tpu_mlir/Planning/Strategy.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tpu_mlir::planning {

/// What the live sum may have been when nothing was missing: its largest value;
/// what those pieces add up to at the first and the last step that are seen to
/// end or begin alone; the next round number (the multiple of as large a power
/// of two as possible), as pools have; and a guess a little above. Each once,
/// ascending, a sixteenth above the first one at most. Empty where the live sum
/// changes more often than once for two items, or 10,000 times: nothing was
/// taken from that.
std::vector<int64_t> likelyTotals(const std::vector<Item> &items,
                                  llvm::function_ref<bool()> isLate);

/// A life and the bytes that are missing for as long.
struct Missing {
  Interval life;
  int64_t bytes = 0;
};

/// What fills up the live sum to `total`, which is no less than its largest. A
/// rise of what is lacking and a fall by as many bytes are one item, a rise and
/// two falls that add up to it are two, and so on up to four; the shortest
/// first. The rest, or once it is late, is cut as it comes, by chance when
/// `seed` is not 0. O(s^2 log s) of the s steps where the live sum changes.
std::vector<Missing> missingItems(const std::vector<Item> &items, int64_t total,
                                  uint64_t seed,
                                  llvm::function_ref<bool()> isLate);

/// Other pieces that fill what `pieces` do. `whole`: from the first to the last
/// step of all.
std::vector<Missing> cutAnew(const std::vector<Missing> &pieces, Interval whole,
                             uint64_t seed);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_COMPLETION_H
