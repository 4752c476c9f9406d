//===- Interval.h - One half-open interval ----------------------*- C++ -*-===//
//
// The only interval type of the project: steps of a schedule, bytes of a pool.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_INTERVAL_H
#define TPU_MLIR_SUPPORT_INTERVAL_H

#include <cstdint>
#include <vector>

namespace tpu_mlir {

/// Half-open: `begin` is inside, `end` is not. Empty when begin >= end.
///
///     [2, 5)  holds 2, 3, 4;  [2, 5) and [5, 7) do not overlap.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;

  bool empty() const { return begin >= end; }
  /// Number of points; 0 when empty. The caller keeps end - begin below 2^63.
  int64_t length() const { return empty() ? 0 : end - begin; }
  bool contains(int64_t point) const { return begin <= point && point < end; }
  bool contains(const Interval &other) const {
    return begin <= other.begin && other.end <= end;
  }
  /// True when the two share at least one point; empty intervals never do.
  bool overlaps(const Interval &other) const {
    return !empty() && !other.empty() && begin < other.end && other.begin < end;
  }
  bool operator==(const Interval &other) const {
    return begin == other.begin && end == other.end;
  }
  bool operator<(const Interval &other) const {
    return begin != other.begin ? begin < other.begin : end < other.end;
  }
};

/// Sorts, drops empty intervals and joins those that touch or overlap.
/// O(n log n).
std::vector<Interval> normalize(std::vector<Interval> intervals);

/// True when any interval of `a` overlaps any of `b`; both normalized.
/// O(|a| + |b|).
bool anyOverlap(const std::vector<Interval> &a, const std::vector<Interval> &b);

/// What `a` and `b` have in common; both normalized, and so is the result.
/// O(|a| + |b|).
std::vector<Interval> intersect(const std::vector<Interval> &a,
                                const std::vector<Interval> &b);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_INTERVAL_H
