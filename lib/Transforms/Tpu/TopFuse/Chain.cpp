//===- Chain.cpp - Match chains of layers ---------------------------------===//
//
// Looks through constants and commuted operands, and records which ops a match
// consumes.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::fusion {

//===----------------------------------------------------------------------===//
// Values and attributes
//===----------------------------------------------------------------------===//

bool isPlain(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
         isa<FloatType>(tensor.getElementType());
}

ArrayRef<int64_t> shapeOf(Value value) {
  return isPlain(value.getType())
             ? cast<RankedTensorType>(value.getType()).getShape()
             : ArrayRef<int64_t>();
}

int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count = checkedMul(count, size).value_or(INT64_MAX);
  return count;
}

// A layer of integers of the model has none: who takes one over would compute
// it as floats.
StringRef layerName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  const bool isLayer =
      name.consume_front("top.") && op->getNumResults() == 1 &&
      isPlain(op->getResult(0).getType()) && op->getNumOperands() > 0 &&
      isPlain(op->getOperand(0).getType()) && !op->hasAttr("whole_numbers");
  return isLayer ? name : StringRef();
}

bool isWeight(Value value) {
  return isa_and_nonnull<top::WeightOp>(value.getDefiningOp()) &&
         isPlain(value.getType());
}

bool isNone(Value value) { return isa<NoneType>(value.getType()); }

Value operandOf(Operation *op, unsigned index) {
  return index < op->getNumOperands() && !isNone(op->getOperand(index))
             ? op->getOperand(index)
             : Value();
}

static std::optional<double> numberIn(Attribute attribute) {
  if (auto real = dyn_cast_or_null<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto integer = readInteger(attribute))
    return static_cast<double>(*integer);
  return std::nullopt;
}

double realOf(Operation *op, StringRef name, double absent) {
  return numberIn(op->getAttr(name)).value_or(absent);
}

int64_t integerOf(Operation *op, StringRef name, int64_t absent) {
  return readInteger(op->getAttr(name)).value_or(absent);
}

bool flagOf(Operation *op, StringRef name, bool absent) {
  return readFlag(op->getAttr(name)).value_or(absent);
}

SmallVector<int64_t> listOf(Operation *op, StringRef name) {
  return readIntegers(op->getAttr(name)).value_or(SmallVector<int64_t>());
}

StringRef wordOf(Operation *op, StringRef name) {
  return readWord(op->getAttr(name)).value_or("");
}

bool hasRelu(Operation *op) { return flagOf(op, "do_relu"); }

std::optional<int64_t> axisOf(int64_t axis, int64_t rank) {
  axis += axis < 0 ? rank : 0;
  return axis >= 0 && axis < rank ? std::optional(axis) : std::nullopt;
}

bool isNear(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::fabs(a - b) <= 1e-6 * std::fmax(std::fabs(a), std::fabs(b));
}

//===----------------------------------------------------------------------===//
// Layers in front of one
//===----------------------------------------------------------------------===//

Operation *Chain::find(Value value, ArrayRef<StringRef> names, bool anyRelu) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != root->getBlock() ||
      !llvm::is_contained(names, layerName(op)) || (!anyRelu && hasRelu(op)))
    return nullptr;
  ops.insert(op);
  return op;
}

bool Chain::isClosed() const {
  return llvm::all_of(ops, [&](Operation *op) {
    return op == root || llvm::all_of(op->getUsers(), [&](Operation *user) {
             return ops.contains(user);
           });
  });
}

std::optional<std::array<Value, 2>> Chain::sides(Operation *op) {
  if (op->getNumOperands() != 2 || !isPlain(op->getOperand(0).getType()) ||
      !isPlain(op->getOperand(1).getType()))
    return std::nullopt;
  if (auto coefficients = op->getAttrOfType<ArrayAttr>("coeff"))
    for (Attribute each : coefficients)
      if (numberIn(each) != 1)
        return std::nullopt;
  const bool isReverse = flagOf(op, "is_reverse");
  return std::array<Value, 2>{op->getOperand(isReverse ? 1 : 0),
                              op->getOperand(isReverse ? 0 : 1)};
}

