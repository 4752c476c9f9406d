//===- Float8.cpp - Floats of 8 bits that have a scale --------------------===//

#include "lib/Interpreter/Kernels/Float8.h"

namespace tpu_mlir::interpreter {

using namespace execution;

bool hasFactors(const Call &call, llvm::StringRef name) {
  return call.result().type.element == ElementType::F8E4M3 &&
         call.attribute(name);
}

/// The number, or the list.
static llvm::SmallVector<double> factorsOf(const Call &call,
                                           llvm::StringRef name) {
  llvm::SmallVector<double> factors = call.reals(name);
  if (factors.empty())
    factors.push_back(call.real(name, 1));
  return factors;
}

Outcome runScaled(const Call &call, llvm::StringRef name,
                  llvm::function_ref<Outcome(const TensorSpan &)> compute) {
  const TensorSpan &result = call.result();
  const llvm::SmallVector<double> factors = factorsOf(call, name);
  if (call.relu().isOn && call.relu().limit >= 0)
    return KernelError{"a relu with a limit, in front of a scale, is not "
                       "computed"};
  const int64_t channels = result.rank() > 1 ? result.dim(1) : 1;
  const int64_t last = call.firstChannel + channels;
  if (factors.size() > 1 && last > static_cast<int64_t>(factors.size()))
    return KernelError{"'" + name.str() + "' has " +
                       std::to_string(factors.size()) + " numbers for " +
                       std::to_string(last) + " channels"};
  execution::Tensor sums({ElementType::F32, result.type.shape, 1, 0});
  if (Outcome error = compute(sums.span()))
    return error;
  std::vector<float> values = floatsOf(sums.view());
  const int64_t size =
      result.rank() > 1 ? countOf(result.type.shape, 2, result.rank()) : 1;
  for (auto [i, value] : llvm::enumerate(values)) {
    const int64_t channel =
        call.firstChannel + static_cast<int64_t>(i) / size % channels;
    value =
        static_cast<float>(value * factors[factors.size() == 1 ? 0 : channel]);
  }
  store(llvm::ArrayRef<float>(values), result);
  return std::nullopt;
}

Outcome runScaledSum(const Call &call, Binary op) {
  llvm::SmallVector<TensorView> operands = call.present(), views;
  const llvm::SmallVector<double> factors = factorsOf(call, "f8_scales");
  if (factors.size() != operands.size())
    return KernelError{"'f8_scales' has " + std::to_string(factors.size()) +
                       " numbers for " + std::to_string(operands.size()) +
                       " operands"};
  std::vector<execution::Tensor> scaled;
  for (auto [operand, factor] : llvm::zip_equal(operands, factors)) {
    scaled.emplace_back(TensorType{ElementType::F32, operand.type.shape, 1, 0});
    if (Outcome error = combineConst(Binary::Mul, operand, factor, false, {},
                                     scaled.back().span()))
      return error;
  }
  for (const execution::Tensor &tensor : scaled)
    views.push_back(tensor.view());
  if (call.flag("is_reverse") && views.size() == 2)
    std::swap(views[0], views[1]);
  return combine(op, views, call.relu(), call.result());
}

} // namespace tpu_mlir::interpreter
