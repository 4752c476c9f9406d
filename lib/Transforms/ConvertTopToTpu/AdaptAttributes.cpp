#include "lib/Transforms/ConvertTopToTpu/AdaptAttributes.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"

using namespace mlir;

namespace tpu_mlir {

/// Spatial dimensions of a window op: entries of kernel_shape or, without
/// one, dimensions behind batch and channel. 2 when neither is known.
static int64_t spatialRank(Operation *top) {
  if (auto kernel = top->getAttrOfType<ArrayAttr>("kernel_shape"))
    return kernel.size();
  if (auto type = dyn_cast<RankedTensorType>(top->getOperand(0).getType()))
    return type.getRank() - 2;
  return 2;
}

static LogicalResult badAttribute(Operation *top, const Twine &what) {
  return emitCodedError(top->getLoc(), ErrorCode::BadAttribute,
                        "'" + top->getName().getStringRef() + "' op " + what);
}

static LogicalResult nameByRank(Operation *top, StringRef stem,
                                Recipe &recipe) {
  int64_t rank = spatialRank(top);
  if (rank < 1 || rank > 3)
    return badAttribute(top, "has " + Twine(rank) +
                                 " spatial dimensions; 1, 2 and 3 can be "
                                 "lowered");
  recipe.tpuName = ("tpu." + stem + Twine(rank) + "D").str();
  return success();
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
  auto group = top->getAttrOfType<IntegerAttr>("group");
  return group && group.getInt() > 1 &&
         dimension(top->getOperand(0), 1) == group.getInt() &&
         dimension(top->getOperand(1), 0) == group.getInt();
}

static void setWithBias(Operation *top, Recipe &recipe) {
  recipe.attributes.set("with_bias",
                        BoolAttr::get(top->getContext(), hasOperand(top, 2)));
}

LogicalResult adaptConv(Operation *top, const FloatMode &mode, Recipe &recipe) {
  if (mode.kind == FloatMode::Kind::F16 && isDepthwise(top))
    recipe.operandTyping[2] = typing::Value;
  setWithBias(top, recipe);
  return nameByRank(top, "Conv", recipe);
}

LogicalResult adaptDeconv(Operation *top, const FloatMode &mode,
                          Recipe &recipe) {
  setWithBias(top, recipe);
  if (spatialRank(top) == 3)
    recipe.tpuName = "tpu.Deconv3D";
  return success();
}

LogicalResult adaptPool(Operation *top, const FloatMode &mode, Recipe &recipe) {
  return nameByRank(top, "Pool", recipe);
}

static void setActive(Recipe &recipe, MLIRContext *context,
                      tpu::ActiveMode mode) {
  recipe.attributes.set("mode", tpu::ActiveModeAttr::get(context, mode));
}

LogicalResult adaptSigmoid(Operation *top, const FloatMode &mode,
                           Recipe &recipe) {
  auto log = top->getAttrOfType<BoolAttr>("log");
  if (log && log.getValue())
    setActive(recipe, top->getContext(), tpu::ActiveMode::LOG_SIGMOID);
  return success();
}

LogicalResult adaptGelu(Operation *top, const FloatMode &mode, Recipe &recipe) {
  auto approximation = top->getAttrOfType<StringAttr>("approx_mode");
  if (!approximation)
    return success();
  if (approximation.getValue() == "tanh")
    setActive(recipe, top->getContext(), tpu::ActiveMode::TGELU);
  if (approximation.getValue() == "sigm")
    setActive(recipe, top->getContext(), tpu::ActiveMode::QGELU);
  return success();
}

/// The value of a float attribute that is removed from the recipe.
static double takeReal(Recipe &recipe, StringRef name, double absent) {
  auto value = dyn_cast_or_null<FloatAttr>(recipe.attributes.erase(name));
  return value ? value.getValueAsDouble() : absent;
}

LogicalResult adaptHardSigmoid(Operation *top, const FloatMode &mode,
                               Recipe &recipe) {
  double alpha = takeReal(recipe, "alpha", 0.2);
  double beta = takeReal(recipe, "beta", 0.5);
  recipe.attributes.set(
      "coeffs", Builder(top->getContext()).getF64ArrayAttr({beta, alpha}));
  return success();
}

LogicalResult adaptElu(Operation *top, const FloatMode &mode, Recipe &recipe) {
  double alpha = takeReal(recipe, "alpha", 1.0);
  recipe.attributes.set("coeffs",
                        Builder(top->getContext()).getF64ArrayAttr({alpha}));
  return success();
}

LogicalResult adaptCast(Operation *top, const FloatMode &mode, Recipe &recipe) {
  auto to = dyn_cast_or_null<StringAttr>(recipe.attributes.erase("to"));
  if (!to)
    return success();
  StringRef name = to.getValue();
  if (name.equals_insensitive("F32"))
    recipe.resultTyping = typing::Float32;
  else if (name.equals_insensitive("INT32"))
    recipe.resultTyping = typing::Index;
  else if (!name.equals_insensitive("F16") && !name.equals_insensitive("BF16"))
    return badAttribute(top, "casts to '" + name +
                                 "'; F32, F16, BF16 and INT32 can be lowered");
  return success();
}

LogicalResult adaptRmsNorm(Operation *top, const FloatMode &mode,
                           Recipe &recipe) {
  auto keep = top->getAttrOfType<BoolAttr>("weight_keep_f32");
  if (keep && keep.getValue())
    recipe.operandTyping = ".f";
  return success();
}

} // namespace tpu_mlir
