//===- Arithmetic.cpp - Sums, differences, products -----------------------===//
//
// Operands of several scales meet in the scale of the result: each has a factor
// of its own, of 7 bits.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::lowering {

using quantization::Factor;

/// All operands and the result have ranges.
static bool allRanged(const IntegerOp &op) {
  if (op.top->getNumOperands() == 0 || !op.hasRangedResult())
    return false;
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
    if (!op.isRanged(i))
      return false;
  return true;
}

static SmallVector<double> ratiosOf(const IntegerOp &op) {
  const double result = op.resultScale().scale;
  SmallVector<double> ratios;
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
    ratios.push_back(op.scale(i).scale / result);
  return ratios;
}

static SmallVector<Value> operandsOf(IntegerOp &op) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
    operands.push_back(op.operand(i));
  return operands;
}

/// Coefficients that are not 1 would be one factor more.
static bool hasCoefficients(const IntegerOp &op) {
  auto list = op.top->getAttrOfType<ArrayAttr>("coeff");
  return list && llvm::any_of(list, [](Attribute each) {
           auto real = dyn_cast<FloatAttr>(each);
           return !real || real.getValueAsDouble() != 1;
         });
}

static bool lowerSum(IntegerOp &op) {
  if (!allRanged(op) || hasCoefficients(op) || op.mode.asymmetric)
    return false;
  SmallVector<Factor> factors;
  if (op.isQdm())
    factors = quantization::factorsWithOneShift(ratiosOf(op));
  else
    for (double ratio : ratiosOf(op))
      factors.push_back(quantization::narrowFactor(ratio));
  op.setFactors("multipliers", "rshifts", factors);
  if (op.isQdm())
    op.setIntegers("rshifts", factors.front().shift);
  op.make(op.recipe.tpuName, operandsOf(op), op.resultType());
  return true;
}

/// One factor for the product.
static bool lowerProduct(IntegerOp &op) {
  if (!allRanged(op) || op.top->getNumOperands() != 2 || op.mode.asymmetric)
    return false;
  const Factor factor = quantization::narrowFactor(
      op.scale(0).scale * op.scale(1).scale / op.resultScale().scale);
  op.setInteger32("multiplier", factor.multiplier);
  op.setInteger32("rshift", factor.shift);
  op.make(op.recipe.tpuName, operandsOf(op), op.resultType());
  return true;
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

/// Behind the operand an op that gives it the scale of the result.
static Value rescaled(IntegerOp &op, unsigned index) {
  Value operand = op.operand(index);
  auto type = cast<RankedTensorType>(operand.getType());
  Type element = cast<RankedTensorType>(op.resultType()).getElementType();
  if (type.getElementType() == element)
    return operand;
  const Factor factor = quantization::narrowFactor(op.scale(index).scale /
                                                   op.resultScale().scale);
  Builder builder(op.context());
  Type si32 = op.integerType(32, /*isSigned=*/true);
  NamedAttrList attributes;
  attributes.set("multiplier", IntegerAttr::get(si32, factor.multiplier));
  attributes.set("rshift", IntegerAttr::get(si32, factor.shift));
  std::string name =
      (nameOf(operand) + "_to_" + nameOf(Location(op.recipe.location))).str();
  return op.behind(operand, name, "tpu.MulShift", type.clone(element),
                   attributes);
}

/// The operand can be written where the result has it: it is made by an op, is
/// no part of something else, and belongs to nobody but this one.
static bool canBePiece(Operation *concat, Value operand) {
  static const llvm::StringSet<> kViews = {
      "top.Reshape", "top.Squeeze", "top.Unsqueeze", "top.View",
      "top.Flatten", "top.Slice",   "top.Concat",    "top.Input"};
  Operation *producer = operand.getDefiningOp();
  if (!producer || kViews.contains(producer->getName().getStringRef()) ||
      producer->getBlock() != concat->getBlock() ||
      llvm::count(concat->getOperands(), operand) != 1)
    return false;
  return llvm::none_of(operand.getUsers(), [&](Operation *user) {
    return user != concat && (user->getName() == concat->getName() ||
                              user->hasTrait<OpTrait::IsTerminator>() ||
                              kViews.contains(user->getName().getStringRef()));
  });
}

/// Nothing is computed, and each operand is one run of the result.
static bool isMergeOnly(const IntegerOp &op, ArrayRef<Factor> factors) {
  int64_t axis = op.real("axis", 1);
  ArrayRef<int64_t> shape = op.resultShape();
  axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) ||
      op.real("do_relu", 0) != 0)
    return false;
  return llvm::all_of(shape.take_front(axis),
                      [](int64_t size) { return size == 1; }) &&
         llvm::all_of(factors,
                      [](const Factor &one) { return one == Factor{1, 0}; }) &&
         llvm::all_of(op.top->getOperands(), [&](Value operand) {
           return canBePiece(op.top, operand);
         });
}

/// Chips of this kind rescale while they put together.
static void setConcatFactors(IntegerOp &op) {
  SmallVector<Factor> factors;
  for (double ratio : ratiosOf(op))
    factors.push_back(std::abs(ratio - 1) <= 1e-5
                          ? Factor{1, 0}
                          : quantization::factorsWithOneShift(ratio)[0]);
  op.attributes.set("only_merge",
                    BoolAttr::get(op.context(), isMergeOnly(op, factors)));
  op.setFactors("multipliers", "rshifts", factors);
}

static bool lowerConcat(IntegerOp &op) {
  if (!allRanged(op) || op.mode.asymmetric)
    return false;
  SmallVector<Value> operands;
  if (op.isQdm()) {
    setConcatFactors(op);
    operands = operandsOf(op);
  } else {
    for (unsigned i = 0; i < op.top->getNumOperands(); ++i)
      operands.push_back(rescaled(op, i));
  }
  op.make(op.recipe.tpuName, operands, op.resultType());
  return true;
}

void addArithmeticRules(IntegerRules &rules) {
  for (const char *name : {"top.Add", "top.Sub", "top.Max", "top.Min"})
    rules[name] = lowerSum;
  rules["top.Mul"] = lowerProduct;
  rules["top.Concat"] = lowerConcat;
}

} // namespace tpu_mlir::lowering
