//===- Quantize.cpp - Integers that stand for numbers ---------------------===//
//
// number = (integer - zero point) * scale, of a whole tensor or of each place
// along an axis. The integers are whole numbers in f32.
//
//===----------------------------------------------------------------------===//

#include "lib/Import/Fold.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tpu_mlir::importer {

namespace {

/// Integers from `least` to `most`.
struct Whole {
  DataType type;
  double least, most;
};

} // namespace

/// Attribute 'output_dtype', else that of operand `index`, else `absent`.
static DataType typeOf(const NodeContext &node, unsigned index,
                       DataType absent) {
  node.require(node.integer("block_size") == 0,
               "blocks of places with one scale ('block_size')");
  const int64_t given = node.integer("output_dtype");
  const DataType found = node.has(index) ? node.type(index) : absent;
  return given != 0 ? dataTypeOf(node, given) : found;
}

/// Those of the result.
static Whole integersOf(const NodeContext &node) {
  const DataType type = typeOf(node, 2, DataType::U8);
  node.require(!node.has(2) || type == node.type(2),
               "'output_dtype' is not the type of the zero point");
  node.require(type == DataType::U8 || type == DataType::I8,
               "integers of 8 bits are expected");
  return type == DataType::U8 ? Whole{type, 0, 255} : Whole{type, -128, 127};
}

/// The dimension along which operand `index` has a number for each place;
/// nullopt: it is one number.
static std::optional<int64_t> axisOf(const NodeContext &node, unsigned index) {
  const Shape &list = node.shape(index);
  if (elementsOf(list) == 1)
    return std::nullopt;
  const int64_t axis = node.axis(node.integer("axis", 1), node.rank());
  node.require(list.size() == 1 && list[0] == node.shape()[axis],
               "operand " + llvm::Twine(index) + " is " + describe(list) +
                   ", a number for each place along axis " + llvm::Twine(axis) +
                   " is expected");
  return axis;
}

/// No number but 0, or not there.
static bool isZero(const NodeContext &node, unsigned index) {
  if (!node.has(index))
    return true;
  return node.isConstant(index) &&
         llvm::all_of(node.wholes(index), [](int64_t one) { return one == 0; });
}

/// Operand `index` so that it meets the places of operand 0 that it is for.
static Value spread(NodeContext &node, unsigned index) {
  const std::optional<int64_t> axis = axisOf(node, index);
  Value list = node.in(index);
  if (!axis)
    return list;
  Shape shape(node.rank(), 1);
  shape[*axis] = list.shape[0];
  return node.reshape(list, shape);
}

//===----------------------------------------------------------------------===//
// Numbers to integers, and back
//===----------------------------------------------------------------------===//

/// A tie goes to the even one.
static void buildQuantizeLinear(NodeContext &node) {
  const Whole to = integersOf(node);
  Value whole =
      node.unary("Round", node.binary("Div", node.in(), spread(node, 1)));
  if (!isZero(node, 2))
    whole = node.binary("Add", whole, spread(node, 2));
  node.give(0, node.unary("Clip", whole, {{"min", to.least}, {"max", to.most}}),
            to.type);
}

static void buildDequantizeLinear(NodeContext &node) {
  const DataType type = typeOf(node, 1, DataType::F32);
  Value whole = node.in();
  if (!isZero(node, 2))
    whole = node.binary("Sub", whole, spread(node, 2));
  node.give(0, node.binary("Mul", whole, spread(node, 1)), type);
}

/// Calls `body(place, scale, zero point)` for each element of operand 0.
template <typename Body>
static void forNumbers(const NodeContext &node, Body body) {
  const std::optional<int64_t> axis = axisOf(node, 1);
  const Shape strides = stridesOf(node.shape());
  const int64_t size = axis ? node.shape()[*axis] : 1,
                stride = axis ? strides[*axis] : 1;
  const Constant &scales = node.constant(1);
  const Constant *zeros = node.has(2) ? &node.constant(2) : nullptr;
  node.require(!zeros || zeros->size() == scales.size(),
               "there is no zero point for each scale");
  for (int64_t i = 0; i < node.constant(0).size(); ++i) {
    const int64_t at = i / stride % size;
    body(i, static_cast<float>(scales.real(at)), zeros ? zeros->whole(at) : 0);
  }
}

std::optional<Constant> foldQuantized(const NodeContext &node) {
  const bool quantizes = node.node.op == "QuantizeLinear";
  if (!quantizes && node.node.op != "DequantizeLinear")
    return std::nullopt;
  const Constant &x = node.constant(0);
  if (x.isFilled())
    node.requireFew(x.shape);
  if (!quantizes) {
    const DataType type = typeOf(node, 1, DataType::F32);
    std::vector<float> numbers(x.size());
    forNumbers(node, [&](int64_t i, float scale, int64_t zero) {
      numbers[i] = static_cast<float>(x.whole(i) - zero) * scale;
    });
    return makeConstant(type, x.shape,
                        std::vector<double>(numbers.begin(), numbers.end()));
  }
  const Whole to = integersOf(node);
  std::vector<int64_t> numbers(x.size());
  forNumbers(node, [&](int64_t i, float scale, int64_t zero) {
    const double whole =
        std::nearbyint(static_cast<float>(x.real(i)) / scale) + double(zero);
    numbers[i] = truncated(std::clamp(whole, to.least, to.most));
  });
  return makeConstant(to.type, x.shape, std::move(numbers));
}

