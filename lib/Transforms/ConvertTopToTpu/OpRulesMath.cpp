//===- OpRulesMath.cpp - Convolution, matrices, arithmetic ----------------===//
//
// Attributes that Top has not are those of dumps of float networks.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/ConvertTopToTpu/AdaptAttributes.h"
#include "lib/Transforms/ConvertTopToTpu/OpRules.h"

namespace tpu_mlir {

static constexpr const char kProductQuant[] =
    "multiplier = 1 : si32, quant_mode = #tpu<rq_mode MultiplierShift>, "
    "rshift = 0 : si32";

static void addWindowRules(OpRules &rules) {
  rules.add("Conv")
      .needs(2)
      .operands("..c")
      .pad(3)
      .fusesRelu()
      .drop("auto_pad")
      .with("coeff_merged = false, kernel_zp = 0 : i64, "
            "quant_mode = #tpu<rq_mode MultiplierShift>, "
            "round_mode = #tpu<round_mode HalfUp>, support_compress = true, "
            "use_3ic_optimize = 0 : i64")
      .adapt(adaptConv);
  rules.add("Deconv")
      .needs(2)
      .operands("..c")
      .pad(3)
      .fusesRelu()
      .drop("auto_pad")
      .with("quant_mode = #tpu<rq_mode MultiplierShift>")
      .adapt(adaptDeconv);
  const char pool[] = "first_round_mode = #tpu<round_mode HalfAwayFromZero>, "
                      "is_adaptive = false, "
                      "round_mode = #tpu<round_mode HalfAwayFromZero>, ";
  for (auto [top, kind] :
       {std::pair("AvgPool", "pool_mode = #tpu<pool_mode Avg>"),
        std::pair("MaxPool", "pool_mode = #tpu<pool_mode Max>")})
    rules.add(top)
        .fusesRelu()
        .drop("auto_pad")
        .with(pool, kind)
        .adapt(adaptPool);
  // The mask holds places, which halves cannot count.
  rules.add("MaxPoolWithMask").results(".i").drop("auto_pad");
  rules.add("MaxUnpool").operands(".i");
}

static void addMatrixRules(OpRules &rules) {
  rules.add("MatMul").operands("..b").pad(5).fusesRelu().with(
      "fuse_rq = false, input_zp = 0 : i64, left_reuse = 1 : i64, "
      "multipliers = [1], quant_mode = #tpu<rq_mode MultiplierShift>, "
      "right_zp = 0 : i64, "
      "round_mode = #tpu<round_mode HalfAwayFromZero>, rshifts = [0]");
  rules.add("A16MatMul")
      .operands(".w.zb")
      .pad(5)
      .rename("right_transpose", "w_transpose")
      .with("sign = true");
}

static void addArithmeticRules(OpRules &rules) {
  for (auto name : {"Add", "Sub", "Max", "Min"})
    rules.add(name).fusesRelu();
  for (auto name : {"Mul", "Div"})
    rules.add(name).fusesRelu().with(kProductQuant);
  for (auto name :
       {"AddConst", "SubConst", "MulConst", "DivConst", "MaxConst", "MinConst"})
    rules.add(name).fusesRelu().with(
        "multiplier = 1 : si32, rshift = 0 : si32");
  for (auto name : {"Pow", "Pow2", "Pow3", "Mod", "Compare", "CompareConst",
                    "LogicalAnd", "LogicalOr", "BitwiseAnd"})
    rules.add(name);
  for (auto name : {"BinaryShift", "BinaryConstShift"})
    rules.add(name);
  // Not x is x == 0.
  rules.add("Not", "CompareConst")
      .with("const_val = 0.0 : f64, inversed = false, mode = \"Equal\"");
  rules.add("Where").operands("m..").pad(4);
  rules.add("MaskedFill").operands("m.");
  rules.add("Cast")
      .operands("k")
      .with("round_mode = #tpu<round_mode HalfAwayFromZero>, "
            "with_scale = true")
      .adapt(adaptCast);
  rules.add("DtypeCast");
}

/// A function of one operand that tpu.Active computes.
static OpRule &addActive(OpRules &rules, const char *top, const char *mode) {
  return rules.add(top, "Active")
      .drop("round_mode")
      .drop("approx_mode")
      .with("mode = #tpu<active_mode ", mode, ">");
}

static void addActiveRules(OpRules &rules) {
  // Exact in every type.
  for (auto [top, mode] :
       {std::pair("Abs", "ABSVAL"), std::pair("Ceil", "CEIL"),
        std::pair("Floor", "FLOOR"), std::pair("Neg", "NEG"),
        std::pair("Relu6", "RELU6"), std::pair("Round", "ROUND"),
        std::pair("Sign", "SIGN")})
    addActive(rules, top, mode);
  for (auto [top, mode] : {std::pair("Arccos", "ARCCOS"),
                           std::pair("Arcsin", "ARCSIN"),
                           std::pair("Arctanh", "ARCTANH"),
                           std::pair("Cos", "COS"),
                           std::pair("Cosh", "COSH"),
                           std::pair("Erf", "ERF"),
                           std::pair("Exp", "EXP"),
                           std::pair("HardSwish", "HSWISH"),
                           std::pair("Log", "LN"),
                           std::pair("Mish", "MISH"),
                           std::pair("QGELU", "QGELU"),
                           std::pair("Rsqrt", "RSQRT"),
                           std::pair("Sin", "SIN"),
                           std::pair("Sinh", "SINH"),
                           std::pair("Softplus", "SOFT_PLUS"),
                           std::pair("Softsign", "SOFT_SIGN"),
                           std::pair("Sqrt", "SQRT"),
                           std::pair("Swish", "SWISH"),
                           std::pair("Tan", "TAN"),
                           std::pair("Tanh", "TANH")})
    addActive(rules, top, mode).in(Compute::Precise);
  // As in dumps of float networks, whatever the precision asked for.
  addActive(rules, "SiLU", "SILU").in(Compute::F32);
  addActive(rules, "Sigmoid", "SIGMOID")
      .in(Compute::Precise)
      .adapt(adaptSigmoid);
  addActive(rules, "GELU", "GELU").in(Compute::Precise).adapt(adaptGelu);
  addActive(rules, "HardSigmoid", "HSIGMOID")
      .in(Compute::Precise)
      .adapt(adaptHardSigmoid);
  addActive(rules, "Elu", "ELU").in(Compute::Precise).adapt(adaptElu);

  for (auto name : {"Relu", "PRelu", "Clip"})
    rules.add(name).drop("round_mode");
  rules.add("LeakyRelu");
  rules.add("Reciprocal").fusesRelu();
}

void addMathRules(OpRules &rules) {
  addWindowRules(rules);
  addMatrixRules(rules);
  addArithmeticRules(rules);
  addActiveRules(rules);
}

} // namespace tpu_mlir
