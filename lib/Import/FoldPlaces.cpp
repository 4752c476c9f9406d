//===- FoldPlaces.cpp - Constants that are written to, or sorted ----------===//

#include "lib/Import/Fold.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tpu_mlir::importer {

Constant foldScatterND(const NodeContext &node) {
  const Constant &x = node.constant(0), &at = node.constant(1),
                 &updates = node.constant(2);
  node.require(node.text("reduction", "none") == "none",
               "updates that are combined");
  const int64_t depth = at.shape.empty() ? 0 : at.shape.back();
  node.require(depth >= 1 && depth <= node.rank(),
               "the indices are no coordinates of the operand");
  const Shape strides = stridesOf(x.shape);
  const int64_t block = strides[depth - 1], count = at.size() / depth;
  node.require(updates.size() == count * block, "there is no update for each");
  std::vector<double> reals;
  std::vector<int64_t> wholes = x.wholes();
  const bool isReal = isFloat(x.type);
  for (int64_t i = 0; i < x.size() && isReal; ++i)
    reals.push_back(x.real(i));
  for (int64_t row = 0; row < count; ++row) {
    int64_t place = 0;
    for (int64_t dim = 0; dim < depth; ++dim)
      place +=
          node.place(at.whole(row * depth + dim), x.shape[dim]) * strides[dim];
    for (int64_t i = 0; i < block; ++i)
      if (isReal)
        reals[place + i] = updates.real(row * block + i);
      else
        wholes[place + i] = updates.whole(row * block + i);
  }
  return isReal ? makeConstant(x.type, x.shape, reals)
                : makeConstant(x.type, x.shape, std::move(wholes));
}

//===----------------------------------------------------------------------===//
// The largest ones
//===----------------------------------------------------------------------===//

Extremes argOf(const NodeContext &node) {
  Extremes result{node.axis(node.integer("axis"), node.rank()), node.shape()};
  if (node.flag("keepdims"))
    result.shape[result.axis] = 1;
  else
    result.shape.erase(result.shape.begin() + result.axis);
  return result;
}

Extremes topOf(const NodeContext &node) {
  Extremes result{node.axis(node.integer("axis", -1), node.rank()),
                  node.shape()};
  const int64_t count = node.hasAttribute("k") ? node.integer("k")
                        : node.constant(1).size() == 1
                            ? node.constant(1).whole(0)
                            : 0;
  node.require(count >= 1 && count <= result.shape[result.axis],
               "there are no " + llvm::Twine(count) + " elements");
  result.shape[result.axis] = count;
  return result;
}

namespace {

/// All that lies along an axis of a constant: where rows begin, and how far
/// apart their elements are.
struct Rows {
  std::vector<int64_t> starts;
  int64_t length, apart;
};

/// Which of two elements is larger, as doubles or as integers, which f32 would
/// round. A NaN comes after every number, whichever way they are sorted.
struct Order {
  const Constant &x;
  bool falling;

  bool isNaN(int64_t a) const {
    return isFloat(x.type) && std::isnan(x.real(a));
  }
  bool operator()(int64_t a, int64_t b) const {
    if (isNaN(a) || isNaN(b))
      return !isNaN(a) && isNaN(b);
    if (falling)
      std::swap(a, b);
    return isFloat(x.type)
               ? x.real(a) < x.real(b)
               : ordered(x.type, x.whole(a)) < ordered(x.type, x.whole(b));
  }
};

} // namespace

static Rows rowsOf(const Constant &x, int64_t axis) {
  const Shape strides = stridesOf(x.shape);
  Shape rest = x.shape;
  rest[axis] = 1;
  return {indicesOf(rest, 0, strides), x.shape[axis], strides[axis]};
}

std::optional<Constant> foldArg(const NodeContext &node) {
  const llvm::StringRef op = node.node.op;
  if (op != "ArgMax" && op != "ArgMin")
    return std::nullopt;
  const auto [axis, shape] = argOf(node);
  const Constant &x = node.constant(0);
  const Rows rows = rowsOf(x, axis);
  const Order before{x, op == "ArgMax"};
  const bool last = node.flag("select_last_index");
  node.require(rows.length > 0, "there is nothing along the axis");
  std::vector<int64_t> places;
  for (int64_t start : rows.starts) {
    int64_t best = 0;
    for (int64_t i = 1; i < rows.length; ++i) {
      const int64_t a = start + i * rows.apart, b = start + best * rows.apart;
      // A NaN is the most extreme of all.
      const bool wins = before.isNaN(a) != before.isNaN(b) ? before.isNaN(a)
                        : last                             ? !before(b, a)
                                                           : before(a, b);
      best = wins ? i : best;
    }
    places.push_back(best);
  }
  return makeConstant(DataType::I64, shape, std::move(places));
}

std::optional<std::vector<Constant>> foldTopK(const NodeContext &node) {
  if (node.node.op != "TopK")
    return std::nullopt;
  const auto [axis, shape] = topOf(node);
  const Constant &x = node.constant(0);
  const Rows rows = rowsOf(x, axis);
  const int64_t count = shape[axis];
  const Order before{x, node.integer("largest", 1) != 0};
  std::vector<int64_t> order(rows.length), chosen(*elementsOf(shape)),
      places(chosen.size());
  for (size_t row = 0; row < rows.starts.size(); ++row) {
    const int64_t start = rows.starts[row];
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return before(start + a * rows.apart, start + b * rows.apart);
    });
    // The results' rows are as far apart, but shorter.
    const int64_t outer = start / (rows.apart * rows.length),
                  inner = start % rows.apart;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t to = (outer * count + i) * rows.apart + inner;
      chosen[to] = start + order[i] * rows.apart;
      places[to] = order[i];
    }
  }
  return std::vector{pick(x, shape, chosen),
                     makeConstant(DataType::I64, shape, std::move(places))};
}

} // namespace tpu_mlir::importer
