//===- Saturated.h - Sums that stop at 63 bits ------------------*- C++ -*-===//
//
// For values that are only compared: a cost that leaves 63 bits counts as the
// largest there is.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SATURATED_H
#define TPU_MLIR_LIB_PLANNING_SATURATED_H

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tpu_mlir::planning {

/// a * b for a, b >= 0, at most INT64_MAX.
inline int64_t saturatedMul(int64_t a, int64_t b) {
  const __int128 most = std::numeric_limits<int64_t>::max();
  return int64_t(std::min(__int128(a) * b, most));
}

/// a + b for a, b >= 0, at most INT64_MAX.
inline int64_t saturatedAdd(int64_t a, int64_t b) {
  const __int128 most = std::numeric_limits<int64_t>::max();
  return int64_t(std::min(__int128(a) + b, most));
}

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SATURATED_H
