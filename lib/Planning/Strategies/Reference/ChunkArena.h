//===- ChunkArena.h - A malloc that may still move things -------*- C++ -*-===//
//
// An arena is a row of chunks in address order. Some are in use, some are free,
// and no two free ones are neighbours:
//
//     | 0: used | 1: free | 2: used | 3: used | 4: free |
//
// alloc() takes a free chunk whenever there is one. One that is larger than
// needed is split: its low part is used, the rest stays free. One that is too
// small is extended, and all that lies to its right moves up: nobody has looked
// at an address yet, so offsets are known only when the trace is over. That is
// what an allocator at run time cannot do, and it saves the arena from growing
// at the end while holes in the middle are just too small.
//
//     need 5:  | 0: used 4 | 1: free 3 | 2: used 6 |
//           -> | 0: used 4 | 1: used 5   | 2: used 6 |    2 begins two later
//
// Why what was given back earlier stays disjoint from what lived beside it: an
// old allocation is remembered by its distance from the start of the chunk that
// its bytes belong to now, so all old ones in one chunk keep their distances; a
// chunk that grows or moves only widens distances between chunks. A free chunk
// that is split leaves its old allocations with the low part.
//
// The scheme is that of the static memory planner of intel/graph-compiler
// (merge-alloc pass). It walks over its free chunks for each choice; here they
// are indexed by size and by age, and each call takes O(log n).
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_REFERENCE_CHUNKARENA_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_REFERENCE_CHUNKARENA_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tpu_mlir::planning {

class ChunkArena {
public:
  /// Which free chunk alloc() takes.
  enum class Choice {
    /// The smallest that is large enough; if none is, the largest. Ties: the
    /// one that was given back last.
    SizeFirst,
    /// The highest score; ties: the one that was given back last. With `age`
    /// the number of calls since it was given back,
    ///
    ///   score = (chunk >= need ? 1 : 0) - |chunk - need| / max(chunk, need)
    ///         + 1 - min(age / 10, 1)
    ///
    /// Bytes that were in use a moment ago are likely to be in a cache.
    CostModel,
  };
  explicit ChunkArena(Choice choice) : choice(choice) {}

  /// `size` (> 0) bytes until they are released; a handle for release() and
  /// offsets(), which may be one that was returned before. nullopt when the
  /// arena would leave 63 bits; it must not be used any longer then.
  std::optional<size_t> alloc(int64_t size);
  void release(size_t handle);
  /// The first byte of every handle, live or not, as things are now. O(n).
  std::vector<int64_t> offsets() const;
  /// Bytes of all chunks.
  int64_t totalBytes() const { return total; }

private:
  /// Another chunk, if there is one.
  using Link = std::optional<size_t>;

  struct Chunk {
    int64_t sizeBytes = 0;
    Link previous, next;
    bool isFree = false;
    int64_t releasedAt = 0; ///< The tick; each free chunk has another one.
    Link mergedInto;        ///< Then it is no chunk of its own any longer,
    int64_t mergedAt = 0;   ///< but begins there, from that one's start.
  };
  /// Smaller first, then released later first.
  struct BySize {
    int64_t sizeBytes;
    int64_t releasedAt;
    size_t chunk;
    bool operator<(const BySize &o) const {
      return sizeBytes != o.sizeBytes ? sizeBytes < o.sizeBytes
                                      : releasedAt > o.releasedAt;
    }
  };

  size_t append(int64_t size);
  size_t chooseBySize(int64_t need) const;
  size_t chooseByScore(int64_t need) const;
  double scoreOf(const Chunk &chunk, int64_t need) const;
  void splitOff(size_t chunk, int64_t need);
  void absorbNext(size_t chunk);
  void index(size_t chunk);
  void unindex(size_t chunk);

  const Choice choice;
  std::vector<Chunk> chunks;
  Link first, last;
  std::set<BySize> freeBySize;
  std::map<int64_t, size_t> freeByTick;
  std::vector<size_t> merged; ///< In the order in which they were merged.
  int64_t total = 0;
  int64_t tick = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_REFERENCE_CHUNKARENA_H