std::optional<double> Chain::constant(Value value, Type type) {
  if (!isWeight(value))
    return std::nullopt;
  const int64_t rank = shapeOf(value).size();
  if (rank > cast<RankedTensorType>(type).getRank())
    return std::nullopt;
  const auto number = weights.single(value);
  if (!number && countOf(shapeOf(value)) == 1)
    weights.miss(root);
  return number;
}

/// Of a layer whose number is an attribute.
static std::optional<Affine> stepOfConst(Operation *op, StringRef name) {
  const auto number = numberIn(op->getAttr("const_val"));
  const bool isReverse = flagOf(op, "is_reverse");
  const Value x = operandOf(op, 0);
  if (!number || !x)
    return std::nullopt;
  if (name == "AddConst")
    return Affine{x, 1, *number};
  if (name == "MulConst")
    return Affine{x, *number, 0};
  if (name == "SubConst")
    return isReverse ? Affine{x, -1, *number} : Affine{x, 1, -*number};
  if (name == "DivConst" && !isReverse && *number != 0)
    return Affine{x, 1 / *number, 0};
  return std::nullopt;
}

/// Of a layer whose number is on that side.
static std::optional<Affine> stepWith(StringRef name, Value x, double number,
                                      bool onLeft) {
  if (name == "Add")
    return Affine{x, 1, number};
  if (name == "Mul")
    return Affine{x, number, 0};
  if (name == "Sub")
    return onLeft ? Affine{x, -1, number} : Affine{x, 1, -number};
  if (name == "Div" && !onLeft && number != 0)
    return Affine{x, 1 / number, 0};
  return std::nullopt;
}

std::optional<Affine> Chain::step(Operation *op) {
  const StringRef name = layerName(op);
  const Type type = op->getNumResults() ? op->getResult(0).getType() : Type();
  std::optional<Affine> made;
  if (name.ends_with("Const")) {
    made = stepOfConst(op, name);
  } else if (name == "Neg" && op->getNumOperands() == 1) {
    made = Affine{op->getOperand(0), -1, 0};
  } else if (llvm::is_contained({"Add", "Sub", "Mul", "Div"}, name)) {
    if (auto both = sides(op))
      for (unsigned side : {1u, 0u})
        if ((*both)[1 - side].getType() == type && !made)
          if (auto number = constant((*both)[side], type))
            made = stepWith(name, (*both)[1 - side], *number, side == 0);
  }
  return made && made->x.getType() == type ? made : std::nullopt;
}

static constexpr StringRef kSteps[] = {"AddConst", "SubConst", "MulConst",
                                       "DivConst", "Neg",      "Add",
                                       "Sub",      "Mul",      "Div"};

Affine Chain::affine(Value value, Value stop) {
  Affine made{value, 1, 0};
  for (unsigned left = kMostSteps; left > 0 && made.x != stop; --left) {
    if (!made.x.hasOneUse() && made.x != root->getResult(0))
      break;
    Operation *op = made.x.getDefiningOp();
    auto next = op && op->getBlock() == root->getBlock() && !hasRelu(op)
                    ? step(op)
                    : std::nullopt;
    if (!next)
      break;
    ops.insert(op);
    made = {next->x, made.factor * next->factor,
            made.factor * next->offset + made.offset};
  }
  return made;
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static Polynomial plus(const Polynomial &a, const Polynomial &b, double sign) {
  Polynomial sum;
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = a[i] + sign * b[i];
  return sum;
}

/// nullopt: it has a power above the third.
static std::optional<Polynomial> times(const Polynomial &a,
                                       const Polynomial &b) {
  Polynomial product = {0, 0, 0, 0};
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) {
      if (a[i] == 0 || b[j] == 0)
        continue;
      if (i + j >= product.size())
        return std::nullopt;
      product[i + j] += a[i] * b[j];
    }
  return product;
}

/// A power that stands in an attribute: 2 or 3.
static std::optional<Polynomial> power(const Polynomial &base,
                                       double exponent) {
  if (exponent != 2 && exponent != 3)
    return std::nullopt;
  auto square = times(base, base);
  return square && exponent == 3 ? times(*square, base) : square;
}

