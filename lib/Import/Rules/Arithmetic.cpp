//===- Arithmetic.cpp - Element by element, of several operands -----------===//

#include "lib/Import/Rule.h"

namespace tpu_mlir::importer {

/// Operand `index`, whose dimensions opsets before 7 aligned with those of
/// operand 0 from `axis` on, and not at the end.
Value alignedOperand(NodeContext &node, unsigned index) {
  Value value = node.in(index);
  if (!node.flag("broadcast") || !node.hasAttribute("axis"))
    return value;
  const int64_t axis = node.axis(node.integer("axis"), node.rank());
  const int64_t behind = node.rank() - axis - value.rank();
  node.require(behind >= 0, "the operands do not fit each other");
  if (behind == 0)
    return value;
  Shape shape = value.shape;
  shape.append(behind, 1);
  return node.reshape(value, shape);
}

/// One number that every element of the other operand meets, so that the
/// result has the other's shape.
static const Constant *numberFor(const NodeContext &node, unsigned index) {
  const Constant *number = node.scalar(index);
  return number && number->shape.size() <= node.shape(1 - index).size()
             ? number
             : nullptr;
}

/// A sum or a product: a weight stands on the right.
static Value combine(NodeContext &node, const char *op, const char *withConst) {
  for (unsigned index : {1u, 0u})
    if (const Constant *number = numberFor(node, index))
      return node.withConst(withConst, node.in(1 - index), number->real(0));
  Value left = node.in(0), right = alignedOperand(node, 1);
  const bool swaps = node.isConstant(0) && !node.isConstant(1);
  return swaps ? node.binary(op, right, left) : node.binary(op, left, right);
}

static void buildAdd(NodeContext &node) {
  node.give(combine(node, "Add", "AddConst"));
}

static void buildMul(NodeContext &node) {
  node.give(combine(node, "Mul", "MulConst"));
}

static void buildSub(NodeContext &node) {
  if (const Constant *number = numberFor(node, 1))
    return node.give(node.withConst("AddConst", node.in(0), -number->real(0)));
  if (const Constant *number = numberFor(node, 0))
    return node.give(
        node.unary("SubConst", node.in(1),
                   {{"const_val", number->real(0)}, {"is_reverse", true}}));
  node.give(node.binary("Sub", node.in(0), alignedOperand(node, 1)));
}

/// Integers: cut towards zero.
static void buildDiv(NodeContext &node) {
  if (!isFloat(node.type()))
    return node.give(
        node.whole(node.binary("Div", node.in(0), alignedOperand(node, 1))));
  if (const Constant *number = numberFor(node, 1); number && number->real(0))
    return node.give(
        node.withConst("MulConst", node.in(0), 1 / number->real(0)));
  if (const Constant *number = numberFor(node, 0))
    return node.give(
        node.unary("Reciprocal", node.in(1), {{"const_val", number->real(0)}}));
  node.give(node.binary("Div", node.in(0), alignedOperand(node, 1)));
}

/// Any number of operands, two by two.
static Value foldOperands(NodeContext &node, const char *op) {
  Value value = node.in(0);
  for (unsigned i = 1; i < node.count(); ++i)
    value = node.binary(op, value, node.in(i));
  return value;
}

static void buildExtreme(NodeContext &node) {
  node.give(foldOperands(node, node.node.op.c_str()));
}

static void buildSum(NodeContext &node) {
  node.give(foldOperands(node, "Add"));
}

static void buildMean(NodeContext &node) {
  const Value sum = foldOperands(node, "Add");
  node.give(node.count() == 1
                ? sum
                : node.withConst("MulConst", sum, 1.0 / node.count()));
}

/// Powers that are no function of their own are products and constants.
static Value power(NodeContext &node) {
  if (const Constant *exponent = numberFor(node, 1)) {
    const Value base = node.in(0);
    const double number = exponent->real(0);
    return number == 1   ? base
           : number == 2 ? node.binary("Mul", base, base)
                         : node.power(base, number);
  }
  if (const Constant *base = numberFor(node, 0))
    return node.unary("Pow2", node.in(1), {{"const_val", base->real(0)}});
  return node.binary("Pow3", node.in(0), alignedOperand(node, 1));
}

/// Integers: cut towards zero, 2^-1 is 0. What is whole stays as large as it
/// is.
static void buildPow(NodeContext &node) {
  const Value result = power(node);
  if (isFloat(node.type(0)))
    return node.give(result);
  const Constant *exponent = node.scalar(1);
  if (isFloat(node.type(1)) || (exponent && exponent->real(0) < 0))
    return node.give(node.whole(result));
  if (exponent)
    return node.give(result);
  node.give(node.where(node.compareConst("Less", node.in(1), 0),
                       node.whole(result), result));
}

/// `fmod`: the sign is that of the dividend, else that of the divisor.
static void buildMod(NodeContext &node) {
  node.require(node.flag("fmod") || !isFloat(node.type()),
               "floats need 'fmod'");
  node.give(node.binary(node.flag("fmod") ? "Mod" : "Remainder", node.in(0),
                        node.in(1)));
}

void addArithmeticRules(RuleTable &rules) {
  rules.add({TPU_RULE(Add), TPU_RULE(Div), TPU_RULE(Mean), TPU_RULE(Mod),
             TPU_RULE(Mul), TPU_RULE(Pow), TPU_RULE(Sub), TPU_RULE(Sum)});
  rules.add("Max Min", buildExtreme);
}

} // namespace tpu_mlir::importer
