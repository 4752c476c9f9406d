//===- Functions.cpp - Functions of one number ----------------------------===//

#include "lib/Import/Fold.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace tpu_mlir::importer {

/// Ops that are one layer of this name without attributes.
static const char *layerOf(llvm::StringRef op) {
  static const llvm::StringMap<const char *> kLayers = {
      {"Abs", "Abs"},           {"Acos", "Arccos"},
      {"Asin", "Arcsin"},       {"Atan", "Arctan"},
      {"Atanh", "Arctanh"},     {"Ceil", "Ceil"},
      {"Cos", "Cos"},           {"Cosh", "Cosh"},
      {"Erf", "Erf"},           {"Exp", "Exp"},
      {"Floor", "Floor"},       {"HardSwish", "HardSwish"},
      {"Log", "Log"},           {"Mish", "Mish"},
      {"Round", "Round"},       {"Sign", "Sign"},
      {"Sin", "Sin"},           {"Sinh", "Sinh"},
      {"Softplus", "Softplus"}, {"Softsign", "Softsign"},
      {"Sqrt", "Sqrt"},         {"Tan", "Tan"},
      {"Tanh", "Tanh"}};
  return kLayers.lookup(op);
}

/// Abs, Erf and Sign are those of integers, too.
static void buildNamed(NodeContext &node) {
  const Value result = node.unary(layerOf(node.node.op), node.in());
  node.give(node.node.op == "Erf" ? node.whole(result) : result);
}

static Value relu(NodeContext &node, const Value &x, double limit = -1) {
  return node.unary("Relu", x, {{"relu_limit", limit}});
}

static void buildRelu(NodeContext &node) { node.give(relu(node, node.in())); }

static void buildSigmoid(NodeContext &node) {
  node.give(node.unary("Sigmoid", node.in(),
                       {{"scale", 1.0}, {"bias", 0.0}, {"log", false}}));
}

static void buildLeakyRelu(NodeContext &node) {
  node.give(node.unary("LeakyRelu", node.in(),
                       {{"alpha", node.real("alpha", 0.01)}}));
}

static Value elu(NodeContext &node, const Value &x, double alpha) {
  return node.unary("Elu", x, {{"alpha", alpha}});
}

static void buildElu(NodeContext &node) {
  node.give(elu(node, node.in(), node.real("alpha", 1)));
}

/// gamma * (x < 0 ? alpha * (exp(x) - 1) : x)
static void buildSelu(NodeContext &node) {
  node.give(node.withConst("MulConst",
                           elu(node, node.in(), node.real("alpha", 1.6732632)),
                           node.real("gamma", 1.050701)));
}

/// x < 0 ? alpha * (exp(x / alpha) - 1) : x, which is alpha * elu(x / alpha)
/// with one for its alpha.
static void buildCelu(NodeContext &node) {
  const double alpha = node.real("alpha", 1);
  node.require(alpha > 0, "'alpha' is not above 0");
  const Value scaled = node.withConst("MulConst", node.in(), 1 / alpha);
  node.give(node.withConst("MulConst", elu(node, scaled, 1), alpha));
}

static void buildGelu(NodeContext &node) {
  node.give(node.unary(
      "GELU", node.in(),
      {{"approx_mode", node.word("approximate", {"none", "tanh"}) == "tanh"
                           ? "tanh"
                           : "normal"}}));
}

static void buildHardSigmoid(NodeContext &node) {
  node.give(node.unary(
      "HardSigmoid", node.in(),
      {{"alpha", node.real("alpha", 0.2)}, {"beta", node.real("beta", 0.5)}}));
}

/// x where it is above alpha, else 0.
static void buildThresholdedRelu(NodeContext &node) {
  const Value x = node.in();
  node.give(node.where(node.compareConst("Greater", x, node.real("alpha", 1)),
                       x, node.weight("zero", {}, {0.0f})));
}

/// x < -lambd ? x + bias : x > lambd ? x - bias : 0
static void buildShrink(NodeContext &node) {
  const double edge = node.real("lambd", 0.5), bias = node.real("bias", 0);
  const Value x = node.in(),
              high = node.where(node.compareConst("Greater", x, edge),
                                node.withConst("AddConst", x, -bias),
                                node.weight("zero", {}, {0.0f}));
  const Value result = node.where(node.compareConst("Less", x, -edge),
                                  node.withConst("AddConst", x, bias), high);
  node.give(bias == std::trunc(bias) ? result : node.whole(result));
}

