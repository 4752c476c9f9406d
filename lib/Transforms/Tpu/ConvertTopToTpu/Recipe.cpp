//===- Recipe.cpp - Plan the lowering of each op --------------------------===//
//
// Checks every op against its rule and translates its attributes, before the
// IR changes.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Recipe.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/FloatMode.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Form.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Execution/Element.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::lowering {

Type plainElement(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return {};
  Type element = tensor.getElementType();
  if (auto calibrated = dyn_cast<quant::CalibratedQuantizedType>(element))
    element = calibrated.getExpressedType();
  return isa<FloatType, IntegerType>(element) ? element : Type();
}

Type elementOf(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  auto uniform =
      tensor ? dyn_cast<quant::UniformQuantizedType>(tensor.getElementType())
             : quant::UniformQuantizedType();
  return uniform ? Type(uniform) : plainElement(type);
}

std::optional<double> float8Scale(Type element) {
  auto range = dyn_cast_or_null<quant::CalibratedQuantizedType>(element);
  if (!range || !isa<Float8E4M3FNType>(range.getExpressedType()))
    return std::nullopt;
  return std::max(std::abs(range.getMin()), std::abs(range.getMax())) /
         execution::largestFloat8(execution::ElementType::F8E4M3);
}

char Recipe::typingOf(unsigned index) const {
  return index < operandTyping.size() ? operandTyping[index] : typing::kValue;
}

static bool staysAsItIs(Operation *op) {
  return isa<top::NoneOp, top::WeightOp, top::InputOp, func::ReturnOp>(op);
}

