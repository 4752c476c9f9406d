//===- Tensor.cpp - Shapes, views and copies of tensors -------------------===//
//
// Counts elements and bytes with overflow checks, and converts whole tensors
// to and from floats.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Tensor.h"

#include "tpu_mlir/Support/Bytes.h"

#include <atomic>
#include <thread>

namespace tpu_mlir::execution {

std::optional<int64_t> TensorType::elements() const {
  std::optional<int64_t> count = 1;
  for (int64_t dim : shape) {
    count = count && dim >= 0 ? checkedMul(*count, dim) : std::nullopt;
    if (!count)
      return std::nullopt;
  }
  return count;
}

std::optional<int64_t> TensorType::bytes() const {
  std::optional<int64_t> count = elements();
  return count ? bytesOf(element, *count) : std::nullopt;
}

static Outcome checkBytes(const TensorType &type, size_t bytes) {
  std::optional<int64_t> need = type.bytes();
  if (need && *need == static_cast<int64_t>(bytes))
    return std::nullopt;
  return KernelError{describe(type.shape) + "x" + nameOf(type.element) +
                     " does not have " + std::to_string(bytes) + " bytes"};
}

Outcome check(llvm::ArrayRef<TensorView> operands,
              llvm::ArrayRef<TensorSpan> results) {
  for (const TensorView &operand : operands)
    if (Outcome error = checkBytes(operand.type, operand.bytes.size()))
      return error;
  for (const TensorSpan &result : results)
    if (Outcome error = checkBytes(result.type, result.bytes.size()))
      return error;
  return std::nullopt;
}

int64_t countOf(llvm::ArrayRef<int64_t> shape, int64_t first, int64_t last) {
  int64_t count = 1;
  for (int64_t i = first; i < last; ++i)
    count *= shape[i];
  return count;
}

std::string describe(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "a scalar";
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text;
}

std::optional<int64_t> wholeAxis(int64_t axis, int64_t rank) {
  int64_t whole = axis < 0 ? axis + rank : axis;
  if (whole < 0 || whole >= rank)
    return std::nullopt;
  return whole;
}

std::vector<float> floatsOf(const TensorView &view) {
  std::vector<float> values(view.elements());
  readFloats(view.type.element, view.bytes.data(), 0, values.size(),
             values.data());
  return values;
}

std::vector<int64_t> integersOf(const TensorView &view) {
  std::vector<int64_t> values(view.elements());
  readIntegers(view.type.element, view.bytes.data(), 0, values.size(),
               values.data());
  return values;
}

void store(llvm::ArrayRef<float> values, const TensorSpan &result) {
  writeFloats(result.type.element, result.bytes.data(), 0, values.size(),
              values.data());
}

void store(llvm::ArrayRef<int64_t> values, const TensorSpan &result) {
  writeIntegers(result.type.element, result.bytes.data(), 0, values.size(),
                values.data());
}

void parallelFor(int64_t count, unsigned threads,
                 const std::function<void(int64_t)> &body) {
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads && i < count; ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

} // namespace tpu_mlir::execution
