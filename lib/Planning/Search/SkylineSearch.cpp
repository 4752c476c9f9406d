//===- SkylineSearch.cpp - Can it be packed below this height? ------------===//

#include "lib/Planning/Search/SkylineSearch.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

namespace tpu_mlir::planning {

SkylineSearch::SkylineSearch(const SectionedProblem &problem,
                             const ExactOptions &options)
    : problem(problem), options(options) {
  for (const Piece &piece : problem.pieces)
    hot.push_back({piece.sizeBytes,
                   piece.paddedBytes,
                   piece.alignment,
                   0,
                   {piece.ranges.front().begin, piece.ranges.back().end}});
}

SearchOutcome SkylineSearch::run(int64_t targetBytes,
                                 const SearchOrder &searchOrder, int64_t limit,
                                 const std::function<bool()> &stop) {
  nodeLimit = limit;
  mustStop = stop ? &stop : nullptr;
  reset(targetBytes, searchOrder);
  for (size_t id = 0; id < hot.size(); ++id)
    if (least[id] > hot[id].lastOffset)
      return SearchOutcome::Exhausted;
  const SectionRange all{0, int32_t(problem.load.size())};
  for (int64_t load : problem.load)
    if (load > sectionTarget)
      return SearchOutcome::Exhausted;
  std::vector<int32_t> list(hot.size());
  for (size_t id = 0; id < list.size(); ++id)
    list[id] = int32_t(id);
  rank(list);
  link(list);
  if (list.empty() || searchParts(std::move(list), all, 0, -1))
    return SearchOutcome::Found;
  return isStopped ? SearchOutcome::Stopped : SearchOutcome::Exhausted;
}

void SkylineSearch::reset(int64_t targetBytes, const SearchOrder &newOrder) {
  order = newOrder;
  // Loads stay below 2^62, so a target beyond it is none.
  targetBytes = std::min(targetBytes, int64_t(1) << 62);
  sectionTarget = targetBytes + problem.maxPaddingBytes;
  const size_t count = hot.size();
  offset.assign(count, -1);
  least.assign(count, 0);
  isPlaced.assign(count, false);
  rankOf.assign(count, 0);
  next.assign(count, -1);
  previous.assign(count, -1);
  remaining = problem.load;
  crossing.assign(problem.load.size() + 1, 0);
  noise.assign(count, 1.0);
  keys.resize(count);
  witness.clear();
  for (size_t s = 0; s < problem.load.size(); ++s)
    witness.push_back(problem.live.begin(s) == problem.live.end(s)
                          ? -1
                          : *problem.live.begin(s));
  std::mt19937_64 random(order.seed);
  for (size_t id = 0; id < count; ++id) {
    const Piece &piece = problem.pieces[id];
    least[id] = piece.pinOffset.value_or(0);
    hot[id].lastOffset =
        piece.pinOffset && *piece.pinOffset <= targetBytes - piece.sizeBytes
            ? *piece.pinOffset
            : targetBytes - piece.sizeBytes;
    for (int32_t line = piece.hull.begin + 1; line < piece.hull.end; ++line)
      ++crossing[size_t(line)];
    // 20 bits as a double are exact on every machine.
    if (order.noise > 0)
      noise[id] += order.noise * double(random() >> 44) / double(1 << 20);
  }
  placed.clear();
  raised.clear();
  candidates.clear();
  nodeCount = 0;
  isStopped = false;
}

/// Sorts `list` by the loads that are left now and numbers it.
void SkylineSearch::rank(std::vector<int32_t> &list) {
  for (int32_t id : list) {
    const Piece &piece = problem.pieces[size_t(id)];
    int64_t most = 0;
    for (const SectionRange &range : piece.ranges)
      for (int32_t s = range.begin; s < range.end; ++s)
        most = std::max(most, remaining[size_t(s)]);
    const double W = double(piece.life), T = double(most);
    const double size = double(piece.sizeBytes), A = W * size;
    const double z = noise[size_t(id)];
    std::array<double, 3> &key = keys[size_t(id)];
    switch (order.key) {
    case RankKey::WAT:
      key = {W * z, A, T};
      break;
    case RankKey::TAW:
      key = {T, A * z, W};
      break;
    case RankKey::TWA:
      key = {T, W * z, A};
      break;
    case RankKey::TRootWSize:
      key = {T, std::sqrt(W) * size * z, W};
      break;
    case RankKey::Area:
      key = {A * z, T, W};
      break;
    }
  }
  std::sort(list.begin(), list.end(), [&](int32_t a, int32_t b) {
    return std::tie(keys[size_t(b)], a) < std::tie(keys[size_t(a)], b);
  });
  for (size_t i = 0; i < list.size(); ++i)
    rankOf[size_t(list[i])] = int32_t(i);
}

void SkylineSearch::link(const std::vector<int32_t> &list) {
  head = list.empty() ? -1 : list.front();
  for (size_t i = 0; i < list.size(); ++i) {
    previous[size_t(list[i])] = i == 0 ? -1 : list[i - 1];
    next[size_t(list[i])] = i + 1 == list.size() ? -1 : list[i + 1];
  }
}

/// `list`: the unplaced pieces of the stretch by rank, linked.
bool SkylineSearch::searchParts(std::vector<int32_t> list, SectionRange stretch,
                                int64_t floor, int32_t lastRank) {
  std::vector<int32_t> lines = {stretch.begin};
  for (int32_t s = stretch.begin + 1; s < stretch.end; ++s)
    if (options.decomposition && crossing[size_t(s)] == 0)
      lines.push_back(s);
  lines.push_back(stretch.end);
  std::vector<std::vector<int32_t>> parts(lines.size() - 1);
  for (int32_t id : list)
    parts[size_t(std::upper_bound(lines.begin(), lines.end(),
                                  hot[size_t(id)].reach.begin) -
                 lines.begin() - 1)]
        .push_back(id);
  std::vector<size_t> byLength;
  for (size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty())
      byLength.push_back(i);
  if (byLength.size() == 1)
    return search({lines[byLength[0]], lines[byLength[0] + 1]}, floor,
                  lastRank);
  std::stable_sort(byLength.begin(), byLength.end(), [&](size_t a, size_t b) {
    return parts[a].size() < parts[b].size();
  });

  std::vector<int32_t> ranksBefore;
  for (int32_t id : list)
    ranksBefore.push_back(rankOf[size_t(id)]);
  const size_t placedBefore = placed.size();
  for (size_t part : byLength) {
    if (options.reranking)
      rank(parts[part]);
    link(parts[part]);
    if (search({lines[part], lines[part + 1]}, floor,
               options.reranking ? -1 : lastRank))
      continue;
    undo(placedBefore);
    for (size_t i = 0; i < list.size(); ++i)
      rankOf[size_t(list[i])] = ranksBefore[i];
    link(list);
    return false;
  }
  return true;
}

bool SkylineSearch::search(SectionRange stretch, int64_t floor,
                           int32_t lastRank) {
  const size_t base = candidates.size();
  collectCandidates(stretch, floor, lastRank);
  const size_t end = candidates.size();
  bool isFound = false;
  for (size_t i = base; i < end && !isFound && !isLimitHit(); ++i) {
    const Candidate candidate = candidates[i];
    const size_t placedBefore = placed.size();
    bool fellApart = false;
    ++nodeCount;
    isFound =
        place(candidate, fellApart) && descend(candidate, stretch, fellApart);
    if (!isFound)
      undo(placedBefore);
  }
  candidates.resize(base);
  return isFound;
}

bool SkylineSearch::descend(const Candidate &candidate, SectionRange stretch,
                            bool fellApart) {
  const size_t id = size_t(candidate.piece);
  const int32_t before = previous[id], after = next[id];
  (before < 0 ? head : next[size_t(before)]) = after;
  if (after >= 0)
    previous[size_t(after)] = before;
  bool isFound = head < 0;
  if (!isFound && fellApart) {
    std::vector<int32_t> rest;
    for (int32_t other = head; other >= 0; other = next[size_t(other)])
      rest.push_back(other);
    isFound =
        searchParts(std::move(rest), stretch, candidate.offset, candidate.rank);
  } else if (!isFound) {
    isFound = search(stretch, candidate.offset, candidate.rank);
  }
  if (isFound)
    return true;
  (before < 0 ? head : next[size_t(before)]) = candidate.piece;
  if (after >= 0)
    previous[size_t(after)] = candidate.piece;
  return false;
}

int64_t SkylineSearch::highestOffset(SectionRange stretch,
                                     int64_t floor) const {
  int64_t mostLeft = 0;
  for (int32_t s = stretch.begin; s < stretch.end; ++s)
    mostLeft = std::max(mostLeft, remaining[size_t(s)]);
  int64_t highest = sectionTarget - mostLeft;
  for (int32_t id = head; id >= 0; id = next[size_t(id)]) {
    if (options.dominance)
      highest = std::min(highest, std::max(floor, least[size_t(id)]) +
                                      hot[size_t(id)].sizeBytes - 1);
    // After a pin's offset it could not be placed any more.
    if (problem.pieces[size_t(id)].pinOffset)
      highest = std::min(highest, least[size_t(id)]);
  }
  return highest;
}

void SkylineSearch::collectCandidates(SectionRange stretch, int64_t floor,
                                      int32_t lastRank) {
  const int64_t highest = highestOffset(stretch, floor);
  const auto base = ptrdiff_t(candidates.size());
  for (int32_t id = head; id >= 0; id = next[size_t(id)]) {
    const int64_t at = least[size_t(id)];
    const bool isBehind = at < floor || (at == floor && rankOf[id] <= lastRank);
    if (at <= highest && !isBehind && !hasTwinBefore(id))
      candidates.push_back({at, rankOf[size_t(id)], id});
  }
  std::sort(candidates.begin() + base, candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::tie(a.offset, a.rank) < std::tie(b.offset, b.rank);
            });
}

