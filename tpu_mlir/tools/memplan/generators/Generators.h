//===- Generators.h - The families after generate() ------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_GENERATORS_H
#define TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_GENERATORS_H

#include "tpu_mlir/Support/Interval.h"

#include <random>
#include <utility>
#include <vector>

namespace tpu_mlir::planning {

/// Random numbers that are the same on every machine: the engine is fixed by
/// the language standard, std:: distributions are not.
class SeededDraw {
public:
  /// Different streams of one seed have nothing in common.
  SeededDraw(uint64_t seed, uint64_t stream)
      : engine(seed * 0x9E3779B97F4A7C15u + stream) {}

  uint64_t bits() { return engine(); }
  /// From 0 to `count` - 1; `count` is at least 1.
  int64_t below(int64_t count) {
    __extension__ using Wide = unsigned __int128;
    return int64_t((Wide(engine()) * uint64_t(count)) >> 64);
  }
  bool chance(int64_t percent) { return below(100) < percent; }

private:
  std::mt19937_64 engine;
};

template <typename T> void shuffleWith(std::vector<T> &list, SeededDraw &draw) {
  for (size_t left = list.size(); left > 1; --left)
    std::swap(list[left - 1], list[size_t(draw.below(int64_t(left)))]);
}

/// One buffer before it has a name.
struct RawBuffer {
  Interval life;
  int64_t sizeBytes = 0;
  int64_t offsetBytes = 0; ///< Only where the family knows a packing.
};

struct RawBuffers {
  std::vector<RawBuffer> list;
  int64_t steps = 0; ///< All lives are in [0, steps).
  /// Height of a packing without a free byte, 0 when the family has none.
  int64_t packedBytes = 0;
};

/// A size whose logarithm is nearly normal: the sum of twelve uniform draws
/// has variance 1. Median 2^`medianLog2`, one standard deviation is a factor
/// of 4; a multiple of 64. `medianLog2` is from 12 to 40.
int64_t logNormalSize(int64_t medianLog2, SeededDraw &draw);

/// `count` pieces of a strip; `wheelPercent` of the cuts are wheels, where
/// there is room for one.
RawBuffers cutStrip(int64_t count, int64_t wheelPercent, SeededDraw &draw);
RawBuffers randomTraffic(int64_t count, SeededDraw &draw);

struct TrainingKind {
  int64_t inFlight = 1; ///< Micro-batches.
  /// Forward and backward passes take turns layer by layer instead of pass by
  /// pass.
  bool isWoven = false;
  /// As transformers have them.
  bool hasEqualLayers = false;
};
RawBuffers training(int64_t count, const TrainingKind &kind, SeededDraw &draw);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TOOLS_MEMPLAN_GENERATORS_GENERATORS_H
