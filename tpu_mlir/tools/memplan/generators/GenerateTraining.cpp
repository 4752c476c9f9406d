//===- GenerateTraining.cpp - Steps of training ---------------------------===//
//
// Each micro-batch goes forward through all layers and backward again, and
// gradients are summed up until the end. Several may be in flight, as in a
// pipeline stage under "one forward, one backward" (PipeDream, SOSP 2019): once
// they are, each forward pass is followed by the backward pass of the oldest.
//
//     1 in flight: F0 B0 F1 B1 ...   4 in flight: F0 F1 F2 F3 B0 F4 B1 F5 ...
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/memplan/generators/Generators.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// One micro-batch of one layer makes so many buffers: two temporaries forward,
/// three backward, two activations that are saved, a gradient.
constexpr int64_t kPerLayer = 8;
/// Steps of a layer in one direction.
constexpr int64_t kOps = 4;

/// floor(sqrt(n)).
int64_t squareRoot(int64_t n) {
  int64_t root = 0;
  for (int64_t bit = int64_t(1) << 30; bit > 0; bit /= 2)
    if ((root + bit) * (root + bit) <= n)
      root += bit;
  return root;
}

class Training {
public:
  Training(int64_t count, const TrainingKind &kind, SeededDraw &draw)
      : layerCount(std::max<int64_t>(squareRoot(count) / 2, 1)),
        batches(count / (kPerLayer * layerCount)), kind(kind) {
    for (int64_t i = 0; i < layerCount; ++i) {
      if (i > 0 && kind.hasEqualLayers) {
        layers.push_back(layers.front());
        continue;
      }
      Layer layer;
      layer.activationBytes = logNormalSize(18, draw);
      layer.weightBytes = logNormalSize(20, draw);
      for (int64_t &factor : layer.factors)
        factor = 1 + draw.below(4);
      layer.savedAt.resize(size_t(batches));
      layers.push_back(std::move(layer));
    }
    updates = count - batches * layerCount * kPerLayer;
    pieces.steps = batches * layerCount * kOps * 2 + updates + 2;
    pieces.list.reserve(size_t(count));
  }

  RawBuffers run() {
    for (int64_t batch = 0; batch < std::min(kind.inFlight - 1, batches);
         ++batch)
      pass(batch, -1);
    for (int64_t batch = 0; batch < batches; ++batch)
      pass(batch + kind.inFlight - 1, batch);
    // What is left of the number: temporaries of the weights' update.
    for (int64_t i = 0; i < updates; ++i, ++now)
      add(now, now + 2, layers[size_t(i) % layers.size()].weightBytes);
    return std::move(pieces);
  }

private:
  struct Layer {
    int64_t activationBytes = 0, weightBytes = 0;
    int64_t factors[3] = {};      ///< Sizes of temporaries, in activations.
    std::vector<int64_t> savedAt; ///< By batch.
  };

  /// `ahead` goes forward and `back` backward; what is not there does not.
  void pass(int64_t ahead, int64_t back) {
    const bool hasAhead = ahead < batches;
    for (int64_t i = 0; i < layerCount && hasAhead; ++i) {
      forward(layers[size_t(i)], ahead);
      if (kind.isWoven && back >= 0)
        backward(layers[size_t(layerCount - 1 - i)], back);
    }
    for (int64_t i = layerCount;
         i-- > 0 && back >= 0 && !(kind.isWoven && hasAhead);)
      backward(layers[size_t(i)], back);
  }

  void forward(Layer &layer, int64_t batch) {
    layer.savedAt[size_t(batch)] = now;
    for (int64_t op = 0; op < 2; ++op)
      addTemporary(layer, op);
    now += kOps;
  }
  void backward(const Layer &layer, int64_t batch) {
    const int64_t saved = layer.savedAt[size_t(batch)];
    add(saved + 1, now + 2, layer.activationBytes);
    add(saved + 3, now + 1, 2 * layer.activationBytes);
    for (int64_t op = 0; op < 3; ++op)
      addTemporary(layer, op);
    // The first micro-batch makes the gradient, the others add to it.
    add(now + 2, batch == 0 ? pieces.steps : now + kOps, layer.weightBytes);
    now += kOps;
  }
  /// A result of one op that the next one reads.
  void addTemporary(const Layer &layer, int64_t op) {
    add(now + op, now + op + 2, layer.factors[op] * layer.activationBytes);
  }
  void add(int64_t begin, int64_t end, int64_t sizeBytes) {
    pieces.list.push_back({{begin, end}, sizeBytes, 0});
  }

  const int64_t layerCount, batches;
  const TrainingKind kind;
  std::vector<Layer> layers;
  int64_t updates = 0;
  int64_t now = 0;
  RawBuffers pieces;
};

} // namespace

RawBuffers training(int64_t count, const TrainingKind &kind, SeededDraw &draw) {
  return Training(count, kind, draw).run();
}

} // namespace tpu_mlir::planning
