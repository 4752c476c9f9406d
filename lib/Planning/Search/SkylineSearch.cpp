//===- SkylineSearch.cpp - Can it be packed below this height? ------------===//

#include "lib/Planning/Search/SkylineSearch.h"

#include "lib/Planning/Search/Board.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <tuple>

namespace tpu_mlir::planning {

namespace {

/// Sorts pieces by the order asked for, from the loads that are left.
class Ranking {
public:
  Ranking(const SectionedProblem &problem, const SearchOrder &order)
      : problem(problem), key(order.key), noise(problem.pieces.size(), 1.0),
        keys(problem.pieces.size()) {
    if (order.noise <= 0)
      return;
    std::mt19937_64 random(order.seed);
    // 20 bits as a double are exact on every machine.
    for (double &factor : noise)
      factor += order.noise * double(random() >> 44) / double(1 << 20);
  }

  void sort(std::vector<int32_t> &list, const std::vector<int64_t> &remaining) {
    for (int32_t id : list)
      keys[size_t(id)] = keyOf(id, remaining);
    std::sort(list.begin(), list.end(), [&](int32_t a, int32_t b) {
      return std::tie(keys[size_t(b)], a) < std::tie(keys[size_t(a)], b);
    });
  }

private:
  std::array<double, 3> keyOf(int32_t id,
                              const std::vector<int64_t> &remaining) const {
    const Piece &piece = problem.pieces[size_t(id)];
    int64_t most = 0;
    for (const SectionRange &range : piece.ranges)
      for (int32_t s = range.begin; s < range.end; ++s)
        most = std::max(most, remaining[size_t(s)]);
    const double life = double(piece.life), load = double(most);
    const double size = double(piece.sizeBytes), area = life * size;
    const double z = noise[size_t(id)];
    switch (key) {
    case RankKey::WAT:
      return {life * z, area, load};
    case RankKey::TAW:
      return {load, area * z, life};
    case RankKey::TWA:
      return {load, life * z, area};
    case RankKey::TRootWSize:
      return {load, std::sqrt(life) * size * z, life};
    case RankKey::Area:
      return {area * z, load, life};
    }
    return {};
  }

  const SectionedProblem &problem;
  const RankKey key;
  std::vector<double> noise;
  std::vector<std::array<double, 3>> keys;
};

/// The unplaced pieces of the part being searched, by rank.
class RankedList {
public:
  explicit RankedList(size_t pieces)
      : ranks(pieces, 0), next(pieces, kNone), previous(pieces, kNone) {}

  bool isEmpty() const { return head == kNone; }
  int32_t rankOf(int32_t piece) const { return ranks[size_t(piece)]; }
  void setRank(int32_t piece, int32_t rank) { ranks[size_t(piece)] = rank; }

  void number(const std::vector<int32_t> &list) {
    for (size_t i = 0; i < list.size(); ++i)
      setRank(list[i], int32_t(i));
  }

  void link(const std::vector<int32_t> &list) {
    head = list.empty() ? kNone : list.front();
    for (size_t i = 0; i < list.size(); ++i) {
      previous[size_t(list[i])] = i == 0 ? kNone : list[i - 1];
      next[size_t(list[i])] = i + 1 == list.size() ? kNone : list[i + 1];
    }
  }

  void unlink(int32_t piece) {
    after(previous[size_t(piece)]) = next[size_t(piece)];
    if (next[size_t(piece)] != kNone)
      previous[size_t(next[size_t(piece)])] = previous[size_t(piece)];
  }

  /// Where the last unlink that is not undone took it from.
  void relink(int32_t piece) {
    after(previous[size_t(piece)]) = piece;
    if (next[size_t(piece)] != kNone)
      previous[size_t(next[size_t(piece)])] = piece;
  }

  template <typename Visit> void forEach(Visit visit) const {
    for (int32_t id = head; id != kNone; id = next[size_t(id)])
      visit(id);
  }

private:
  static constexpr int32_t kNone = -1; ///< The end of a linked list.

  int32_t &after(int32_t piece) {
    return piece == kNone ? head : next[size_t(piece)];
  }

