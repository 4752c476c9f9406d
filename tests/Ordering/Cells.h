//===- Cells.h - Networks of cells as problems of order ---------*- C++ -*-===//
//
// Cells of published networks in units of one tensor of C channels.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_ORDERING_CELLS_H
#define TPU_MLIR_TESTS_ORDERING_CELLS_H

#include "lib/ModelBuilder/Graphs/CellPlans.h"
#include "lib/ModelBuilder/Graphs/RandomWiring.h"
#include "tpu_mlir/Ordering/OrderProblem.h"

#include <utility>
#include <vector>

namespace tpu_mlir::ordering {

/// Adds ops in the order of the text.
class GraphBuilder {
public:
  int input(int64_t size, bool toEnd = false) {
    return tensor({size, {}, {}, true, toEnd});
  }
  /// The result of a new op that reads `inputs`; `inPlace`: it may take the
  /// place of any of them.
  int op(const std::vector<int> &inputs, int64_t size, bool inPlace = false) {
    const int number = static_cast<int>(problem.ops.size());
    problem.ops.emplace_back();
    const int result = tensor({size, {number}, {}, false, false});
    for (int input : inputs) {
      Tensor &read = problem.tensors[input];
      read.readers.push_back(number);
      for (int writer : read.writers)
        problem.ops[number].after.push_back(writer);
      if (inPlace)
        problem.ops[number].inPlace.push_back({input, result});
    }
    return result;
  }
  void result(int tensor) { problem.tensors[tensor].toEnd = true; }
  OrderProblem problem;

private:
  int tensor(Tensor tensor) {
    problem.tensors.push_back(std::move(tensor));
    return static_cast<int>(problem.tensors.size()) - 1;
  }
};

/// Activations belong to convolutions.
inline int opsOf(graphs::BranchKind kind) {
  switch (kind) {
  case graphs::BranchKind::Identity:
    return 0;
  case graphs::BranchKind::MaxPool3:
  case graphs::BranchKind::AveragePool3:
    return 1;
  case graphs::BranchKind::Dilated3:
  case graphs::BranchKind::Row7Column7:
    return 2;
  default:
    return 4;
  }
}

/// So many cells in a row, each of which reads the two before it.
inline OrderProblem stack(const graphs::CellPlan &cell, int count) {
  GraphBuilder graph;
  const int stem = graph.input(3);
  int older = stem, newer = stem;
  for (int i = 0; i < count; ++i) {
    std::vector<int> blocks = {graph.op({older}, 1), graph.op({newer}, 1)};
    const auto branch = [&](const graphs::Branch &what) {
      int at = blocks[what.from];
      for (int op = 0; op < opsOf(what.kind); ++op)
        at = graph.op({at}, 1);
      return at;
    };
    for (const graphs::Pair &pair : cell.pairs) {
      const int a = branch(pair.left), b = branch(pair.right);
      blocks.push_back(graph.op({a, b}, 1, /*inPlace=*/true));
    }
    std::vector<int> pieces;
    for (int block : cell.joined)
      pieces.push_back(blocks[block]);
    older = std::exchange(
        newer, graph.op(pieces, static_cast<int64_t>(pieces.size())));
  }
  graph.result(newer);
  return std::move(graph.problem);
}

/// A stage of RandWire: sums in place, two ops a node, an input of two units.
inline OrderProblem randWire(uint64_t seed) {
  GraphBuilder graph;
  const int input = graph.input(2);
  const graphs::Wiring wiring = graphs::smallRandWire(seed);
  std::vector<int> nodes;
  const auto sum = [&](const std::vector<int> &numbers) {
    std::vector<int> read;
    for (int number : numbers)
      read.push_back(nodes[number]);
    return read.size() == 1 ? read.front() : graph.op(read, 1, true);
  };
  for (const std::vector<int> &inputs : wiring) {
    int at = inputs.empty() ? input : sum(inputs);
    for (int op = 0; op < 2; ++op)
      at = graph.op({at}, 1);
    nodes.push_back(at);
  }
  graph.result(sum(graphs::sinksOf(wiring)));
  return std::move(graph.problem);
}

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_TESTS_ORDERING_CELLS_H
