//===- InputCopies.cpp - Inputs that a group loads a second time ----------===//

#include "tpu_mlir/LayerPlanning/InputCopies.h"

#include <algorithm>

namespace tpu_mlir::layer {

namespace {

/// A life of three rows and a new load are not worth the transfer.
constexpr size_t kLongGap = 4;

/// The readers of a copy read `to` where they read `from`.
void redirect(LayerGraph &graph, const InputCopy &copy, TensorId from,
              TensorId to) {
  for (LayerId reader : copy.readers)
    for (LayerOperand &operand : graph.layers[reader].operands)
      if (operand.tensor == from)
        operand.tensor = to;
}

/// For each of `inputs` the rows that read it, ascending, each once.
std::vector<std::vector<size_t>>
readingRows(const LayerGraph &graph, const LayerRange &range,
            const std::vector<TensorId> &inputs) {
  const TensorIndex indexOf(inputs);
  std::vector<std::vector<size_t>> rowsOf(inputs.size());
  for (size_t row = 0; row < range.size(); ++row)
    for (const LayerOperand &operand : graph.layers[range[row]].operands) {
      const int input = indexOf[operand.tensor];
      if (input >= 0 && (rowsOf[input].empty() || rowsOf[input].back() != row))
        rowsOf[input].push_back(row);
    }
  return rowsOf;
}

} // namespace

std::vector<InputCopy> inputCopies(const LayerGraph &graph,
                                   const LayerRange &range) {
  std::vector<TensorId> inputs = groupTensors(graph, range).inputs;
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](TensorId tensor) {
                                return graph.tensors[tensor].isParameter;
                              }),
               inputs.end());
  std::vector<InputCopy> copies;
  const auto rowsOf = readingRows(graph, range, inputs);
  for (size_t input = 0; input < inputs.size(); ++input) {
    const std::vector<size_t> &rows = rowsOf[input];
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
    copy.tensor = inputs[input];
    for (size_t i = behind; i < rows.size(); ++i)
      copy.readers.push_back(range[rows[i]]);
  }
  return copies;
}

void addCopies(LayerGraph &graph, const std::vector<InputCopy> &copies) {
  for (const InputCopy &copy : copies) {
    const auto id = static_cast<TensorId>(graph.tensors.size());
    graph.tensors.push_back(Tensor(graph.tensors[copy.tensor]));
    redirect(graph, copy, copy.tensor, id);
  }
}

void removeCopies(LayerGraph &graph, const std::vector<InputCopy> &copies) {
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    const auto id = static_cast<TensorId>(graph.tensors.size()) - 1;
    redirect(graph, *copy, id, copy->tensor);
    graph.tensors.pop_back();
  }
}

} // namespace tpu_mlir::layer
