//===- EndSweep.h - A sweep over time that knows all ends -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_ENDSWEEP_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_ENDSWEEP_H

#include "tpu_mlir/Planning/Strategy.h"

#include <list>
#include <map>
#include <tuple>

namespace tpu_mlir::planning {

struct SweptItem {
  Interval life; ///< Places in a list of all steps.
  int64_t sizeBytes = 0;
};

struct EndRule {
  /// What a neighbour costs that does not end when the item does, for each step
  /// that it ends too early or too late.
  int64_t early = 1, late = 1;
  /// Time is read from its end.
  bool isReversed = false;
};

/// Places items in the order in which they begin, larger ones first, into
/// memory that ends at a limit: each at the end of a free block where the
/// neighbour costs least, among equals in the largest block, then at the lowest
/// offset. The ends of memory are neighbours that never end.
class EndSweep {
public:
  explicit EndSweep(std::vector<SweptItem> items);

  /// The most bytes that are alive at one time; what does not fit 63 bits ends
  /// at the highest offset.
  int64_t peakBytes() const { return peak; }
  /// An offset in [0, limitBytes) for each item; nullopt when one finds no
  /// place, at the deadline, and after `nodeLimit` more nodes.
  /// O(n (log n + b)), b free blocks.
  std::optional<std::vector<int64_t>> run(int64_t limitBytes, EndRule rule,
                                          int64_t nodeLimit,
                                          const Deadline &deadline);
  /// Ends of free blocks that were looked at, begins and ends of items, since
  /// the beginning.
  int64_t nodes() const { return nodeCount; }

private:
  struct Event {
    size_t item : 63;
    size_t isBegin : 1;
  };
  /// Bytes of one item, or free ones. Blocks fill memory without a gap, and no
  /// two free ones touch.
  struct Block {
    Interval bytes;
    int64_t end = 0; ///< The step at which the item ends.
    bool isFree = false;
  };
  using Blocks = std::list<Block>; ///< In address order.
  /// An end of a free block: when the neighbour there ends, where the block
  /// begins, whether it is its upper end.
  using Sides = std::map<std::tuple<int64_t, int64_t, bool>, Blocks::iterator>;

  std::vector<Event> eventsOf(bool isReversed) const;
  SweptItem seen(size_t id, bool isReversed) const;
  void clear(int64_t limitBytes);
  /// No nodes or no time are left. Looks at the clock now and then.
  bool mustStop();
  void addFree(Blocks::iterator block);
  void removeFree(Blocks::iterator block);
  Sides::iterator bestSide(int64_t sizeBytes, int64_t end, EndRule rule);
  Blocks::iterator take(Sides::iterator side, int64_t sizeBytes, int64_t end);
  void release(Blocks::iterator block);

  const std::vector<SweptItem> items;
  std::vector<Event> forward, backward; ///< `backward` when it is asked for.
  int64_t lastStep = 0, peak = 0, nodeCount = 0;
  Blocks blocks;
  Sides sides;
  // Of the run.
  const Deadline *until = nullptr;
  int64_t lastNode = 0, nextLook = 0;
  bool isStopped = false;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_ENDSWEEP_H
