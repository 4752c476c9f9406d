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

namespace {

/// An operand: an activation with a range, or a constant.
struct Term {
  double scale = 1;
  bool isConstant = false;
  /// Of a constant.
  bool isSigned = true;
  std::optional<std::vector<uint8_t>> bytes = std::nullopt;
};

using Terms = SmallVector<Term>;

} // namespace

/// In the scale of its own largest number; one whose numbers nobody knows in
/// that of the result. nullopt: integers hold no such numbers.
static std::optional<Term> constantTerm(const IntegerOp &op, unsigned index) {
  Term term{op.resultScale().scale, true};
  auto numbers = op.numbers(index);
  if (op.shape(index).empty())
    return std::nullopt;
  if (!numbers)
    return term;
  auto constant =
      quantization::quantizeConstant(*numbers, /*mayBeUnsigned=*/!op.isQdm());
  if (!constant)
    return std::nullopt;
  return Term{constant->scale, true, constant->isSigned,
              quantization::bytesOf(constant->elements)};
}

/// nullopt unless the result and all operands have ranges, but for constants
/// beside them.
static std::optional<Terms> termsOf(const IntegerOp &op) {
  if (op.top->getNumOperands() == 0 || !op.hasRangedResult())
    return std::nullopt;
  Terms terms;
  for (unsigned i = 0; i < op.top->getNumOperands(); ++i) {
    std::optional<Term> term;
    if (op.isRanged(i))
      term = Term{op.scale(i).scale};
    else if (op.isWeight(i))
      term = constantTerm(op, i);
    if (!term)
      return std::nullopt;
    terms.push_back(std::move(*term));
  }
  return llvm::all_of(terms, [](const Term &term) { return term.isConstant; })
             ? std::nullopt
             : std::optional<Terms>(std::move(terms));
}

static bool hasConstant(const Terms &terms) {
  return llvm::any_of(terms, [](const Term &term) { return term.isConstant; });
}

static SmallVector<double> ratiosOf(const IntegerOp &op, const Terms &terms) {
  const double result = op.resultScale().scale;
  SmallVector<double> ratios;
  for (const Term &term : terms)
    ratios.push_back(term.scale / result);
  return ratios;
}

static Value operandOf(IntegerOp &op, const Terms &terms, unsigned index) {
  const Term &term = terms[index];
  if (!term.isConstant)
    return op.operand(index);
  const char *kind = term.isSigned ? "i8" : "u8";
  return op.weight("_" + std::to_string(index) + "_" + kind, op.shape(index),
                   op.integerType(8, term.isSigned), term.bytes);
}

static SmallVector<Value> operandsOf(IntegerOp &op, const Terms &terms) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < terms.size(); ++i)
    operands.push_back(operandOf(op, terms, i));
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
  auto terms = termsOf(op);
  // Chips that multiply by a fraction leave constants to floats.
  if (!terms || hasCoefficients(op) || (op.isQdm() && hasConstant(*terms)))
    return false;
  SmallVector<Factor> factors;
  if (op.isQdm())
    factors = quantization::factorsWithOneShift(ratiosOf(op, *terms));
  else
    for (double ratio : ratiosOf(op, *terms))
      factors.push_back(quantization::narrowFactor(ratio));
  op.setFactors("multipliers", "rshifts", factors);
  if (op.isQdm())
    op.setIntegers("rshifts", factors.front().shift);
  op.make(op.recipe.tpuName, operandsOf(op, *terms), op.resultType());
  return true;
}

/// With zero points a difference is one of floats.
static bool lowerDifference(IntegerOp &op) {
  return !op.mode.asymmetric && lowerSum(op);
}

