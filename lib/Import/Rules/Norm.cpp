//===- Norm.cpp - Normalisations ------------------------------------------===//

#include "lib/Import/Rule.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tpu_mlir::importer {

/// gamma * (x - mean) / sqrt(variance + epsilon) + beta as a factor and a bias
/// for each channel, or, as `spatial` = 0 has it in opsets 7 and 8, for each
/// element of an image.
static void buildBatchNormalization(NodeContext &node) {
  node.require(!node.flag("training_mode") && !node.wants(1),
               "it is in training");
  node.require(node.rank() >= 2, "channels in dimension 1 are expected");
  const Value x = node.in();
  const bool isSpatial = node.integer("spatial", 1) || node.rank(1) == 1;
  const Shape shape(x.shape.begin() + 1,
                    isSpatial ? x.shape.begin() + 2 : x.shape.end());
  const int64_t count = node.elements(shape);
  std::vector<float> lists[4];
  for (unsigned i = 0; i < 4; ++i)
    lists[i] = node.floats(i + 1, count);
  const double epsilon = node.real("epsilon", 1e-5);
  std::vector<float> factor, bias;
  for (int64_t c = 0; c < count; ++c) {
    const double scale = lists[0][c] / std::sqrt(lists[3][c] + epsilon);
    factor.push_back(static_cast<float>(scale));
    bias.push_back(static_cast<float>(lists[1][c] - lists[2][c] * scale));
  }
  const Value factors = node.changed(1, shape, std::move(factor)),
              biases = node.changed(2, shape, std::move(bias));
  node.give(isSpatial
                ? node.layer("Scale", {x, factors, biases}, x.shape)
                : node.binary("Add", node.binary("Mul", x, factors), biases));
}

static void buildInstanceNormalization(NodeContext &node) {
  const Value x = node.in();
  node.require(x.rank() >= 3, "channels and places are expected");
  for (unsigned i : {1u, 2u})
    node.require(node.shape(i) == Shape{x.shape[1]},
                 "operand " + llvm::Twine(i) + " has no number a channel");
  node.give(node.layer("InstanceNorm", {x, node.in(1), node.in(2)}, x.shape,
                       {{"eps", node.real("epsilon", 1e-5)}}));
}

/// A factor and a bias for each group in opset 18, for each channel from 21 on.
static void buildGroupNormalization(NodeContext &node) {
  const Value x = node.in();
  const int64_t groups = node.integer("num_groups");
  node.require(x.rank() >= 3 && groups >= 1 && x.shape[1] % groups == 0,
               "the channels are not made of groups");
  const int64_t each = node.node.opset >= 21 ? 1 : x.shape[1] / groups;
  Value parameters[2];
  for (unsigned i = 0; i < 2; ++i) {
    const std::vector<float> given = node.floats(i + 1, x.shape[1] / each);
    node.requireFew({x.shape[1]});
    std::vector<float> all;
    for (float number : given)
      all.insert(all.end(), each, number);
    parameters[i] = node.changed(i + 1, {x.shape[1]}, std::move(all));
  }
  node.give(node.layer(
      "GroupNorm", {x, parameters[0], parameters[1]}, x.shape,
      {{"num_groups", groups}, {"eps", node.real("epsilon", 1e-5)}}));
}

/// By numpy's rule, without changing `to`.
static bool spreadsOver(llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> to) {
  return shape.size() <= to.size() &&
         llvm::all_of(llvm::zip(shape, to.take_back(shape.size())),
                      [](const auto &sizes) {
                        const auto &[size, of] = sizes;
                        return size == 1 || size == of;
                      });
}

