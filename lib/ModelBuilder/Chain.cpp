//===- Chain.cpp - Networks of any length, for measuring ------------------===//
//
// What a long convolutional network looks like to a planner: a chain with
// residuals, branches that a concat joins, skips over long distances, changes
// of resolution, and views. Blocks follow each other at random.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

namespace {

/// Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014.
/// Unlike the distributions of the standard library it gives the same numbers
/// everywhere.
class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}

  /// 0 to n - 1. The bias of the remainder is far below what shows here.
  int64_t below(int64_t n) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % uint64_t(n);
  }

private:
  uint64_t state;
};

constexpr int64_t kFinest = 64, kCoarsest = 8;
constexpr int64_t kChannels[] = {16, 24, 32, 48, 64};
constexpr size_t kMaxSkips = 6;

/// Appends blocks until exactly `ops` layers are there. All of them are used.
class ChainBuilder {
public:
  ChainBuilder(GraphBuilder &g, const NetworkSize &size)
      : g(g), random(size.seed), left(size.ops), batch(size.batch) {}

  Outputs build();

private:
  Value unit(Value x);
  Value residual(Value x);
  Value invertedResidual(Value x);
  Value branches(Value x);
  Value gate(Value x);
  Value resize(Value x);
  Value skip(Value x);

  /// Each appends one layer.
  Value conv(Value x, const Conv &spec) {
    return g.conv(next("conv"), x, spec);
  }
  Value silu(Value x) { return g.activate(next("silu"), x, Function::SiLU); }
  Value add(Value a, Value b) { return g.add(next("add"), a, b); }
  Value concat(llvm::ArrayRef<Value> xs) {
    return g.concat(next("concat"), xs, 1);
  }

  std::string next(llvm::StringRef kind) {
    --left;
    return (kind + "_" + Twine(++count)).str();
  }
  int64_t channelsOf(Value x) { return GraphBuilder::shapeOf(x)[1]; }
  int64_t sizeOf(Value x) { return GraphBuilder::shapeOf(x)[2]; }
  int64_t anyChannels() {
    return kChannels[random.below(std::size(kChannels))];
  }

  GraphBuilder &g;
  SplitMix64 random;
  int64_t left, batch;
  int64_t count = 0;
  /// Values that a later concat may pick up.
  llvm::SmallVector<Value, kMaxSkips> skips;
};

} // namespace

/// 2 layers.
Value ChainBuilder::unit(Value x) {
  // In two statements: the order of arguments is the compiler's.
  int64_t kernel = random.below(2) ? 3 : 1;
  return silu(conv(x, Conv(anyChannels(), kernel)));
}

/// 4 layers.
Value ChainBuilder::residual(Value x) {
  Value y = silu(conv(x, Conv(anyChannels(), 1)));
  return add(x, conv(y, Conv(channelsOf(x), 3)));
}

/// 4 layers.
Value ChainBuilder::invertedResidual(Value x) {
  int64_t wide = 4 * channelsOf(x);
  Value y = conv(x, Conv(wide, 1).relu6());
  y = conv(y, Conv(wide, 3).groups(wide).relu6());
  return add(x, conv(y, Conv(channelsOf(x), 1)));
}

/// 4 to 10 layers: two to four branches of one or two convolutions.
Value ChainBuilder::branches(Value x) {
  llvm::SmallVector<Value, 4> ends;
  for (int64_t branch = 2 + random.below(3); branch > 0; --branch) {
    Value y = conv(x, Conv(anyChannels(), 1).relu());
    if (random.below(2))
      y = conv(y, Conv(anyChannels(), 3).relu());
    ends.push_back(y);
  }
  return conv(concat(ends), Conv(anyChannels(), 1).relu());
}

/// 4 layers: weights each pixel of a channel by the softmax over all of them.
Value ChainBuilder::gate(Value x) {
  auto shape = GraphBuilder::shapeOf(x);
  Value y =
      g.reshape(next("flatten"), x, {shape[0], shape[1], shape[2] * shape[3]});
  y = g.softmax(next("softmax"), y, 2);
  y = g.reshape(next("unflatten"), y, shape);
  return g.mul(next("mul"), x, y);
}

/// 1 layer.
Value ChainBuilder::resize(Value x) {
  bool isFiner =
      sizeOf(x) == kCoarsest || (sizeOf(x) < kFinest && random.below(2));
  if (isFiner)
    return g.upsample(next("upsample"), x, 2);
  if (random.below(2))
    return g.maxPool(next("pool"), x, 2, 2);
  return conv(x, Conv(anyChannels(), 3).stride(2).relu());
}

/// 2 layers: joins x with an older value of its resolution when there is one,
/// and offers x to a later layer.
Value ChainBuilder::skip(Value x) {
  auto older = llvm::find_if(
      skips, [&](Value value) { return sizeOf(value) == sizeOf(x); });
  Value y = x;
  if (older != skips.end()) {
    y = conv(concat({x, *older}), Conv(anyChannels(), 1).relu());
    skips.erase(older);
  } else {
    y = unit(x);
  }
  if (skips.size() == kMaxSkips)
    skips.erase(skips.begin());
  skips.push_back(x);
  return y;
}

Outputs ChainBuilder::build() {
  struct Block {
    int64_t maxLayers;
    /// Of 16.
    int64_t share;
    Value (ChainBuilder::*append)(Value);
  };
  static constexpr Block kBlocks[] = {{2, 3, &ChainBuilder::unit},
                                      {4, 4, &ChainBuilder::residual},
                                      {4, 2, &ChainBuilder::invertedResidual},
                                      {10, 2, &ChainBuilder::branches},
                                      {4, 1, &ChainBuilder::gate},
                                      {1, 2, &ChainBuilder::resize},
                                      {2, 2, &ChainBuilder::skip}};

  Value x = g.input("input", {batch, 32, kFinest, kFinest});
  while (left > 0) {
    int64_t ticket = random.below(16);
    const Block *block = kBlocks;
    for (; ticket >= block->share; ++block)
      ticket -= block->share;
    // What does not fit any more makes room for something short.
    x = block->maxLayers <= left ? (this->*block->append)(x)
                                 : g.relu(next("relu"), x);
  }
  return {x};
}

Outputs buildChain(GraphBuilder &g, const NetworkSize &size) {
  return ChainBuilder(g, size).build();
}

} // namespace tpu_mlir::model_builder
