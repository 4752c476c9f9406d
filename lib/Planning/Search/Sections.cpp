//===- Sections.cpp - A packing problem cut along the time axis -----------===//

#include "lib/Planning/Search/Sections.h"

#include "lib/Planning/Kit/Placing.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace tpu_mlir::planning {

void IndexLists::build(std::vector<std::vector<int32_t>> lists) {
  starts.assign(1, 0);
  for (const std::vector<int32_t> &list : lists)
    starts.push_back(starts.back() + list.size());
  entries.clear();
  entries.reserve(starts.back() + 1);
  for (std::vector<int32_t> &list : lists) {
    entries.insert(entries.end(), list.begin(), list.end());
    std::vector<int32_t>().swap(list); // Together they are large.
  }
  // Pointers to the end of the last list must be into the array.
  entries.push_back(-1);
}

namespace {

constexpr int64_t kMaxLoad = std::numeric_limits<int64_t>::max();

class Builder {
public:
  Builder(const PackingProblem &problem, size_t maxNeighbours)
      : problem(problem), maxNeighbours(maxNeighbours) {}

  std::optional<SectionedProblem> build(size_t maxPieces) {
    chooseItems();
    if (result.itemOf.size() > maxPieces)
      return std::nullopt;
    collectSteps();
    for (size_t item : result.itemOf)
      addPiece(problem.items[item]);
    if (!fillSections() || !linkNeighbours())
      return std::nullopt;
    findTwins();
    return std::move(result);
  }

private:
  void chooseItems() {
    pieceOf.assign(problem.items.size(), -1);
    for (size_t id = 0; id < problem.items.size(); ++id) {
      if (problem.items[id].sizeBytes == 0)
        continue;
      pieceOf[id] = int32_t(result.itemOf.size());
      result.itemOf.push_back(id);
      granule = std::gcd(granule, problem.items[id].alignment);
    }
  }

  void collectSteps() {
    for (size_t id : result.itemOf)
      for (const Interval &span : problem.items[id].lifespans) {
        steps.push_back(span.begin);
        steps.push_back(span.end);
      }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  }
  int32_t sectionAt(int64_t step) const {
    return int32_t(std::lower_bound(steps.begin(), steps.end(), step) -
                   steps.begin());
  }

  void addPiece(const Item &item) {
    Piece piece;
    piece.sizeBytes = item.sizeBytes;
    piece.paddedBytes =
        checkedAlignUp(item.sizeBytes, granule).value_or(kMaxLoad);
    piece.alignment = item.alignment;
    piece.pinOffset = item.pinOffset;
    piece.life = totalLife(item);
    for (const Interval &span : item.lifespans)
      piece.ranges.push_back({sectionAt(span.begin), sectionAt(span.end)});
    piece.hull = {piece.ranges.front().begin, piece.ranges.back().end};
    result.maxPaddingBytes =
        std::max(result.maxPaddingBytes, piece.paddedBytes - piece.sizeBytes);
    result.pieces.push_back(std::move(piece));
  }

  /// False when a load is too large to count with.
  bool fillSections() {
    const size_t count = steps.empty() ? 0 : steps.size() - 1;
    std::vector<std::vector<int32_t>> live(count);
    result.load.assign(count, 0);
    for (size_t id = 0; id < result.pieces.size(); ++id)
      for (const SectionRange &range : result.pieces[id].ranges)
        for (int32_t s = range.begin; s < range.end; ++s) {
          live[size_t(s)].push_back(int32_t(id));
          int64_t &load = result.load[size_t(s)];
          if (result.pieces[id].paddedBytes > kMaxLoad - load)
            return false;
          load += result.pieces[id].paddedBytes;
        }
    result.live.build(std::move(live));
    return true;
  }

  /// A piece meets those alive where it begins, in each of its ranges, and
  /// those that begin later in it.
  bool linkNeighbours() {
    std::vector<std::vector<int32_t>> lists(result.pieces.size());
    size_t pairs = 0;
    for (size_t id = 0; id < lists.size(); ++id)
      for (const SectionRange &range : result.pieces[id].ranges)
        for (int32_t other : result.live.of(size_t(range.begin))) {
          // Of two ranges that begin together, the lower index looks.
          if (other == int32_t(id) ||
              (beginsAt(other, range.begin) && other < int32_t(id)))
            continue;
          lists[id].push_back(other);
          lists[size_t(other)].push_back(int32_t(id));
          if (++pairs > maxNeighbours)
            return false;
        }
    for (const auto &[a, b] : problem.forbiddenSharing) {
      if (pieceOf[size_t(a)] < 0 || pieceOf[size_t(b)] < 0)
        continue;
      lists[size_t(pieceOf[size_t(a)])].push_back(pieceOf[size_t(b)]);
      lists[size_t(pieceOf[size_t(b)])].push_back(pieceOf[size_t(a)]);
      joinHulls(pieceOf[size_t(a)], pieceOf[size_t(b)]);
    }
    for (std::vector<int32_t> &list : lists) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    result.neighbours.build(std::move(lists));
    return true;
  }
  bool beginsAt(int32_t id, int32_t section) const {
    const auto &ranges = result.pieces[size_t(id)].ranges;
    return std::any_of(
        ranges.begin(), ranges.end(),
        [&](const SectionRange &range) { return range.begin == section; });
  }
  void joinHulls(int32_t a, int32_t b) {
    SectionRange &first = result.pieces[size_t(a)].hull;
    SectionRange &second = result.pieces[size_t(b)].hull;
    first = second = {std::min(first.begin, second.begin),
                      std::max(first.end, second.end)};
    hasPartner.resize(result.pieces.size(), false);
    hasPartner[size_t(a)] = hasPartner[size_t(b)] = true;
  }

  void findTwins() {
    hasPartner.resize(result.pieces.size(), false);
    using Key = std::tuple<std::vector<Interval>, int64_t, int64_t>;
    std::map<Key, int32_t> last;
    for (size_t id = 0; id < result.pieces.size(); ++id) {
      Piece &piece = result.pieces[id];
      if (piece.pinOffset || hasPartner[id])
        continue;
      const Item &item = problem.items[result.itemOf[id]];
      const auto [it, isNew] = last.try_emplace(
          Key(item.lifespans, item.sizeBytes, item.alignment), int32_t(id));
      if (!isNew)
        piece.twin = std::exchange(it->second, int32_t(id));
    }
  }

  const PackingProblem &problem;
  const size_t maxNeighbours;
  SectionedProblem result;
  std::vector<int32_t> pieceOf; ///< By item; -1: no bytes.
  std::vector<int64_t> steps;
  std::vector<bool> hasPartner;
  int64_t granule = 0;
};

} // namespace

std::optional<SectionedProblem>
SectionedProblem::build(const PackingProblem &problem, size_t maxPieces,
                        size_t maxNeighbours) {
  return Builder(problem, maxNeighbours).build(maxPieces);
}

} // namespace tpu_mlir::planning
