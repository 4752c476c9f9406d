//===- InputCopies.cpp - Inputs that a group loads a second time ----------===//

#include "tpu_mlir/LayerPlanning/InputCopies.h"

#include <algorithm>

namespace tpu_mlir::layer {

namespace {

/// A life of three rows and a new load are not worth the transfer.
constexpr size_t kLongGap = 4;

} // namespace

std::vector<InputCopy> inputCopies(const LayerGraph &graph,
                                   const LayerRange &range) {
  std::vector<InputCopy> copies;
  for (TensorId tensor : groupTensors(graph, range).inputs) {
    if (graph.tensors[tensor].isParameter)
      continue;
    std::vector<size_t> rows;
    for (size_t row = 0; row < range.size(); ++row) {
      const std::vector<LayerOperand> &operands =
          graph.layers[range[row]].operands;
      if (std::any_of(operands.begin(), operands.end(),
                      [&](const LayerOperand &operand) {
                        return operand.tensor == tensor;
                      }))
        rows.push_back(row);
    }
    size_t gap = 0, behind = 0;
    for (size_t i = 1; i < rows.size(); ++i)
      if (rows[i] - rows[i - 1] > gap) {
        gap = rows[i] - rows[i - 1];
        behind = i;
      }
    const bool isReadThroughout =
        rows.front() == 0 && rows.back() + 1 == range.size();
    if (gap < (isReadThroughout ? 1 : kLongGap))
      continue;
    InputCopy &copy = copies.emplace_back();
    copy.tensor = tensor;
    for (size_t i = behind; i < rows.size(); ++i)
      copy.readers.push_back(range[rows[i]]);
  }
  return copies;
}

LayerGraph withCopies(const LayerGraph &graph,
                      const std::vector<InputCopy> &copies) {
  LayerGraph result = graph;
  for (const InputCopy &copy : copies) {
    const auto id = static_cast<TensorId>(result.tensors.size());
    result.tensors.push_back(graph.tensors[copy.tensor]);
    for (LayerId reader : copy.readers)
      for (LayerOperand &operand : result.layers[reader].operands)
        if (operand.tensor == copy.tensor)
          operand.tensor = id;
  }
  return result;
}

} // namespace tpu_mlir::layer
