//===- Quantized.cpp - Ops on integers that stand for numbers -------------===//

#include "lib/Interpreter/Kernels/Quantized.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Execution/Movement.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

static bool isScaled(const execution::TensorType &type) {
  return type.scale != 1 || type.zeroPoint != 0;
}

/// By its type: the scale may be 1.
static bool isQuantized(Type type) {
  return isa<quant::UniformQuantizedType>(getElementTypeOrSelf(type));
}

bool isQuantized(const Call &call) {
  return llvm::any_of(call.op->getOperandTypes(),
                      [](Type type) { return isQuantized(type); }) ||
         llvm::any_of(call.op->getResultTypes(),
                      [](Type type) { return isQuantized(type); }) ||
         isScaled(call.result().type) ||
         llvm::any_of(call.present(), [](const TensorView &operand) {
           return isScaled(operand.type);
         });
}

/// What is computed in numbers has no scale.
static Outcome checkUnscaled(const Call &call) {
  if (isQuantized(call))
    return KernelError{"integers and floats are not computed together"};
  return std::nullopt;
}

TensorView raw(const TensorView &view) {
  TensorView result = view;
  result.type.scale = 1, result.type.zeroPoint = 0;
  return result;
}

TensorSpan raw(const TensorSpan &span) {
  TensorSpan result = span;
  result.type.scale = 1, result.type.zeroPoint = 0;
  return result;
}

/// The list of that name, or the one number.
static llvm::SmallVector<int64_t> numbersOf(const Call &call,
                                            llvm::StringRef name) {
  const Shape list = call.integers(name);
  llvm::SmallVector<int64_t> numbers(list.begin(), list.end());
  if (numbers.empty() && call.attribute(name))
    numbers.push_back(call.integer(name, 0));
  return numbers;
}

Outcome readRounding(const Call &call, Rounding &to) {
  Attribute attribute = call.attribute("round_mode");
  if (!attribute && call.op->getName().getStringRef().starts_with("tpu.Conv"))
    to = Rounding::HalfUp;
  if (!attribute)
    return std::nullopt;
  auto mode = tpu::readEnum<tpu::RoundModeAttr>(attribute);
  static const std::pair<tpu::RoundMode, Rounding> kModes[] = {
      {tpu::RoundMode::HalfAwayFromZero, Rounding::HalfAwayFromZero},
      {tpu::RoundMode::HalfUp, Rounding::HalfUp},
      {tpu::RoundMode::HalfDown, Rounding::HalfDown},
      {tpu::RoundMode::HalfToEven, Rounding::HalfToEven},
      {tpu::RoundMode::HalfToOdd, Rounding::HalfToOdd},
      {tpu::RoundMode::HalfTowardsZero, Rounding::HalfTowardsZero},
      {tpu::RoundMode::TowardsZero, Rounding::TowardsZero},
      {tpu::RoundMode::Up, Rounding::Up},
      {tpu::RoundMode::Down, Rounding::Down}};
  for (auto [known, rounding] : kModes)
    if (mode && *mode == known) {
      to = rounding;
      return std::nullopt;
    }
  return KernelError{"'round_mode' is no mode that is known"};
}

static Outcome readMode(const Call &call, Requant &requant) {
  Attribute attribute = call.attribute("quant_mode");
  if (!attribute)
    return std::nullopt;
  auto mode = tpu::readEnum<tpu::RequantModeAttr>(attribute);
  if (mode && *mode == tpu::RequantMode::QDM)
    requant.mode = Requant::Mode::Qdm;
  else if (!mode || *mode != tpu::RequantMode::MultiplierShift)
    return KernelError{"'quant_mode' is no mode that is computed"};
  return std::nullopt;
}

/// Sums of `terms` products of random numbers of 8 bits are about 2^12 times
/// the root of their number; half of that is cut off.
static Requant madeUpRequant(int64_t terms) {
  Requant requant;
  requant.multipliers = {1};
  requant.shifts = {7 + static_cast<int64_t>(
                            llvm::Log2_64_Ceil(std::max<int64_t>(terms, 1))) /
                            2};
  return requant;
}

