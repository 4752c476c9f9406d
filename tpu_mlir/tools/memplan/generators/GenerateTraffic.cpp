//===- GenerateTraffic.cpp - Random instances -----------------------------===//
//
// Made with integers only: logarithms and exponentials of the C library differ
// in the last bit from one machine to the next.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/memplan/generators/Generators.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// An exponential draw with mean `mean`, rounded down. J. von Neumann's method
/// of 1951: it only compares uniform draws. A falling run u1 > u2 > ... that
/// breaks at an even draw accepts u1 as the fraction; each rejection adds 1.
int64_t exponential(int64_t mean, SeededDraw &draw) {
  for (int64_t whole = 0;; ++whole) {
    // 30 bits, so that the product below stays within 63.
    const uint64_t first = draw.bits() >> 34;
    uint64_t last = first;
    bool isOdd = true;
    for (;; isOdd = !isOdd) {
      const uint64_t next = draw.bits() >> 34;
      if (next >= last)
        break;
      last = next;
    }
    if (isOdd)
      return whole * mean + ((int64_t(first) * mean) >> 30);
  }
}

/// About 2^x for x in units of 2^-16: exact at whole numbers, straight lines
/// between them.
int64_t powerOfTwo(int64_t x) {
  const int64_t whole = x >> 16, fraction = x & 0xFFFF;
  return whole >= 16 ? ((int64_t(1) << 16) + fraction) << (whole - 16)
                     : ((int64_t(1) << 16) + fraction) >> (16 - whole);
}

} // namespace

int64_t logNormalSize(int64_t medianLog2, SeededDraw &draw) {
  int64_t sum = -(int64_t(6) << 16);
  for (int word = 0; word < 3; ++word) {
    const uint64_t bits = draw.bits();
    for (int part = 0; part < 4; ++part)
      sum += int64_t((bits >> (16 * part)) & 0xFFFF);
  }
  const int64_t bytes = powerOfTwo((medianLog2 << 16) + 2 * sum);
  return std::max<int64_t>(bytes / 64, 1) * 64;
}

RawBuffers randomTraffic(int64_t count, SeededDraw &draw) {
  RawBuffers pieces;
  pieces.steps = count;
  pieces.list.reserve(size_t(count));
  const int64_t shortMean = 16,
                longMean = 32 + std::min<int64_t>(count, 100'000) / 100;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = draw.below(count);
    const int64_t mean = draw.chance(80) ? shortMean : longMean;
    const int64_t end = std::min(count, begin + 1 + exponential(mean, draw));
    pieces.list.push_back({{begin, end}, logNormalSize(14, draw), 0});
  }
  return pieces;
}

} // namespace tpu_mlir::planning
