//===- StaticChunks.cpp - The planner of merge-alloc ----------------------===//
//
// Plays the schedule as a trace of allocations and releases, in the order of
// time, at one step the releases first, ties in buffer order, to an arena that
// splits, joins and extends free chunks (ChunkArena.h). There are two modes:
//
//   static-chunks             chunks by size and by how recently they were used
//   static-chunks-size-first  chunks by size
//
//     buffer   A [1,5) 16   B [2,4) 64   C [5,7) 16
//     trace    A+ B+ B- A- C+ C-
//     chunks   |A16|B64|  ->  |A16|  64 |  ->  |   80   |  ->  |C16|  64 |
//
// This is the static memory planner of the merge-alloc pass of intel/graph-
// compiler, with the same choices for the same trace; its total is totalBytes()
// of the arena, which may be more than the highest end of an item. Sizes are
// rounded up to the largest alignment, so that all chunks are aligned however
// they move. Items with gaps in their lives keep their bytes during the gaps.
//
// An arena that moves cannot keep off pinned bytes, knows nothing of partners,
// and cannot serve alignments none of which is a multiple of all others. With
// any of these the arena's offsets are only an order: first fit (FirstFit.h)
// puts the items, lowest first. None ends up higher than in the arena because
// of that, only because of what the arena did not know.
//
// O(n log n), plus first fit where it is needed.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Reference/ChunkArena.h"

#include "lib/Planning/Kit/FirstFit.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tpu_mlir::planning {

namespace {

constexpr int64_t kNewest = std::numeric_limits<int64_t>::max();
/// After so many ticks a chunk is as cold as it gets.
constexpr int64_t kColdAge = 10;

} // namespace

std::optional<size_t> ChunkArena::alloc(int64_t size) {
  ++tick;
  if (freeBySize.empty()) {
    if (!checkedAdd(total, size))
      return std::nullopt;
    return append(size);
  }
  const size_t id =
      choice == Choice::CostModel ? chooseByScore(size) : chooseBySize(size);
  unindex(id);
  if (chunks[id].sizeBytes > size) {
    splitOff(id, size);
  } else {
    const auto extended = checkedAdd(total, size - chunks[id].sizeBytes);
    if (!extended)
      return std::nullopt;
    total = *extended;
    chunks[id].sizeBytes = size;
  }
  chunks[id].isFree = false;
  return id;
}

size_t ChunkArena::append(int64_t size) {
  const size_t id = chunks.size();
  Chunk chunk;
  chunk.sizeBytes = size;
  chunk.previous = last;
  (last ? chunks[*last].next : first) = id;
  last.emplace(id);
  chunks.push_back(chunk);
  total += size;
  return id;
}

/// A chunk that is large enough has a size score above 0 and any other one
/// below: the best fit, or else the least misfit.
size_t ChunkArena::chooseBySize(int64_t need) const {
  auto it = freeBySize.lower_bound({need, kNewest, 0});
  if (it == freeBySize.end())
    it = freeBySize.lower_bound({freeBySize.rbegin()->sizeBytes, kNewest, 0});
  return it->chunk;
}

/// Cold chunks differ by size only, and a chunk that is not cold was released
/// within the last few ticks. So these few, and the best by size among all, are
/// the only ones that can have the highest score: if the best by size is hot,
/// no cold one can beat it.
size_t ChunkArena::chooseByScore(int64_t need) const {
  Link best;
  double bestScore = 0;
  auto offer = [&](size_t id) {
    const double score = scoreOf(chunks[id], need);
    if (best && score <= bestScore)
      return;
    best.emplace(id);
    bestScore = score;
  };
  for (auto it = freeByTick.rbegin();
       it != freeByTick.rend() && tick - it->first < kColdAge; ++it)
    offer(it->second);
  offer(chooseBySize(need));
  return *best;
}

double ChunkArena::scoreOf(const Chunk &chunk, int64_t need) const {
  const double size = double(chunk.sizeBytes), wanted = double(need);
  const double misfit =
      size > wanted ? (size - wanted) / size : (wanted - size) / wanted;
  const int64_t age = std::min(tick - chunk.releasedAt, kColdAge);
  const double heat = 1.0 - double(age) / double(kColdAge);
  return (chunk.sizeBytes >= need ? 1.0 : 0.0) - misfit + heat;
}

/// The part above `need` becomes a free chunk of the same age.
void ChunkArena::splitOff(size_t id, int64_t need) {
  const size_t rest = chunks.size();
  chunks.push_back(chunks[id]);
  chunks[rest].sizeBytes -= need;
  chunks[rest].previous = id;
  (chunks[rest].next ? chunks[*chunks[rest].next].previous : last) = rest;
  chunks[id].next = rest;
  chunks[id].sizeBytes = need;
  index(rest);
}

void ChunkArena::release(size_t id) {
  ++tick;
  chunks[id].isFree = true;
  const Link next = chunks[id].next, previous = chunks[id].previous;
  if (next && chunks[*next].isFree) {
    unindex(*next);
    absorbNext(id);
  }
  if (previous && chunks[*previous].isFree) {
    unindex(*previous);
    absorbNext(*previous);
    id = *previous;
  }
  chunks[id].releasedAt = tick;
  index(id);
}

