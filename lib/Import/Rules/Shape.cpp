//===- Shape.cpp - Elements in other places -------------------------------===//

#include "lib/Import/Fold.h"

#include "tpu_mlir/Execution/Places.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

namespace tpu_mlir::importer {

static void buildReshape(NodeContext &node) {
  const Shape shape = reshaped(node);
  node.give(node.reshape(node.in(), shape));
}

/// A layer that says which axes come or go; what changes nothing is none.
static void giveWithAxes(NodeContext &node, const char *op, const Shape &shape,
                         const Shape &axes) {
  const Value x = node.in();
  node.give(node.layer(op, {x}, shape, {{"axes", axes}}));
}

static void buildUnsqueeze(NodeContext &node) {
  const Shape shape = unsqueezed(node);
  giveWithAxes(node, "Unsqueeze", shape,
               node.axes(node.neededList("axes", 1), shape.size()));
}

static void buildSqueeze(NodeContext &node) {
  const Shape shape = squeezed(node);
  Shape axes;
  if (std::optional<Shape> given = node.list("axes", 1))
    axes = node.axes(*given, node.rank());
  else
    for (auto [dim, size] : llvm::enumerate(node.shape()))
      if (size == 1)
        axes.push_back(static_cast<int64_t>(dim));
  giveWithAxes(node, "Squeeze", shape, axes);
}

static void buildFlatten(NodeContext &node) {
  const Shape shape = flattened(node);
  node.give(node.reshape(node.in(), shape));
}

/// A weight that is too large to be folded, some elements at a time.
static void takeTransposed(const Constant &from, const Shape &shape,
                           const Shape &steps, TakesNumbers take) {
  constexpr size_t kAtOnce = 1 << 16;
  std::vector<float> part;
  execution::forEachPlace(shape, steps, 0, from.size(), [&](int64_t place) {
    part.push_back(static_cast<float>(from.real(place)));
    if (part.size() == kAtOnce) {
      take(part);
      part.clear();
    }
  });
  if (!part.empty())
    take(part);
}

static void buildTranspose(NodeContext &node) {
  if (node.isConstant(0)) {
    const auto [shape, steps] = transposed(node);
    const auto parts = [shape = shape, steps = steps](const Constant &from,
                                                      TakesNumbers take) {
      takeTransposed(from, shape, steps, take);
    };
    return node.give(node.changed(0, shape, parts));
  }
  const Shape order = node.order();
  const Value x = node.in();
  node.give(x.rank() == 0 ? x : node.permute(x, order));
}

static void buildConcat(NodeContext &node) {
  std::vector<Value> operands;
  // What has no elements adds none.
  for (unsigned i = 0; i < node.count(); ++i)
    if (!node.isConstant(i) || node.constant(i).size() > 0)
      operands.push_back(node.in(i));
  node.require(!operands.empty(), "it has no operands");
  const int64_t axis =
      node.axis(node.integer("axis", 1), operands.front().rank());
  node.give(operands.size() == 1 ? operands.front()
                                 : node.concat(operands, axis));
}

/// As slices, into which tpu-mlir takes a Split apart.
static void buildSplit(NodeContext &node) {
  const int64_t axis = node.axis(node.integer("axis"), node.rank());
  const Value x = node.in();
  const int64_t results = node.resultCount();
  node.require(node.integer("num_outputs", results) == results,
               "'num_outputs' is not the number of its results");
  int64_t begin = 0;
  for (auto [index, size] : llvm::enumerate(splitSizes(node, axis))) {
    if (node.wants(index))
      node.give(index, node.slice(x, axis, begin, begin + size), node.type());
    begin += size;
  }
}

static void buildSlice(NodeContext &node) {
  const Range range = sliced(node);
  node.give(node.slice(node.in(), range.begins, range.ends, range.steps,
                       range.shape));
}

static void buildExpand(NodeContext &node) {
  const Shape shape = node.broadcast(node.shape(), node.wholes(1));
  node.give(node.expand(node.in(), shape));
}

/// Once an axis and a number of tiles, now a number for each dimension.
static void buildTile(NodeContext &node) {
  const Value x = node.in();
  Shape tiles(x.rank(), 1);
  if (node.node.version < 6)
    tiles[node.axis(truncated(node.number(2)), x.rank())] =
        truncated(node.number(1));
  else
    tiles = node.wholes(1);
  node.require(tiles.size() == x.shape.size(), "a number for each dimension");
  Shape shape;
  for (auto [size, times] : llvm::zip_equal(x.shape, tiles)) {
    std::optional<int64_t> length = checkedMul(size, times);
    node.require(length.has_value(), "the result is too large");
    shape.push_back(*length);
  }
  node.give(
      shape == x.shape ? x : node.layer("Tile", {x}, shape, {{"tile", tiles}}));
}

/// Starts and ends of all dimensions, of which `axes` may name some.
static Shape padsOf(NodeContext &node) {
  std::optional<Shape> given = node.list("pads", 1);
  if (!given)
    given = node.integers("paddings");
  if (!node.has(3))
    return *given;
  const Shape axes = node.wholes(3);
  node.require(given->size() == 2 * axes.size(), "two pads for each axis");
  const size_t rank = node.rank();
  Shape pads(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = node.axis(axes[i], rank);
    pads[axis] = (*given)[i];
    pads[axis + rank] = (*given)[i + axes.size()];
  }
  return pads;
}

static void buildPad(NodeContext &node) {
  const Shape pads = padsOf(node);
  const Value x = node.in();
  node.require(pads.size() == 2 * x.shape.size(), "two pads a dimension");
  const std::string mode = node.text("mode", "constant");
  node.require(mode == "constant" || mode == "reflect" || mode == "edge",
               "mode '" + mode + "' is not known");
  Shape shape;
  for (size_t dim = 0; dim < x.shape.size(); ++dim) {
    std::optional<int64_t> size = checkedAdd(x.shape[dim], pads[dim]);
    size = size ? checkedAdd(*size, pads[dim + x.shape.size()]) : size;
    node.require(size && *size >= 0, "the pads make no sense");
    shape.push_back(*size);
  }
  const double number = node.has(2) ? node.number(2) : node.real("value", 0);
  node.give(node.layer("Pad", {x}, shape,
                       {{"paddings", pads}, {"val", number}, {"mode", mode}}));
}

/// Blocks of pixels from channels, or the other way.
static void moveBlocks(NodeContext &node, bool toDepth) {
  const Value x = node.in();
  const int64_t block = node.integer("blocksize");
  node.require(x.rank() == 4 && block >= 1 && block <= 1 << 16,
               "an image and a block are expected");
  Shape shape = x.shape;
  const int64_t area = block * block;
  if (toDepth) {
    node.require(shape[2] % block == 0 && shape[3] % block == 0,
                 "the image is not made of blocks");
    shape = {shape[0], shape[1] * area, shape[2] / block, shape[3] / block};
  } else {
    node.require(shape[1] % area == 0, "the channels are not made of blocks");
    shape = {shape[0], shape[1] / area, shape[2] * block, shape[3] * block};
  }
  node.give(node.layer("Depth2Space", {x}, shape,
                       {{"block_h", block},
                        {"block_w", block},
                        {"is_CRD", node.word("mode", {"DCR", "CRD"}) == "CRD"},
                        {"is_inversed", toDepth},
                        {"in_is_NCHW", true},
                        {"out_is_NCHW", true},
                        {"swap_cr", false}}));
}

static void buildDepthToSpace(NodeContext &node) { moveBlocks(node, false); }
static void buildSpaceToDepth(NodeContext &node) { moveBlocks(node, true); }

static void buildTrilu(NodeContext &node) {
  const Value x = node.in();
  const int64_t diagonal = node.has(1) ? truncated(node.number(1)) : 0;
  node.require(x.rank() >= 2, "a matrix is expected");
  // Beyond the corners nothing changes.
  const int64_t bound = std::max(x.shape[x.rank() - 1], x.shape[x.rank() - 2]);
  node.require(bound < 1 << 30, "the matrix is too large");
  node.give(
      node.unary("Trilu", x,
                 {{"upper", Si32{node.integer("upper", 1)}},
                  {"diagonal", Si32{std::clamp(diagonal, -bound, bound)}}}));
}

/// The first lens[b] elements of each sequence backwards: rows in a known
/// order.
static void buildReverseSequence(NodeContext &node) {
  const Value x = node.in();
  const int64_t time = node.integer("time_axis"),
                batch = node.integer("batch_axis", 1);
  const Shape lengths = node.wholes(1);
  node.require(x.rank() >= 2 && time + batch == 1 && time * batch == 0,
               "batch and time are not the first two dimensions");
  const int64_t columns = x.shape[1];
  node.require(static_cast<int64_t>(lengths.size()) == x.shape[batch],
               "a length for each sequence is expected");
  node.requireFew({x.shape[0], columns});
  std::vector<float> order;
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t at = time == 0 ? row : column,
                    length = lengths[time == 0 ? column : row];
      node.require(length >= 0 && length <= x.shape[time],
                   "a length makes no sense");
      const int64_t from = at < length ? length - 1 - at : at;
      order.push_back(static_cast<float>(time == 0 ? from * columns + column
                                                   : row * columns + from));
    }
  const int64_t rows = static_cast<int64_t>(order.size());
  Shape flat = {rows};
  flat.append(x.shape.begin() + 2, x.shape.end());
  const Value indices = node.weight("order", {rows}, std::move(order));
  const Value moved = node.layer("Gather", {node.reshape(x, flat), indices},
                                 flat, {{"axis", Si32{0}}, {"keepdims", true}});
  node.give(node.reshape(moved, x.shape));
}

/// What is folded when its operands are known; here they are not.
static void buildKnown(NodeContext &node) {
  for (unsigned i = 0; i < node.count(); ++i)
    node.constant(i);
  node.refuse("its result is too large");
}

void addShapeRules(RuleTable &rules) {
  rules.add({TPU_RULE(Concat), TPU_RULE(DepthToSpace), TPU_RULE(Expand),
             TPU_RULE(Flatten), TPU_RULE(Pad), TPU_RULE(Reshape),
             TPU_RULE(ReverseSequence), TPU_RULE(Slice), TPU_RULE(SpaceToDepth),
             TPU_RULE(Split), TPU_RULE(Squeeze), TPU_RULE(Tile),
             TPU_RULE(Transpose), TPU_RULE(Trilu), TPU_RULE(Unsqueeze)});
  rules.add("Constant ConstantOfShape EyeLike NonZero Range Shape Size",
            buildKnown);
}

} // namespace tpu_mlir::importer
