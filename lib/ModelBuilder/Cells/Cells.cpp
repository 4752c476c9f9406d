//===- Cells.cpp - Cells of a plan as layers ------------------------------===//
//
// What the architectures have in common: both inputs of a cell go through a
// 1x1 convolution to the cell's channels; blocks are sums of two branches; some
// blocks are joined. Batch normalisations are folded.
//
//===----------------------------------------------------------------------===//

#include "lib/ModelBuilder/Cells/Cells.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

using graphs::BranchKind;

static int64_t channelsOf(Value x) { return GraphBuilder::shapeOf(x)[1]; }
static int64_t sizeOf(Value x) { return GraphBuilder::shapeOf(x)[2]; }

/// A convolution and its activation.
Value CellBuilder::unit(const Twine &name, Value x, Conv spec) {
  if (relu == ReluPlace::Within)
    return g.conv(name, x, spec.relu());
  return g.conv(name, g.relu(name + ".relu", x), spec);
}

/// Half of the size: the pixels of even rows and columns, and those of odd
/// ones, each to half of the channels.
Value CellBuilder::halve(const Twine &name, Value x, int64_t channels) {
  x = g.relu(name + ".relu", x);
  const int64_t half = channels / 2;
  Value even = g.conv(name + ".even", x, Conv(half, 1).stride(2));
  // An odd size has one even row and column more.
  Value odd = g.conv(name + ".odd", g.shifted(name + ".shifted", x),
                     Conv(channels - half, 1).stride(2).padEnd(sizeOf(x) % 2));
  return g.concat(name + ".concat", {even, odd}, 1);
}

Value CellBuilder::squeeze(const Twine &name, Value x, int64_t channels,
                           int64_t size) {
  return sizeOf(x) == size ? unit(name, x, Conv(channels, 1))
                           : halve(name, x, channels);
}

Value CellBuilder::separable(const Twine &name, Value x, int64_t kernel,
                             int64_t stride) {
  const int64_t channels = channelsOf(x);
  const auto half = [&](const Twine &part, Value y, int64_t step) {
    const bool isBefore = relu == ReluPlace::Before;
    if (isBefore)
      y = g.relu(part + ".relu", y);
    y = g.conv(part + ".depthwise", y,
               Conv(channels, kernel).stride(step).groups(channels).noBias());
    const Conv pointwise(channels, 1);
    return g.conv(part + ".pointwise", y,
                  isBefore ? pointwise : Conv(pointwise).relu());
  };
  return half(name + ".second", half(name + ".first", x, stride), 1);
}

Value CellBuilder::branch(const Twine &name, BranchKind kind, Value x,
                          int64_t stride) {
  const int64_t channels = channelsOf(x);
  switch (kind) {
  case BranchKind::Identity:
    return stride == 1 ? x : unit(name, x, Conv(channels, 1).stride(stride));
  case BranchKind::Separable3:
    return separable(name, x, 3, stride);
  case BranchKind::Separable5:
    return separable(name, x, 5, stride);
  case BranchKind::Separable7:
    return separable(name, x, 7, stride);
  case BranchKind::Dilated3:
    x = unit(
        name + ".depthwise", x,
        Conv(channels, 3).dilate(2).stride(stride).groups(channels).noBias());
    return g.conv(name + ".pointwise", x, Conv(channels, 1));
  case BranchKind::MaxPool3:
    return g.maxPool(name, x, 3, stride, 1);
  case BranchKind::AveragePool3:
    return g.avgPool(name, x, 3, stride, 1);
  case BranchKind::Row7Column7:
    x = unit(name + ".row", x, Conv(channels, 1, 7).stride(1, stride));
    return unit(name + ".column", x, Conv(channels, 7, 1).stride(stride, 1));
  }
  return x;
}

void CellBuilder::append(const graphs::CellPlan &plan, int64_t channels,
                         int64_t stride) {
  const std::string name = ("cell" + Twine(++count)).str();
  const int64_t size = sizeOf(newer);
  llvm::SmallVector<Value, 8> blocks = {
      squeeze(name + ".older", older, channels, size),
      squeeze(name + ".newer", newer, channels, size)};
  for (auto [index, pair] : llvm::enumerate(plan.pairs)) {
    const std::string block = (name + ".block" + Twine(index + 2)).str();
    // In two statements: the order of arguments is the compiler's.
    const auto make = [&](llvm::StringRef side, const graphs::Branch &what) {
      return branch(block + "." + side, what.kind, blocks[what.from],
                    what.from < 2 ? stride : 1);
    };
    Value left = make("left", pair.left);
    Value right = make("right", pair.right);
    blocks.push_back(g.add(block, left, right));
  }
  llvm::SmallVector<Value, 6> joined;
  for (int block : plan.joined)
    joined.push_back(blocks[block]);
  older = newer;
  newer = g.concat(name, joined, 1);
}

} // namespace tpu_mlir::model_builder
