//===- AdaptAttributes.cpp - Adapt attributes op by op --------------------===//
//
// The functions that rules name for ops whose attributes need more than
// renaming and defaults.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/AdaptAttributes.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>

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
    recipe.operandTyping[2] = typing::kValue;
  setWithBias(top, recipe);
  nameByRank(top, "Conv", recipe);
}

void adaptDeconv(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  setWithBias(top, recipe);
  if (spatialRank(top) == 3)
    recipe.tpuName = "tpu.Deconv3D";
}

void adaptPool(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  nameByRank(top, "Pool", recipe);
}

static void setActive(Recipe &recipe, MLIRContext *context,
                      tpu::ActiveMode mode) {
  recipe.attributes.set("mode", tpu::ActiveModeAttr::get(context, mode));
}

void adaptSigmoid(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  if (readFlag(top->getAttr("log")).value_or(false))
    setActive(recipe, top->getContext(), tpu::ActiveMode::LOG_SIGMOID);
}

void adaptGelu(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  StringRef approximation =
      readWord(top->getAttr("approx_mode")).value_or("normal");
  if (approximation.equals_insensitive("tanh"))
    setActive(recipe, top->getContext(), tpu::ActiveMode::TGELU);
  if (approximation.equals_insensitive("sigm"))
    setActive(recipe, top->getContext(), tpu::ActiveMode::QGELU);
}

static std::optional<double> readReal(Attribute attribute) {
  if (auto real = dyn_cast_or_null<FloatAttr>(attribute))
    return real.getValueAsDouble();
  auto integer = readInteger(attribute);
  return integer ? std::optional<double>(*integer) : std::nullopt;
}

/// The value of a number that is removed from the recipe.
static double takeReal(Recipe &recipe, StringRef name, double absent) {
  return readReal(recipe.attributes.erase(name)).value_or(absent);
}

void adaptHardSigmoid(Operation *top, const FloatMode & /*mode*/,
                      Recipe &recipe) {
  double alpha = takeReal(recipe, "alpha", 0.2);
  double beta = takeReal(recipe, "beta", 0.5);
  recipe.attributes.set(
      "coeffs", Builder(top->getContext()).getF64ArrayAttr({beta, alpha}));
}

void adaptElu(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  double alpha = takeReal(recipe, "alpha", 1.0);
  recipe.attributes.set("coeffs",
                        Builder(top->getContext()).getF64ArrayAttr({alpha}));
}

void adaptSwish(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  double beta = takeReal(recipe, "beta", 1.0);
  recipe.attributes.set("coeffs",
                        Builder(top->getContext()).getF64ArrayAttr({beta}));
}

bool isDivConst(Operation *top) {
  std::optional<double> divisor = readReal(top->getAttr("const_val"));
  return divisor && (readFlag(top->getAttr("is_reverse")).value_or(false) ||
                     (std::isfinite(*divisor) && std::isnormal(1 / *divisor)));
}

void adaptDivConst(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  Builder builder(top->getContext());
  if (readFlag(top->getAttr("is_reverse")).value_or(false)) {
    recipe.tpuName = "tpu.Reciprocal";
    return;
  }
  double divisor = takeReal(recipe, "const_val", 1.0);
  recipe.attributes.set("const_val", builder.getF64FloatAttr(1 / divisor));
  auto i32 = builder.getIntegerType(32, /*isSigned=*/true);
  recipe.attributes.set("multiplier", builder.getIntegerAttr(i32, 1));
  recipe.attributes.set("rshift", builder.getIntegerAttr(i32, 0));
}

static std::optional<tpu::ActiveMode> modeOfPower(Operation *top) {
  std::optional<double> exponent = readReal(top->getAttr("exponent"));
  if (exponent == 2.0)
    return tpu::ActiveMode::SQUARE;
  if (exponent == 0.5)
    return tpu::ActiveMode::SQRT;
  return std::nullopt;
}

bool isActivePow(Operation *top) { return modeOfPower(top).has_value(); }

void adaptPow(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  recipe.attributes.erase("exponent");
  setActive(recipe, top->getContext(), *modeOfPower(top));
}

static RankedTensorType staticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

/// How often each dimension is repeated; nullopt where one is not, or where the
/// shape is an operand.
static std::optional<SmallVector<int64_t>> repeatsOfExpand(Operation *top) {
  RankedTensorType from = staticType(top->getOperand(0)),
                   to = staticType(top->getResult(0));
  if (!from || !to || from.getRank() != to.getRank() || hasOperand(top, 1))
    return std::nullopt;
  SmallVector<int64_t> repeats;
  for (auto [before, after] : llvm::zip(from.getShape(), to.getShape())) {
    if (before != after && before != 1)
      return std::nullopt;
    repeats.push_back(before == after ? 1 : after);
  }
  return repeats;
}

bool isTiledExpand(Operation *top) { return repeatsOfExpand(top).has_value(); }

void adaptExpand(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  recipe.attributes.erase("shape");
  recipe.attributes.set(
      "tile",
      Builder(top->getContext()).getI64ArrayAttr(*repeatsOfExpand(top)));
}

static std::optional<SmallVector<int64_t>> orderOfTranspose(Operation *top) {
  auto type = dyn_cast<RankedTensorType>(top->getOperand(0).getType());
  auto first = readInteger(top->getAttr("dim0"));
  auto second = readInteger(top->getAttr("dim1"));
  if (!type || !first || !second)
    return std::nullopt;
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  for (std::optional<int64_t> *axis : {&first, &second}) {
    if (**axis < 0)
      **axis += type.getRank();
    if (**axis < 0 || **axis >= type.getRank())
      return std::nullopt;
  }
  std::swap(order[*first], order[*second]);
  return order;
}

bool hasTransposedAxes(Operation *top) {
  return orderOfTranspose(top).has_value();
}

void adaptTranspose(Operation *top, const FloatMode & /*mode*/,
                    Recipe &recipe) {
  recipe.attributes.erase("dim0");
  recipe.attributes.erase("dim1");
  recipe.attributes.set(
      "order",
      Builder(top->getContext()).getI64ArrayAttr(*orderOfTranspose(top)));
}

bool hasAllOfRange(Operation *top) {
  return top->getNumOperands() == 3 && hasOperand(top, 0) &&
         hasOperand(top, 1) && hasOperand(top, 2);
}

void adaptCast(Operation * /*top*/, const FloatMode & /*mode*/,
               Recipe &recipe) {
  auto to = dyn_cast_or_null<StringAttr>(recipe.attributes.erase("to"));
  StringRef name = to ? to.getValue() : "";
  if (name.equals_insensitive("F32"))
    recipe.resultTyping = typing::kFloat32;
  else if (name.equals_insensitive("INT32"))
    recipe.resultTyping = typing::kIndex;
}

void adaptRmsNorm(Operation *top, const FloatMode & /*mode*/, Recipe &recipe) {
  if (readFlag(top->getAttr("weight_keep_f32")).value_or(false))
    recipe.operandTyping = ".f";
}

} // namespace tpu_mlir::lowering