Outcome readRequant(const Call &call, int64_t terms,
                    std::optional<Requant> &to) {
  // Without a multiplier or a shift these say nothing.
  for (llvm::StringRef name : {"round_mode", "quant_mode"})
    call.attribute(name);
  // Lowered ops of floats have these attributes, too.
  if (!call.operand(0) || isFloat(call.operand(0)->type.element) ||
      isFloat(call.result().type.element))
    return checkUnscaled(call);
  Requant requant;
  requant.multipliers = numbersOf(call, "multiplier");
  requant.shifts = numbersOf(call, "rshift");
  if (requant.multipliers.empty() && requant.shifts.empty()) {
    requant.multipliers = numbersOf(call, "multipliers");
    requant.shifts = numbersOf(call, "rshifts");
  }
  const bool isThere = !requant.multipliers.empty() || !requant.shifts.empty();
  if (!isThere && !isQuantized(call))
    return std::nullopt;
  if (!isThere) {
    if (!call.madeUpWeights)
      return KernelError{"multipliers and shifts are among the coefficients, "
                         "which are not read there"};
    to = madeUpRequant(terms);
    to->offset = call.result().type.zeroPoint;
    return std::nullopt;
  }
  if (requant.multipliers.empty())
    requant.multipliers = {1};
  if (requant.shifts.empty())
    requant.shifts = {0};
  if (Outcome error = readMode(call, requant))
    return error;
  if (Outcome error = readRounding(call, requant.rounding))
    return error;
  requant.offset = call.result().type.zeroPoint;
  to = std::move(requant);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Place by place
//===----------------------------------------------------------------------===//

/// Integers wide enough for what is made of one of 8 bits.
static execution::Tensor wide(Shape shape) {
  return execution::Tensor({ElementType::I32, std::move(shape), 1, 0});
}

/// Halves go away from zero; zero points are those of the types.
static Outcome rescale(const TensorView &input, int64_t multiplier,
                       int64_t shift, bool relu, const TensorSpan &result) {
  Requant requant;
  requant.multipliers = {multiplier};
  requant.shifts = {shift};
  requant.offset = result.type.zeroPoint;
  return requantize(input, requant, relu, result, input.type.zeroPoint);
}

/// For each operand one multiplier, and one shift or one for all.
static Outcome readScales(const Call &call, size_t operands,
                          llvm::SmallVector<int64_t> &multipliers,
                          llvm::SmallVector<int64_t> &shifts) {
  multipliers = numbersOf(call, "multipliers");
  shifts = numbersOf(call, "rshifts");
  if (multipliers.empty())
    multipliers.assign(operands, 1);
  if (shifts.empty())
    shifts = {0};
  if (multipliers.size() != operands ||
      (shifts.size() != 1 && shifts.size() != operands))
    return KernelError{std::to_string(multipliers.size()) +
                       " multipliers and " + std::to_string(shifts.size()) +
                       " shifts for " + std::to_string(operands) + " operands"};
  return std::nullopt;
}

/// The product of all, and then the multiplier and the shift.
static Outcome runProduct(const Call &call,
                          llvm::ArrayRef<TensorView> operands) {
  execution::Tensor product = wide(call.result().type.shape);
  if (Outcome error = combine(Binary::Mul, operands, {}, product.span()))
    return error;
  return rescale(product.view(), call.integer("multiplier", 1),
                 call.integer("rshift", 0), call.relu().isOn, call.result());
}

/// The operands less their zero points, each times its factor.
static Outcome scaleAll(llvm::ArrayRef<TensorView> operands,
                        llvm::ArrayRef<int64_t> multipliers,
                        llvm::ArrayRef<int64_t> shifts,
                        std::vector<execution::Tensor> &scaled,
                        llvm::SmallVector<TensorView> &views) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    scaled.push_back(wide(operand.type.shape));
    const int64_t multiplier = multipliers.empty() ? 1 : multipliers[i];
    if (Outcome error =
            rescale(operand, multiplier, shifts.size() > 1 ? shifts[i] : 0,
                    /*relu=*/false, scaled.back().span()))
      return error;
  }
  for (const execution::Tensor &tensor : scaled)
    views.push_back(tensor.view());
  return std::nullopt;
}

Outcome reverseOperands(const Call &call,
                        llvm::SmallVector<TensorView> &operands) {
  if (!call.flag("is_reverse"))
    return std::nullopt;
  if (operands.size() != 2)
    return KernelError{"'is_reverse' is for two operands"};
  std::swap(operands[0], operands[1]);
  return std::nullopt;
}

