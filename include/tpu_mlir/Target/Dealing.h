//===- Dealing.h - Which core runs which sections ---------------*- C++ -*-===//
//
// The rule of tpu-mlir's runtimes, seen in its dumps for two and eight cores.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TARGET_DEALING_H
#define TPU_MLIR_TARGET_DEALING_H

#include "tpu_mlir/Support/Interval.h"

#include <algorithm>

namespace tpu_mlir::target {

/// The sections of one layer group on some cores: runs of equal length, in
/// order, of which the last one may be shorter. There may be fewer runs than
/// cores: 9 sections on 8 cores are 2, 2, 2, 2 and 1.
class Dealing {
public:
  /// Both at least 1.
  Dealing(int64_t numSections, int64_t cores)
      : numSections(numSections), perCore((numSections - 1) / cores + 1) {}

  /// The cores that have a section.
  int64_t activeCores() const { return (numSections - 1) / perCore + 1; }
  /// The most sections of one core; core 0 has as many.
  int64_t sectionsOfFirst() const { return perCore; }
  /// The sections of core `core`, which has to be active.
  Interval sectionsOf(int64_t core) const {
    return {core * perCore, std::min(numSections, (core + 1) * perCore)};
  }
  /// Whether a core begins with `section`.
  bool isFirstOfCore(int64_t section) const { return section % perCore == 0; }

private:
  int64_t numSections, perCore;
};

} // namespace tpu_mlir::target

#endif // TPU_MLIR_TARGET_DEALING_H