//===----------------------------------------------------------------------===//
// Sums of products of integers
//===----------------------------------------------------------------------===//

/// Operand `index` without its zero point, which is operand `zero`: one, or one
/// for each place along `axis`.
static Value withoutZero(NodeContext &node, unsigned index, unsigned zero,
                         int64_t axis) {
  Value x = node.in(index);
  if (isZero(node, zero))
    return x;
  Value taken = node.in(zero);
  if (node.elements(taken.shape) > 1 && taken.rank() == 1) {
    node.require(axis >= 0 && axis < x.rank(), "a zero point too many");
    Shape shape(x.rank(), 1);
    shape[axis] = taken.shape[0];
    taken = node.reshape(taken, shape);
  }
  node.require(node.broadcast(x.shape, taken.shape) == x.shape,
               "the zero points of operand " + llvm::Twine(index) +
                   " do not fit it");
  return node.binary("Sub", x, taken);
}

static void buildMatMulInteger(NodeContext &node) {
  const Value left = withoutZero(node, 0, 2, node.rank(0) - 2),
              right = withoutZero(node, 1, 3, node.rank(1) - 1);
  node.give(0, node.matmul(left, right), DataType::I32);
}

static void buildConvInteger(NodeContext &node) {
  const Value x = withoutZero(node, 0, 2, -1),
              filter = withoutZero(node, 1, 3, 0);
  node.give(
      0, convolve(node, x, filter, {}, node.isConstant(1) && isZero(node, 3)),
      DataType::I32);
}

/// Numbers of an operand that is one number or one for each channel of the
/// filter; a refusal when they are not known.
static std::vector<double> scalesOf(const NodeContext &node, unsigned index,
                                    int64_t channels) {
  const Constant &list = node.constant(index);
  node.require(list.size() == 1 || list.size() == channels,
               "operand " + llvm::Twine(index) + " is no scale");
  std::vector<double> scales;
  for (int64_t i = 0; i < channels; ++i)
    scales.push_back(list.real(list.size() == 1 ? 0 : i));
  return scales;
}

/// Sums of products as integers of the result: operands `first` and on are its
/// scale and its zero point. `channels`: how many places along `axis` of the
/// sums have a scale of their own.
static void giveRequantized(NodeContext &node, const Value &sums,
                            unsigned weightScale, unsigned first,
                            int64_t channels, int64_t axis) {
  const DataType type = node.type(first + 1);
  node.require(type == DataType::U8 || type == DataType::I8,
               "integers of 8 bits are expected");
  const bool isSigned = type == DataType::I8;
  const double input = scalesOf(node, 1, 1)[0],
               result = scalesOf(node, first, 1)[0];
  std::vector<float> factors;
  for (double scale : scalesOf(node, weightScale, channels))
    factors.push_back(static_cast<float>(input * scale / result));
  Shape shape(sums.rank(), 1);
  shape[axis] = channels;
  Value whole = node.unary(
      "Round",
      node.binary("Mul", sums,
                  node.changed(weightScale, shape, std::move(factors))));
  whole = node.withConst("AddConst", whole,
                         double(node.constant(first + 1).whole(0)));
  node.give(0,
            node.unary("Clip", whole,
                       {{"min", isSigned ? -128.0 : 0.0},
                        {"max", isSigned ? 127.0 : 255.0}}),
            type);
}

static void buildQLinearMatMul(NodeContext &node) {
  const Value left = withoutZero(node, 0, 2, node.rank(0) - 2),
              right = withoutZero(node, 3, 5, node.rank(3) - 1);
  const Value sums = node.matmul(left, right);
  const int64_t axis = std::max<int64_t>(sums.rank() - 1, 0);
  const int64_t channels = node.elements(node.shape(4));
  node.require(sums.rank() > 0 &&
                   (channels == 1 || channels == sums.shape[axis]),
               "operand 4 is no scale");
  giveRequantized(node, sums, 4, 6, channels, axis);
}

static void buildQLinearConv(NodeContext &node) {
  const Value x = withoutZero(node, 0, 2, -1),
              filter = withoutZero(node, 3, 5, 0);
  const Value sums = convolve(node, x, filter, node.optional(8),
                              node.isConstant(3) && isZero(node, 5));
  const int64_t channels = node.elements(node.shape(4));
  node.require(channels == 1 || channels == sums.shape[1],
               "operand 4 is no scale");
  giveRequantized(node, sums, 4, 6, channels, 1);
}

void addQuantizeRules(RuleTable &rules) {
  rules.add({TPU_RULE(ConvInteger), TPU_RULE(DequantizeLinear),
             TPU_RULE(MatMulInteger), TPU_RULE(QLinearConv),
             TPU_RULE(QLinearMatMul), TPU_RULE(QuantizeLinear)});
}

} // namespace tpu_mlir::importer