  std::vector<int32_t> ranks, next, previous;
  int32_t head = kNone;
};

/// How many placements are left, and whether somebody wants it to end.
class Budget {
public:
  Budget(int64_t limit, const std::function<bool()> &mustStop, size_t pieces)
      : limit(limit), mustStop(mustStop), inARow(placementsInARow(pieces)) {}

  int64_t nodes() const { return count; }
  void spend() { ++count; }
  bool isSpent() const { return isOver; }
  bool checkSpent() {
    if (!isOver)
      isOver =
          count >= limit || (mustStop && ++sinceLook >= inARow && isAsked());
    return isOver;
  }

private:
  /// A placement takes longer the more pieces there are.
  static int64_t placementsInARow(size_t pieces) {
    return std::max<int64_t>(1024 / (1 + int64_t(pieces) / 256), 1);
  }
  bool isAsked() {
    sinceLook = 0;
    return mustStop();
  }

  const int64_t limit;
  const std::function<bool()> &mustStop;
  const int64_t inARow;
  int64_t count = 0, sinceLook = 0;
  bool isOver = false;
};

/// One search below one target.
class Search {
public:
  Search(const SectionedProblem &problem, const ExactOptions &options,
         const SearchOrder &order, Board &board, Budget &budget)
      : problem(problem), options(options), board(board), budget(budget),
        ranking(problem, order), unplaced(problem.pieces.size()) {}

  bool run();

private:
  struct Candidate {
    int64_t offset;
    int32_t rank;
    int32_t piece;
  };
  /// Below `floor` nothing is placed any more; at it, only higher ranks.
  struct Front {
    int64_t floor;
    int32_t lastRank;
  };

  /// The parts of a stretch that no unplaced piece joins, as the lines between.
  std::vector<int32_t> cutLines(SectionRange stretch) const;
  bool searchParts(const std::vector<int32_t> &list, SectionRange stretch,
                   Front front);
  bool search(SectionRange stretch, Front front);
  /// Goes on after a placement that holds so far.
  bool descend(const Candidate &candidate, SectionRange stretch,
               bool fellApart);
  /// Pushes them, lowest first.
  void collectCandidates(SectionRange stretch, Front front);
  /// No piece may be placed above this now; below `floor` means a dead end.
  int64_t highestOffset(SectionRange stretch, int64_t floor) const;
  bool hasTwinBefore(int32_t piece) const;

