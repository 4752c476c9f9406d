//===- QuantizedLayers.cpp - Layers of integers with factors of theirs ----===//

#include "lib/Interpreter/Kernels/Quantized.h"

#include "tpu_mlir/Support/Bytes.h"

namespace tpu_mlir::interpreter {

using namespace execution;

Outcome runQuantizedLeakyRelu(const Call &call) {
  const TensorView &input = *call.operand(0);
  Requant negative, positive;
  const bool both = call.attribute("multiplier_neg") != nullptr;
  negative.multipliers = {
      call.integer(both ? "multiplier_neg" : "multiplier", 1)};
  negative.shifts = {call.integer(both ? "rshift_neg" : "rshift", 0)};
  positive.multipliers = {both ? call.integer("multiplier", 1) : 1};
  positive.shifts = {both ? call.integer("rshift", 0) : 0};
  call.attribute("alpha"); // The factors say it.
  if (!call.attribute("multiplier"))
    return KernelError{"integers without a multiplier"};
  if (Outcome error = readRounding(call, negative.rounding))
    return error;
  positive.rounding = negative.rounding;
  for (const Requant &requant : {negative, positive})
    if (Outcome error = checkRequant(requant, 1))
      return error;
  std::vector<int64_t> values = integersOf(input);
  for (int64_t &value : values) {
    value -= input.type.zeroPoint;
    value = (value < 0 ? negative : positive).apply(value, 0) +
            call.result().type.zeroPoint;
  }
  if (input.elements() != call.result().elements())
    return KernelError{"operand and result have different sizes"};
  store(llvm::ArrayRef<int64_t>(values), raw(call.result()));
  return std::nullopt;
}

/// The number of a channel, or the one for all.
static int64_t ofChannel(llvm::ArrayRef<int64_t> list, int64_t channel) {
  return list.empty() ? 0 : list[list.size() == 1 ? 0 : channel];
}

Outcome runQuantizedScale(const Call &call) {
  const TensorView *input = call.operand(0), *factor = call.operand(1),
                   *bias = call.operand(2), *shift = call.operand(3);
  if (!input || !factor || !shift || input->rank() < 2)
    return missing();
  if (call.relu().limit >= 0)
    return KernelError{"a relu with a limit, of integers, is not computed"};
  const int64_t channels = input->dim(1);
  for (const TensorView *list : {factor, bias, shift})
    if (list && (isFloat(list->type.element) ||
                 (list->elements() != channels && list->elements() != 1)))
      return KernelError{"there is no integer for each channel"};
  if (input->type.shape != call.result().type.shape)
    return KernelError{"operand and result have different shapes"};
  const std::vector<int64_t> factors = integersOf(*factor),
                             shifts = integersOf(*shift);
  std::vector<int64_t> addends, values = integersOf(*input);
  if (bias)
    addends = integersOf(*bias);
  const int64_t size = countOf(input->type.shape, 2, input->rank());
  const int64_t zero = call.result().type.zeroPoint;
  for (auto [i, value] : llvm::enumerate(values)) {
    const int64_t c = static_cast<int64_t>(i) / size % channels;
    value =
        shiftRounded((value - input->type.zeroPoint) * ofChannel(factors, c) +
                         ofChannel(addends, c),
                     -ofChannel(shifts, c), Rounding::HalfAwayFromZero);
    value = saturatedAdd(call.relu().isOn ? std::max<int64_t>(value, 0) : value,
                         zero);
  }
  store(llvm::ArrayRef<int64_t>(values), raw(call.result()));
  return std::nullopt;
}

} // namespace tpu_mlir::interpreter
