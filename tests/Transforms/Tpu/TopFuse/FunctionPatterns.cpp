//===- FunctionPatterns.cpp - Activations, norms, rotations ---------------===//

#include "tests/Transforms/Tpu/TopFuse/Net.h"

#include <cmath>

namespace tpu_mlir::test {

/// What an instance reads in a second place: x, or not.
static Value again(Net &net, Value x, Miss miss) {
  return miss == Miss::Operand ? net.unary("Tanh", x) : x;
}

/// An inner value, which others read or not.
static Value inner(Net &net, Value value, Miss miss) {
  if (miss == Miss::Reader)
    net.alsoReturn(value);
  return value;
}

static double number(double right, Miss miss) {
  return miss == Miss::Constant ? right * 1.01 : right;
}

/// The three factors in any association.
static Value product(Net &net, Value x, Value gate, double factor, bool relu) {
  switch (net.draw.between(0, 2)) {
  case 0:
    return net.mul(net.times(x, factor), gate, relu);
  case 1:
    return net.mul(x, net.times(gate, factor), relu);
  default:
    return relu ? net.mul(net.times(x, factor), gate, relu)
                : net.times(net.mul(x, gate), factor);
  }
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Value silu(Net &net, Value x, Miss miss) {
  const Value gate = inner(
      net, net.unary("Sigmoid", x, miss == Miss::Constant ? "log = true" : ""),
      miss);
  return net.mul(again(net, x, miss), gate, miss == Miss::Relu);
}

static Value geluSigmoid(Net &net, Value x, Miss miss) {
  const Value gate =
      inner(net, net.unary("Sigmoid", net.times(x, number(1.702, miss))), miss);
  return net.mul(again(net, x, miss), gate, miss == Miss::Relu);
}

/// x / 2 * (1 + f(u)), the gate also as 0.5 + 0.5 * f(u).
static Value gelu(Net &net, Value x, Value u, const char *function, Miss miss) {
  const Value made = inner(net, net.unary(function, u), miss);
  const Value other = again(net, x, miss);
  if (net.draw.chance(30))
    return net.mul(other, net.plus(net.times(made, 0.5), 0.5),
                   miss == Miss::Relu);
  return product(net, other, net.plus(made, number(1, miss)), 0.5,
                 miss == Miss::Relu);
}

static Value geluErf(Net &net, Value x, Miss miss) {
  return gelu(net, x, net.times(x, number(std::sqrt(0.5), miss)), "Erf", miss);
}

static Value geluTanh(Net &net, Value x, Miss miss) {
  const double factor = std::sqrt(2 / M_PI), cubic = number(0.044715, miss);
  const Value u =
      net.draw.chance(60)
          ? net.times(net.add(x, net.times(net.cube(x), cubic)), factor)
          : product(net, x, net.plus(net.times(net.square(x), cubic), 1),
                    factor, false);
  return gelu(net, x, u, "Tanh", miss);
}

/// min(max(x, low), high)
static Value clip(Net &net, Value x, double low, double high, Miss miss) {
  const std::string least = "const_val = " + std::to_string(low) + " : f64",
                    most = "const_val = " + std::to_string(high) + " : f64";
  x = inner(net, x, miss);
  switch (net.draw.between(0, 3)) {
  case 0:
    return net.unary("MinConst", net.unary("MaxConst", x, least), most);
  case 1:
    return net.unary("MaxConst", net.unary("MinConst", x, most), least);
  case 2:
    return net.unary("Relu", x,
                     "relu_limit = " + std::to_string(high) + " : f64");
  default:
    return net.unary("Clip", x,
                     "min = " + std::to_string(low) +
                         " : f64, max = " + std::to_string(high) + " : f64");
  }
}

static Value hardGate(Net &net, Value x, Miss miss) {
  const double shift = number(3, miss);
  if (net.draw.chance(30))
    return clip(net, net.plus(net.times(x, 1.0 / 6), shift / 6), 0, 1, miss);
  return net.times(clip(net, net.plus(x, shift), 0, 6, miss), 1.0 / 6);
}

static Value hardSigmoid(Net &net, Value x, Miss miss) {
  if (miss == Miss::Constant && net.draw.chance(50))
    return net.times(net.unary("Relu", net.plus(x, 3)), 1.0 / 6);
  if (miss == Miss::Constant)
    return net.times(clip(net, net.plus(x, 3), 0, 5, miss), 1.0 / 6);
  return hardGate(net, x, miss);
}

static Value hardSwish(Net &net, Value x, Miss miss) {
  if (net.draw.chance(30) && miss == Miss::No)
    return net.mul(x, net.unary("HardSigmoid", x,
                                "alpha = 0.16666666666666666 : f64, beta = "
                                "0.5 : f64"));
  if (net.draw.chance(30))
    return product(net, again(net, x, miss),
                   clip(net, net.plus(x, number(3, miss)), 0, 6, miss), 1.0 / 6,
                   miss == Miss::Relu);
  return net.mul(again(net, x, miss), hardGate(net, x, miss),
                 miss == Miss::Relu);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// x / sqrt(v), in the forms that there are.
static Value overRoot(Net &net, Value x, Value v, bool relu) {
  const Value root = net.unary("Sqrt", v);
  switch (net.draw.between(0, relu ? 2 : 3)) {
  case 0:
    return net.mul(x, net.unary("Reciprocal", root, "const_val = 1.0 : f64"),
                   relu);
  case 1:
    return net.mul(x, net.unary("Rsqrt", v), relu);
  case 2:
    return net.mul(x, net.unary("Pow", v, "exponent = -0.5 : f64"), relu);
  default:
    return net.div(x, root);
  }
}

/// A row of weights for the dimensions from `axis` on.
static Value row(Net &net, Value x, int64_t axis, double low, double high) {
  const Shape shape = Net::shapeOf(x);
  Shape own(shape.begin() + axis, shape.end());
  if (net.draw.chance(50))
    own.insert(own.begin(), net.draw.between(1, axis), 1);
  return net.weight(own, low, high);
}

static Value variance(Net &net, Value x, Value centred, Value mean,
                      const Shape &axes, Miss miss) {
  if (miss == Miss::Axis || net.avoidsCancellation || net.draw.chance(60))
    return net.mean(net.square(centred), axes);
  return net.sub(net.mean(net.square(x), axes), net.square(mean));
}

static Value layerNorm(Net &net, Value x, Miss miss) {
  const int64_t rank = Net::shapeOf(x).size(),
                first = net.draw.between(1, rank - 1);
  Shape axes, others = {1};
  for (int64_t axis = first; axis < rank; ++axis)
    axes.push_back(net.draw.chance(50) ? axis : axis - rank);
  if (first == 1)
    others = {2, 3};
  const Value mean = inner(net, net.mean(x, axes), miss),
              centred = net.sub(again(net, x, miss), mean),
              var = variance(net, x, centred, mean,
                             miss == Miss::Axis ? others : axes, miss);
  // Outside of the root it is another function.
  Value made;
  if (miss == Miss::Constant)
    made = net.div(centred, net.plus(net.unary("Sqrt", var), 0.01));
  else
    made = overRoot(net, centred, net.plus(var, 1e-5), miss == Miss::Relu);
  if (net.draw.chance(60))
    made = net.mul(made, row(net, x, first, 0.5, 1.5));
  if (net.draw.chance(60))
    made = net.add(made, row(net, x, first, -1, 1));
  return made;
}

static Value rmsNorm(Net &net, Value x, Miss miss) {
  const Shape axes = {miss == Miss::Axis ? 2 : -1};
  const Value square = net.square(x);
  const Value mean =
      miss == Miss::Constant
          ? net.layer(
                "Reduce", {square},
                {Net::shapeOf(x)[0], Net::shapeOf(x)[1], Net::shapeOf(x)[2], 1},
                "axes = [3], keepdims = true, mode = \"ReduceSum\"")
          : net.mean(square, axes);
  Value made =
      overRoot(net, again(net, x, miss), net.plus(inner(net, mean, miss), 1e-6),
               miss == Miss::Relu);
  if (net.draw.chance(50))
    made = net.mul(made, row(net, x, 3, 0.5, 1.5));
  return made;
}

/// The same on rows that a reshape made.
static Value layerNormOfRows(Net &net, Value x, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  const int64_t rows = shape[0] * shape[1], columns = shape[2] * shape[3];
  const Shape flat =
      miss == Miss::Axis ? Shape{rows / 2, columns * 2} : Shape{rows, columns};
  const Value matrix = inner(net, net.reshape(x, flat), miss);
  const Value norm = net.layer(
      "LayerNorm", {matrix, net.weight({flat[1]}, 0.5, 1.5), Value()}, flat,
      "axis = 1 : si32, eps = 1.0e-05 : f64, normalized_shape = []");
  return net.reshape(norm, shape);
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

static Value turned(Net &net, Value x, bool isHalves, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  const int64_t half = shape.back() / 2, away = isHalves ? half : 1,
                step = isHalves ? 1 : 2;
  Value second = net.slice(x, -1, 0, step, half),
        first = net.slice(x, -1, away, step, half);
  if (miss == Miss::Axis)
    std::swap(first, second);
  first = net.times(inner(net, first, miss), number(-1, miss));
  if (isHalves)
    return net.concat(first, second, -1);
  Shape column = shape;
  column.back() = half;
  column.push_back(1);
  return net.reshape(
      net.concat(net.reshape(first, column), net.reshape(second, column), -1),
      shape);
}

static Value rope(Net &net, Value x, bool isHalves, Miss miss) {
  const Shape shape = Net::shapeOf(x);
  const Shape table = {shape[2], shape[3]};
  const Value rotated =
      net.mul(turned(net, x, isHalves, miss), net.weight(table, -1, 1));
  return net.add(net.mul(again(net, x, miss), net.weight(table, -1, 1)),
                 rotated, miss == Miss::Relu);
}

static Value ropeOfHalves(Net &net, Value x, Miss miss) {
  return rope(net, x, true, miss);
}

static Value ropeOfPairs(Net &net, Value x, Miss miss) {
  return rope(net, x, false, miss);
}

static constexpr Miss kAll[] = {Miss::Reader, Miss::Constant, Miss::Operand,
                                Miss::Relu};
static constexpr Miss kGate[] = {Miss::Reader, Miss::Constant};
static constexpr Miss kNorm[] = {Miss::Reader, Miss::Constant, Miss::Operand,
                                 Miss::Axis, Miss::Relu};
static constexpr Miss kRows[] = {Miss::Reader, Miss::Axis};

std::vector<Pattern> functionPatterns() {
  return {{"silu", silu, kAll, "top.SiLU"},
          {"gelu-sigmoid", geluSigmoid, kAll, "top.GELU"},
          {"gelu-erf", geluErf, kAll, "top.GELU"},
          {"gelu-tanh", geluTanh, kAll, "top.GELU"},
          {"hard-sigmoid", hardSigmoid, kGate, "top.HardSigmoid"},
          {"hard-swish", hardSwish, kAll, "top.HardSwish"},
          {"layer-norm", layerNorm, kNorm, "top.LayerNorm"},
          {"rms-norm", rmsNorm, kNorm, "top.RMSNorm"},
          {"norm-of-rows", layerNormOfRows, kRows, "top.Reshape", 0, 2},
          {"rope-halves", ropeOfHalves, kNorm, "top.Rope"},
          {"rope-pairs", ropeOfPairs, kNorm, "top.Rope"}};
}

} // namespace tpu_mlir::test