/// What is quantised already has no float form. Values of types that are no
/// numbers only pass through.
static LogicalResult checkTypes(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto tensor = dyn_cast<TensorType>(type);
    Type element = tensor ? tensor.getElementType() : Type();
    if (!isa_and_nonnull<quant::QuantizedType>(element) || plainElement(type))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return emitCodedError(op->getLoc(), ErrorCode::BadAttribute,
                          "'" + op->getName().getStringRef() +
                              "' op has a quantised tensor, '" + text +
                              "': a float lowering takes none, and quantised "
                              "networks have to be lowered already");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Enums that Top spells as strings
//===----------------------------------------------------------------------===//

namespace {
struct EnumAttribute {
  StringLiteral name;
  /// Without the dialect, separated by blanks; empty: every op.
  StringLiteral ops;
  /// Null when the enum has no such case.
  Attribute (*translate)(StringAttr text);
};
} // namespace

template <typename AttrType> static Attribute asEnum(StringAttr text) {
  auto value = tpu::readEnum<AttrType>(text);
  return value ? AttrType::get(text.getContext(), *value) : Attribute();
}

/// All of them, by the interface of the Tpu dialect.
static constexpr EnumAttribute kEnumAttributes[] = {
    {"round_mode", "", asEnum<tpu::RoundModeAttr>},
    {"first_round_mode", "", asEnum<tpu::RoundModeAttr>},
    {"mul1_round_mode", "", asEnum<tpu::RoundModeAttr>},
    {"mul2_round_mode", "", asEnum<tpu::RoundModeAttr>},
    {"add_round_mode", "", asEnum<tpu::RoundModeAttr>},
    {"rope_mode", "", asEnum<tpu::RopeModeAttr>},
    {"pool_mode", "", asEnum<tpu::PoolModeAttr>},
    {"coord_mode", "", asEnum<tpu::ResizeCoordModeAttr>},
    {"formula_mode", "", asEnum<tpu::Yuv2rgbFormulaModeAttr>},
    {"image_format", "Yuv2rgbFormula", asEnum<tpu::ImageOutFormatAttr>},
    {"lut_mode", "LutBF16", asEnum<tpu::LutBF16ModeAttr>},
    {"quant_mode", "DequantInt DequantIntAxis", asEnum<tpu::DequantModeAttr>},
    {"quant_mode",
     "Conv1D Conv2D Conv3D Deconv Deconv3D MatMul MatMulLut Mul RequantFp "
     "RequantFpAxis RequantInt RequantIntAxis",
     asEnum<tpu::RequantModeAttr>},
    {"mode", "Active FusedActiveCast", asEnum<tpu::ActiveModeAttr>},
    {"mode", "Interp", asEnum<tpu::ResizeModeAttr>},
    {"mode", "Pad", asEnum<tpu::PaddingModeAttr>},
};

static bool hasEnum(const EnumAttribute &attribute, StringRef name,
                    StringRef tpuOp) {
  SmallVector<StringRef> ops;
  attribute.ops.split(ops, ' ', -1, /*KeepEmpty=*/false);
  return attribute.name == name &&
         (ops.empty() || llvm::is_contained(ops, tpuOp));
}

/// A case that is not known stays the string it is.
void RecipeBook::translateEnums(Recipe &recipe) {
  StringRef op = recipe.tpuName;
  op.consume_front("tpu.");
  for (NamedAttribute written : recipe.attributes.getAttrs()) {
    auto text = dyn_cast<StringAttr>(written.getValue());
    if (!text)
      continue;
    for (const EnumAttribute &attribute : kEnumAttributes)
      if (hasEnum(attribute, written.getName(), op))
        if (Attribute value = attribute.translate(text))
          recipe.attributes.set(written.getName(), value);
  }
}

/// Most ops clamp what they write for free. Only sound when nobody else reads
/// the value before the clamp.
bool RecipeBook::fuseRelu(Operation *relu, Recipe &recipe) {
  if (relu->getNumOperands() != 1 || relu->getNumResults() != 1)
    return false;
  Value input = relu->getOperand(0);
  Operation *producer = input.getDefiningOp();
  Recipe *target = producer ? byOp.lookup(producer) : nullptr;
  if (!target || !target->rule->canFuseRelu || !input.hasOneUse() ||
      producer->getBlock() != relu->getBlock())
    return false;
  if (readFlag(target->attributes.get("do_relu")).value_or(false))
    return false;
  Builder builder(relu->getContext());
  target->attributes.set("do_relu", builder.getBoolAttr(true));
  Attribute limit = relu->getAttr("relu_limit");
  target->attributes.set("relu_limit",
                         limit ? limit : builder.getF64FloatAttr(-1.0));
  target->location = relu->getLoc();
  target->fusedRelu = relu;
  recipe.isForward = true;
  return true;
}

/// The rule of an op that is in no table, with a remark on the first of its
/// name.
FailureOr<const OpRule *> RecipeBook::ruleOfOther(Operation *op) {
  StringRef name = op->getName().getStringRef();
  bool isNew = remarked.insert(name).second;
  if (op->getName().getDialectNamespace() == "top" &&
      op->getNumRegions() == 0) {
    if (isNew)
      emitRemark(op->getLoc())
          << "'" << name << "' has no rule: it becomes 'tpu."
          << op->getName().stripDialect()
          << "' with the same attributes, computed in " << mode.name;
    return &rules.sameName();
  }
  if (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>()) {
    if (isNew)
      emitRemark(op->getLoc()) << "'" << name
                               << "' is not of the Top dialect: it stays, with "
                                  "operands of the types "
                                  "it has now";
    return &rules.keep();
  }
  return emitCodedError(op->getLoc(), ErrorCode::UnknownOp,
                        "'" + name +
                            "' op cannot be lowered: what its regions do is "
                            "not known");
}

LogicalResult RecipeBook::add(Operation *op) {
  if (failed(checkTypes(op)))
    return failure();
  if (staysAsItIs(op))
    return success();
  const OpRule *rule = rules.find(op->getName().getStringRef());
  // What departs from its record is not what the table is about.
  if (!rule || !whyUnfit(op).empty() || !fits(*rule, op)) {
    FailureOr<const OpRule *> other = ruleOfOther(op);
    if (failed(other))
      return failure();
    rule = *other;
  }
  Recipe &recipe = recipes.emplace_back();
  byOp[op] = &recipe;
  recipe.operandTyping = rule->operandTyping.str();
  recipe.resultTyping = rule->resultTyping.str();
  recipe.compute = rule->compute;
  recipe.tpuName = rule->tpuName;
  const std::string sameName = ("tpu." + op->getName().stripDialect()).str();
  if (!hasTpuOp(*rule, op)) {
    // Such operands as the rule says, but nothing else.
    if (!rule->isGuess)
      recipe.tpuName = sameName;
    if (remarked.insert(op->getName().getStringRef()).second)
      emitRemark(op->getLoc())
          << "'" << op->getName().getStringRef() << "' has no rule"
          << (rule->isGuess ? "" : " for such operands and attributes")
          << ": it becomes '" << recipe.tpuName << "' with the same attributes";
    rule = &rules.sameName();
  }
  recipe.rule = rule;
  if (recipe.tpuName.empty())
    recipe.tpuName = sameName;
  recipe.location = op->getLoc();
  if (rule->topName == "top.Relu" && fuseRelu(op, recipe))
    return success();

  recipe.attributes = op->getAttrs();
  for (StringRef name : rule->dropped)
    recipe.attributes.erase(name);
  for (auto [from, to] : rule->renamed)
    if (Attribute value = recipe.attributes.erase(from))
      recipe.attributes.set(to, value);
  if (readFlag(op->getAttr("force_f32")).value_or(false))
    recipe.compute = Compute::F32;
  recipe.isWhole =
      readFlag(recipe.attributes.erase("whole_numbers")).value_or(false);
  if (rule->adaptFn)
    rule->adaptFn(op, mode, recipe);
  translateEnums(recipe);
  for (NamedAttribute attribute : rule->defaults)
    if (!recipe.attributes.get(attribute.getName()))
      recipe.attributes.push_back(attribute);
  return success();
}

LogicalResult RecipeBook::add(func::FuncOp function) {
  WalkResult walked = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || succeeded(add(op)))
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

} // namespace tpu_mlir::lowering