/// With a shift for each operand these are rescaled one by one; with one shift
/// products are added up and shifted once. Zero points are taken off before and
/// added after.
Outcome runQuantizedBinary(const Call &call, Binary op) {
  if (op == Binary::Div || call.relu().limit >= 0)
    return KernelError{"a quotient, or a relu with a limit, of integers is not "
                       "computed"};
  llvm::SmallVector<TensorView> operands = call.present(), views;
  if (Outcome error = reverseOperands(call, operands))
    return error;
  std::vector<execution::Tensor> scaled;
  if (op == Binary::Mul) {
    if (Outcome error = scaleAll(operands, {}, {}, scaled, views))
      return error;
    return runProduct(call, views);
  }
  llvm::SmallVector<int64_t> multipliers, shifts;
  if (Outcome error = readScales(call, operands.size(), multipliers, shifts))
    return error;
  if (Outcome error = scaleAll(operands, multipliers, shifts, scaled, views))
    return error;
  execution::Tensor sum = wide(call.result().type.shape);
  if (Outcome error = combine(op, views, {}, sum.span()))
    return error;
  return rescale(sum.view(), 1, shifts.size() == 1 ? shifts[0] : 0,
                 call.relu().isOn, call.result());
}

/// Constants are stored as elements of the result.
static bool isStored(const TensorView &operand, const TensorSpan &result) {
  return !isScaled(operand.type) && isScaled(result.type) &&
         operand.type.element == result.type.element;
}

Outcome runQuantizedConcat(const Call &call) {
  const llvm::SmallVector<TensorView> operands = call.present();
  llvm::SmallVector<int64_t> multipliers, shifts;
  if (call.relu().isOn && call.relu().limit >= 0)
    return KernelError{"a relu with a limit, of integers, is not computed"};
  if (Outcome error = readScales(call, operands.size(), multipliers, shifts))
    return error;
  if (!call.attribute("multipliers"))
    for (const TensorView &operand : operands)
      if (!isStored(operand, call.result()) &&
          std::abs(operand.type.scale / call.result().type.scale - 1) > 1e-5)
        return KernelError{"operands and result have different scales"};
  std::vector<execution::Tensor> scaled;
  scaled.reserve(operands.size()); // Views into it stay.
  llvm::SmallVector<TensorView> pieces;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!call.attribute("multipliers") && isStored(operand, call.result())) {
      pieces.push_back(operand);
      pieces.back().type.scale = call.result().type.scale;
      pieces.back().type.zeroPoint = call.result().type.zeroPoint;
      continue;
    }
    execution::TensorType type = call.result().type;
    type.shape = operand.type.shape;
    scaled.emplace_back(type);
    if (Outcome error =
            rescale(operand, multipliers[i], shifts[shifts.size() == 1 ? 0 : i],
                    call.relu().isOn, scaled.back().span()))
      return error;
    pieces.push_back(scaled.back().view());
  }
  return concat(pieces, call.integer("axis", 1), call.result());
}

Outcome runMulShift(const Call &call) {
  if (!call.operand(0))
    return missing();
  Requant requant;
  requant.multipliers = {call.integer("multiplier", 1)};
  requant.shifts = {call.integer("rshift", 0)};
  requant.offset = call.result().type.zeroPoint;
  if (Outcome error = readMode(call, requant))
    return error;
  if (Outcome error = readRounding(call, requant.rounding))
    return error;
  return requantize(*call.operand(0), requant, call.relu().isOn, call.result(),
                    call.operand(0)->type.zeroPoint);
}

/// Three numbers a channel: multiplier, shift to the left, zero point; or two,
/// of which the second has that shift in its low byte and the zero point in its
/// upper half, or is a shift and no more.
static Outcome readChannels(const TensorView &numbers, int64_t channels,
                            llvm::SmallVector<Requant> &to) {
  const int64_t width = numbers.rank() ? numbers.type.shape.back() : 0;
  if (bitsOf(numbers.type.element) != 32 || isFloat(numbers.type.element) ||
      (width != 2 && width != 3) || numbers.elements() != channels * width)
    return KernelError{"the numbers " + describe(numbers.type.shape) +
                       " are not two or three 32 bits for each of " +
                       std::to_string(channels) + " channels"};
  const std::vector<int64_t> all = integersOf(numbers);
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t *own = &all[c * width];
    Requant requant;
    const int64_t low = static_cast<int8_t>(own[1]);
    requant.multipliers = {own[0]};
    requant.shifts = {-(width == 3 ? own[1] : low)};
    if (width == 3)
      requant.offset = own[2];
    else if (own[1] != low)
      requant.offset = static_cast<int32_t>(own[1]) >> 16;
    to.push_back(requant);
  }
  return std::nullopt;
}