void ChunkArena::absorbNext(size_t id) {
  const size_t gone = chunks[id].next.value();
  chunks[gone].mergedInto = id;
  chunks[gone].mergedAt = chunks[id].sizeBytes;
  merged.push_back(gone);
  chunks[id].sizeBytes += chunks[gone].sizeBytes;
  chunks[id].next = chunks[gone].next;
  (chunks[id].next ? chunks[*chunks[id].next].previous : last) = id;
}

std::vector<int64_t> ChunkArena::offsets() const {
  std::vector<int64_t> result(chunks.size(), 0);
  int64_t at = 0;
  for (Link id = first; id; id = chunks[*id].next) {
    result[*id] = at;
    at += chunks[*id].sizeBytes;
  }
  // What a chunk was merged into is still there, or was merged later.
  for (auto it = merged.rbegin(); it != merged.rend(); ++it)
    result[*it] = result[*chunks[*it].mergedInto] + chunks[*it].mergedAt;
  return result;
}

void ChunkArena::index(size_t id) {
  freeBySize.insert({chunks[id].sizeBytes, chunks[id].releasedAt, id});
  freeByTick.emplace(chunks[id].releasedAt, id);
}

void ChunkArena::unindex(size_t id) {
  freeBySize.erase({chunks[id].sizeBytes, chunks[id].releasedAt, id});
  freeByTick.erase(chunks[id].releasedAt);
}

namespace {

struct Event {
  int64_t step;
  bool isStart;
  size_t item;
  bool operator<(const Event &o) const {
    return std::tie(step, isStart, item) < std::tie(o.step, o.isStart, o.item);
  }
};

class Trace {
public:
  explicit Trace(const PackingProblem &problem) : problem(problem) {
    for (size_t id = 0; id < problem.items.size(); ++id) {
      const Item &item = problem.items[id];
      if (item.sizeBytes == 0 || item.pinOffset)
        continue;
      largestAlignment = std::max(largestAlignment, item.alignment);
      events.push_back({hullOf(item).begin, true, id});
      events.push_back({hullOf(item).end, false, id});
    }
    std::sort(events.begin(), events.end());
  }

  std::optional<Packing> plan(ChunkArena::Choice choice) const {
    auto offsets = play(choice);
    if (!offsets || !arenaKnowsAll())
      offsets = packInOrder(
          offsets.value_or(std::vector<int64_t>(problem.items.size(), 0)));
    if (!offsets)
      return std::nullopt;
    Packing packing;
    packing.offsets = std::move(*offsets);
    return packing;
  }

private:
  /// nullopt when the arena leaves 63 bits. Pinned items and those of 0 bytes
  /// get 0.
  std::optional<std::vector<int64_t>> play(ChunkArena::Choice choice) const {
    ChunkArena arena(choice);
    std::vector<size_t> handles(problem.items.size(), 0);
    for (const Event &event : events) {
      if (!event.isStart) {
        arena.release(handles[event.item]);
        continue;
      }
      const auto size =
          checkedAlignUp(problem.items[event.item].sizeBytes, largestAlignment);
      const auto handle = size ? arena.alloc(*size) : std::nullopt;
      if (!handle)
        return std::nullopt;
      handles[event.item] = *handle;
    }
    const std::vector<int64_t> starts = arena.offsets();
    std::vector<int64_t> offsets(problem.items.size(), 0);
    for (const Event &event : events)
      offsets[event.item] = starts[handles[event.item]];
    return offsets;
  }

  bool arenaKnowsAll() const {
    return problem.forbiddenSharing.empty() &&
           std::all_of(problem.items.begin(), problem.items.end(),
                       [&](const Item &item) {
                         return !item.pinOffset &&
                                (item.sizeBytes == 0 ||
                                 largestAlignment % item.alignment == 0);
                       });
  }

  std::optional<std::vector<int64_t>>
  packInOrder(const std::vector<int64_t> &wanted) const {
    FirstFit firstFit(problem);
    std::vector<size_t> order = firstFit.unpinnedItems();
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
    return firstFit.pack(order);
  }

  const PackingProblem &problem;
  std::vector<Event> events;
  int64_t largestAlignment = 1;
};

template <ChunkArena::Choice choice>
std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &) {
  return Trace(problem).plan(choice);
}

const RegisterStrategy costModel({
    "static-chunks",
    "merge-alloc's planner: a malloc that extends free chunks, chosen by size "
    "and recent use; O(n log n)",
    pack<ChunkArena::Choice::CostModel>,
    {},
    std::nullopt,
    /*followsBufferOrder=*/true,
});
const RegisterStrategy sizeFirst({
    "static-chunks-size-first",
    "merge-alloc's planner: a malloc that extends free chunks, chosen by size; "
    "O(n log n)",
    pack<ChunkArena::Choice::SizeFirst>,
    {},
    std::nullopt,
    /*followsBufferOrder=*/true,
});

} // namespace

} // namespace tpu_mlir::planning