bool SkylineSearch::hasTwinBefore(int32_t piece) const {
  const int32_t twin = problem.pieces[size_t(piece)].twin;
  return options.symmetry && twin >= 0 && !isPlaced[size_t(twin)];
}

bool SkylineSearch::isLimitHit() {
  if (!isStopped)
    isStopped = nodeCount >= nodeLimit ||
                (mustStop && nodeCount % 1024 == 1023 && (*mustStop)());
  return isStopped;
}

bool SkylineSearch::place(const Candidate &candidate, bool &fellApart) {
  const size_t id = size_t(candidate.piece);
  offset[id] = candidate.offset;
  take(candidate.piece, fellApart);
  SectionRange touched = hot[id].reach;
  return raiseNeighbours(candidate.piece, candidate.offset + hot[id].sizeBytes,
                         touched) &&
         sectionsStillFit(touched);
}

void SkylineSearch::take(int32_t piece, bool &fellApart) {
  placed.push_back({piece, raised.size()});
  isPlaced[size_t(piece)] = true;
  const Piece &taken = problem.pieces[size_t(piece)];
  for (const SectionRange &range : taken.ranges)
    for (int32_t s = range.begin; s < range.end; ++s)
      remaining[size_t(s)] -= taken.paddedBytes;
  for (int32_t line = taken.hull.begin + 1; line < taken.hull.end; ++line)
    fellApart |= --crossing[size_t(line)] == 0;
  fellApart &= options.decomposition;
}

