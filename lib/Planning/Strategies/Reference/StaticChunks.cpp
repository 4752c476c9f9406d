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

#include "lib/Planning/Kit/FirstFit.h"
#include "lib/Planning/Strategies/Reference/ChunkArena.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir::planning {
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

class StaticChunks final : public Strategy {
public:
  std::string_view name() const override { return "static-chunks"; }
  std::string_view summary() const override {
    return "merge-alloc's planner: a malloc that extends free chunks, chosen "
           "by size and recent use; O(n log n)";
  }
  bool followsBufferOrder() const override { return true; }
  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    return Trace(problem).plan(ChunkArena::Choice::CostModel);
  }
};

class StaticChunksSizeFirst final : public Strategy {
public:
  std::string_view name() const override { return "static-chunks-size-first"; }
  std::string_view summary() const override {
    return "merge-alloc's planner: a malloc that extends free chunks, chosen "
           "by size; O(n log n)";
  }
  bool followsBufferOrder() const override { return true; }
  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    return Trace(problem).plan(ChunkArena::Choice::SizeFirst);
  }
};

const RegisterStrategy<StaticChunks> costModel;
const RegisterStrategy<StaticChunksSizeFirst> sizeFirst;

} // namespace
} // namespace tpu_mlir::planning
