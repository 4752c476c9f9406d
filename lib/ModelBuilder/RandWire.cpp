//===- RandWire.cpp - Layers wired at random ------------------------------===//
//
// Xie, Kirillov, Girshick, He: "Exploring Randomly Wired Neural Networks for
// Image Recognition", 2019, table 1, the small regime with 78 channels: three
// stages of 32 nodes, each a graph of its own. A node adds what it reads, then
// relu, depthwise 3x3 and 1x1; sums have no weights here.
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

#include "lib/ModelBuilder/Graphs/RandomWiring.h"

using namespace mlir;
using llvm::Twine;

namespace tpu_mlir::model_builder {

static Value sum(GraphBuilder &g, const Twine &name,
                 llvm::ArrayRef<Value> values) {
  Value all = values.front();
  for (auto [index, value] : llvm::enumerate(values.drop_front()))
    all = g.add(name + Twine(index + 1), all, value);
  return all;
}

static Value node(GraphBuilder &g, const Twine &name, Value x, int64_t channels,
                  int64_t stride) {
  const int64_t read = GraphBuilder::shapeOf(x)[1];
  x = g.relu(name + ".relu", x);
  x = g.conv(name + ".depthwise", x,
             Conv(read, 3).stride(stride).groups(read).noBias());
  return g.conv(name + ".pointwise", x, Conv(channels, 1));
}

/// Nodes that read no other one read the input of the stage, at half its size;
/// the mean of those that no other one reads is the result.
static Value stage(GraphBuilder &g, const Twine &name, Value x,
                   int64_t channels, uint64_t seed) {
  const graphs::Wiring wiring = graphs::smallRandWire(seed);
  llvm::SmallVector<Value, 32> nodes;
  for (auto [number, inputs] : llvm::enumerate(wiring)) {
    const std::string here = (name + ".node" + Twine(number)).str();
    llvm::SmallVector<Value, 8> read;
    for (int input : inputs)
      read.push_back(nodes[input]);
    nodes.push_back(
        read.empty() ? node(g, here, x, channels, 2)
                     : node(g, here, sum(g, here + ".sum", read), channels, 1));
  }
  llvm::SmallVector<Value, 8> sinks;
  for (int sink : graphs::sinksOf(wiring))
    sinks.push_back(nodes[sink]);
  Value all = sum(g, name + ".sum", sinks);
  return g.mulConst(name + ".mean", all, 1.0 / sinks.size());
}

Outputs buildRandWire(GraphBuilder &g, const NetworkSize &size) {
  Value x = g.input("image", {size.batch, 3, 224, 224});
  x = g.conv("conv1", x, Conv(39, 3).stride(2).relu());
  x = g.conv("conv2", x, Conv(78, 3).stride(2));
  x = stage(g, "stage3", x, 78, size.seed);
  x = stage(g, "stage4", x, 156, size.seed + 1);
  x = stage(g, "stage5", x, 312, size.seed + 2);
  x = g.conv("head", g.relu("head.relu", x), Conv(1280, 1).relu());
  return {classify(g, x)};
}

} // namespace tpu_mlir::model_builder
