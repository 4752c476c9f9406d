//===- LowerInteger.cpp - What rules of integers make ops by --------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/LowerFunction.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/IntegerMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Quantization/WeightStore.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir::lowering {

using quantization::Scheme;

bool FunctionLowering::hasIntegers() const {
  return integers && integers->packedBits == 0;
}

/// Inputs, arguments and results of calls change their types, the only old
/// values to do so: between functions there are floats.
void FunctionLowering::rememberRanges() {
  if (!hasIntegers())
    return;
  const auto remember = [&](Value value) {
    auto tensor = dyn_cast<TensorType>(value.getType());
    auto range =
        tensor
            ? dyn_cast<quant::CalibratedQuantizedType>(tensor.getElementType())
            : quant::CalibratedQuantizedType();
    if (range)
      ranges[value] = range;
  };
  function.walk(
      [&](Operation *op) { llvm::for_each(op->getResults(), remember); });
  llvm::for_each(function.getArguments(), remember);
  for (Value argument : function.getArguments())
    argument.setType(plainType(argument.getType()));
  function.setFunctionType(builder.getFunctionType(
      function.front().getArgumentTypes(), function.getResultTypes()));
}

const FloatMode *FunctionLowering::chosenFloat(const Recipe &recipe) const {
  auto found = integers->chosenFloats.find(nameOf(Location(recipe.location)));
  return found == integers->chosenFloats.end() ? nullptr : &found->second;
}

/// Chips that multiply and shift compute it in f32: halves are too short, or
/// there is nothing but f32.
static bool needsFloat32(Operation *op, bool isAsymmetric) {
  static const llvm::StringSet<> kAlways = {
      "top.Arccos",    "top.Arctanh",      "top.Compare", "top.Correlation",
      "top.CumSum",    "top.DeformConv2D", "top.Div",     "top.GatherND",
      "top.GroupNorm", "top.InstanceNorm", "top.LSTM",    "top.MaskedFill",
      "top.Mod",       "top.Pow3",         "top.Reverse", "top.RoiAlign",
      "top.ScatterND", "top.Tan"};
  StringRef name = op->getName().getStringRef();
  const auto isActivation = [&](unsigned index) {
    return index < op->getNumOperands() &&
           !op->getOperand(index).getDefiningOp<top::WeightOp>();
  };
  if (name == "top.Conv" || name == "top.Deconv")
    return isActivation(1);
  if (isAsymmetric && (name == "top.Sub" || name == "top.MatMul"))
    return name == "top.Sub" || isActivation(1);
  return kAlways.contains(name);
}

/// Floats of 8 bits that stand for themselves can compute it, or move it.
static bool hasFloat8(Operation *op, const Recipe &recipe) {
  static const llvm::StringSet<> kComputed = {"tpu.Conv2D", "tpu.MatMul",
                                              "tpu.Add",    "tpu.Sub",
                                              "tpu.Mul",    "tpu.Pool2D"};
  static const llvm::StringSet<> kMoved = {
      "tpu.Concat", "tpu.Slice", "tpu.Permute", "tpu.Depth2Space", "tpu.Pad"};
  if (kMoved.contains(recipe.tpuName))
    return true;
  const bool isLayer =
      recipe.tpuName == "tpu.Conv2D" || recipe.tpuName == "tpu.MatMul";
  return kComputed.contains(recipe.tpuName) &&
         (!isLayer || (op->getNumOperands() > 1 &&
                       op->getOperand(1).getDefiningOp<top::WeightOp>()));
}

/// Null: what the recipe says.
Type FunctionLowering::floatType(Operation *op, const Recipe &recipe) const {
  // Whoever computes it has no shorter ones.
  static const llvm::StringSet<> kOnProcessor = {
      "top.DetectionOutput", "top.YoloDetection", "top.Nms"};
  const bool isPlain = recipe.compute == Compute::Mode ||
                       recipe.compute == Compute::Precise ||
                       recipe.compute == Compute::F32;
  const bool isMove =
      recipe.compute == Compute::Move && !allIntegers(op, recipe);
  if (!hasIntegers() || recipe.isWhole || (!isPlain && !isMove))
    return {};
  if (const FloatMode *chosen = chosenFloat(recipe))
    return chosen->type(op->getContext());
  if (kOnProcessor.contains(op->getName().getStringRef()))
    return f32;
  if (integers->elements == Elements::F8E5M2 && hasFloat8(op, recipe))
    return Float8E5M2Type::get(op->getContext());
  if (integers->scheme == Scheme::Qdm)
    return allIntegers(op, recipe) ? Type() : modeType;
  return needsFloat32(op, integers->asymmetric) ? f32 : Type();
}

