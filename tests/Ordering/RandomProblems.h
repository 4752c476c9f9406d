//===- RandomProblems.h - Problems of order with everything in --*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_ORDERING_RANDOMPROBLEMS_H
#define TPU_MLIR_TESTS_ORDERING_RANDOMPROBLEMS_H

#include "tests/Ordering/Cells.h"

#include <algorithm>
#include <random>

namespace tpu_mlir::ordering {

inline int below(std::mt19937 &random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

/// Ops that read what others or nobody has made, with pins, several writers of
/// one tensor, results that nobody reads, scratch and chances in place.
inline OrderProblem randomProblem(std::mt19937 &random, int most) {
  OrderProblem problem;
  const int ops = 1 + below(random, most), reads = 1 + below(random, 3);
  const auto size = [&] { return 1 + below(random, 9); };
  const auto addRead = [&](int op, int tensor) {
    problem.tensors[tensor].readers.push_back(op);
    for (int writer : problem.tensors[tensor].writers)
      problem.ops[op].after.push_back(writer);
  };
  for (int i = below(random, 3); i >= 0; --i)
    problem.tensors.push_back({size(), {}, {}, true, below(random, 4) == 0});
  for (int op = 0; op < ops; ++op) {
    problem.ops.emplace_back();
    const int known = static_cast<int>(problem.tensors.size());
    std::vector<int> read;
    for (int i = below(random, reads + 1); i > 0; --i)
      read.push_back(known - 1 - below(random, std::min(known, 6)));
    for (int tensor : read)
      addRead(op, tensor);
    for (int results = 1 + (below(random, 5) == 0); results > 0; --results) {
      // A piece of what another op writes, too.
      const int joined = below(random, known);
      Tensor &other = problem.tensors[joined];
      if (below(random, 6) == 0 && other.readers.empty()) {
        other.writers.push_back(op);
        continue;
      }
      problem.tensors.push_back(
          {size(), {op}, {}, false, below(random, 8) == 0});
      for (int tensor : read)
        if (below(random, 3) == 0)
          problem.ops[op].inPlace.push_back(
              {tensor, static_cast<int>(problem.tensors.size()) - 1});
    }
    if (below(random, 5) == 0)
      problem.ops[op].scratch = size();
    // An effect.
    if (op > 0 && below(random, 6) == 0)
      problem.ops[op].after.push_back(below(random, op));
  }
  return problem;
}

/// Each op reads some of the last tensors.
inline OrderProblem sparseProblem(std::mt19937 &random, int ops, int span) {
  GraphBuilder graph;
  std::vector<int> tensors = {graph.input(10)};
  for (int op = 0; op < ops; ++op) {
    const int known = static_cast<int>(tensors.size());
    std::vector<int> inputs;
    for (int i = below(random, 2); i >= 0; --i)
      inputs.push_back(
          tensors[known - 1 - below(random, std::min(known, span))]);
    tensors.push_back(graph.op(inputs, 1 + below(random, 100)));
  }
  graph.result(tensors.back());
  return std::move(graph.problem);
}
/// Ops that make a tensor for each of some others, all of which one op reads,
/// side by side: many of them have the same before and after them.
inline OrderProblem bundledProblem(std::mt19937 &random) {
  GraphBuilder graph;
  std::vector<int> ends;
  for (int bundle = 0; bundle < 2; ++bundle) {
    const int first = graph.op({}, 1 + below(random, 9));
    const int op = static_cast<int>(graph.problem.ops.size()) - 1;
    std::vector<int> middle;
    for (int branch = 1 + below(random, 2); branch >= 0; --branch) {
      int from = first;
      if (below(random, 4) > 0) {
        from = static_cast<int>(graph.problem.tensors.size());
        graph.problem.tensors.push_back({1 + below(random, 9), {op}, {}});
      }
      middle.push_back(graph.op({from}, 1 + below(random, 9)));
      graph.problem.ops.back().scratch = below(random, 12);
    }
    ends.push_back(graph.op(middle, 1 + below(random, 9)));
  }
  graph.result(graph.op(ends, 1));
  return std::move(graph.problem);
}

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_TESTS_ORDERING_RANDOMPROBLEMS_H