/// A factor and a bias are spread over x; those that do not fit it, but have as
/// many numbers as a row, are one.
static Value normedLayer(NodeContext &node, const Value &x, int64_t axis,
                         double epsilon) {
  const auto withoutOnes = [](llvm::ArrayRef<int64_t> shape) {
    return shape.drop_while([](int64_t size) { return size == 1; });
  };
  const auto row = llvm::ArrayRef<int64_t>(x.shape).drop_front(axis);
  const auto isRow = [&](unsigned i) {
    return !node.has(i) || withoutOnes(node.shape(i)) == withoutOnes(row) ||
           (node.elements(node.shape(i)) == node.elements(row) &&
            !spreadsOver(node.shape(i), x.shape));
  };
  const bool areRows = isRow(1) && isRow(2);
  Value made = node.layer(
      "LayerNorm",
      {x, areRows ? node.in(1) : Value(), areRows ? node.optional(2) : Value()},
      x.shape,
      {{"normalized_shape", Shape()}, {"axis", Si32{axis}}, {"eps", epsilon}});
  for (unsigned i : {1u, 2u}) {
    if (areRows || !node.has(i))
      continue;
    const Value by =
        isRow(i) ? node.reshape(node.in(i), Shape(row)) : node.in(i);
    node.require(spreadsOver(by.shape, x.shape),
                 "operand " + llvm::Twine(i) + " does not fit a row");
    made = node.binary(i == 1 ? "Mul" : "Add", made, by);
  }
  return made;
}

/// Rows are the dimensions from the axis on; the mean and one over the
/// deviation of each are results, too.
static void buildLayerNormalization(NodeContext &node) {
  const Value x = node.in();
  const int64_t axis = node.axis(node.integer("axis", -1), x.rank());
  const double epsilon = node.real("epsilon", 1e-5);
  Shape axes;
  for (int64_t dim = axis; dim < x.rank(); ++dim)
    axes.push_back(dim);
  node.give(normedLayer(node, x, axis, epsilon));
  if (!node.wants(1) && !node.wants(2))
    return;
  const Value mean = node.reduce("ReduceMean", x, axes, true);
  node.give(1, mean, DataType::F32);
  const Value apart = node.binary("Sub", x, mean);
  const Value variance =
      node.reduce("ReduceMean", node.binary("Mul", apart, apart), axes, true);
  node.give(2,
            node.unary("Rsqrt", node.withConst("AddConst", variance, epsilon)),
            DataType::F32);
}

static void buildLpNormalization(NodeContext &node) {
  const Value x = node.in();
  const int64_t axis = node.axis(node.integer("axis", -1), x.rank()),
                p = node.integer("p", 2);
  node.require(p == 1 || p == 2, "p is neither 1 nor 2");
  node.give(node.binary(
      "Div", x,
      node.reduce(p == 1 ? "ReduceL1" : "ReduceL2", x, {axis}, true)));
}

/// x / (bias + alpha / size * sum of the squares of `size` channels)^beta
static void buildLRN(NodeContext &node) {
  const Value x = node.in();
  const int64_t size = node.integer("size");
  node.require(x.rank() >= 2 && size >= 1 && size <= 1 << 16,
               "channels in dimension 1 are expected");
  const double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75),
               bias = node.real("bias", 1);
  node.give(node.layer(
      "LRN", {x}, x.shape,
      {{"size", size}, {"alpha", alpha}, {"beta", beta}, {"bias", bias}}));
}

/// Before opset 13 the dimensions from the axis on are one; where those after
/// it have one element they need not be.
static void buildSoftmax(NodeContext &node) {
  const Value x = node.in();
  const bool log = node.node.op == "LogSoftmax", isOld = node.node.version < 13;
  const int64_t axis =
      node.axis(node.integer("axis", isOld ? 1 : -1), x.rank());
  const llvm::ArrayRef<int64_t> shape(x.shape);
  const bool flattens =
      isOld && node.elements(shape.drop_front(axis)) != shape[axis];
  const Value rows =
      flattens ? node.reshape(x, {node.elements(shape.take_front(axis)),
                                  node.elements(shape.drop_front(axis))})
               : x;
  const Value made = node.unary(
      "Softmax", rows,
      {{"axis", Si32{flattens ? 1 : axis}}, {"beta", 1.0}, {"log", log}});
  node.give(made.shape == x.shape ? made : node.reshape(made, x.shape));
}

void addNormRules(RuleTable &rules) {
  rules.add({TPU_RULE(BatchNormalization), TPU_RULE(GroupNormalization),
             TPU_RULE(InstanceNormalization), TPU_RULE(LRN),
             TPU_RULE(LayerNormalization), TPU_RULE(LpNormalization)});
  rules.add("LogSoftmax Softmax", buildSoftmax);
}

} // namespace tpu_mlir::importer
