//===- Networks.h - Small layer graphs for tests ----------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_LAYERPLANNING_NETWORKS_H
#define TPU_MLIR_TESTS_LAYERPLANNING_NETWORKS_H

#include "tpu_mlir/LayerPlanning/LayerGraph.h"

#include <random>

namespace tpu_mlir::layer {

/// 4 lanes of 4 KiB in 4 banks, units of 16 bytes.
inline target::ChipSpec smallChip() {
  target::ChipSpec chip;
  chip.name = "small";
  chip.lanes = 4;
  chip.euBytes = 16;
  chip.laneBytes = 4096;
  chip.banks = 4;
  chip.icParallelBytes = 4;
  chip.macsPerCycle8 = 64;
  chip.macsPerCycle16 = 32;
  chip.macsPerCycle32 = 16;
  chip.dmaBytesPerCycle = 8;
  chip.dmaSetupCycles = 10;
  chip.computeSetupCycles = 2;
  return chip;
}

/// Builds one layer after the other, all tensors 1 x c x 1 x h x w of bytes.
class NetworkBuilder {
public:
  LayerGraph graph;

  TensorId input(int64_t c, int64_t h, int64_t w) {
    return add({1, c, 1, h, w}, false);
  }

  TensorId conv(TensorId from, int64_t outChannels, int64_t kernel,
                int64_t stride, int64_t pad) {
    const Shape5 in = graph.tensors[from].shape;
    const auto outExtent = [&](int64_t extent) {
      return (extent + 2 * pad - kernel) / stride + 1;
    };
    const Shape5 out{1, outChannels, 1, outExtent(in[H]), outExtent(in[W])};
    const TensorId filter =
        add({1, outChannels, 1, 1, in[C] * kernel * kernel}, true);
    Layer layer = base(out);
    layer.operands.push_back(
        {from,
         {DimRule::same(N), DimRule::whole(), DimRule::same(D),
          DimRule::window(H, stride, pad, kernel),
          DimRule::window(W, stride, pad, kernel)}});
    layer.operands.push_back(
        {filter,
         {DimRule::whole(), DimRule::same(C), DimRule::whole(),
          DimRule::whole(), DimRule::whole()}});
    layer.macsPerElement = in[C] * kernel * kernel;
    layer.isMatrix = true;
    return finish(layer);
  }

  TensorId elementwise(std::vector<TensorId> from) {
    Layer layer = base(graph.tensors[from[0]].shape);
    for (TensorId tensor : from)
      layer.operands.push_back({tensor, same()});
    if (from.size() == 2)
      layer.inPlaceOperand = 0;
    return finish(layer);
  }

  /// In each channel the rows of one times the columns of the other.
  TensorId product(TensorId left, TensorId right) {
    Shape5 out = graph.tensors[left].shape;
    out[W] = graph.tensors[right].shape[W];
    Layer layer = base(out);
    layer.operands.push_back({left, same()});
    layer.operands[0].rules[W] = DimRule::whole();
    layer.operands.push_back({right, same()});
    layer.operands[1].rules[H] = DimRule::whole();
    layer.macsPerElement = graph.tensors[left].shape[W];
    layer.isMatrix = true;
    return finish(layer);
  }

  /// Reads all of the last dimension for each of its elements.
  TensorId softmax(TensorId from) {
    Layer layer = base(graph.tensors[from].shape);
    layer.operands.push_back({from, same()});
    layer.operands[0].rules[W] = DimRule::whole();
    layer.isCuttable[W] = false;
    layer.scratch = {2, 32, 16};
    return finish(layer);
  }

  TensorId globalLayer(TensorId from) {
    const TensorId result = elementwise({from});
    graph.layers.back().whyGlobal = "a test says so";
    return result;
  }

  TensorId view(TensorId from) {
    const TensorId result = globalLayer(from);
    graph.layers.back().isView = graph.layers.back().isFreeGlobally = true;
    return result;
  }

  std::vector<LayerId> order() const {
    std::vector<LayerId> ids;
    for (size_t i = 0; i < graph.layers.size(); ++i)
      ids.push_back(static_cast<LayerId>(i));
    return ids;
  }

private:
  static std::array<DimRule, kNumDims> same() {
    return {DimRule::same(N), DimRule::same(C), DimRule::same(D),
            DimRule::same(H), DimRule::same(W)};
  }
  TensorId add(const Shape5 &shape, bool isParameter) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(graph.tensors.size());
    tensor.shape = shape;
    tensor.isParameter = isParameter;
    tensor.euAligned = !isParameter;
    tensor.globalBytes = shape[N] * shape[C] * shape[D] * shape[H] * shape[W];
    return graph.addTensor(tensor);
  }
  Layer base(const Shape5 &out) {
    Layer layer;
    layer.result = add(out, false);
    layer.name = graph.tensors[layer.result].name;
    layer.isCuttable.fill(true);
    return layer;
  }
  TensorId finish(Layer &layer) {
    graph.addLayer(layer);
    return layer.result;
  }
};

/// A random network of about `size` layers; the last tensor and some others
/// are read outside.
inline NetworkBuilder randomNetwork(std::mt19937 &random, int size) {
  NetworkBuilder net;
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  // One draw a statement: the order of arguments differs between compilers.
  const int64_t width = pick(6, 40), height = pick(6, 40),
                channels = pick(1, 9);
  std::vector<TensorId> values{net.input(channels, height, width)};
  while (static_cast<int>(net.graph.layers.size()) < size) {
    const TensorId from = values[pick(std::max<int64_t>(0, values.size() - 3),
                                      values.size() - 1)];
    const Shape5 &shape = net.graph.tensors[from].shape;
    switch (pick(0, 5)) {
    case 0:
    case 1: {
      const int64_t kernel = pick(1, 3), stride = pick(1, 2);
      if (shape[H] < kernel || shape[W] < kernel)
        continue;
      const int64_t pad = pick(0, kernel / 2), outputs = pick(1, 12);
      values.push_back(net.conv(from, outputs, kernel, stride, pad));
      break;
    }
    case 2:
      values.push_back(net.elementwise({from}));
      break;
    case 3: {
      std::vector<TensorId> alike;
      for (TensorId other : values)
        if (net.graph.tensors[other].shape == shape && other != from)
          alike.push_back(other);
      if (alike.empty())
        continue;
      values.push_back(
          net.elementwise({from, alike[pick(0, alike.size() - 1)]}));
      break;
    }
    case 4:
      values.push_back(net.softmax(from));
      break;
    case 5:
      if (pick(0, 3) == 0)
        values.push_back(net.globalLayer(from));
      break;
    }
  }
  for (Tensor &tensor : net.graph.tensors)
    if (tensor.producer >= 0 && tensor.readers.empty())
      tensor.isReadOutside = true;
  return net;
}

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_TESTS_LAYERPLANNING_NETWORKS_H
