//===- Places.h - Where something may begin ---------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACES_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACES_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tpu_mlir::planning {

/// A set of offsets: some residues of a period, as alignments ask for, or a
/// list, as pins do.
///
///     aligned to 16             period 16, {0}
///     4 bytes above such        period 16, {4}
///     above or below 8 bytes
///     that are pinned at 24     no period, {16, 24}
///
/// Sets of more than kMost numbers are thinned out: what is left is true, but
/// not all of it.
class Places {
public:
  /// All offsets.
  Places() : period(1), numbers{0} {}
  static Places multiplesOf(int64_t alignment) { return {alignment, {0}}; }
  static Places only(int64_t offset) { return {0, {offset}}; }
  static Places none() { return {0, {}}; }

  bool isEmpty() const { return numbers.empty(); }
  bool isAll() const { return period == 1; }
  /// Fewer offsets of a stretch are in it, as far as that can be told.
  bool isRarerThan(const Places &o) const {
    return period == 0 ? o.period != 0 || numbers.size() < o.numbers.size()
                       : period > o.period && o.period != 0;
  }
  /// O(log k) of k numbers.
  bool contains(int64_t offset) const;
  /// The lowest of them at or above `offset`.
  std::optional<int64_t> firstFrom(int64_t offset) const;
  /// The highest of them; nullopt: there is no end of them.
  std::optional<int64_t> last() const;

  /// The x for which x + `by` is one of these. O(k).
  Places moved(int64_t by) const;
  /// What is in both. O(k log k), or where no period is a multiple of the
  /// other, nothing if there were too many. `none()` has no period.
  static Places both(const Places &a, const Places &b);
  /// What is in one of them: sets of the same period, or empty ones.
  static Places either(const Places &a, const Places &b);
  /// Those of `bytes` that lie within [0, height).
  void clip(int64_t bytes, int64_t height);

private:
  static constexpr size_t kMost = 256;
  Places(int64_t period, std::vector<int64_t> numbers)
      : period(period), numbers(std::move(numbers)) {}
  /// `a` filtered, whose period is a multiple of that of `b`, or none.
  static Places filtered(const Places &a, const Places &b);
  void thinOut();

  int64_t period;               ///< 0: a list.
  std::vector<int64_t> numbers; ///< Ascending.
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACES_H
