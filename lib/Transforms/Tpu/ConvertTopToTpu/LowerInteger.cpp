//===- LowerInteger.cpp - What rules of integers make ops by --------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/LowerFunction.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/IntegerMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "tpu_mlir/Quantization/WeightStore.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tpu_mlir::lowering {

using quantization::Scheme;

bool FunctionLowering::hasIntegers() const {
  return integers && integers->packedBits == 0;
}

/// Inputs change their types, the only old values to do so.
void FunctionLowering::rememberRanges() {
  if (!hasIntegers())
    return;
  function.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      auto tensor = dyn_cast<TensorType>(result.getType());
      auto range = tensor ? dyn_cast<quant::CalibratedQuantizedType>(
                                tensor.getElementType())
                          : quant::CalibratedQuantizedType();
      if (range)
        ranges[result] = range;
    }
  });
}

const FloatMode *FunctionLowering::chosenFloat(const Recipe &recipe) const {
  auto found = integers->chosenFloats.find(nameOf(Location(recipe.location)));
  return found == integers->chosenFloats.end() ? nullptr : &found->second;
}

/// Null: what the recipe says.
Type FunctionLowering::floatType(Operation *op, const Recipe &recipe) const {
  // Where halves are too short, or nothing but f32 is there.
  static const llvm::StringSet<> kFloat32 = {
      "top.GroupNorm",   "top.InstanceNorm", "top.Mod",      "top.CumSum",
      "top.GatherND",    "top.ScatterND",    "top.RoiAlign", "top.Reverse",
      "top.Correlation", "top.DeformConv2D", "top.Pow3",     "top.Tan"};
  // Whoever computes it has no shorter ones.
  static const llvm::StringSet<> kOnProcessor = {
      "top.DetectionOutput", "top.YoloDetection", "top.Nms"};
  const bool isPlain = recipe.compute == Compute::Mode ||
                       recipe.compute == Compute::Precise ||
                       recipe.compute == Compute::F32;
  if (!hasIntegers() || !isPlain || recipe.isWhole)
    return {};
  if (const FloatMode *chosen = chosenFloat(recipe))
    return chosen->type(op->getContext());
  StringRef name = op->getName().getStringRef();
  if (kOnProcessor.contains(name))
    return f32;
  if (integers->scheme == Scheme::Qdm)
    return allIntegers(op, recipe) ? Type() : modeType;
  return kFloat32.contains(name) ? f32 : Type();
}

bool FunctionLowering::lowerToIntegers(Operation *op, const Recipe &recipe) {
  if (!integers || !recipe.rule || recipe.isWhole || chosenFloat(recipe))
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

static quantization::Stored storedAs(Type element) {
  if (element.isInteger(32))
    return quantization::Stored::I32;
  if (element.isBF16())
    return quantization::Stored::BF16;
  if (element.isF16())
    return quantization::Stored::F16;
  return element.isUnsignedInteger() ? quantization::Stored::U8
                                     : quantization::Stored::I8;
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
