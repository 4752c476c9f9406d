//===- SkylineSearch.h - Can it be packed below this height? ----*- C++ -*-===//
//
// Depth-first search for a packing that ends at or below a target. Pieces are
// placed from the bottom up: each at its lowest possible offset above the
// pieces already placed, offsets never decreasing from one placement to the
// next and ranks never decreasing at one offset. Every packing can be pushed
// down into this form, and each such packing is built along one path only.
//
//   offset              skyline after A, B, C        next: D at the top of A,
//     ^   ___                                        or E at the top of C;
//     |  | B |____                                   not G, if D would fit
//     |__|___| C  |___                               whole below it
//     | A         |                                  (dominance)
//     +----------------> sections
//
// A branch is cut when
//   * some section can no longer take what it has left: the current offset, or
//     the lowest offset open to its unplaced pieces, plus what is unplaced
//     there is over the target;
//   * a piece cannot end below the target any more, or its pin is passed.
// Where no unplaced piece crosses from one section to the next, the two sides
// are searched one after the other, each ranked by the loads it has left.
//
// The form of the search is that of MiniMalloc (Moffitt, ASPLOS 2024). Told
// apart from it: a witness piece for each section in place of its exact floor,
// so that most placements look at few pieces; ranks with random noise, because
// many short searches from different orders find packings that one long one
// does not (Gomes, Selman, Kautz, 1998).
//
// A node is one placement: O(neighbours + sections it touches).
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_SKYLINESEARCH_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_SKYLINESEARCH_H

#include "lib/Planning/Search/Sections.h"

#include <functional>

namespace tpu_mlir::planning {

/// What pieces are ranked by: a key, the largest first, and further keys for
/// ties. W is the length of the life, T the largest load left during it, A the
/// area (size times W).
enum class RankKey { WAT, TAW, TWA, TRootWSize, Area };

struct SearchOrder {
  RankKey key = RankKey::WAT;
  /// The noisy key of a piece is multiplied by 1 + noise * u, u uniform in
  /// [0, 1). It is W in WAT and TWA, A in TAW and Area, sqrt(W) times size in
  /// TRootWSize.
  double noise = 0;
  uint64_t seed = 1;
};

enum class SearchOutcome {
  Found,
  Exhausted, ///< Nothing below the target exists.
  Stopped,   ///< A limit was hit.
};

struct SearchResult {
  SearchOutcome outcome = SearchOutcome::Exhausted;
  std::vector<int64_t> offsets; ///< One a piece, when Found.
  int64_t nodes = 0;            ///< Placements tried.
};

/// Looks for a packing of which no byte is at or above `targetBytes`, for at
/// most `nodeLimit` placements, or until `mustStop` (asked every 1,024
/// placements, or more often where there are many pieces) says so.
SearchResult searchBelow(const SectionedProblem &problem,
                         const ExactOptions &options, int64_t targetBytes,
                         const SearchOrder &order, int64_t nodeLimit,
                         const std::function<bool()> &mustStop = nullptr);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_SKYLINESEARCH_H
