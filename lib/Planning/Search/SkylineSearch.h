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

#include <array>
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

class SkylineSearch {
public:
  SkylineSearch(const SectionedProblem &problem, const ExactOptions &options);

  /// Looks for a packing of which no byte is at or above `targetBytes`, for at
  /// most `nodeLimit` placements, or until `mustStop` (asked every 1,024 nodes)
  /// says so.
  SearchOutcome run(int64_t targetBytes, const SearchOrder &order,
                    int64_t nodeLimit,
                    const std::function<bool()> &mustStop = nullptr);

  /// After Found: one offset a piece.
  const std::vector<int64_t> &offsets() const { return offset; }
  /// Placements tried by the last run.
  int64_t nodes() const { return nodeCount; }

private:
  struct Candidate {
    int64_t offset;
    int32_t rank;
    int32_t piece;
  };
  struct Placed {
    int32_t piece;
    size_t raisedBefore;
  };
  struct Raised {
    int32_t piece;
    int64_t least;
  };

  /// What the inner loops need of a piece, in one cache line.
  struct Hot {
    int64_t sizeBytes;
    int64_t paddedBytes;
    int64_t alignment;
    int64_t lastOffset; ///< It may not be placed above this.
    SectionRange reach; ///< From its first to its last section.
  };

  void reset(int64_t targetBytes, const SearchOrder &order);
  void rank(std::vector<int32_t> &list);
  void link(const std::vector<int32_t> &list);
  bool searchParts(std::vector<int32_t> list, SectionRange stretch,
                   int64_t floor, int32_t lastRank);
  bool search(SectionRange stretch, int64_t floor, int32_t lastRank);
  /// Goes on after a placement that holds so far.
  bool descend(const Candidate &candidate, SectionRange stretch,
               bool fellApart);
  /// Pushes them, lowest first.
  void collectCandidates(SectionRange stretch, int64_t floor, int32_t lastRank);
  /// No piece may be placed above this now; below `floor` means a dead end.
  int64_t highestOffset(SectionRange stretch, int64_t floor) const;
  bool hasTwinBefore(int32_t piece) const;
  bool isLimitHit();
  /// False when the placement cannot be part of a packing; the caller undoes
  /// it in both cases.
  bool place(const Candidate &candidate, bool &fellApart);
  void take(int32_t piece, bool &fellApart);
  bool raiseNeighbours(int32_t piece, int64_t top, SectionRange &touched);
  bool sectionsStillFit(SectionRange touched);
  void undo(size_t placedBefore);

  const SectionedProblem &problem;
  const ExactOptions options;
  std::vector<Hot> hot;
  int64_t sectionTarget = 0; ///< For sums of padded sizes.
  SearchOrder order;
  std::vector<double> noise;
  std::vector<std::array<double, 3>> keys;

  std::vector<int64_t> offset;
  std::vector<int64_t> least;     ///< Lowest offset above what is placed.
  std::vector<int64_t> remaining; ///< Unplaced bytes of a section.
  std::vector<int32_t> crossing;  ///< Unplaced hulls across the line before it.
  std::vector<int32_t> witness;   ///< A piece that proves a section to be fine.
  std::vector<char> isPlaced;
  std::vector<int32_t> rankOf;
  /// The unplaced pieces of the part being searched, by rank.
  std::vector<int32_t> next, previous;
  int32_t head = -1;

  std::vector<Placed> placed;
  std::vector<Raised> raised;
  std::vector<Candidate> candidates; ///< A stack, one stretch a level.
  int64_t nodeCount = 0;
  int64_t nodeLimit = 0;
  const std::function<bool()> *mustStop = nullptr;
  bool isStopped = false;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_SKYLINESEARCH_H
