//===- SweepRun.cpp - A result written over operands that are read --------===//

#include "lib/Interpreter/SweepRun.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tpu_mlir::interpreter {

using execution::KernelError;

/// What bytes are that no tensor has written.
static constexpr uint8_t kPoison = 0xCD;
/// Operations that all stretches together may take, and stretches at least.
static constexpr int64_t kMostOps = int64_t(1) << 26;
static constexpr int64_t kLeastStretches = 4;

static int64_t elementsOf(const StoredTensor &tensor) {
  return execution::countOf(tensor.shape, 0, tensor.shape.size());
}

static execution::Shape indexOf(llvm::ArrayRef<int64_t> shape,
                                int64_t element) {
  execution::Shape index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = element % shape[dim];
    element /= shape[dim];
  }
  return index;
}

SweepRun::SweepRun(StoredTensor resultTensor,
                   std::vector<OverlappedOperand> overlapped)
    : result(std::move(resultTensor)), operands(std::move(overlapped)),
      order(elementsOf(result)), hull(result.place) {
  std::iota(order.begin(), order.end(), 0);
  if (result.form.images > 0)
    llvm::stable_sort(order, [&](int64_t a, int64_t b) {
      return result.form.placeOf(a) < result.form.placeOf(b);
    });
  for (const OverlappedOperand &operand : operands)
    hull = {std::min(hull.begin, operand.tensor.place.begin),
            std::max(hull.end, operand.tensor.place.end)};
  memory.assign(hull.length(), kPoison);
  for (const OverlappedOperand &operand : operands)
    llvm::copy(operand.stored, bytesAt(operand.tensor.place).begin());
}

/// An element, or a slot with one of several images: they are one step.
int64_t SweepRun::unitBytes() const {
  return result.form.elementBytes * std::max<int64_t>(result.form.images, 1);
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

std::optional<SweepRun::Late> SweepRun::findLate() const {
  const int64_t unit = unitBytes();
  for (int64_t element : order) {
    const int64_t place = result.form.placeOf(element);
    const int64_t written = result.place.begin + place / unit * unit;
    for (const OverlappedOperand &operand : operands)
      if (auto late = findLate(operand, element, written))
        return late;
  }
  return std::nullopt;
}

/// Bytes from the result's begin to `written` are the result's by now.
std::optional<SweepRun::Late>
SweepRun::findLate(const OverlappedOperand &operand, int64_t element,
                   int64_t written) const {
  const StoredTensor &tensor = operand.tensor;
  const execution::Shape at = indexOf(result.shape, element);
  const size_t rank = tensor.shape.size();
  execution::Shape begin(rank), end(rank);
  int64_t first = 0;
  for (size_t dim = 0; dim < rank; ++dim) {
    const DimRule &rule = operand.rules[dim];
    Interval need{0, tensor.shape[dim]};
    if (rule.kind != DimRule::Kind::Whole)
      need = neededInterval(rule, {at[rule.resultDim], at[rule.resultDim] + 1},
                            need.end);
    if (need.length() <= 0)
      return std::nullopt;
    begin[dim] = need.begin, end[dim] = need.end;
    first = first * tensor.shape[dim] + need.begin;
  }
  // Stored plainly, the first one has the lowest address.
  if (tensor.form.images == 0 &&
      tensor.place.begin + tensor.form.placeOf(first) >= written)
    return std::nullopt;
  execution::Shape index = begin;
  while (true) {
    int64_t flat = 0;
    for (size_t dim = 0; dim < rank; ++dim)
      flat = flat * tensor.shape[dim] + index[dim];
    const int64_t address = tensor.place.begin + tensor.form.placeOf(flat);
    const Interval read{address, address + tensor.form.elementBytes};
    if (read.overlaps({result.place.begin, written}))
      return Late{operand.index, std::max(read.begin, result.place.begin),
                  element};
    size_t dim = rank;
    while (dim > 0 && ++index[dim - 1] == end[dim - 1]) {
      index[dim - 1] = begin[dim - 1];
      --dim;
    }
    if (dim == 0)
      return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Stretch by stretch
//===----------------------------------------------------------------------===//

std::variant<std::vector<uint8_t>, KernelError>
SweepRun::compute(const Call &call, int64_t opsPerElement) {
  const int64_t size = result.form.elementBytes;
  const int64_t count = static_cast<int64_t>(order.size());
  const int64_t work = std::max<int64_t>(1, saturatedMul(count, opsPerElement));
  const int64_t stretches =
      std::clamp(kMostOps / work, std::min(kLeastStretches, count),
                 std::max<int64_t>(1, count));
  const int64_t length = ceilDiv(count, stretches);
  Call part = call;
  execution::Tensor made(call.result().type);
  part.results = {made.span()};
  part.executor = nullptr;
  for (int64_t from = 0; from < count;) {
    std::vector<std::vector<uint8_t>> seen;
    for (const OverlappedOperand &operand : operands) {
      seen.push_back(fromStorage(operand.tensor.form,
                                 bytesAt(operand.tensor.place),
                                 *call.operands[operand.index]->type.bytes()));
      part.operands[operand.index]->bytes = seen.back();
    }
    if (auto error = interpreter::compute(part))
      return *error;
    int64_t to = std::min(count, from + length);
    // To the end of a slot, which is read and written as one.
    while (to < count && result.form.placeOf(order[to]) / unitBytes() ==
                             result.form.placeOf(order[to - 1]) / unitBytes())
      ++to;
    for (; from < to; ++from)
      std::copy_n(made.view().bytes.begin() + order[from] * size, size,
                  bytesAt(result.place).begin() +
                      result.form.placeOf(order[from]));
  }
  return fromStorage(result.form, bytesAt(result.place),
                     *call.result().type.bytes());
}

} // namespace tpu_mlir::interpreter
