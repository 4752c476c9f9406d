//===- OpRules.cpp - What each Top op becomes -----------------------------===//
//
// A row an op, in three chapters: convolution, matrices, arithmetic; norms,
// reductions, sequences, detection; ops that move elements, structure.
// Attributes that Top has not are those of dumps of float networks.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/AdaptAttributes.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/OpRules.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "mlir/AsmParser/AsmParser.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::lowering {

static void addWindowRules(OpRules &rules) {
  rules.add("Conv")
      .needs(2)
      .operands("..c")
      .pad(3)
      .fusesRelu()
      .drop("auto_pad")
      .only("dynweight_reorderd", 0)
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
      .only("dynweight_reorderd", 0)
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
  OpRule &withMask = rules.add("MaxPoolWithMask")
                         .results(".i")
                         .only("is_adaptive", 0)
                         .only("pad_value", 0);
  for (auto name :
       {"auto_pad", "ceil_mode", "count_include_pad", "first_round_mode",
        "is_adaptive", "keepdims", "pad_value", "round_mode"})
    withMask.drop(name);
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
  rules.add("Mul").fusesRelu().with(
      "multiplier = 1 : si32, quant_mode = #tpu<rq_mode MultiplierShift>, "
      "rshift = 0 : si32");
  rules.add("Div").fusesRelu().with("multiplier = 1 : si32, rshift = 0 : si32");
  for (auto name : {"AddConst", "SubConst", "MulConst", "MaxConst", "MinConst"})
    rules.add(name).fusesRelu().with(
        "multiplier = 1 : si32, rshift = 0 : si32");
  rules.add("DivConst", "MulConst")
      .fusesRelu()
      .drop("is_reverse")
      .when(isDivConst)
      .adapt(adaptDivConst);
  for (auto name :
       {"Compare", "CompareConst", "LogicalAnd", "LogicalOr", "BitwiseAnd"})
    rules.add(name);
  rules.add("Pow", "Active")
      .in(Compute::Precise)
      .when(isActivePow)
      .adapt(adaptPow);
  for (auto name : {"Pow2", "Pow3", "Mod"})
    rules.add(name).guess();
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
  for (auto [top, mode] :
       {std::pair("Arccos", "ARCCOS"), std::pair("Arcsin", "ARCSIN"),
        std::pair("Arctanh", "ARCTANH"), std::pair("Cos", "COS"),
        std::pair("Cosh", "COSH"), std::pair("Erf", "ERF"),
        std::pair("Exp", "EXP"), std::pair("HardSwish", "HSWISH"),
        std::pair("Log", "LN"), std::pair("Mish", "MISH"),
        std::pair("QGELU", "QGELU"), std::pair("Rsqrt", "RSQRT"),
        std::pair("Sin", "SIN"), std::pair("Sinh", "SINH"),
        std::pair("Softplus", "SOFT_PLUS"), std::pair("Softsign", "SOFT_SIGN"),
        std::pair("Sqrt", "SQRT"), std::pair("Tan", "TAN"),
        std::pair("Tanh", "TANH")})
    addActive(rules, top, mode).in(Compute::Precise);
  // As in dumps of float networks, whatever the precision asked for.
  addActive(rules, "SiLU", "SILU").in(Compute::F32);
  addActive(rules, "Sigmoid", "SIGMOID")
      .in(Compute::Precise)
      .only("scale", 1)
      .only("bias", 0)
      .adapt(adaptSigmoid);
  addActive(rules, "GELU", "GELU").in(Compute::Precise).adapt(adaptGelu);
  addActive(rules, "HardSigmoid", "HSIGMOID")
      .in(Compute::Precise)
      .adapt(adaptHardSigmoid);
  addActive(rules, "Elu", "ELU").in(Compute::Precise).adapt(adaptElu);
  addActive(rules, "Swish", "SWISH").in(Compute::Precise).adapt(adaptSwish);

  // One version of the dialect calls it otherwise.
  rules.add("PRelu").drop("round_mode").guess();
  for (auto name : {"Relu", "Clip"})
    rules.add(name).drop("round_mode");
  rules.add("LeakyRelu");
  rules.add("Reciprocal").fusesRelu();
}

