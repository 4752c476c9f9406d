//===- Board.h - What is placed, and what that leaves -----------*- C++ -*-===//
//
// The state of a search from the bottom up, below one target. Placing a piece
// raises the least offset of its unplaced neighbours; taking placements back
// restores them, last first. A placement is refused when some piece could not
// end below the target any more, or some section could not take what it has
// left.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_BOARD_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_BOARD_H

#include "lib/Planning/Search/Sections.h"

namespace tpu_mlir::planning {

class Board {
public:
  /// Empty. `problem` must outlive it.
  Board(const SectionedProblem &problem, const ExactOptions &options,
        int64_t targetBytes);

  /// Whether loads and sizes alone leave a packing below the target possible.
  bool isOpen() const;

  const std::vector<int64_t> &offsets() const { return offset; }
  /// Lowest offset above what is placed.
  int64_t least(int32_t piece) const { return leastOffset[size_t(piece)]; }
  int64_t last(int32_t piece) const { return hot[size_t(piece)].lastOffset; }
  bool isPlaced(int32_t piece) const { return placedFlags[size_t(piece)]; }
  /// From its first to its last section.
  SectionRange reach(int32_t piece) const { return hot[size_t(piece)].reach; }
  int64_t sizeBytes(int32_t piece) const {
    return hot[size_t(piece)].sizeBytes;
  }
  /// Unplaced bytes of each section.
  const std::vector<int64_t> &remaining() const { return unplacedBytes; }
  /// No unplaced piece reaches across the line before the section.
  bool isCut(int32_t section) const { return crossing[size_t(section)] == 0; }
  /// Above this some section of the stretch could not take what it has left.
  int64_t highestFloor(SectionRange stretch) const;
  size_t placements() const { return placed.size(); }

  /// Places a piece. False when that cannot be part of a packing; the caller
  /// takes it back in both cases. `fellApart`: a line became cut.
  /// O(neighbours + sections it touches).
  bool place(int32_t piece, int64_t at, bool &fellApart);
  /// Takes placements back until so many are left.
  void undo(size_t placementsLeft);

private:
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
    int64_t alignment;  ///< 0: it has places of its own.
    int64_t lastOffset; ///< It may not be placed above this.
    SectionRange reach;
  };

  bool take(int32_t piece);
  bool raiseNeighbours(int32_t piece, int64_t top, SectionRange &touched);
  bool sectionsStillFit(SectionRange touched);

  const SectionedProblem &problem;
  const bool checksFloors;     ///< sectionsStillFit is not switched off.
  const int64_t sectionTarget; ///< For sums of padded sizes.
  std::vector<Hot> hot;
  std::vector<int64_t> offset, leastOffset, unplacedBytes;
  std::vector<int32_t> crossing; ///< Unplaced hulls across the line before it.
  std::vector<int32_t> witness;  ///< A piece that proves a section to be fine.
  std::vector<char> placedFlags;
  std::vector<Placed> placed;
  std::vector<Raised> raised;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_BOARD_H
