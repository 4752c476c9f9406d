//===- Activations.cpp - SiLU, GELU, HardSigmoid, HardSwish ---------------===//
//
// Each is a product c * x * gate(x), whose factors stand in any order and whose
// gate is found through additions and products with numbers.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::fusion {

static constexpr StringRef kProducts[] = {"Mul", "MulConst", "DivConst", "Div"};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// number * the values, all of the type of the root.
struct Product {
  double number = 1;
  SmallVector<Value> values;
};

} // namespace

/// Takes apart `value`, and what it is a product of as long as nobody else
/// reads that. False: there are more than two factors, or shapes spread.
static bool takeApart(Value value, Chain &chain, Product &product,
                      unsigned depth = kMostSteps) {
  const bool isRoot = value == chain.root->getResult(0);
  if (value.getType() != chain.root->getResult(0).getType())
    return false;
  Operation *op = isRoot ? chain.root
                  : value.hasOneUse() && depth > 0
                      ? chain.find(value, kProducts)
                      : nullptr;
  if (!op) {
    product.values.push_back(value);
    return product.values.size() <= 2;
  }
  if (auto step = chain.step(op); step && step->offset == 0) {
    product.number *= step->factor;
    return takeApart(step->x, chain, product, depth - 1);
  }
  auto both = Chain::sides(op);
  if (layerName(op) == "Mul" && both)
    return takeApart((*both)[0], chain, product, depth - 1) &&
           takeApart((*both)[1], chain, product, depth - 1);
  product.values.push_back(value);
  return !isRoot && product.values.size() <= 2;
}

/// number * x * gate.
using OnProduct = llvm::function_ref<LogicalResult(double number, Value x,
                                                   Value gate, Chain chain)>;

/// The root as a product of two, either of which may be the gate.
static LogicalResult withGate(Operation *root, WeightValues &weights,
                              OnProduct use) {
  Chain chain(root, weights);
  Product product;
  if (hasRelu(root) || !takeApart(root->getResult(0), chain, product) ||
      product.values.size() != 2)
    return failure();
  for (unsigned gate : {1u, 0u})
    if (succeeded(use(product.number, product.values[1 - gate],
                      product.values[gate], chain)))
      return success();
  return failure();
}

//===----------------------------------------------------------------------===//
// SiLU and GELU
//===----------------------------------------------------------------------===//

static NamedAttribute approximation(PatternRewriter &rewriter,
                                    StringRef formula) {
  return rewriter.getNamedAttr("approx_mode", rewriter.getStringAttr(formula));
}

/// x * sigmoid(x), and with 1.702 x in the gate, which is about a GELU.
static LogicalResult fuseSilu(Operation *root, WeightValues &weights,
                              PatternRewriter &rewriter) {
  return withGate(
      root, weights,
      [&](double number, Value x, Value gate, Chain chain) -> LogicalResult {
        Operation *sigmoid = chain.find(gate, "Sigmoid");
        if (!sigmoid || !isNear(number, 1) || flagOf(sigmoid, "log") ||
            realOf(sigmoid, "scale", 1) != 1 || realOf(sigmoid, "bias", 0) != 0)
          return failure();
        const Affine inner = chain.affine(sigmoid->getOperand(0), x);
        const bool isSilu = isNear(inner.factor, 1);
        if (inner.x != x || inner.offset != 0 || !chain.isClosed() ||
            (!isSilu && !isNear(inner.factor, 1.702)))
          return failure();
        isSilu ? replaceRoot(rewriter, root, "SiLU", x)
               : replaceRoot(rewriter, root, "GELU", x,
                             {approximation(rewriter, "sigm")});
        return success();
      });
}

/// The formula of GELU whose gate has this function; "" for others.
static StringRef geluFormula(Operation *function, Value x, Chain &chain) {
  auto inner = chain.polynomial(function->getOperand(0), x);
  if (!inner || (*inner)[0] != 0 || (*inner)[2] != 0)
    return "";
  const double linear = (*inner)[1], cubic = (*inner)[3];
  if (layerName(function) == "Erf")
    return cubic == 0 && isNear(linear, std::sqrt(0.5)) ? "normal" : "";
  const double factor = std::sqrt(2 / M_PI);
  return isNear(linear, factor) && isNear(cubic, 0.044715 * factor) ? "tanh"
                                                                    : "";
}

/// x / 2 * (1 + erf(x / sqrt 2)), or with tanh of a polynomial.
static LogicalResult fuseGelu(Operation *root, WeightValues &weights,
                              PatternRewriter &rewriter) {
  return withGate(
      root, weights,
      [&](double number, Value x, Value gate, Chain chain) -> LogicalResult {
        const Affine half = chain.affine(gate);
        Operation *function = chain.find(half.x, {"Erf", "Tanh"});
        if (!function || !isNear(number * half.factor, 0.5) ||
            !isNear(number * half.offset, 0.5))
          return failure();
        const StringRef formula = geluFormula(function, x, chain);
        if (formula.empty() || !chain.isClosed())
          return failure();
        replaceRoot(rewriter, root, "GELU", x,
                    {approximation(rewriter, formula)});
        return success();
      });
}

//===----------------------------------------------------------------------===//
// HardSigmoid and HardSwish
//===----------------------------------------------------------------------===//

namespace {

/// min(max(inner, low), high), where `inner` is affine in what lies behind it.
struct Clamp {
  Affine inner;
  double low = -INFINITY, high = INFINITY;