std::optional<Polynomial> Chain::polynomial(Value value, Value x,
                                            unsigned depth) {
  if (value == x)
    return Polynomial{0, 1, 0, 0};
  Operation *op = depth > 0 && value.getType() == x.getType()
                      ? find(value, kSteps)
                      : nullptr;
  if (!op && depth > 0 && value.getType() == x.getType())
    op = find(value, "Pow");
  if (!op)
    return std::nullopt;
  if (auto single = step(op)) {
    auto inner = polynomial(single->x, x, depth - 1);
    if (!inner)
      return std::nullopt;
    for (double &number : *inner)
      number *= single->factor;
    (*inner)[0] += single->offset;
    return inner;
  }
  const StringRef name = layerName(op);
  if (name == "Pow") {
    auto base = polynomial(op->getOperand(0), x, depth - 1);
    return base ? power(*base, realOf(op, "exponent", 0)) : std::nullopt;
  }
  auto both = sides(op);
  if (!both || name == "Div" || name.ends_with("Const"))
    return std::nullopt;
  auto left = polynomial((*both)[0], x, depth - 1);
  auto right = left ? polynomial((*both)[1], x, depth - 1) : std::nullopt;
  if (!right)
    return std::nullopt;
  return name == "Mul" ? times(*left, *right)
                       : plus(*left, *right, name == "Sub" ? -1 : 1);
}

//===----------------------------------------------------------------------===//
// What takes their place
//===----------------------------------------------------------------------===//

Operation *replaceRoot(PatternRewriter &rewriter, Operation *root,
                       StringRef name, ValueRange operands,
                       ArrayRef<NamedAttribute> attributes) {
  OperationState state(root->getLoc(), ("top." + name).str(), operands,
                       root->getResultTypes(), attributes);
  Operation *made = rewriter.create(state);
  rewriter.replaceOp(root, made);
  return made;
}

Value noneFor(PatternRewriter &rewriter, Operation *op) {
  Operation *outer = op;
  while (outer->getParentOp() && !isa<ModuleOp>(outer->getParentOp()) &&
         !outer->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
    outer = outer->getParentOp();
  Block *block = outer->getBlock();
  for (auto none : block->getOps<top::NoneOp>())
    if (none->isBeforeInBlock(outer))
      return none;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(block);
  return top::NoneOp::create(rewriter, rewriter.getUnknownLoc(),
                             rewriter.getNoneType(), ValueRange());
}

bool canReshape(Value weight) {
  return isWeight(weight) && weight.hasOneUse() &&
         llvm::none_of(weight.getDefiningOp()->getAttrs(),
                       [](NamedAttribute attribute) {
                         const StringRef name = attribute.getName();
                         return name == "allow_split" || name == "store_mode" ||
                                name.starts_with("indices");
                       });
}

Value reshapeWeight(PatternRewriter &rewriter, Value weight,
                    ArrayRef<int64_t> shape) {
  Operation *old = weight.getDefiningOp();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(old);
  const Type element =
      cast<RankedTensorType>(weight.getType()).getElementType();
  auto made = top::WeightOp::create(rewriter, old->getLoc(),
                                    RankedTensorType::get(shape, element),
                                    ValueRange());
  made->setAttrs(old->getAttrs());
  return made;
}

namespace {

struct RulePattern : RewritePattern {
  RulePattern(StringRef root, unsigned benefit, MLIRContext *context, Rule rule,
              WeightValues &weights)
      : RewritePattern(("top." + root).str(), benefit, context), rule(rule),
        weights(weights) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return layerName(op).empty() ? failure() : rule(op, weights, rewriter);
  }

  Rule rule;
  WeightValues &weights;
};

} // namespace

void addRule(RewritePatternSet &patterns, WeightValues &weights,
             ArrayRef<StringRef> roots, Rule rule, unsigned benefit) {
  for (StringRef root : roots)
    patterns.add<RulePattern>(root, benefit, patterns.getContext(), rule,
                              weights);
}

} // namespace tpu_mlir::fusion
