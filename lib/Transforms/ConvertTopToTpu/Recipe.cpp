#include "lib/Transforms/ConvertTopToTpu/Recipe.h"

#include "lib/Transforms/ConvertTopToTpu/FloatMode.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace tpu_mlir {

Type plainElement(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return {};
  Type element = tensor.getElementType();
  if (auto calibrated = dyn_cast<quant::CalibratedQuantizedType>(element))
    return calibrated.getExpressedType();
  return element;
}

char Recipe::typingOf(unsigned index) const {
  return index < operandTyping.size() ? operandTyping[index] : typing::Value;
}

static bool staysAsItIs(Operation *op) {
  return isa<top::NoneOp, top::WeightOp, top::InputOp, func::ReturnOp>(op);
}

/// Floats, integers and none can be lowered.
static LogicalResult checkType(Operation *op, Type type) {
  if (isa<NoneType>(type))
    return success();
  Type element = plainElement(type);
  if (element && isa<FloatType, IntegerType>(element))
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  if (element && isa<quant::QuantizedType>(element))
    return emitCodedError(op->getLoc(), ErrorCode::BadAttribute,
                          "'" + op->getName().getStringRef() +
                              "' op has a quantised tensor, '" + text +
                              "': a float lowering takes none, and quantised "
                              "networks have to be lowered already");
  return emitCodedError(op->getLoc(), ErrorCode::BadAttribute,
                        "'" + op->getName().getStringRef() +
                            "' op has a type that is no tensor of floats or "
                            "integers: '" +
                            text + "'");
}

static LogicalResult checkTypes(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  return success();
}

template <typename AttrType, typename Value>
static Attribute makeEnum(MLIRContext *context, std::optional<Value> value) {
  return value ? Attribute(AttrType::get(context, *value)) : Attribute();
}

/// Null when the enum has no such case.
static Attribute translateEnum(StringAttr text, EnumKind kind) {
  MLIRContext *context = text.getContext();
  StringRef name = text.getValue();
  switch (kind) {
  case EnumKind::Round:
    return makeEnum<tpu::RoundModeAttr>(context, tpu::symbolizeRoundMode(name));
  case EnumKind::Pad:
    return makeEnum<tpu::PaddingModeAttr>(context,
                                          tpu::symbolizePaddingMode(name));
  case EnumKind::Resize:
    return makeEnum<tpu::ResizeModeAttr>(context,
                                         tpu::symbolizeResizeMode(name));
  case EnumKind::ResizeCoord:
    return makeEnum<tpu::ResizeCoordModeAttr>(
        context, tpu::symbolizeResizeCoordMode(name));
  case EnumKind::Rope:
    return makeEnum<tpu::RopeModeAttr>(context, tpu::symbolizeRopeMode(name));
  }
  return {};
}

LogicalResult RecipeBook::translateEnums(Operation *op, Recipe &recipe) {
  for (auto [name, kind] : recipe.rule->enums) {
    auto text = dyn_cast_or_null<StringAttr>(recipe.attributes.get(name));
    if (!text)
      continue;
    Attribute value = translateEnum(text, kind);
    if (!value)
      return emitCodedError(
          op->getLoc(), ErrorCode::BadAttribute,
          "'" + op->getName().getStringRef() + "' op: attribute '" + name +
              "' has the unknown value '" + text.getValue() + "'");
    recipe.attributes.set(name, value);
  }
  return success();
}

/// Most ops clamp what they write for free. Only sound when nobody else reads
/// the value before the clamp.
bool RecipeBook::fuseRelu(Operation *relu, Recipe &recipe) {
  Value input = relu->getOperand(0);
  Operation *producer = input.getDefiningOp();
  Recipe *target = producer ? byOp.lookup(producer) : nullptr;
  if (!target || !target->rule->canFuseRelu || !input.hasOneUse() ||
      producer->getBlock() != relu->getBlock())
    return false;
  auto before = dyn_cast_or_null<BoolAttr>(target->attributes.get("do_relu"));
  if (before && before.getValue())
    return false;
  Builder builder(relu->getContext());
  target->attributes.set("do_relu", builder.getBoolAttr(true));
  Attribute limit = relu->getAttr("relu_limit");
  target->attributes.set("relu_limit",
                         limit ? limit : builder.getF64FloatAttr(-1.0));
  target->location = relu->getLoc();
  recipe.isForward = true;
  return true;
}

static LogicalResult noRule(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  StringRef why = "no op of the Tpu dialect is known for it";
  if (dialect == "tpu")
    why = "it is lowered already, but 'module.state' does not say so";
  else if (dialect != "top")
    why = "it is not of the Top dialect";
  return emitCodedError(op->getLoc(), ErrorCode::UnknownOp,
                        "'" + op->getName().getStringRef() +
                            "' op cannot be lowered: " + why);
}

LogicalResult RecipeBook::add(Operation *op) {
  if (staysAsItIs(op))
    return checkTypes(op);
  const OpRule *rule = rules.find(op->getName().getStringRef());
  if (!rule)
    return noRule(op);
  if (failed(checkTypes(op)))
    return failure();
  Recipe &recipe = recipes.emplace_back();
  byOp[op] = &recipe;
  recipe.rule = rule;
  recipe.tpuName = rule->tpuName;
  recipe.operandTyping = rule->operandTyping.str();
  recipe.resultTyping = rule->resultTyping.str();
  recipe.location = op->getLoc();
  if (rule->topName == "top.Relu" && fuseRelu(op, recipe))
    return success();

  recipe.attributes = op->getAttrs();
  for (StringRef name : rule->dropped)
    recipe.attributes.erase(name);
  for (auto [from, to] : rule->renamed)
    if (Attribute value = recipe.attributes.erase(from))
      recipe.attributes.set(to, value);
  if (failed(translateEnums(op, recipe)))
    return failure();
  if (rule->adaptFn && failed(rule->adaptFn(op, mode, recipe)))
    return failure();
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

} // namespace tpu_mlir
