//===- IntegerOp.cpp - One op on its way to integers ----------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "lib/Transforms/Tpu/ConvertTopToTpu/Naming.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Quantization/Factors.h"

using namespace mlir;

namespace tpu_mlir::lowering {

using quant::CalibratedQuantizedType;
using quant::UniformQuantizedType;
using quantization::ElementScale;

/// `expressed`, or f32 where that type cannot have such a scale.
static Type expressedWith(double scale, Type expressed) {
  const llvm::fltSemantics &floats =
      cast<FloatType>(expressed).getFloatSemantics();
  const bool fits =
      scale >= llvm::APFloat::getSmallest(floats).convertToDouble() &&
      scale <= llvm::APFloat::getLargest(floats).convertToDouble();
  return fits ? expressed : Float32Type::get(expressed.getContext());
}

Type storedOf(CalibratedQuantizedType range, Type expressed,
              const IntegerMode &mode) {
  if (!range)
    return {};
  const double min = range.getMin(), max = range.getMax();
  if (mode.elements == Elements::F8E4M3)
    return CalibratedQuantizedType::get(
        Float8E4M3FNType::get(expressed.getContext()), min, max);
  const bool isSigned = min < 0;
  quantization::AffineScale scale;
  if (mode.asymmetric)
    scale = quantization::affineScaleOf(min, max);
  else
    scale.scale = quantization::scaleOf(std::max(-min, max), 8, isSigned);
  return UniformQuantizedType::get(
      isSigned ? quant::QuantizationFlags::Signed : 0,
      IntegerType::get(expressed.getContext(), 8),
      expressedWith(scale.scale, expressed), scale.scale, scale.zeroPoint,
      isSigned ? -128 : 0, isSigned ? 127 : 255);
}

static ElementScale scaleIn(Type type) {
  if (auto uniform = dyn_cast_or_null<UniformQuantizedType>(type))
    return {uniform.getScale(), uniform.getZeroPoint(), uniform.isSigned()};
  return {float8Scale(type).value_or(1), 0, true};
}

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

bool IntegerOp::has(unsigned index) const {
  return index < top->getNumOperands() &&
         !isa<NoneType>(top->getOperand(index).getType());
}

bool IntegerOp::isWeight(unsigned index) const {
  return has(index) && top->getOperand(index).getDefiningOp<top::WeightOp>();
}

Type IntegerOp::typeOf(unsigned index) const {
  if (!has(index) || isWeight(index))
    return {};
  Value old = top->getOperand(index);
  auto tensor = dyn_cast<TensorType>(lowering.lowered(old).getType());
  Type element = tensor ? tensor.getElementType() : Type();
  if (isa_and_nonnull<UniformQuantizedType>(element) || float8Scale(element))
    return element;
  Type plain = tensor ? elementOf(tensor) : Type();
  return isa_and_nonnull<FloatType>(plain)
             ? storedOf(lowering.rangeOf(old), plain, mode)
             : Type();
}

bool IntegerOp::isRanged(unsigned index) const {
  return static_cast<bool>(typeOf(index));
}

bool IntegerOp::isFloatByNow(unsigned index) const {
  Value old = top->getOperand(index);
  Value now = lowering.lowered(old);
  return now != old && !isWeight(index) &&
         isa_and_nonnull<FloatType>(elementOf(now.getType())) &&
         !float8Scale(cast<TensorType>(now.getType()).getElementType());
}

/// With a relu that stops somewhere the range does, too.
CalibratedQuantizedType IntegerOp::resultRange() const {
  if (top->getNumResults() != 1)
    return {};
  Operation *last = recipe.fusedRelu ? recipe.fusedRelu : top;
  auto range = lowering.rangeOf(last->getResult(0));
  if (!range && recipe.fusedRelu)
    range = lowering.rangeOf(top->getResult(0));
  const double limit = real("relu_limit", -1);
  if (!range || limit <= 0 || range.getMax() <= limit ||
      !readFlag(attributes.get("do_relu")).value_or(false))
    return range;
  if (!quantization::hasScale(0, limit))
    return {};
  return CalibratedQuantizedType::get(range.getExpressedType(),
                                      range.getMin() < 0 ? -limit : 0, limit);
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getShape() : ArrayRef<int64_t>();
}

ArrayRef<int64_t> IntegerOp::shape(unsigned index) const {
  return has(index) ? shapeOf(top->getOperand(index)) : ArrayRef<int64_t>();
}

ArrayRef<int64_t> IntegerOp::resultShape() const {
  return shapeOf(top->getResult(0));
}

ElementScale IntegerOp::scale(unsigned index) const {
  return scaleIn(typeOf(index));
}

ElementScale IntegerOp::resultScale() const {
  return scaleIn(storedOf(resultRange(), Float32Type::get(context()), mode));
}

std::optional<std::vector<float>> IntegerOp::numbers(unsigned index) const {
  auto weight = top->getOperand(index).getDefiningOp<top::WeightOp>();
  if (!weight || !mode.weights)
    return std::nullopt;
  int64_t count = 1;
  for (int64_t size : shape(index))
    count *= size;
  auto numbers = mode.weights->floats(nameOf(weight->getResult(0)), count);
  auto origin = readWord(weight->getAttr("origin"));
  return numbers || !origin ? numbers : mode.weights->floats(*origin, count);
}

double IntegerOp::real(StringRef name, double absent) const {
  Attribute value = recipe.attributes.get(name);
  if (!value)
    value = top->getAttr(name);
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    return real.getValueAsDouble();
  if (auto flag = dyn_cast_or_null<BoolAttr>(value))
    return flag.getValue();
  auto integer = readInteger(value);
  return integer ? static_cast<double>(*integer) : absent;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

Value IntegerOp::operand(unsigned index) {
  return operandAs(index, typeOf(index));
}

Value IntegerOp::operandAs(unsigned index, Type element) {
  return floatOperand(index, element, typing::kValue);
}

Value IntegerOp::floatOperand(unsigned index, Type element, char how) {
  return lowering.readFloat(top, index, element, how,
                            nameOf(Location(recipe.location)));
}

Value IntegerOp::none() { return lowering.none(); }

void IntegerOp::leave(std::string why) {
  lowering.leave(nameOf(Location(recipe.location)), std::move(why));
}

Value IntegerOp::weight(StringRef suffix, ArrayRef<int64_t> shape, Type element,
                        const std::optional<std::vector<uint8_t>> &bytes) {
  StringRef name = nameOf(Location(recipe.location));
  return lowering.newWeight(name.empty() ? "" : (name + suffix).str(),
                            recipe.location,
                            RankedTensorType::get(shape, element), bytes);
}

Value IntegerOp::behind(Value value, StringRef name, StringRef tpuName,
                        Type type, NamedAttrList attributes) {
  return lowering.behind(value, name, tpuName, type, std::move(attributes));
}

Value IntegerOp::part(StringRef suffix, StringRef tpuName, ValueRange operands,
                      Type type, NamedAttrList attributes) {
  StringRef name = nameOf(Location(recipe.location));
  return lowering.newOp(name.empty() ? "" : (name + suffix).str(),
                        recipe.location, tpuName, operands, type,
                        std::move(attributes));
}

void IntegerOp::make(StringRef tpuName, ValueRange operands, Type type) {
  // Ranges end where the relu does.
  if (attributes.get("relu_limit"))
    attributes.set("relu_limit", Builder(context()).getF64FloatAttr(-1));
  lowering.replace(top, recipe.location, tpuName, operands, type, attributes);
}

Type IntegerOp::resultType() const {
  return RankedTensorType::get(
      resultShape(),
      storedOf(resultRange(), Float32Type::get(context()), mode));
}

Type IntegerOp::resultLike(Value like) const {
  return RankedTensorType::get(
      resultShape(), cast<RankedTensorType>(like.getType()).getElementType());
}

Type IntegerOp::resultAs(Type floats) const {
  CalibratedQuantizedType range = resultRange();
  return RankedTensorType::get(
      resultShape(), range ? CalibratedQuantizedType::get(
                                 floats, range.getMin(), range.getMax())
                           : floats);
}

Type IntegerOp::integerType(unsigned bits, bool isSigned) const {
  return IntegerType::get(
      context(), bits, isSigned ? IntegerType::Signed : IntegerType::Unsigned);
}

void IntegerOp::setIntegers(StringRef name, ArrayRef<int64_t> values) {
  attributes.set(name, Builder(context()).getI64ArrayAttr(values));
}

void IntegerOp::setFactors(StringRef multipliers, StringRef shifts,
                           ArrayRef<quantization::Factor> factors) {
  SmallVector<int64_t> first, second;
  for (const quantization::Factor &factor : factors) {
    first.push_back(factor.multiplier);
    second.push_back(factor.shift);
  }
  setIntegers(multipliers, first);
  setIntegers(shifts, second);
}

void IntegerOp::setInteger32(StringRef name, int64_t value) {
  attributes.set(name,
                 IntegerAttr::get(integerType(32, /*isSigned=*/true), value));
}

void IntegerOp::setReals(StringRef name, ArrayRef<double> values) {
  attributes.set(name, Builder(context()).getF64ArrayAttr(values));
}

void IntegerOp::setScaleOnly() {
  attributes.set("quant_mode", tpu::RequantModeAttr::get(
                                   context(), tpu::RequantMode::OnlyScale));
}

void IntegerOp::setQdm() {
  attributes.set("quant_mode",
                 tpu::RequantModeAttr::get(context(), tpu::RequantMode::QDM));
}

} // namespace tpu_mlir::lowering