  double apply(double number) const {
    return std::fmin(std::fmax(number, low), high);
  }
};

/// min(max(alpha * x + beta, 0), 1).
struct HardSigmoid {
  Value x;
  double alpha = 0, beta = 0;
  /// It has a factor and an addend before it is cut off.
  bool isWhole = false;
};

} // namespace

/// What a layer cuts off; nullopt: it is no clip.
static std::optional<std::pair<double, double>> bounds(Operation *op) {
  const StringRef name = layerName(op);
  const double limit = realOf(op, "relu_limit", -1);
  if (name == "Clip")
    return std::pair(realOf(op, "min", -INFINITY), realOf(op, "max", INFINITY));
  if (name == "Relu6")
    return std::pair(0.0, 6.0);
  if (name == "MaxConst" && op->hasAttr("const_val"))
    return std::pair(realOf(op, "const_val", 0), double(INFINITY));
  if (name == "MinConst" && op->hasAttr("const_val"))
    return std::pair(-double(INFINITY), realOf(op, "const_val", 0));
  if ((name == "Relu" || hasRelu(op)) && limit != 0)
    return std::pair(0.0, limit > 0 ? limit : double(INFINITY));
  return std::nullopt;
}

/// Clips in a row, the last of which may be the relu of an addition or a
/// product with a number.
static std::optional<Clamp> clampOf(Value value, Chain &chain) {
  Clamp clamp{{value, 1, 0}};
  unsigned cuts = 0;
  for (; cuts == 0 || (cuts < kMostSteps && clamp.inner.x.hasOneUse());
       ++cuts) {
    Operation *made = clamp.inner.x.getDefiningOp();
    const bool isFused = made && hasRelu(made);
    Operation *op =
        isFused ? chain.find(clamp.inner.x, {"AddConst", "MulConst"}, true)
                : chain.find(clamp.inner.x,
                             {"Relu", "Relu6", "Clip", "MinConst", "MaxConst"});
    auto cut = op ? bounds(op) : std::nullopt;
    auto step = op && isFused ? chain.step(op) : std::nullopt;
    if (!cut || (isFused && !step))
      break;
    const Clamp outer = clamp;
    clamp.low = outer.apply(cut->first);
    clamp.high = outer.apply(cut->second);
    clamp.inner = isFused ? *step : Affine{op->getOperand(0), 1, 0};
    if (isFused)
      return clamp;
  }
  return cuts == 0 ? std::nullopt : std::optional(clamp);
}

/// factor * the value as such a function, of `x` if that is given.
static std::optional<HardSigmoid> hardSigmoidOf(Value value, double factor,
                                                Chain &chain, Value x) {
  Affine outer = chain.affine(value);
  outer = {outer.x, factor * outer.factor, factor * outer.offset};
  if (Operation *op = chain.find(outer.x, "HardSigmoid"))
    return isNear(outer.factor, 1) && outer.offset == 0
               ? std::optional(HardSigmoid{op->getOperand(0),
                                           realOf(op, "alpha", 0),
                                           realOf(op, "beta", 0), true})
               : std::nullopt;
  auto clamp = clampOf(outer.x, chain);
  if (!clamp || outer.factor <= 0 ||
      std::fabs(outer.factor * clamp->low + outer.offset) > 1e-6 ||
      !isNear(outer.factor * clamp->high + outer.offset, 1))
    return std::nullopt;
  const Affine inner = chain.affine(clamp->inner.x, x);
  const double slope = clamp->inner.factor * inner.factor,
               shift = clamp->inner.factor * inner.offset + clamp->inner.offset;
  return HardSigmoid{inner.x, outer.factor * slope,
                     outer.factor * shift + outer.offset,
                     shift != 0 && !isNear(outer.factor * slope, 1)};
}

static NamedAttribute real(PatternRewriter &rewriter, StringRef name,
                           double number) {
  return rewriter.getNamedAttr(name, rewriter.getF64FloatAttr(number));
}

static LogicalResult fuseHardSigmoid(Operation *root, WeightValues &weights,
                                     PatternRewriter &rewriter) {
  Chain chain(root, weights);
  auto found = hardSigmoidOf(root->getResult(0), 1, chain, nullptr);
  if (hasRelu(root) || !found || !found->isWhole || !chain.isClosed())
    return failure();
  replaceRoot(rewriter, root, "HardSigmoid", found->x,
              {real(rewriter, "alpha", found->alpha),
               real(rewriter, "beta", found->beta)});
  return success();
}

static LogicalResult fuseHardSwish(Operation *root, WeightValues &weights,
                                   PatternRewriter &rewriter) {
  return withGate(
      root, weights,
      [&](double number, Value x, Value gate, Chain chain) -> LogicalResult {
        auto found = hardSigmoidOf(gate, number, chain, x);
        if (!found || found->x != x || !isNear(found->alpha, 1.0 / 6) ||
            !isNear(found->beta, 0.5) || !chain.isClosed())
          return failure();
        replaceRoot(rewriter, root, "HardSwish", x);
        return success();
      });
}

void addActivations(RewritePatternSet &patterns, WeightValues &weights) {
  addRule(patterns, weights, kProducts, fuseSilu);
  addRule(patterns, weights, kProducts, fuseGelu);
  addRule(patterns, weights, kProducts, fuseHardSwish, /*benefit=*/2);
  addRule(patterns, weights,
          {"MulConst", "DivConst", "Mul", "Div", "AddConst", "Add", "Clip",
           "Relu", "MinConst", "MaxConst", "Relu6"},
          fuseHardSigmoid);
}

} // namespace tpu_mlir::fusion