static void addMathRules(OpRules &rules) {
  addWindowRules(rules);
  addMatrixRules(rules);
  addArithmeticRules(rules);
  addActiveRules(rules);
}

static void addNormRules(OpRules &rules) {
  rules.add("RMSNorm").adapt(adaptRmsNorm);
  // Tables of chips without an exponential unit, and scratch.
  rules.add("Softmax").pad(6).with(
      "round_mode = #tpu<round_mode HalfAwayFromZero>");
  // Gamma and beta, then the tables.
  for (auto name : {"LayerNorm", "PixelNorm", "InstanceNorm", "GroupNorm"})
    rules.add(name).pad(5);
  rules.add("Scale").pad(4).fusesRelu();
  rules.add("LRN").pad(3);
  rules.add("BatchNormTrain").drop("relu_limit");
  for (auto name :
       {"BatchNormBwd", "LayerNormTrain", "LayerNormBwd", "MeanStdScale"})
    rules.add(name);
}

static void addReductionRules(OpRules &rules) {
  rules.add("Reduce").pad(3);
  rules.add("CumSum").operands(".i");
  rules.add("Variance").guess();
  // What is largest must not change by rounding, and neither halves nor
  // bfloat16 can count: values in f32, indices in i32.
  rules.add("TopK")
      .in(Compute::F32)
      .operands(".i")
      .results(".i")
      .pad(3)
      .with("values_used_only = false");
  rules.add("Sort").in(Compute::F32).results(".i");
  rules.add("Arg").in(Compute::F32).results("i.");
  rules.add("NonZero").results("i").pad(2);
}

static void addSequenceRules(OpRules &rules) {
  rules.add("Rope");
  rules.add("FAttention").pad(5);
  rules.add("ScaledDotProductAttention", "ScaleDotProductAttention").guess();
  rules.add("Attention")
      .only("scale_param", 1)
      .only("zp_param", 0)
      .drop("scale_param")
      .drop("zp_param");
  for (auto name : {"ChunkGatedDeltaRule", "RecurrentGatedDeltaRule",
                    "SelectiveScan", "RWKV"})
    rules.add(name);
  // Weights, initial states, scratch, tables.
  rules.add("LSTM").pad(12);
  rules.add("GRU").pad(10);
  rules.add("EmbDenseBwd").operands(".i");
}

static void addVisionRules(OpRules &rules) {
  // Boxes of a large image need more than eight bits of mantissa.
  for (auto name : {"DetectionOutput", "YoloDetection", "Nms"})
    rules.add(name).in(Compute::F32);
  for (auto name : {"RoiAlign", "RoiExtractor", "GridSampler", "MatchTemplate",
                    "Correlation", "Yuv2rgbFormula", "Preprocess", "PackRaw",
                    "Mmap2Rgbmap"})
    rules.add(name);
}

static void addNNRules(OpRules &rules) {
  addNormRules(rules);
  addReductionRules(rules);
  addSequenceRules(rules);
  addVisionRules(rules);
}

static void addViewRules(OpRules &rules) {
  rules.add("Reshape")
      .in(Compute::View)
      .operands(".i")
      .with("flatten_start_dim = -1 : i64, shape = []");
  for (auto name : {"Squeeze", "Unsqueeze"})
    rules.add(name).in(Compute::View);
  // Views whose new shape is that of the result.
  rules.add("View", "Reshape")
      .in(Compute::View)
      .take(1)
      .with("flatten_start_dim = -1 : i64, shape = []");
  rules.add("Flatten", "Reshape")
      .in(Compute::View)
      .take(1)
      .drop("start_dim")
      .drop("end_dim")
      .with("flatten_start_dim = -1 : i64, shape = []");
}

