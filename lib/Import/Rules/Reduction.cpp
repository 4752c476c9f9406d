//===- Reduction.cpp - Sums and extremes over axes ------------------------===//

#include "lib/Import/Rule.h"

#include <limits>

namespace tpu_mlir::importer {

/// All of them where none is named, unless that means none.
static std::optional<Shape> reducedAxes(NodeContext &node) {
  std::optional<Shape> given = node.list("axes", 1);
  if (given && !given->empty())
    return node.axes(*given, node.rank());
  if (node.flag("noop_with_empty_axes"))
    return std::nullopt;
  Shape all;
  for (int64_t dim = 0; dim < node.rank(); ++dim)
    all.push_back(dim);
  return all;
}

/// log of the sum of exp, from the largest element, so that none overflows;
/// from the largest number where that is infinite, as infinity less itself is
/// none.
static Value logSumExp(NodeContext &node, const Value &x, const Shape &axes,
                       bool keepDims) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const Value largest =
                  node.unary("Clip", node.reduce("ReduceMax", x, axes, true),
                             {{"min", -kMost}, {"max", kMost}}),
              apart = node.unary("Exp", node.binary("Sub", x, largest)),
              sum = node.reduce("ReduceSum", apart, axes, keepDims);
  const Value base = keepDims ? largest : node.reshape(largest, sum.shape);
  return node.binary("Add", node.unary("Log", sum), base);
}

static Value reduced(NodeContext &node, const Value &x, const Shape &axes) {
  const llvm::StringRef op = node.node.op;
  const bool keeps = node.integer("keepdims", 1) != 0;
  if (op == "ReduceLogSumExp")
    return logSumExp(node, x, axes, keeps);
  if (op == "ReduceLogSum")
    return node.unary("Log", node.reduce("ReduceSum", x, axes, keeps));
  if (op == "ReduceSumSquare")
    return node.reduce("ReduceSum", node.binary("Mul", x, x), axes, keeps);
  return node.reduce(op, x, axes, keeps);
}

/// Of whole numbers, too.
static bool makesFractions(llvm::StringRef op) {
  return op == "ReduceL2" || op == "ReduceLogSum" || op == "ReduceLogSumExp" ||
         op == "ReduceMean";
}

static void buildReduction(NodeContext &node) {
  const std::optional<Shape> axes = reducedAxes(node);
  const Value x = node.in();
  if (!axes)
    return node.give(x);
  const Value result = reduced(node, x, *axes);
  node.give(makesFractions(node.node.op) ? node.whole(result) : result);
}

void addReductionRules(RuleTable &rules) {
  rules.add("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
            "ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare",
            buildReduction);
}

} // namespace tpu_mlir::importer
