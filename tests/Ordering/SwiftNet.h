//===- SwiftNet.h - The cells of SwiftNet as problems of order --*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_ORDERING_SWIFTNET_H
#define TPU_MLIR_TESTS_ORDERING_SWIFTNET_H

#include "lib/ModelBuilder/Graphs/SwiftCells.h"
#include "tests/Ordering/Cells.h"

#include <algorithm>
#include <map>

namespace tpu_mlir::ordering {

/// The ops of a cell, one byte an element.
class SwiftProblem {
public:
  /// Those up to number `last`, but `without`; what nothing reads is an output.
  SwiftProblem(char cell, int last, int without = 0)
      : plan(graphs::swiftCell(cell)) {
    const auto isOut = [&](const graphs::SwiftOp &op) {
      return op.number > last || op.number == without;
    };
    plan.ops.erase(std::remove_if(plan.ops.begin(), plan.ops.end(), isOut),
                   plan.ops.end());
  }

  OrderProblem asWritten() { return build(false); }
  /// A 1x1 convolution of a concat that nothing else reads is a sum of
  /// convolutions of its pieces, each added to the one before where that is;
  /// sums in place.
  OrderProblem rewritten() { return build(true); }

private:
  using Kind = graphs::SwiftOp::Kind;

  OrderProblem build(bool rewrites) {
    const int64_t pixels = plan.pixelsPerSide * plan.pixelsPerSide;
    GraphBuilder graph;
    std::map<int, int> tensors = {
        {graphs::kCellInput, graph.input(pixels * plan.inputChannels)}};
    for (const graphs::SwiftOp &op : plan.ops) {
      if (rewrites && isTakenApart(op))
        continue;
      const int64_t size = pixels * op.channels;
      std::vector<int> read;
      for (int input : piecesOf(op, rewrites))
        read.push_back(tensors.at(input));
      if (op.kind == Kind::Conv1x1)
        tensors[op.number] = convolution(graph, read, size);
      else
        tensors[op.number] =
            graph.op(read, size, rewrites && op.kind == Kind::Add);
    }
    for (Tensor &tensor : graph.problem.tensors)
      tensor.toEnd |= tensor.readers.empty();
    return std::move(graph.problem);
  }

  static int convolution(GraphBuilder &graph, const std::vector<int> &pieces,
                         int64_t size) {
    int sum = graph.op({pieces.front()}, size);
    for (size_t i = 1; i < pieces.size(); ++i) {
      const int before = sum;
      sum = graph.op({pieces[i], before}, size);
      graph.problem.ops.back().inPlace = {{before, sum}};
    }
    return sum;
  }

  const graphs::SwiftOp *find(int number) const {
    for (const graphs::SwiftOp &op : plan.ops)
      if (op.number == number)
        return &op;
    return nullptr;
  }
  bool isTakenApart(const graphs::SwiftOp &op) const {
    int readers = 0, convolutions = 0;
    for (const graphs::SwiftOp &other : plan.ops)
      if (std::count(other.inputs.begin(), other.inputs.end(), op.number)) {
        ++readers;
        convolutions += other.kind == Kind::Conv1x1;
      }
    return op.kind == Kind::Concat && readers == 1 && convolutions == 1;
  }
  std::vector<int> piecesOf(const graphs::SwiftOp &op, bool rewrites) const {
    const graphs::SwiftOp *read = find(op.inputs.front());
    return rewrites && op.kind == Kind::Conv1x1 && read && isTakenApart(*read)
               ? read->inputs
               : op.inputs;
  }

  graphs::SwiftCell plan;
};

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_TESTS_ORDERING_SWIFTNET_H