  const SectionedProblem &problem;
  const ExactOptions &options;
  Board &board;
  Budget &budget;
  Ranking ranking;
  RankedList unplaced;
  std::vector<Candidate> candidates; ///< A stack, one stretch a level.
};

} // namespace

SearchResult searchBelow(const SectionedProblem &problem,
                         const ExactOptions &options, int64_t targetBytes,
                         const SearchOrder &order, int64_t nodeLimit,
                         const std::function<bool()> &mustStop) {
  Board board(problem, options, targetBytes);
  if (!board.isOpen())
    return {};
  Budget budget(nodeLimit, mustStop, problem.pieces.size());
  SearchResult result;
  if (Search(problem, options, order, board, budget).run())
    result = {SearchOutcome::Found, board.offsets()};
  else if (budget.isSpent())
    result.outcome = SearchOutcome::Stopped;
  result.nodes = budget.nodes();
  return result;
}

bool Search::run() {
  std::vector<int32_t> list(problem.pieces.size());
  for (size_t id = 0; id < list.size(); ++id)
    list[id] = int32_t(id);
  ranking.sort(list, board.remaining());
  unplaced.number(list);
  unplaced.link(list);
  return list.empty() ||
         searchParts(list, {0, int32_t(problem.load.size())}, {0, -1});
}

std::vector<int32_t> Search::cutLines(SectionRange stretch) const {
  std::vector<int32_t> lines = {stretch.begin};
  for (int32_t s = stretch.begin + 1; s < stretch.end; ++s)
    if (options.decomposition && board.isCut(s))
      lines.push_back(s);
  lines.push_back(stretch.end);
  return lines;
}

/// `list`: the unplaced pieces of the stretch by rank, linked.
bool Search::searchParts(const std::vector<int32_t> &list, SectionRange stretch,
                         Front front) {
  const std::vector<int32_t> lines = cutLines(stretch);
  std::vector<std::vector<int32_t>> parts(lines.size() - 1);
  for (int32_t id : list)
    parts[size_t(std::upper_bound(lines.begin(), lines.end(),
                                  board.reach(id).begin) -
                 lines.begin() - 1)]
        .push_back(id);
  std::vector<size_t> byLength;
  for (size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty())
      byLength.push_back(i);
  if (byLength.size() == 1)
    return search({lines[byLength[0]], lines[byLength[0] + 1]}, front);
  std::stable_sort(byLength.begin(), byLength.end(), [&](size_t a, size_t b) {
    return parts[a].size() < parts[b].size();
  });

  std::vector<int32_t> ranksBefore;
  for (int32_t id : list)
    ranksBefore.push_back(unplaced.rankOf(id));
  const size_t placedBefore = board.placements();
  if (options.reranking)
    front.lastRank = -1;
  for (size_t part : byLength) {
    if (options.reranking) {
      ranking.sort(parts[part], board.remaining());
      unplaced.number(parts[part]);
    }
    unplaced.link(parts[part]);
    if (search({lines[part], lines[part + 1]}, front))
      continue;
    board.undo(placedBefore);
    for (size_t i = 0; i < list.size(); ++i)
      unplaced.setRank(list[i], ranksBefore[i]);
    unplaced.link(list);
    return false;
  }
  return true;
}

bool Search::search(SectionRange stretch, Front front) {
  const size_t base = candidates.size();
  collectCandidates(stretch, front);
  const size_t end = candidates.size();
  bool isFound = false;
  for (size_t i = base; i < end && !isFound && !budget.checkSpent(); ++i) {
    const Candidate candidate = candidates[i];
    const size_t placedBefore = board.placements();
    bool fellApart = false;
    budget.spend();
    isFound = board.place(candidate.piece, candidate.offset, fellApart) &&
              descend(candidate, stretch, fellApart && options.decomposition);
    if (!isFound)
      board.undo(placedBefore);
  }
  candidates.resize(base);
  return isFound;
}

bool Search::descend(const Candidate &candidate, SectionRange stretch,
                     bool fellApart) {
  unplaced.unlink(candidate.piece);
  const Front front{candidate.offset, candidate.rank};
  bool isFound = unplaced.isEmpty();
  if (!isFound && fellApart) {
    std::vector<int32_t> rest;
    unplaced.forEach([&](int32_t other) { rest.push_back(other); });
    isFound = searchParts(rest, stretch, front);
  } else if (!isFound) {
    isFound = search(stretch, front);
  }
  if (!isFound)
    unplaced.relink(candidate.piece);
  return isFound;
}

int64_t Search::highestOffset(SectionRange stretch, int64_t floor) const {
  int64_t highest = board.highestFloor(stretch);
  unplaced.forEach([&](int32_t id) {
    if (options.dominance)
      highest = std::min(
          highest, std::min(std::max(floor, board.least(id)), board.last(id)) +
                       board.sizeBytes(id) - 1);
    // After a pin's offset it could not be placed any more.
    if (problem.pieces[size_t(id)].pinOffset)
      highest = std::min(highest, board.least(id));
    else if (problem.pieces[size_t(id)].places)
      highest = std::min(highest, board.last(id));
  });
  return highest;
}

void Search::collectCandidates(SectionRange stretch, Front front) {
  const int64_t highest = highestOffset(stretch, front.floor);
  const auto base = ptrdiff_t(candidates.size());
  unplaced.forEach([&](int32_t id) {
    const int64_t at = board.least(id);
    const bool isBehind =
        at < front.floor ||
        (at == front.floor && unplaced.rankOf(id) <= front.lastRank);
    if (at <= highest && !isBehind && !hasTwinBefore(id))
      candidates.push_back({at, unplaced.rankOf(id), id});
  });
  std::sort(candidates.begin() + base, candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::tie(a.offset, a.rank) < std::tie(b.offset, b.rank);
            });
}

bool Search::hasTwinBefore(int32_t piece) const {
  const int32_t twin = problem.pieces[size_t(piece)].twin;
  return options.symmetry && twin >= 0 && !board.isPlaced(twin);
}

} // namespace tpu_mlir::planning
