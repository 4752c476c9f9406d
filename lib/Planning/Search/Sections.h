//===- Sections.h - A packing problem cut along the time axis ---*- C++ -*-===//
//
// Between two steps at which a lifespan begins or ends nothing changes: such a
// stretch is a section. What an exact search asks all the time - which pieces
// are alive together, how many bytes a section still has to take - is answered
// from flat arrays indexed by section and piece.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_SECTIONS_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_SECTIONS_H

#include "lib/Planning/Search/Placed/Places.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "llvm/ADT/ArrayRef.h"

namespace tpu_mlir::planning {

/// Sections [begin, end).
struct SectionRange {
  int32_t begin = 0, end = 0;
};

/// An item of the problem, as the search sees it.
struct Piece {
  int64_t sizeBytes = 0;
  /// Rounded up to the granule: what it takes from the pieces above it.
  int64_t paddedBytes = 0;
  int64_t alignment = 1;
  std::optional<int64_t> pinOffset;
  /// Where it may begin, in place of the alignment; outlives the search.
  const Places *places = nullptr;
  std::vector<SectionRange> ranges;
  /// From the first to the last section of the piece and of all its forbidden
  /// partners: where no hull crosses, the problem falls apart.
  SectionRange hull;
  /// Number of steps at which it is alive.
  int64_t life = 0;
  /// The piece before this one that has the same life, size and alignment, or
  /// -1: swapping twins changes nothing.
  int32_t twin = -1;
};

/// Flat lists of lists.
class IndexLists {
public:
  void build(std::vector<std::vector<int32_t>> lists);
  llvm::ArrayRef<int32_t> of(size_t list) const {
    return {begin(list), end(list)};
  }
  const int32_t *begin(size_t list) const { return &entries[starts[list]]; }
  const int32_t *end(size_t list) const { return &entries[starts[list + 1]]; }
  size_t size() const { return entries.size(); }

private:
  std::vector<size_t> starts;
  std::vector<int32_t> entries;
};

struct SectionedProblem {
  std::vector<Piece> pieces; ///< One an item of at least one byte.
  std::vector<size_t> itemOf;
  IndexLists neighbours; ///< Pieces that must not share bytes with a piece.
  IndexLists live;       ///< Pieces of a section.
  /// Sum of the padded sizes in each section.
  std::vector<int64_t> load;
  /// The topmost piece of a section needs no padding: bounds that add padded
  /// sizes may be over by this much.
  int64_t maxPaddingBytes = 0;

  /// nullopt when there are more than `maxPieces` pieces or `maxNeighbours`
  /// pairs, or a load leaves 63 bits: not for this kind of search.
  /// O(i log i + the sum of the lengths of all lists).
  static std::optional<SectionedProblem>
  build(const PackingProblem &problem, size_t maxPieces = 4000,
        size_t maxNeighbours = size_t(1) << 23);
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_SECTIONS_H