bool FunctionLowering::lowerToIntegers(Operation *op, const Recipe &recipe) {
  // Rules make one result.
  if (!integers || !recipe.rule || recipe.isWhole || chosenFloat(recipe) ||
      op->getNumResults() != 1)
    return false;
  return toIntegers(op, recipe, *this);
}

/// Chips with signed integers only leave it to the processor to make them of an
/// input; null for all other values.
Value FunctionLowering::quantizedInput(Value input, Type type,
                                       Location location) {
  auto uniform = dyn_cast<quant::UniformQuantizedType>(
      mlir::cast<TensorType>(type).getElementType());
  if (!integers || integers->scheme != Scheme::Qdm || !uniform ||
      !input.getDefiningOp<top::InputOp>())
    return {};
  OperationState state(location, "tpu.GenericCpu");
  state.addOperands(input);
  state.addTypes(type);
  state.addAttribute("cpu_op_name", builder.getStringAttr("quant"));
  const float factor = static_cast<float>(1 / uniform.getScale());
  state.addAttribute(
      "param",
      builder.getDictionaryAttr(
          {builder.getNamedAttr("from", builder.getStringAttr("FP32")),
           builder.getNamedAttr("scale", builder.getF32FloatAttr(factor)),
           builder.getNamedAttr("to", builder.getStringAttr("INT8"))}));
  return builder.create(state)->getResult(0);
}

/// Into floats of 8 bits with a range, out of them, and from one range to
/// another; null for all other types.
Value FunctionLowering::scaledFloat8(Value value, Type type,
                                     StringRef readerName) {
  const auto scaleOf = [](Type tensor) {
    return float8Scale(mlir::cast<TensorType>(tensor).getElementType());
  };
  const std::optional<double> from = scaleOf(value.getType()),
                              to = scaleOf(type);
  if (!from && !to)
    return {};
  const std::string name = (nameOf(value) + readerName).str();
  OperationState state(
      renamed(value.getLoc(), name + (to ? "_requant" : "_dequant")),
      to ? "tpu.RequantFp" : "tpu.MulConst");
  state.addOperands(value);
  state.addTypes(type);
  if (to) {
    state.addAttribute("scale",
                       builder.getF64FloatAttr(from.value_or(1) / *to));
    state.addAttribute("offset", builder.getF64FloatAttr(0));
    state.addAttribute("quant_mode",
                       tpu::RequantModeAttr::get(builder.getContext(),
                                                 tpu::RequantMode::OnlyScale));
  } else {
    state.addAttribute("const_val", builder.getF64FloatAttr(*from));
    state.addAttribute("do_relu", builder.getBoolAttr(false));
  }
  return builder.create(state)->getResult(0);
}

static execution::ElementType storedAs(Type element) {
  if (element.isInteger(32))
    return execution::ElementType::I32;
  if (element.isInteger(16))
    return execution::ElementType::I16;
  if (element.isF32())
    return execution::ElementType::F32;
  if (element.isBF16())
    return execution::ElementType::BF16;
  if (element.isF16())
    return execution::ElementType::F16;
  // Floats of 8 bits as the bytes that they are.
  return element.isUnsignedInteger() || isa<FloatType>(element)
             ? execution::ElementType::U8
             : execution::ElementType::I8;
}

Value FunctionLowering::newWeight(
    const std::string &name, Location location, RankedTensorType type,
    const std::optional<std::vector<uint8_t>> &bytes) {
  OperationState state(renamed(location, name), "top.Weight");
  state.addTypes(type);
  if (name.empty() || !bytes || !integers->weights)
    ++unknownWeights;
  else
    integers->weights->put(name, storedAs(type.getElementType()),
                           type.getShape(), *bytes);
  return builder.create(state)->getResult(0);
}

Value FunctionLowering::behind(Value value, StringRef name, StringRef tpuName,
                               Type type, NamedAttrList attributes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  OperationState state(renamed(value.getLoc(), name), tpuName);
  state.addOperands(value);
  state.addTypes(type);
  state.attributes = std::move(attributes);
  return builder.create(state)->getResult(0);
}

Value FunctionLowering::newOp(const std::string &name, Location location,
                              StringRef tpuName, ValueRange operands, Type type,
                              NamedAttrList attributes) {
  OperationState state(renamed(location, name), tpuName);
  state.addOperands(operands);
  state.addTypes(type);
  state.attributes = std::move(attributes);
  return builder.create(state)->getResult(0);
}

void FunctionLowering::replace(Operation *top, Location location,
                               StringRef tpuName, ValueRange operands,
                               Type type, const NamedAttrList &attributes) {
  OperationState state(location, tpuName);
  state.addOperands(operands);
  state.addTypes(type);
  state.attributes = attributes;
  finish(top, builder.create(state)->getResults());
}

} // namespace tpu_mlir::lowering