/// One factor for the product.
static bool lowerProduct(IntegerOp &op) {
  auto terms = termsOf(op);
  if (!terms || terms->size() != 2)
    return false;
  const Factor factor = quantization::narrowFactor(
      (*terms)[0].scale * (*terms)[1].scale / op.resultScale().scale);
  op.setInteger32("multiplier", factor.multiplier);
  op.setInteger32("rshift", factor.shift);
  op.make(op.recipe.tpuName, operandsOf(op, *terms), op.resultType());
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
static void setConcatFactors(IntegerOp &op, const Terms &terms) {
  SmallVector<Factor> factors;
  for (double ratio : ratiosOf(op, terms))
    factors.push_back(std::abs(ratio - 1) <= 1e-5
                          ? Factor{1, 0}
                          : quantization::factorsWithOneShift(ratio)[0]);
  op.attributes.set("only_merge",
                    BoolAttr::get(op.context(), isMergeOnly(op, factors)));
  op.setFactors("multipliers", "rshifts", factors);
}

/// Elements of the result as they are stored there.
static void takeScaleOfResult(const IntegerOp &op, unsigned index, Term &term) {
  const quantization::ElementScale to = op.resultScale();
  term.isSigned = to.isSigned;
  auto numbers = op.numbers(index);
  if (!numbers)
    return;
  std::vector<uint8_t> bytes;
  for (float number : *numbers)
    bytes.push_back(quantization::elementOf(number, to));
  term.bytes = std::move(bytes);
}

static bool lowerConcat(IntegerOp &op) {
  auto terms = termsOf(op);
  if (!terms || (op.isQdm() && hasConstant(*terms)))
    return false;
  SmallVector<Value> operands;
  llvm::SmallDenseMap<Value, Value> rescaledOnce;
  if (op.isQdm())
    setConcatFactors(op, *terms);
  for (auto [i, term] : llvm::enumerate(*terms)) {
    if (term.isConstant)
      takeScaleOfResult(op, i, term);
    if (term.isConstant || op.isQdm()) {
      operands.push_back(operandOf(op, *terms, i));
      continue;
    }
    // A piece that stands twice is rescaled once.
    Value &once = rescaledOnce[op.top->getOperand(i)];
    if (!once)
      once = rescaled(op, i);
    operands.push_back(once);
  }
  op.make(op.recipe.tpuName, operands, op.resultType());
  return true;
}

//===----------------------------------------------------------------------===//
// A factor and an addend for each channel
//===----------------------------------------------------------------------===//

/// The factors are constants, one for each channel, and so is what is added.
static bool hasChannels(const IntegerOp &op) {
  if (!op.isRanged(0) || !op.hasRangedResult() || op.shape(0).size() < 2 ||
      !op.isWeight(1) || (op.has(2) && !op.isWeight(2)))
    return false;
  const int64_t channels = op.shape(0)[1];
  return ShapedType::getNumElements(op.shape(1)) == channels &&
         (!op.has(2) || ShapedType::getNumElements(op.shape(2)) == channels);
}

/// (x * factor + addend) / 2^shift: factors of 8 bits, addends of 16.
static bool lowerScale(IntegerOp &op) {
  if (op.mode.asymmetric || !hasChannels(op))
    return false;
  auto factors = op.numbers(1);
  std::optional<std::vector<float>> bias = std::vector<float>();
  if (op.has(2))
    bias = op.numbers(2);
  std::optional<quantization::ChannelFactors> channels;
  if (factors && bias) {
    channels = quantization::quantizeChannels(
        *factors, *bias, {op.scale(0).scale, op.resultScale().scale, 0});
    if (!channels)
      return false;
  }
  const auto bytes = [&](const std::vector<int16_t> &list, bool isWide) {
    return isWide ? quantization::wideBytesOf(list)
                  : quantization::bytesOf(list);
  };
  std::optional<std::vector<uint8_t>> scale, addend, shift;
  if (channels) {
    scale = bytes(channels->factors, false);
    addend = bytes(channels->bias, true);
    // To the left, so that those to the right are negative.
    for (int16_t &each : channels->shifts)
      each = -each;
    shift = bytes(channels->shifts, false);
  }
  Type si8 = op.integerType(8, true), si16 = op.integerType(16, true);
  Value input = op.operand(0);
  Value factor = op.weight("_scale_i8", op.shape(1), si8, scale);
  Value sum =
      op.has(2) ? op.weight("_bias_i16", op.shape(1), si16, addend) : op.none();
  Value shifts = op.weight("_lshift_i8", op.shape(1), si8, shift);
  op.make(op.recipe.tpuName, {input, factor, sum, shifts}, op.resultType());
  return true;
}

void addArithmeticRules(IntegerRules &rules) {
  for (const char *name : {"top.Add", "top.Max", "top.Min"})
    rules[name] = lowerSum;
  rules["top.Sub"] = lowerDifference;
  rules["top.Scale"] = lowerScale;
  rules["top.Mul"] = lowerProduct;
  rules["top.Concat"] = lowerConcat;
}

} // namespace tpu_mlir::lowering
