//===- ReservedAt.h - Reserved bytes that are in the way --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_MODEL_RESERVEDAT_H
#define TPU_MLIR_LIB_PLANNING_MODEL_RESERVEDAT_H

#include "tpu_mlir/Planning/Problem.h"

#include <optional>

namespace tpu_mlir::planning {

/// The first reserved range that keeps `bytes` from where they are in a pool
/// that ends at `limit`. What has no bytes lies between two: at the border of
/// reserved ones it may be, but not where nobody may use either of them.
/// O(ranges).
inline std::optional<Interval> reservedAt(const Pool &pool, Interval bytes,
                                          int64_t limit) {
  bool isEnd = bytes.begin == limit;
  for (const Interval &range : pool.reserved)
    isEnd |= range.contains(bytes.begin);
  if (bytes.length() == 0 && isEnd)
    --bytes.begin;
  for (const Interval &range : pool.reserved)
    if (range.overlaps(bytes))
      return range;
  return std::nullopt;
}

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_MODEL_RESERVEDAT_H
