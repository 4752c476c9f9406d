//===- Cells.h - Networks of cells as problems of order ---------*- C++ -*-===//
//
// The cells of published networks in units of one tensor of C channels, by
// their pairs of branches: see the papers of DARTS, NASNet, AmoebaNet, PNAS.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_ORDERING_CELLS_H
#define TPU_MLIR_TESTS_ORDERING_CELLS_H

#include "tpu_mlir/Ordering/OrderProblem.h"

#include <string>
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

struct Cell {
  /// Two branches for each pair, which are added: how many ops, and of which
  /// block. 0 and 1 are the inputs, 2 the first pair.
  std::vector<std::pair<std::pair<int, int>, std::pair<int, int>>> pairs;
  std::vector<int> joined;
};

/// So many cells in a row, each of which reads the two before it.
inline OrderProblem stack(const Cell &cell, int count) {
  GraphBuilder graph;
  const int stem = graph.input(3);
  int older = stem, newer = stem;
  for (int i = 0; i < count; ++i) {
    std::vector<int> blocks = {graph.op({older}, 1), graph.op({newer}, 1)};
    const auto branch = [&](std::pair<int, int> what) {
      int at = blocks[what.second];
      for (int op = 0; op < what.first; ++op)
        at = graph.op({at}, 1);
      return at;
    };
    for (const auto &[left, right] : cell.pairs) {
      const int a = branch(left), b = branch(right);
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

/// Separable convolutions have four ops, dilated ones two, pools one.
inline const Cell kDartsV2 = {
    {{{4, 0}, {4, 1}}, {{4, 0}, {4, 1}}, {{4, 1}, {0, 0}}, {{0, 0}, {2, 2}}},
    {2, 3, 4, 5}};
inline const Cell kNasNetA = {{{{4, 1}, {4, 0}},
                               {{4, 0}, {4, 0}},
                               {{1, 1}, {0, 0}},
                               {{1, 0}, {1, 0}},
                               {{4, 1}, {0, 1}}},
                              {0, 2, 3, 4, 5, 6}};
inline const Cell kAmoebaNetA = {{{{1, 0}, {1, 0}},
                                  {{0, 0}, {1, 1}},
                                  {{4, 2}, {4, 1}},
                                  {{4, 2}, {0, 0}},
                                  {{1, 4}, {4, 0}}},
                                 {3, 5, 6}};
inline const Cell kPnasNet5 = {{{{4, 0}, {1, 0}},
                                {{4, 1}, {1, 1}},
                                {{4, 1}, {4, 1}},
                                {{4, 4}, {1, 1}},
                                {{4, 0}, {0, 1}}},
                               {2, 3, 4, 5, 6}};

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_TESTS_ORDERING_CELLS_H