bool SkylineSearch::raiseNeighbours(int32_t piece, int64_t top,
                                    SectionRange &touched) {
  const int32_t *end = problem.neighbours.end(size_t(piece));
  for (const int32_t *it = problem.neighbours.begin(size_t(piece)); it != end;
       ++it) {
    const size_t other = size_t(*it);
    if (isPlaced[other] || least[other] >= top)
      continue;
    const Hot &facts = hot[other];
    const int64_t aligned =
        facts.alignment == 1
            ? top
            : checkedAlignUp(top, facts.alignment)
                  .value_or(std::numeric_limits<int64_t>::max());
    if (aligned > facts.lastOffset)
      return false;
    raised.push_back({*it, least[other]});
    least[other] = aligned;
    touched.begin = std::min(touched.begin, facts.reach.begin);
    touched.end = std::max(touched.end, facts.reach.end);
  }
  return true;
}

/// In each section some unplaced piece must be low enough to come first.
bool SkylineSearch::sectionsStillFit(SectionRange touched) {
  if (!options.unplacedFloor)
    return true;
  for (int32_t s = touched.begin; s < touched.end; ++s) {
    if (remaining[size_t(s)] == 0)
      continue;
    const int64_t highest = sectionTarget - remaining[size_t(s)];
    auto isFine = [&](int32_t id) {
      return !isPlaced[size_t(id)] && least[size_t(id)] <= highest;
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

void SkylineSearch::undo(size_t placedBefore) {
  while (placed.size() > placedBefore) {
    const Placed last = placed.back();
    placed.pop_back();
    isPlaced[size_t(last.piece)] = false;
    const Piece &taken = problem.pieces[size_t(last.piece)];
    for (const SectionRange &range : taken.ranges)
      for (int32_t s = range.begin; s < range.end; ++s)
        remaining[size_t(s)] += taken.paddedBytes;
    for (int32_t line = taken.hull.begin + 1; line < taken.hull.end; ++line)
      ++crossing[size_t(line)];
    for (; raised.size() > last.raisedBefore; raised.pop_back())
      least[size_t(raised.back().piece)] = raised.back().least;
  }
}

} // namespace tpu_mlir::planning