static void addMoveRules(OpRules &rules) {
  rules.add("Concat").in(Compute::Move).fusesRelu().with("only_merge = false");
  rules.add("Slice").in(Compute::Move).operands(".iii").pad(5);
  rules.add("StridedSlice").in(Compute::Move).operands(".iii");
  rules.add("Permute").in(Compute::Move).pad(2);
  rules.add("Depth2Space").in(Compute::Move).pad(2);
  rules.add("Pad")
      .in(Compute::Move)
      .operands(".i")
      .pad(5)
      .with("with_insert_zero = false");
  rules.add("Tile").in(Compute::Move).operands(".i").pad(3);
  rules.add("Expand", "Tile")
      .in(Compute::Move)
      .operands(".i")
      .pad(3)
      .when(isTiledExpand)
      .adapt(adaptExpand);
  rules.add("Transpose", "Permute")
      .in(Compute::Move)
      .pad(2)
      .when(hasTransposedAxes)
      .adapt(adaptTranspose);
  for (auto name : {"ConcatSlice", "ShuffleChannel", "SwapChannel",
                    "SwapDimInner", "Reverse", "Roll", "Trilu"})
    rules.add(name).in(Compute::Move);
  // Those that are not slices and concats, see TakeApart.h.
  for (auto name : {"Split", "Unpack", "Pack"})
    rules.add(name).in(Compute::Move).guess();
  rules.add("Insert").in(Compute::Move).operands("..i");

  rules.add("Upsample").fusesRelu();
  rules.add("Interp").operands(".i").pad(3);
}

static void addIndexedRules(OpRules &rules) {
  rules.add("Gather")
      .in(Compute::Move)
      .operands(".i")
      .pad(3)
      .with("if_neg_index = true");
  rules.add("GatherElements").in(Compute::Move).operands(".i").pad(3);
  rules.add("GatherND").in(Compute::Move).operands(".i").pad(4);
  rules.add("ScatterElements").in(Compute::Move).operands(".i.").pad(5);
  rules.add("ScatterND").in(Compute::Move).operands(".i.").pad(5);
  rules.add("IndexPut").in(Compute::Move).operands(".i.").pad(4);
  rules.add("ConstantFill").operands("i");
  // What counts is likely to be an index: f32 or integers.
  rules.add("Range").in(Compute::F32).operands("mmm");
  rules.add("Arange", "Range")
      .in(Compute::F32)
      .operands("mmm")
      .when(hasAllOfRange);
  rules.add("Shape")
      .operands("k")
      .results("i")
      .only("start", 0)
      .only("step", 1)
      .only("end", NAN)
      .drop("start")
      .drop("step");
}

static void addStructureRules(OpRules &rules) {
  rules.add("Custom");
  for (auto name : {"If", "Loop"})
    rules.add(name).in(Compute::Regions);
  rules.add("Yield").in(Compute::Regions);
}

static void addShapeRules(OpRules &rules) {
  addViewRules(rules);
  addMoveRules(rules);
  addIndexedRules(rules);
  addStructureRules(rules);
}

static bool isAll(Attribute attribute, double value) {
  if (auto list = dyn_cast<ArrayAttr>(attribute))
    return llvm::all_of(list,
                        [&](Attribute each) { return isAll(each, value); });
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble() == value;
  auto integers = readIntegers(attribute);
  if (integers)
    return llvm::all_of(*integers, [&](int64_t each) {
      return static_cast<double>(each) == value;
    });
  auto integer = readInteger(attribute);
  return integer && static_cast<double>(*integer) == value;
}

bool hasTpuOp(const OpRule &rule, Operation *op) {
  if (rule.isGuess)
    return false;
  for (auto [name, value] : rule.bounds)
    if (Attribute given = op->getAttr(name); given && !isAll(given, value))
      return false;
  return !rule.fitsFn || rule.fitsFn(op);
}

FailureOr<OpRules> OpRules::create(MLIRContext *context) {
  OpRules table;
  addMathRules(table);
  addNNRules(table);
  addShapeRules(table);
  for (OpRule *rule : {&table.sameNameRule, &table.keepRule})
    rule->defaults = DictionaryAttr::get(context);
  table.keepRule.compute = Compute::Keep;
  for (OpRule &rule : table.rules) {
    std::string text = "{" + rule.defaultsText + "}";
    rule.defaults =
        dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, context));
    if (!rule.defaults)
      return failure();
  }
  return table;
}

const OpRule *OpRules::find(StringRef topName) const {
  return byName.lookup(topName);
}

OpRule &OpRules::add(StringRef top, StringRef tpu) {
  OpRule &rule = rules.emplace_back();
  rule.topName = "top." + top.str();
  rule.tpuName = "tpu." + (tpu.empty() ? top : tpu).str();
  byName[rule.topName] = &rule;
  return rule;
}

} // namespace tpu_mlir::lowering
