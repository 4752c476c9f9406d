//===- GenerateTraffic.cpp - Random and training-like instances -----------===//
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

int64_t squareRoot(int64_t n) {
  int64_t root = 0;
  for (int64_t bit = int64_t(1) << 30; bit > 0; bit /= 2)
    if ((root + bit) * (root + bit) <= n)
      root += bit;
  return root;
}

namespace {

/// One micro-batch of one layer makes so many buffers.
constexpr int64_t kPerLayer = 8;
/// Ops of a layer in one direction.
constexpr int64_t kOps = 4;

/// A step of training with equal layers, as transformers have them: each
/// micro-batch goes forward through all layers and backward again, and
/// gradients are summed up until the end.
class TrainingStep {
public:
  TrainingStep(int64_t count, SeededDraw &draw)
      : layers(std::max<int64_t>(squareRoot(count) / 2, 1)),
        microBatches(count / (kPerLayer * layers)),
        updates(count - microBatches * layers * kPerLayer),
        activationBytes(logNormalSize(18, draw)),
        weightBytes(logNormalSize(20, draw)) {
    for (int64_t &factor : factors)
      factor = 1 + draw.below(4);
    pieces.steps = microBatches * layers * kOps * 2 + updates + 2;
    pieces.list.reserve(size_t(count));
  }

  RawBuffers run() {
    for (int64_t batch = 0; batch < microBatches; ++batch) {
      forward();
      backward(batch);
    }
    // What is left of the number: temporaries of the weights' update.
    for (int64_t i = 0; i < updates; ++i, ++now)
      add(now, now + 2, weightBytes);
    return std::move(pieces);
  }

private:
  void add(int64_t begin, int64_t end, int64_t sizeBytes) {
    pieces.list.push_back({{begin, end}, sizeBytes, 0});
  }
  /// A result of one op that the next one reads.
  void addTemporary(int64_t op) {
    add(now + op, now + op + 2, factors[op] * activationBytes);
  }

  void forward() {
    forwardBegin = now;
    for (int64_t layer = 0; layer < layers; ++layer, now += kOps)
      for (int64_t op = 0; op < 2; ++op)
        addTemporary(op);
  }
  void backward(int64_t batch) {
    for (int64_t layer = layers; layer-- > 0; now += kOps) {
      const int64_t made = forwardBegin + layer * kOps;
      // Two activations were saved: the backward ops read one each.
      add(made + 1, now + 2, activationBytes);
      add(made + 3, now + 1, 2 * activationBytes);
      for (int64_t op = 0; op < 3; ++op)
        addTemporary(op);
      // The first micro-batch makes the gradient, the others add to it.
      add(now + 2, batch == 0 ? pieces.steps : now + kOps, weightBytes);
    }
  }

  const int64_t layers, microBatches, updates;
  const int64_t activationBytes, weightBytes;
  int64_t factors[3]; ///< Sizes of temporaries, in activations.
  int64_t forwardBegin = 0;
  int64_t now = 0;
  RawBuffers pieces;
};

} // namespace

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

RawBuffers trainingStep(int64_t count, SeededDraw &draw) {
  return TrainingStep(count, draw).run();
}

} // namespace tpu_mlir::planning