static void buildNeg(NodeContext &node) {
  node.give(node.withConst("MulConst", node.in(), -1));
}

static void buildReciprocal(NodeContext &node) {
  node.give(node.reciprocal(node.in()));
}

/// log(x) + log(1 + sqrt(1 - 1 / x^2)): no square of a large number, which F16
/// would not hold. Near 1 the difference is (x - 1) (x + 1) / x^2.
static void buildAcosh(NodeContext &node) {
  const Value x = node.in(), inverse = node.reciprocal(x);
  const auto product = [&](const Value &a, const Value &b) {
    return node.binary("Mul", a, b);
  };
  const auto plus = [&](const Value &value, double number) {
    return node.withConst("AddConst", value, number);
  };
  const Value near = product(product(plus(x, -1), inverse), plus(inverse, 1)),
              far = plus(
                  node.withConst("MulConst", product(inverse, inverse), -1), 1),
              root =
                  node.unary("Sqrt", node.where(node.compareConst("Less", x, 2),
                                                near, far));
  node.give(node.binary("Add", node.unary("Log", x),
                        node.unary("Log", plus(root, 1))));
}

/// Of |x|: log(m) + log(u + sqrt(u^2 + 1 / m^2)) with m = max(|x|, 1) and u =
/// min(|x|, 1), which squares no large number; close to 0, where 1 + |x| loses
/// what counts, x - x^3 / 6 + 3 x^5 / 40.
static void buildAsinh(NodeContext &node) {
  const Value x = node.in(), size = node.unary("Abs", x),
              most = node.withConst("MaxConst", size, 1),
              least = node.withConst("MinConst", size, 1),
              inverse = node.reciprocal(most);
  const auto square = [&](const Value &a) { return node.binary("Mul", a, a); };
  const auto combined = [&](const Value &value, double factor, double summand) {
    return node.withConst("AddConst", node.withConst("MulConst", value, factor),
                          summand);
  };
  const Value root = node.unary(
                  "Sqrt", node.binary("Add", square(least), square(inverse))),
              far = node.binary(
                  "Add", node.unary("Log", most),
                  node.unary("Log", node.binary("Add", least, root)));
  // Of the part below 1 alone: the rest is not taken, and must not overflow.
  const Value power = square(least),
              series = combined(
                  node.binary("Mul", power, combined(power, 0.075, -1.0 / 6)),
                  1, 1),
              near = node.binary("Mul", least, series),
              length =
                  node.where(node.compareConst("Less", size, 0.125), near, far);
  node.give(node.binary("Mul", length, node.unary("Sign", x)));
}

static void buildPRelu(NodeContext &node) {
  if (const Constant *slope = node.scalar(1))
    return node.give(
        node.unary("LeakyRelu", node.in(), {{"alpha", slope->real(0)}}));
  const Value x = node.in(), slope = node.in(1);
  // A slope of the channels is one layer; others are a maximum and a minimum.
  // Before opset 7 a list is one of channels, whatever the rank.
  const bool isList =
      node.node.version < 7 ? slope.rank() == 1 : slope.rank() + 1 == x.rank();
  const bool ofChannels = x.rank() > 1 && isList &&
                          node.elements(slope.shape) == slope.shape.front() &&
                          slope.shape.front() == x.shape[1];
  if (ofChannels && (node.isConstant(1) || node.node.version < 7)) {
    Shape shape(x.rank(), 1);
    shape[1] = slope.shape.front();
    const Value changed = node.changed(1, shape, node.floats(1, shape[1]));
    return node.give(node.layer("PRelu", {x, changed}, x.shape));
  }
  node.require(node.broadcast(x.shape, slope.shape) == x.shape,
               "there are more slopes than elements");
  const Value low = node.withConst("MinConst", x, 0);
  node.give(node.binary("Add", relu(node, x), node.binary("Mul", low, slope)));
}

/// A bound that is an attribute or an operand of one element.
static double bound(NodeContext &node, const char *name, unsigned index,
                    double absent) {
  if (node.hasAttribute(name))
    return node.real(name);
  return node.has(index) ? node.number(index) : absent;
}

