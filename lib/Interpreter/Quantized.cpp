//===- Quantized.cpp - Ops on integers that stand for numbers -------------===//

#include "lib/Interpreter/Quantized.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"
#include "tpu_mlir/Execution/Movement.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir {

using namespace execution;

static bool isScaled(const execution::TensorType &type) {
  return type.scale != 1 || type.zeroPoint != 0;
}

bool isQuantized(const Call &call) {
  return isScaled(call.result().type) ||
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

Outcome checkSymmetric(const Call &call) {
  bool isShifted = call.result().type.zeroPoint != 0;
  for (const TensorView &operand : call.present())
    isShifted |= operand.type.zeroPoint != 0;
  if (isShifted)
    return KernelError{"there is no arithmetic with zero points yet"};
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
  if (numbers.empty() && call.op->hasAttr(name))
    numbers.push_back(call.integer(name, 0));
  return numbers;
}

static Outcome readRounding(const Call &call, Requant &requant) {
  Attribute attribute = call.op->getAttr("round_mode");
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
      requant.rounding = rounding;
      return std::nullopt;
    }
  return KernelError{"'round_mode' is no mode that is known"};
}

static Outcome readMode(const Call &call, Requant &requant) {
  Attribute attribute = call.op->getAttr("quant_mode");
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
  if (Outcome error = checkSymmetric(call))
    return error;
  if (!isThere) {
    if (!call.madeUpWeights)
      return KernelError{"multipliers and shifts are among the coefficients, "
                         "which are not read there"};
    to = madeUpRequant(terms);
    return std::nullopt;
  }
  if (requant.multipliers.empty())
    requant.multipliers = {1};
  if (requant.shifts.empty())
    requant.shifts = {0};
  if (Outcome error = readMode(call, requant))
    return error;
  if (Outcome error = readRounding(call, requant))
    return error;
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

static Outcome rescale(const TensorView &input, int64_t multiplier,
                       int64_t shift, Rounding rounding, bool relu,
                       const TensorSpan &result) {
  Requant requant;
  requant.multipliers = {multiplier};
  requant.shifts = {shift};
  requant.rounding = rounding;
  return requantize(input, requant, relu, result);
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
                 call.integer("rshift", 0), Rounding::HalfAwayFromZero,
                 call.relu().isOn, raw(call.result()));
}

/// With a shift for each operand these are rescaled one by one; with one shift
/// products are added up and shifted once.
Outcome runQuantizedBinary(const Call &call, Binary op) {
  if (Outcome error = checkSymmetric(call))
    return error;
  if (op == Binary::Div || call.relu().limit >= 0)
    return KernelError{"a quotient, or a relu with a limit, of integers is not "
                       "computed"};
  llvm::SmallVector<TensorView> operands;
  for (const TensorView &operand : call.present())
    operands.push_back(raw(operand));
  if (call.flag("is_reverse") && operands.size() == 2)
    std::swap(operands[0], operands[1]);
  if (op == Binary::Mul)
    return runProduct(call, operands);
  llvm::SmallVector<int64_t> multipliers, shifts;
  if (Outcome error = readScales(call, operands.size(), multipliers, shifts))
    return error;
  const bool isShared = shifts.size() == 1;
  std::vector<execution::Tensor> scaled;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    scaled.push_back(wide(operand.type.shape));
    if (Outcome error =
            rescale(operand, multipliers[i], isShared ? 0 : shifts[i],
                    Rounding::HalfAwayFromZero, false, scaled.back().span()))
      return error;
  }
  operands.clear();
  for (const execution::Tensor &tensor : scaled)
    operands.push_back(tensor.view());
  execution::Tensor sum = wide(call.result().type.shape);
  if (Outcome error = combine(op, operands, {}, sum.span()))
    return error;
  return rescale(sum.view(), 1, isShared ? shifts[0] : 0,
                 Rounding::HalfAwayFromZero, call.relu().isOn,
                 raw(call.result()));
}

Outcome runQuantizedConcat(const Call &call) {
  if (Outcome error = checkSymmetric(call))
    return error;
  const llvm::SmallVector<TensorView> operands = call.present();
  llvm::SmallVector<int64_t> multipliers, shifts;
  if (Outcome error = readScales(call, operands.size(), multipliers, shifts))
    return error;
  if (!call.op->hasAttr("multipliers"))
    for (const TensorView &operand : operands)
      if (std::abs(operand.type.scale / call.result().type.scale - 1) > 1e-5)
        return KernelError{"operands and result have different scales"};
  std::vector<execution::Tensor> scaled;
  scaled.reserve(operands.size()); // Views into it stay.
  llvm::SmallVector<TensorView> pieces;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    execution::TensorType type = operand.type;
    type.element = call.result().type.element;
    scaled.emplace_back(type);
    if (Outcome error = rescale(
            operand, multipliers[i], shifts[shifts.size() == 1 ? 0 : i],
            Rounding::HalfAwayFromZero, call.relu().isOn, scaled.back().span()))
      return error;
    pieces.push_back(scaled.back().view());
  }
  return concat(pieces, call.integer("axis", 1), call.result());
}

Outcome runMulShift(const Call &call) {
  if (!call.operand(0))
    return missing();
  if (Outcome error = checkSymmetric(call))
    return error;
  Requant requant;
  requant.multipliers = {call.integer("multiplier", 1)};
  requant.shifts = {call.integer("rshift", 0)};
  if (Outcome error = readRounding(call, requant))
    return error;
  return requantize(*call.operand(0), requant, call.relu().isOn, call.result());
}

} // namespace tpu_mlir
