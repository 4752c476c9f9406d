//===- LineBuffers.cpp - Rows that stay from section to section -----------===//

#include "tpu_mlir/LayerPlanning/LineBuffers.h"

#include "tpu_mlir/Support/LocalFacts.h"

#include <algorithm>
#include <map>
#include <set>

namespace tpu_mlir::layer {

/// Whether sections overlap hardly depends on how many there are.
static constexpr int64_t kTriedSections = 8;

std::vector<Lines> lineBufferChoices(const LayerGraph &graph,
                                     const LayerRange &range,
                                     const target::ChipSpec &chip) {
  const GroupTensors tensors = groupTensors(graph, range);
  const int64_t parts =
      std::min(kTriedSections, maxSections(graph, range, tensors, chip)[H]);
  if (parts < 2)
    return {};
  std::vector<Lines> choices;
  Lines all = GroupSlicer(graph, range, tensors, chip).overlapping(parts);
  const std::set<TensorId> inputs(tensors.inputs.begin(), tensors.inputs.end());
  Lines inner;
  for (TensorId tensor : all)
    if (inputs.count(tensor) == 0)
      inner.push_back(tensor);
  const bool hasInputs = inner.size() < all.size();
  if (!all.empty())
    choices.push_back(std::move(all));
  if (hasInputs && !inner.empty())
    choices.push_back(std::move(inner));
  return choices;
}

static void replaceOperand(LayerGraph &graph, LayerId reader, TensorId from,
                           TensorId to) {
  for (LayerOperand &operand : graph.layers[reader].operands)
    if (operand.tensor == from)
      operand.tensor = to;
}

static Layer lineBuffer(const LayerGraph &graph, TensorId from, TensorId to) {
  Layer layer;
  layer.name = graph.tensors[from].name;
  layer.result = to;
  layer.isCuttable.fill(true);
  layer.isLineBuffer = true;
  layer.macsPerElement = kLineBufferOps;
  LayerOperand &operand = layer.operands.emplace_back();
  operand.tensor = from;
  for (int dim = 0; dim < kNumDims; ++dim)
    operand.rules[dim] = DimRule::same(dim);
  return layer;
}

LayerRange addLineBuffers(LayerGraph &graph, const LayerRange &range,
                          const Lines &lines) {
  std::map<LayerId, size_t> positionOf;
  for (size_t i = 0; i < range.size(); ++i)
    positionOf.emplace(range[i], i);
  std::vector<LayerRange> before(range.size());
  for (TensorId tensor : lines) {
    const auto id = static_cast<LayerId>(graph.layers.size());
    const auto full = static_cast<TensorId>(graph.tensors.size());
    Tensor result = graph.tensors[tensor];
    result.producer = id;
    result.readers.clear();
    result.isReadOutside = result.isParameter = result.isGlobalView = false;
    std::vector<LayerId> others;
    size_t first = range.size() - 1;
    for (LayerId reader : graph.tensors[tensor].readers) {
      const auto position = positionOf.find(reader);
      if (position == positionOf.end()) {
        others.push_back(reader);
        continue;
      }
      first = std::min(first, position->second);
      result.readers.push_back(reader);
      replaceOperand(graph, reader, tensor, full);
    }
    others.push_back(id);
    graph.tensors[tensor].readers = std::move(others);
    graph.layers.push_back(lineBuffer(graph, tensor, full));
    graph.tensors.push_back(std::move(result));
    before[first].push_back(id);
  }
  LayerRange longer;
  for (size_t i = 0; i < range.size(); ++i) {
    longer.insert(longer.end(), before[i].begin(), before[i].end());
    longer.push_back(range[i]);
  }
  return longer;
}

void removeLineBuffers(LayerGraph &graph, const Lines &lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const auto full = static_cast<TensorId>(graph.tensors.size()) - 1;
    std::vector<LayerId> &readers = graph.tensors[*line].readers;
    readers.pop_back();
    for (LayerId reader : graph.tensors[full].readers) {
      replaceOperand(graph, reader, full, *line);
      readers.push_back(reader);
    }
    std::sort(readers.begin(), readers.end());
    graph.tensors.pop_back();
    graph.layers.pop_back();
  }
}

int64_t keptRows(llvm::ArrayRef<Interval> operand,
                 llvm::ArrayRef<Interval> result) {
  int64_t most = 0;
  for (size_t i = 0; i < std::min(operand.size(), result.size()); ++i)
    most = std::max(most, operand[i].begin - result[i].begin);
  return most;
}

} // namespace tpu_mlir::layer
