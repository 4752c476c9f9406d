//===- RandomProblems.h - Legal problems of many kinds ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_PROPERTY_PLANNING_RANDOMPROBLEMS_H
#define TPU_MLIR_TESTS_PROPERTY_PLANNING_RANDOMPROBLEMS_H

#include "tpu_mlir/Planning/Problem.h"

#include <random>

namespace tpu_mlir::planning {

enum class Family {
  Random,     ///< Any sizes, any lifespans.
  Network,    ///< A chain of ops with skip connections; reads are known.
  Gaps,       ///< Lifespans in several pieces.
  Cyclic,     ///< A schedule that repeats; some lifespans wrap.
  Alignments, ///< Among them 3, 12, 4096 and different ones for each pool.
  Pins,
  Aliases,
  Forbidden,
  ZeroSizes,
  Pools, ///< Two or three, with and without a choice.
  Tight, ///< A capacity near the live sum, below or above it.
  Huge,  ///< Sizes of gigabytes.
  /// One to four tight pools of different cost, with reserved ranges and
  /// read-only ones; pins, aliases, alignments, pairs. Often nothing fits.
  Memories,
  Everything,
};

std::vector<Family> allFamilies();
std::string familyName(Family family);

/// The same for the same seed, on any machine; passes check(). `buffers` is
/// about the number of buffers.
Problem randomProblem(Family family, uint64_t seed, int64_t buffers = 24);

/// A generator whose draws do not depend on the standard library.
class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}
  /// From `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool chance(int64_t percent) { return between(1, 100) <= percent; }
  template <typename T> const T &oneOf(const std::vector<T> &list) {
    return list[size_t(between(0, int64_t(list.size()) - 1))];
  }

private:
  std::mt19937_64 engine;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PROPERTY_PLANNING_RANDOMPROBLEMS_H
