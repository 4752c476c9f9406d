//===- OpRules.cpp - What each Top op becomes -----------------------------===//
//
// A row an op, in three chapters: convolution, matrices, arithmetic; norms,
// reductions, sequences, detection; ops that move elements, structure.
// Attributes that Top has not are those of dumps of float networks.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/AdaptAttributes.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/OpRules.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace tpu_mlir::lowering {

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
  for (auto name : {"BatchNormTrain", "BatchNormBwd", "LayerNormTrain",
                    "LayerNormBwd", "MeanStdScale"})
    rules.add(name);
}

static void addReductionRules(OpRules &rules) {
  rules.add("Reduce").pad(3);
  rules.add("CumSum").operands(".i");
  rules.add("Variance");
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
  rules.add("ScaledDotProductAttention", "ScaleDotProductAttention");
  for (auto name : {"Attention", "ChunkGatedDeltaRule",
                    "RecurrentGatedDeltaRule", "SelectiveScan", "RWKV"})
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
  rules.add("Expand").in(Compute::Move).operands(".i");
  for (auto name :
       {"ConcatSlice", "Split", "Unpack", "Pack", "Transpose", "ShuffleChannel",
        "SwapChannel", "SwapDimInner", "Reverse", "Roll", "Trilu"})
    rules.add(name).in(Compute::Move);
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
  for (auto name : {"Arange", "Range"})
    rules.add(name).in(Compute::F32).operands("mmm");
  rules.add("Shape").operands("k").results("i");
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
