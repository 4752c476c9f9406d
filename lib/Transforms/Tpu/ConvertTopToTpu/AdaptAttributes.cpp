#include "lib/Transforms/Tpu/ConvertTopToTpu/AdaptAttributes.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"

using namespace mlir;

namespace tpu_mlir::lowering {

/// Spatial dimensions of a window op: entries of kernel_shape or, without
/// one, dimensions after batch and channel. 2 when neither is known.
static int64_t spatialRank(Operation *top) {
  if (auto kernel = readIntegers(top->getAttr("kernel_shape")))
    return kernel->size();
  if (auto type = dyn_cast<RankedTensorType>(top->getOperand(0).getType()))
    return type.getRank() - 2;
  return 2;
}

/// An op of another rank than these keeps its name, which is no Tpu op's.
static void nameByRank(Operation *top, StringRef stem, Recipe &recipe) {
  int64_t rank = spatialRank(top);
  if (rank >= 1 && rank <= 3)
    recipe.tpuName = ("tpu." + stem + Twine(rank) + "D").str();
}

static bool hasOperand(Operation *top, unsigned index) {
  return index < top->getNumOperands() &&
         !isa<NoneType>(top->getOperand(index).getType());
}

static int64_t dimension(Value value, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && index < type.getRank() ? type.getDimSize(index)
                                        : ShapedType::kDynamic;
}

/// Every channel has a filter of its own.
static bool isDepthwise(Operation *top) {
  int64_t group = readInteger(top->getAttr("group")).value_or(1);
  return group > 1 && dimension(top->getOperand(0), 1) == group &&
         dimension(top->getOperand(1), 0) == group;
}

static void setWithBias(Operation *top, Recipe &recipe) {
  recipe.attributes.set("with_bias",
                        BoolAttr::get(top->getContext(), hasOperand(top, 2)));
}

void adaptConv(Operation *top, const FloatMode &mode, Recipe &recipe) {
  if (mode.kind == FloatMode::Kind::F16 && isDepthwise(top))
    recipe.operandTyping[2] = typing::Value;
  setWithBias(top, recipe);
  nameByRank(top, "Conv", recipe);
}

void adaptDeconv(Operation *top, const FloatMode &mode, Recipe &recipe) {
  setWithBias(top, recipe);
  if (spatialRank(top) == 3)
    recipe.tpuName = "tpu.Deconv3D";
}

void adaptPool(Operation *top, const FloatMode &mode, Recipe &recipe) {
  nameByRank(top, "Pool", recipe);
}

static void setActive(Recipe &recipe, MLIRContext *context,
                      tpu::ActiveMode mode) {
  recipe.attributes.set("mode", tpu::ActiveModeAttr::get(context, mode));
}

void adaptSigmoid(Operation *top, const FloatMode &mode, Recipe &recipe) {
  if (readFlag(top->getAttr("log")).value_or(false))
    setActive(recipe, top->getContext(), tpu::ActiveMode::LOG_SIGMOID);
}

void adaptGelu(Operation *top, const FloatMode &mode, Recipe &recipe) {
  auto approximation = readWord(top->getAttr("approx_mode"));
  if (approximation == "tanh")
    setActive(recipe, top->getContext(), tpu::ActiveMode::TGELU);
  if (approximation == "sigm")
    setActive(recipe, top->getContext(), tpu::ActiveMode::QGELU);
}

/// The value of a float attribute that is removed from the recipe.
static double takeReal(Recipe &recipe, StringRef name, double absent) {
  auto value = dyn_cast_or_null<FloatAttr>(recipe.attributes.erase(name));
  return value ? value.getValueAsDouble() : absent;
}

void adaptHardSigmoid(Operation *top, const FloatMode &mode, Recipe &recipe) {
  double alpha = takeReal(recipe, "alpha", 0.2);
  double beta = takeReal(recipe, "beta", 0.5);
  recipe.attributes.set(
      "coeffs", Builder(top->getContext()).getF64ArrayAttr({beta, alpha}));
}

void adaptElu(Operation *top, const FloatMode &mode, Recipe &recipe) {
  double alpha = takeReal(recipe, "alpha", 1.0);
  recipe.attributes.set("coeffs",
                        Builder(top->getContext()).getF64ArrayAttr({alpha}));
}

void adaptCast(Operation *top, const FloatMode &mode, Recipe &recipe) {
  auto to = dyn_cast_or_null<StringAttr>(recipe.attributes.erase("to"));
  StringRef name = to ? to.getValue() : "";
  if (name.equals_insensitive("F32"))
    recipe.resultTyping = typing::Float32;
  else if (name.equals_insensitive("INT32"))
    recipe.resultTyping = typing::Index;
}

void adaptRmsNorm(Operation *top, const FloatMode &mode, Recipe &recipe) {
  if (readFlag(top->getAttr("weight_keep_f32")).value_or(false))
    recipe.operandTyping = ".f";
}

} // namespace tpu_mlir::lowering
