//===- SmallProblems.h - Tight problems of a few bytes ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_PROPERTY_PLANNING_SMALLPROBLEMS_H
#define TPU_MLIR_TESTS_PROPERTY_PLANNING_SMALLPROBLEMS_H

#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::planning {

/// What may make a packing problem harder than rectangles alone.
struct Features {
  bool alignment = false; ///< Several of them, not only powers of two.
  bool gaps = false;
  bool pins = false;
  bool aliases = false;
  bool forbidden = false;
  bool cyclic = false;

  /// One bit each.
  static Features fromBits(unsigned bits);
  unsigned bits() const;
  static constexpr unsigned kCombinations = 64;
  /// "gaps+pins"; "plain" when there is none.
  std::string name() const;
};

/// One pool without a limit, `classes` buffers and up to two aliases of them;
/// sizes of a few bytes. In about half of them every step is full to the byte,
/// so that the live sum is often missed. The same for the same seed, on any
/// machine; passes check().
Problem smallProblem(Features features, uint64_t seed, int64_t classes);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PROPERTY_PLANNING_SMALLPROBLEMS_H
