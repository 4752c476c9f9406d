//===- Tables.cpp - Functions of one number, by tables --------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Quantization/Functions.h"

#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::lowering {

/// What the layer is called where a word chooses among functions.
static StringRef functionName(Operation *top) {
  StringRef layer = top->getName().stripDialect();
  if (layer == "Sigmoid" && readFlag(top->getAttr("log")).value_or(false))
    return "LogSigmoid";
  if (layer != "GELU")
    return layer;
  StringRef approximation =
      readWord(top->getAttr("approx_mode")).value_or("normal");
  if (approximation.equals_insensitive("tanh"))
    return "TGELU";
  return approximation.equals_insensitive("sigm") ? "QGELU" : "GELU";
}

static bool lowerFunction(IntegerOp &op) {
  if (op.top->getNumOperands() != 1 || !op.isRanged(0) ||
      !op.hasRangedResult() || op.resultShape().empty())
    return false;
  auto function = quantization::functionOf(
      functionName(op.top), [&](StringRef name, double absent) {
        Attribute value = op.top->getAttr(name);
        if (auto real = dyn_cast_or_null<FloatAttr>(value))
          return real.getValueAsDouble();
        if (auto flag = readFlag(value))
          return *flag ? 1. : 0.;
        auto integer = readInteger(value);
        return integer ? static_cast<double>(*integer) : absent;
      });
  if (!function)
    return false;
  const bool hasRelu = readFlag(op.attributes.get("do_relu")).value_or(false);
  const auto entry = [&](double x) {
    const double value = (*function)(x);
    return hasRelu && value < 0 ? 0 : value;
  };
  const auto table =
      quantization::tableOf(entry, op.scale(0), op.resultScale());
  op.attributes = NamedAttrList();
  Value input = op.operand(0);
  Value entries = op.weight("_table", {1, 1, 1, 256},
                            op.integerType(8, op.resultScale().isSigned),
                            std::vector<uint8_t>(table.begin(), table.end()));
  op.make("tpu.Lut", {input, entries}, op.resultType());
  return true;
}

/// Where both have one scale nothing has to be looked up.
static bool lowerRelu(IntegerOp &op) {
  if (!op.isRanged(0) || !op.hasRangedResult() || op.real("relu_limit", -1) > 0)
    return lowerFunction(op);
  const auto from = op.scale(0), to = op.resultScale();
  if (from.scale != to.scale || from.zeroPoint != to.zeroPoint ||
      from.isSigned != to.isSigned)
    return lowerFunction(op);
  op.make(op.recipe.tpuName, op.operand(0), op.resultType());
  return true;
}

/// What the chip's kind of integers has no table for.
static bool staysFloat(const IntegerOp &op) {
  static const llvm::StringSet<> kShift = {"Arccos", "Arctanh", "Tan"},
                                 kQdm = {"Clip", "Reciprocal"};
  return (op.isQdm() ? kQdm : kShift)
      .contains(op.top->getName().stripDialect());
}

static bool lowerTable(IntegerOp &op) {
  return !staysFloat(op) && lowerFunction(op);
}

/// Numbers below zero have a factor of their own, and on chips that multiply by
/// a fraction so have the others; elsewhere these stay as they are.
static bool lowerLeakyRelu(IntegerOp &op) {
  if (op.mode.asymmetric || !op.isRanged(0) || !op.hasRangedResult())
    return false;
  const double ratio = op.scale(0).scale / op.resultScale().scale;
  const double slope = op.real("alpha", 0);
  const bool isSameScale = std::abs(ratio - 1) <= 1e-5 &&
                           op.scale(0).isSigned == op.resultScale().isSigned;
  // Factors are not negative.
  if (slope < 0 || (!op.isQdm() && !isSameScale))
    return lowerFunction(op);
  const quantization::Factor negative =
      quantization::narrowFactor(slope * ratio);
  if (!op.isQdm()) {
    op.setInteger32("multiplier", negative.multiplier);
    op.setInteger32("rshift", negative.shift);
  } else {
    const quantization::Factor positive = quantization::narrowFactor(ratio);
    op.setInteger32("multiplier", positive.multiplier);
    op.setInteger32("rshift", positive.shift);
    op.setInteger32("multiplier_neg", negative.multiplier);
    op.setInteger32("rshift_neg", negative.shift);
  }
  op.make(op.recipe.tpuName, op.operand(0), op.resultType());
  return true;
}

/// In bfloat16, with tables of exp and of 1 / x.
static bool lowerSoftmax(IntegerOp &op) {
  if (!op.isQdm() || !op.has(0) || op.resultShape().empty())
    return false;
  const quantization::SoftmaxTables tables = quantization::softmaxTables();
  Type bf16 = BFloat16Type::get(op.context());
  Value input = op.operandAs(0, bf16);
  SmallVector<Value> operands = {input};
  const std::string name = nameOf(Location(op.recipe.location)).str();
  for (auto [suffix, numbers] :
       {std::pair("_slope_table_bf16", &tables.exponential),
        std::pair("_slope_slope_table_bf16", &tables.slope),
        std::pair("_pow_table_bf16", &tables.power),
        std::pair("_pow_mantissa_table_bf16", &tables.mantissa)})
    operands.push_back(op.weight(name + suffix, {1, 1, 32, 8}, bf16, *numbers));
  operands.push_back(op.none());
  op.make(op.recipe.tpuName, operands, op.resultAs(bf16));
  return true;
}

void addTableRules(IntegerRules &rules) {
  for (const char *name :
       {"Abs",       "Arccos",   "Arcsin",   "Arctan",   "Arctanh",
        "Ceil",      "Clip",     "Cos",      "Cosh",     "Elu",
        "Erf",       "Exp",      "Floor",    "GELU",     "HardSigmoid",
        "HardSwish", "Log",      "Mish",     "Pow",      "QGELU",
        "Relu6",     "Round",    "Rsqrt",    "SiLU",     "Sigmoid",
        "Sign",      "Sin",      "Sinh",     "Softplus", "Softsign",
        "Sqrt",      "Swish",    "Tan",      "Tanh",     "AddConst",
        "SubConst",  "MulConst", "DivConst", "MaxConst", "MinConst",
        "Reciprocal"})
    rules[std::string("top.") + name] = lowerTable;
  rules["top.LeakyRelu"] = lowerLeakyRelu;
  rules["top.Relu"] = lowerRelu;
  rules["top.Softmax"] = lowerSoftmax;
}

} // namespace tpu_mlir::lowering