/// Of random numbers, ones that keep sums of 256 products in range.
static Outcome channelsOfAxis(const Call &call, int64_t channels,
                              llvm::SmallVector<Requant> &to) {
  if (!call.madeUpWeights)
    return call.operand(1) ? readChannels(*call.operand(1), channels, to)
                           : missing();
  to.assign(channels, madeUpRequant(256));
  for (Requant &requant : to)
    requant.offset = call.result().type.zeroPoint;
  return std::nullopt;
}

Outcome runRequantAxis(const Call &call) {
  const TensorView *input = call.operand(0);
  const TensorSpan &result = call.result();
  if (!input || input->rank() < 2)
    return missing();
  if (input->type.shape != result.type.shape || bitsOf(result.type.element) < 8)
    return KernelError{"channel by channel only bytes of one shape are made"};
  const int64_t channels = input->dim(1);
  llvm::SmallVector<Requant> requants;
  if (Outcome error = channelsOfAxis(call, channels, requants))
    return error;
  const int64_t size = countOf(input->type.shape, 2, input->rank());
  for (int64_t i = 0; i < input->dim(0) * channels; ++i) {
    Requant &requant = requants[i % channels];
    if (Outcome error = readMode(call, requant))
      return error;
    if (Outcome error = readRounding(call, requant.rounding))
      return error;
    TensorView from = *input;
    TensorSpan to = result;
    from.type.shape = to.type.shape = {size};
    const int64_t own = *from.type.bytes(), made = *to.type.bytes();
    from.bytes = from.bytes.slice(i * own, own);
    to.bytes = to.bytes.slice(i * made, made);
    if (Outcome error =
            requantize(from, requant, false, to, input->type.zeroPoint))
      return error;
  }
  return std::nullopt;
}

Outcome runRequantFp(const Call &call) {
  if (!call.operand(0))
    return missing();
  if (!call.attribute("scale"))
    return KernelError{"'scale' is missing"};
  // What the mode says is done in integers; a scale is one in floats.
  auto mode = tpu::readEnum<tpu::RequantModeAttr>(call.attribute("quant_mode"));
  if (mode && *mode != tpu::RequantMode::MultiplierShift &&
      *mode != tpu::RequantMode::OnlyScale)
    return KernelError{"'quant_mode' is no mode that is computed"};
  Rounding rounding = Rounding::HalfAwayFromZero;
  if (Outcome error = readRounding(call, rounding))
    return error;
  execution::Tensor scaled(
      {ElementType::F32, call.operand(0)->type.shape, 1, 0});
  if (Outcome error =
          combineConst(Binary::Mul, raw(*call.operand(0)),
                       call.real("scale", 1), false, {}, scaled.span()))
    return error;
  execution::Tensor moved(scaled.view().type);
  if (Outcome error =
          combineConst(Binary::Add, scaled.view(), call.real("offset", 0),
                       false, {}, moved.span()))
    return error;
  return convert(moved.view(), raw(call.result()), rounding);
}

Outcome runDequantInt(const Call &call) {
  if (!call.operand(0))
    return missing();
  auto mode = tpu::readEnum<tpu::DequantModeAttr>(call.attribute("quant_mode"));
  if (mode && *mode != tpu::DequantMode::Normal)
    return KernelError{"'quant_mode' is no mode that is computed"};
  Requant requant;
  requant.multipliers = {call.integer("multiplier", 1)};
  requant.shifts = {
      saturatedSub(call.integer("shift", 0), call.integer("lshift", 0))};
  if (Outcome error = readRounding(call, requant.rounding))
    return error;
  return requantize(*call.operand(0), requant, false, call.result(),
                    call.operand(0)->type.zeroPoint);
}

TensorView unpacked(const Call &call, const TensorView &weight) {
  TensorView view = weight;
  const ElementType element = view.type.element;
  if (call.integer("weight_bits", 0) != 4 || view.rank() == 0 ||
      (element != ElementType::I8 && element != ElementType::U8))
    return view;
  view.type.element =
      element == ElementType::I8 ? ElementType::I4 : ElementType::U4;
  view.type.shape.back() *= 2;
  return view;
}

} // namespace tpu_mlir::interpreter
