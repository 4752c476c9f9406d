//===- Index.cpp - Elements that indices choose ---------------------------===//

#include "lib/Import/Fold.h"

namespace tpu_mlir::importer {

/// A refusal of known indices in operand 1 that leave the dimensions `first`
/// and on of operand 0, of which a row of `depth` of them names one each.
static void requirePlaces(const NodeContext &node, int64_t first,
                          int64_t depth = 1) {
  if (!node.isConstant(1))
    return;
  const Constant &indices = node.constant(1);
  // A filled one takes no memory, whatever its size.
  const int64_t count = indices.isFilled() ? depth : indices.size();
  for (int64_t i = 0; i < count; ++i)
    node.place(indices.whole(i), node.shape()[first + i % depth]);
}

static void buildGather(NodeContext &node) {
  const Value x = node.in(0), indices = node.in(1);
  const int64_t axis = node.axis(node.integer("axis"), x.rank());
  requirePlaces(node, axis);
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  shape.append(indices.shape.begin(), indices.shape.end());
  shape.append(x.shape.begin() + axis + 1, x.shape.end());
  node.give(node.layer("Gather", {x, indices}, shape,
                       {{"axis", Si32{axis}},
                        {"keepdims", indices.rank() > 0},
                        {"is_scalar", false},
                        {"is_lora", false}}));
}

/// Beside the axis an index is a place of the operand.
static void requireInside(const NodeContext &node, const Shape &shape,
                          const Shape &indices, int64_t axis) {
  node.require(shape.size() == indices.size(), "the operands differ in rank");
  for (size_t dim = 0; dim < shape.size(); ++dim)
    node.require(
        static_cast<int64_t>(dim) == axis || indices[dim] <= shape[dim],
        "indices of " + describe(indices) + " leave " + describe(shape));
}

static void buildGatherElements(NodeContext &node) {
  const Value x = node.in(0), indices = node.in(1);
  const int64_t axis = node.axis(node.integer("axis"), x.rank());
  requireInside(node, x.shape, indices.shape, axis);
  requirePlaces(node, axis);
  node.give(node.layer("GatherElements", {x, indices}, indices.shape,
                       {{"axis", axis}}));
}

static void buildGatherND(NodeContext &node) {
  const Value x = node.in(0), indices = node.in(1);
  const int64_t batch = node.integer("batch_dims");
  node.require(batch >= 0 && batch < x.rank() && batch < indices.rank(),
               "'batch_dims' makes no sense");
  const int64_t depth = indices.shape.back();
  node.require(depth >= 1 && depth <= x.rank() - batch,
               "the indices have more coordinates than the operand");
  requirePlaces(node, batch, depth);
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.append(x.shape.begin() + batch + depth, x.shape.end());
  node.give(node.layer("GatherND", {x, indices}, shape,
                       {{"batch_dims", batch}, {"indice_dims", depth}}));
}

static void checkReduction(NodeContext &node) {
  const std::string reduction = node.text("reduction", "none");
  node.require(reduction == "none",
               "updates that are combined by '" + reduction + "'");
}

static void buildScatterElements(NodeContext &node) {
  checkReduction(node);
  const Value x = node.in(0), indices = node.in(1), updates = node.in(2);
  const int64_t axis = node.axis(node.integer("axis"), x.rank());
  requireInside(node, x.shape, indices.shape, axis);
  requirePlaces(node, axis);
  node.require(indices.shape == updates.shape,
               "there is no update for each index");
  node.give(node.layer("ScatterElements", {x, indices, updates}, x.shape,
                       {{"axis", axis}, {"reduction", 0}}));
}

static void buildScatterND(NodeContext &node) {
  checkReduction(node);
  const Value x = node.in(0), indices = node.in(1), updates = node.in(2);
  const int64_t depth = indices.rank() > 0 ? indices.shape.back() : 0;
  node.require(depth >= 1 && depth <= x.rank(),
               "the indices are no coordinates of the operand");
  Shape wanted(indices.shape.begin(), indices.shape.end() - 1);
  wanted.append(x.shape.begin() + depth, x.shape.end());
  node.require(updates.shape == wanted, "the updates are " +
                                            describe(updates.shape) + ", not " +
                                            describe(wanted));
  requirePlaces(node, 0, depth);
  node.give(node.layer("ScatterND", {x, indices, updates}, x.shape));
}

/// The place of the largest or smallest element.
static void buildArg(NodeContext &node) {
  const Value x = node.in();
  const auto [axis, shape] = argOf(node);
  node.give(
      0,
      node.layers("Arg", {x}, {shape, std::nullopt},
                  {{"axis", axis},
                   {"keepdims", node.flag("keepdims")},
                   {"mode", node.node.op},
                   {"select_last_index", node.flag("select_last_index")}})[0],
      DataType::I64);
}

static void buildTopK(NodeContext &node) {
  const Value x = node.in();
  const auto [axis, shape] = topOf(node);
  const std::vector<Value> results =
      node.layers("TopK", {x}, {shape, shape},
                  {{"axis", axis},
                   {"K", shape[axis]},
                   {"largest", node.integer("largest", 1) != 0},
                   {"sorted", node.integer("sorted", 1) != 0},
                   {"replace_topk_indices", false}});
  node.give(0, results[0], node.type());
  node.give(1, results[1], DataType::I64);
}

static Value reversed(NodeContext &node, const Value &x, int64_t axis) {
  return node.layer("Reverse", {x}, x.shape, {{"axis", axis}});
}

/// Each element where the next one was, 0 in the first place.
static Value shifted(NodeContext &node, const Value &x, int64_t axis) {
  Shape pads(2 * x.rank(), 0);
  pads[axis] = 1;
  const Value rest = node.slice(x, axis, 0, x.shape[axis] - 1);
  return node.layer("Pad", {rest}, x.shape,
                    {{"paddings", pads}, {"val", 0.0}, {"mode", "constant"}});
}

/// From the end with `reverse`; `exclusive`: without the element itself, which
/// is not taken from the sum again, as that might have lost the others.
static void buildCumSum(NodeContext &node) {
  const Value given = node.in();
  const int64_t axis = node.axis(truncated(node.number(1)), given.rank());
  const bool reverses = node.flag("reverse"), excludes = node.flag("exclusive");
  if (excludes && given.shape[axis] == 1)
    return node.give(
        0, filled(node, makeConstant(node.type(), {}, std::vector<int64_t>{0}),
                  given.shape));
  Value x = reverses ? reversed(node, given, axis) : given;
  if (excludes)
    x = shifted(node, x, axis);
  const Value sum = node.layer("CumSum", {x, {}}, x.shape, {{"axis", axis}});
  node.give(reverses ? reversed(node, sum, axis) : sum);
}

/// 1 where `indices`, spread along a new axis, are the place along it.
static Value oneHot(NodeContext &node, const Value &indices, int64_t axis,
                    int64_t depth) {
  Shape spread = indices.shape, places(indices.rank() + 1, 1);
  spread.insert(spread.begin() + axis, 1);
  places[axis] = depth;
  node.requireFew(places);
  std::vector<float> numbers;
  for (int64_t i = 0; i < depth; ++i)
    numbers.push_back(static_cast<float>(i));
  const Value place = node.weight("places", places, std::move(numbers));
  Shape shape = spread;
  shape[axis] = depth;
  return node.layer("Compare", {node.reshape(indices, spread), place}, shape,
                    {{"mode", "Equal"}, kWholeNumbers});
}

/// values[1] at the place that the index names, values[0] elsewhere.
static void buildOneHot(NodeContext &node) {
  const Value given = node.in();
  const int64_t depth = truncated(node.number(1));
  node.require(depth >= 1, "the depth makes no sense");
  const Constant &numbers = node.constant(2);
  node.require(numbers.size() == 2, "two values are expected");
  const int64_t axis = node.axis(node.integer("axis", -1), given.rank() + 1);
  const Value places =
      isFloat(node.type()) ? node.truncate(given, DataType::I32) : given;
  // Negative indices count from the end.
  const Value negative = node.compareConst("Less", places, 0);
  const Value indices = node.binary(
      "Add", places,
      node.withConst("MulConst", negative, static_cast<double>(depth)));
  const auto value = [&](llvm::StringRef what, int64_t index) {
    return node.weight(what, {}, {static_cast<float>(numbers.real(index))});
  };
  // No product with the difference, which is no number next to an infinity.
  node.give(0,
            node.where(oneHot(node, indices, axis, depth), value("on", 1),
                       value("off", 0)),
            node.type(2));
}

/// 1 at the first place of the largest element along the axis, else 0.
static void buildHardmax(NodeContext &node) {
  Value x = node.in();
  const int64_t axis = node.axis(node.integer("axis", -1), x.rank());
  const Shape whole = x.shape;
  // Before opset 13 of all from the axis on.
  if (node.node.version < 13) {
    int64_t rows = 1;
    for (int64_t dim = 0; dim < axis; ++dim)
      rows *= whole[dim];
    x = node.reshape(x, {rows, node.elements(whole) / rows});
  }
  const int64_t along = node.node.version < 13 ? 1 : axis;
  Shape shape = x.shape;
  shape.erase(shape.begin() + along);
  const Value place = node.layers("Arg", {x}, {shape, std::nullopt},
                                  {{"axis", along},
                                   {"keepdims", false},
                                   {"mode", "ArgMax"},
                                   {"select_last_index", false}})[0];
  const Value hot = oneHot(node, place, along, x.shape[along]);
  node.give(hot.shape == whole ? hot : node.reshape(hot, whole));
}

void addIndexRules(RuleTable &rules) {
  rules.add({TPU_RULE(CumSum), TPU_RULE(Gather), TPU_RULE(GatherElements),
             TPU_RULE(GatherND), TPU_RULE(Hardmax), TPU_RULE(OneHot),
             TPU_RULE(ScatterND), TPU_RULE(TopK)});
  rules.add("ArgMax ArgMin", buildArg);
  rules.add("Scatter ScatterElements", buildScatterElements);
}

} // namespace tpu_mlir::importer