/// Bounds that are computed are operands of a maximum and a minimum.
static void clipByOperands(NodeContext &node) {
  Value value = node.in();
  if (node.has(1))
    value = node.binary("Max", value, node.in(1));
  if (node.has(2))
    value = node.binary("Min", value, node.in(2));
  node.give(value);
}

static void buildClip(NodeContext &node) {
  for (unsigned index : {1u, 2u})
    if (node.has(index) && !node.isConstant(index))
      return clipByOperands(node);
  const double least = bound(node, "min", 1, -INFINITY),
               most = bound(node, "max", 2, INFINITY);
  const Value x = node.in();
  // Of a relu 0 and less are no limits.
  if (least == 0 && most > 0)
    return node.give(relu(node, x, std::isinf(most) ? -1 : most));
  node.give(node.unary("Clip", x, {{"min", least}, {"max", most}}));
}

static void buildIsNaN(NodeContext &node) {
  const Value x = node.in();
  node.give(0, node.layer("Compare", {x, x}, x.shape, {{"mode", "NotEqual"}}),
            DataType::Bool);
}

/// A result of false at all places.
static void giveFalse(NodeContext &node) {
  node.give(0, filled(node,
                      makeConstant(DataType::Bool, {}, std::vector<int64_t>{0}),
                      node.shape()));
}

static void buildIsInf(NodeContext &node) {
  const bool low = node.integer("detect_negative", 1),
             high = node.integer("detect_positive", 1);
  if (!low && !high)
    return giveFalse(node);
  const Value x = node.in();
  const Value place = low && high ? node.unary("Abs", x)
                      : low       ? node.withConst("MulConst", x, -1)
                                  : x;
  node.give(0, node.compareConst("Equal", place, INFINITY), DataType::Bool);
}

//===----------------------------------------------------------------------===//
// The same numbers
//===----------------------------------------------------------------------===//

static void buildIdentity(NodeContext &node) { node.give(node.in()); }

/// Of a network that is not trained: the operand. What is kept is all of it.
static void buildDropout(NodeContext &node) {
  node.require(!node.has(2) || node.number(2) == 0, "it is in training");
  const Value x = node.in();
  node.give(x);
  if (!node.wants(1))
    return;
  // Once of the operand's type, now of bools.
  const DataType type = node.node.version >= 10 ? DataType::Bool : node.type();
  node.give(1, filled(node, makeConstant(type, {}, std::vector<int64_t>{1}),
                      x.shape));
}

static void castTo(NodeContext &node, DataType to) {
  const DataType from = node.type();
  const Value x = node.in();
  if (to == DataType::Bool && from != DataType::Bool)
    return node.give(0, node.compareConst("NotEqual", x, 0), to);
  if (isFloat(from) && !isFloat(to))
    return node.give(0, node.truncate(x, to), to);
  node.give(0, x, to);
}

static void buildCast(NodeContext &node) { castTo(node, castTypeOf(node)); }

static void buildCastLike(NodeContext &node) {
  node.require(hasNumbers(node.type(1)), "operand 1 is of " +
                                             nameOf(node.type(1)) +
                                             ", which is not supported");
  castTo(node, node.type(1));
}

void addFunctionRules(RuleTable &rules) {
  rules.add({TPU_RULE(Acosh),          TPU_RULE(Asinh),      TPU_RULE(Cast),
             TPU_RULE(CastLike),       TPU_RULE(Celu),       TPU_RULE(Clip),
             TPU_RULE(Dropout),        TPU_RULE(Elu),        TPU_RULE(Gelu),
             TPU_RULE(HardSigmoid),    TPU_RULE(Identity),   TPU_RULE(IsInf),
             TPU_RULE(IsNaN),          TPU_RULE(LeakyRelu),  TPU_RULE(Neg),
             TPU_RULE(PRelu),          TPU_RULE(Reciprocal), TPU_RULE(Relu),
             TPU_RULE(Selu),           TPU_RULE(Shrink),     TPU_RULE(Sigmoid),
             TPU_RULE(ThresholdedRelu)});
  rules.add("Abs Acos Asin Atan Atanh Ceil Cos Cosh Erf Exp Floor HardSwish "
            "Log Mish Round Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh",
            buildNamed);
}

} // namespace tpu_mlir::importer
