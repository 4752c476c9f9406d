//===- FreeList.h - Free bytes in address order -----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_FREELIST_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_FREELIST_H

#include "lib/Planning/Kit/Placing.h"

#include <map>
#include <set>

namespace tpu_mlir::planning {

/// The free bytes of a pool at one moment: disjoint blocks that never touch,
/// ordered by address and by size, and everything from `top` on.
///
///     |used| free |used|free|  used  |  free for ever ...
///          ^block      ^block        ^top
class FreeList {
public:
  /// The end of the highest bytes in use.
  int64_t top() const { return topOffset; }
  const std::map<int64_t, int64_t> &blocks() const { return endOfBlock; }

  /// The smallest block that has an aligned place for `size` bytes, lowest
  /// address first among equals; nullopt when none has. O(log b) plus the
  /// blocks that are big enough but misaligned.
  std::optional<int64_t> bestFit(int64_t size, int64_t alignment) const;

  /// Takes bytes that are free. O(log b).
  void take(Interval bytes);
  /// Gives bytes back and joins them with their neighbours. O(log b).
  void release(Interval bytes);

private:
  void add(int64_t begin, int64_t end);
  void remove(int64_t begin, int64_t end);

  int64_t topOffset = 0;
  std::map<int64_t, int64_t> endOfBlock;
  std::set<std::pair<int64_t, int64_t>> bySize; ///< (size, begin)
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_FREELIST_H
