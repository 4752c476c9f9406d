//===- Board.cpp - What is placed, and what that leaves -------------------===//

#include "lib/Planning/Search/Board.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::planning {

/// Of those it has, at or above `from`.
static int64_t lowestPlace(const Piece &piece, int64_t from) {
  return piece.places->firstFrom(from).value_or(
      std::numeric_limits<int64_t>::max());
}

Board::Board(const SectionedProblem &problem, const ExactOptions &options,
             int64_t targetBytes)
    : problem(problem), checksFloors(options.unplacedFloor),
      sectionTarget(saturatedAdd(targetBytes, problem.maxPaddingBytes)),
      offset(problem.pieces.size(), -1), unplacedBytes(problem.load),
      crossing(problem.load.size() + 1, 0),
      placedFlags(problem.pieces.size(), false) {
  for (const Piece &piece : problem.pieces) {
    int64_t last = targetBytes - piece.sizeBytes;
    if (piece.pinOffset)
      last = std::min(last, *piece.pinOffset);
    if (piece.places)
      last = std::min(last, piece.places->last().value_or(last));
    hot.push_back({piece.sizeBytes,
                   piece.places ? 0 : piece.alignment,
                   last,
                   {piece.ranges.front().begin, piece.ranges.back().end}});
    leastOffset.push_back(piece.pinOffset.value_or(0));
    if (piece.places)
      leastOffset.back() = lowestPlace(piece, leastOffset.back());
    for (int32_t line = piece.hull.begin + 1; line < piece.hull.end; ++line)
      ++crossing[size_t(line)];
  }
  for (size_t s = 0; s < problem.load.size(); ++s)
    witness.push_back(problem.live.begin(s) == problem.live.end(s)
                          ? -1
                          : *problem.live.begin(s));
}

bool Board::isOpen() const {
  for (size_t id = 0; id < hot.size(); ++id)
    if (leastOffset[id] > hot[id].lastOffset)
      return false;
  return std::all_of(problem.load.begin(), problem.load.end(),
                     [&](int64_t load) { return load <= sectionTarget; });
}

int64_t Board::highestFloor(SectionRange stretch) const {
  int64_t mostLeft = 0;
  for (int32_t s = stretch.begin; s < stretch.end; ++s)
    mostLeft = std::max(mostLeft, unplacedBytes[size_t(s)]);
  return sectionTarget - mostLeft;
}

bool Board::place(int32_t piece, int64_t at, bool &fellApart) {
  offset[size_t(piece)] = at;
  fellApart = take(piece);
  SectionRange touched = reach(piece);
  return raiseNeighbours(piece, at + sizeBytes(piece), touched) &&
         sectionsStillFit(touched);
}

/// Whether a line became cut.
bool Board::take(int32_t piece) {
  placed.push_back({piece, raised.size()});
  placedFlags[size_t(piece)] = true;
  const Piece &taken = problem.pieces[size_t(piece)];
  for (const SectionRange &range : taken.ranges)
    for (int32_t s = range.begin; s < range.end; ++s)
      unplacedBytes[size_t(s)] -= taken.paddedBytes;
  bool fellApart = false;
  for (int32_t line = taken.hull.begin + 1; line < taken.hull.end; ++line)
    fellApart |= --crossing[size_t(line)] == 0;
  return fellApart;
}

bool Board::raiseNeighbours(int32_t piece, int64_t top, SectionRange &touched) {
  const int32_t *end = problem.neighbours.end(size_t(piece));
  for (const int32_t *it = problem.neighbours.begin(size_t(piece)); it != end;
       ++it) {
    const size_t other = size_t(*it);
    if (placedFlags[other] || leastOffset[other] >= top)
      continue;
    const Hot &facts = hot[other];
    const int64_t aligned =
        facts.alignment == 1 ? top
        : facts.alignment == 0
            ? lowestPlace(problem.pieces[other], top)
            : checkedAlignUp(top, facts.alignment)
                  .value_or(std::numeric_limits<int64_t>::max());
    if (aligned > facts.lastOffset)
      return false;
    raised.push_back({*it, leastOffset[other]});
    leastOffset[other] = aligned;
    touched.begin = std::min(touched.begin, facts.reach.begin);
    touched.end = std::max(touched.end, facts.reach.end);
  }
  return true;
}

/// In each section some unplaced piece must be low enough to come first.
bool Board::sectionsStillFit(SectionRange touched) {
  if (!checksFloors)
    return true;
  for (int32_t s = touched.begin; s < touched.end; ++s) {
    if (unplacedBytes[size_t(s)] == 0)
      continue;
    const int64_t highest = sectionTarget - unplacedBytes[size_t(s)];
    auto isFine = [&](int32_t id) {
      return !isPlaced(id) && least(id) <= highest;
    };
    if (isFine(witness[size_t(s)]))
      continue;
    const int32_t *end = problem.live.end(size_t(s));
    const int32_t *found =
        std::find_if(problem.live.begin(size_t(s)), end, isFine);
    if (found == end)
      return false;
    witness[size_t(s)] = *found;
  }
  return true;
}

void Board::undo(size_t placementsLeft) {
  while (placed.size() > placementsLeft) {
    const Placed last = placed.back();
    placed.pop_back();
    placedFlags[size_t(last.piece)] = false;
    const Piece &taken = problem.pieces[size_t(last.piece)];
    for (const SectionRange &range : taken.ranges)
      for (int32_t s = range.begin; s < range.end; ++s)
        unplacedBytes[size_t(s)] += taken.paddedBytes;
    for (int32_t line = taken.hull.begin + 1; line < taken.hull.end; ++line)
      ++crossing[size_t(line)];
    for (; raised.size() > last.raisedBefore; raised.pop_back())
      leastOffset[size_t(raised.back().piece)] = raised.back().least;
  }
}

} // namespace tpu_mlir::planning
