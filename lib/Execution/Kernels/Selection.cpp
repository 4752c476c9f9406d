//===- Selection.cpp - Compute comparisons, gathers and scatters ----------===//
//
// An index is checked against the shape before it is used.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Selection.h"

#include "Epilogue.h"
#include "Spread.h"

#include <cstring>

namespace tpu_mlir::execution {

//===----------------------------------------------------------------------===//
// Place by place
//===----------------------------------------------------------------------===//

/// The numbers of an operand, one for each element of the result; f64 holds
/// them all.
static Outcome spreadOver(const TensorView &operand, const TensorSpan &result,
                          std::vector<double> &to) {
  if (Outcome error = check({operand}, {result}))
    return error;
  const auto steps = spreadSteps(operand.type.shape, result.type.shape);
  if (!steps)
    return KernelError{describe(operand.type.shape) + " does not spread over " +
                       describe(result.type.shape)};
  const std::vector<double> own = exactNumbers(operand);
  const int64_t length = result.rank() ? result.type.shape.back() : 1;
  const int64_t step = result.rank() ? steps->back() : 0;
  to.resize(result.elements());
  if (to.empty())
    return std::nullopt;
  forEachRow(result.type.shape, *steps, [&](int64_t from, int64_t place) {
    for (int64_t i = 0; i < length; ++i)
      to[place + i] = own[from + i * step];
  });
  return std::nullopt;
}

static bool holds(Comparison how, double left, double right) {
  switch (how) {
  case Comparison::Equal:
    return left == right;
  case Comparison::NotEqual:
    return left != right;
  case Comparison::Less:
    return left < right;
  case Comparison::LessOrEqual:
    return left <= right;
  case Comparison::Greater:
    return left > right;
  case Comparison::GreaterOrEqual:
    return left >= right;
  case Comparison::And:
    return left != 0 && right != 0;
  case Comparison::Or:
    return left != 0 || right != 0;
  case Comparison::Xor:
    return (left != 0) != (right != 0);
  }
  return false;
}

Outcome compare(Comparison how, const TensorView &left, const TensorView &right,
                const TensorSpan &result) {
  std::vector<double> a, b;
  if (Outcome error = spreadOver(left, result, a))
    return error;
  if (Outcome error = spreadOver(right, result, b))
    return error;
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = holds(how, a[i], b[i]) ? 1 : 0;
  storeNumbers(a, result);
  return std::nullopt;
}

Outcome select(const TensorView &condition, const TensorView &yes,
               const TensorView &no, const TensorSpan &result) {
  std::vector<double> chosen, a, b;
  if (Outcome error = spreadOver(condition, result, chosen))
    return error;
  if (Outcome error = spreadOver(yes, result, a))
    return error;
  if (Outcome error = spreadOver(no, result, b))
    return error;
  for (size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = chosen[i] != 0 ? a[i] : b[i];
  storeNumbers(chosen, result);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// By indices
//===----------------------------------------------------------------------===//

static Outcome wholeIndex(int64_t &index, int64_t size) {
  if (index < -size || index >= size)
    return KernelError{"index " + std::to_string(index) + " into " +
                       std::to_string(size) + " elements"};
  index += index < 0 ? size : 0;
  return std::nullopt;
}

/// For each index the element of `shape` that it names along `axis`, in the
/// place of the index in all other dimensions.
static Outcome placesAlong(llvm::ArrayRef<int64_t> shape,
                           const TensorView &indices, int64_t axis,
                           std::vector<int64_t> &places) {
  const std::optional<int64_t> dim = wholeAxis(axis, shape.size());
  bool fits = dim && indices.rank() == static_cast<int64_t>(shape.size());
  for (int64_t i = 0; fits && i < indices.rank(); ++i)
    fits = i == *dim || indices.dim(i) <= shape[i];
  if (!fits)
    return KernelError{"indices " + describe(indices.type.shape) +
                       " do not fit " + describe(shape)};
  places = integersOf(indices);
  for (size_t i = 0; i < places.size(); ++i) {
    if (Outcome error = wholeIndex(places[i], shape[*dim]))
      return error;
    int64_t rest = static_cast<int64_t>(i), step = 1, place = 0;
    for (int64_t d = indices.rank() - 1; d >= 0; --d) {
      place += (d == *dim ? places[i] : rest % indices.dim(d)) * step;
      rest /= indices.dim(d);
      step *= shape[d];
    }
    places[i] = place;
  }
  return std::nullopt;
}

/// For each row of indices where the slice begins that it names, in elements.
static Outcome placesOfSlices(llvm::ArrayRef<int64_t> shape,
                              const TensorView &indices,
                              std::vector<int64_t> &places, int64_t &length) {
  const int64_t rank = shape.size();
  const int64_t depth = indices.rank() ? indices.type.shape.back() : 0;
  if (depth < 1 || depth > rank)
    return KernelError{"indices " + describe(indices.type.shape) +
                       " do not fit " + describe(shape)};
  length = countOf(shape, depth, rank);
  std::vector<int64_t> rows = integersOf(indices);
  places.assign(rows.size() / depth, 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t dim = static_cast<int64_t>(i) % depth;
    if (Outcome error = wholeIndex(rows[i], shape[dim]))
      return error;
    places[i / depth] += rows[i] * countOf(shape, dim + 1, rank);
  }
  return std::nullopt;
}

/// Runs of `length` elements: run i of `to` is that at places[i] of the input.
static Outcome gatherRuns(const TensorView &input,
                          llvm::ArrayRef<int64_t> places, int64_t length,
                          const TensorSpan &result) {
  int64_t bytes = 0;
  if (Outcome error = elementBytes({input}, result, bytes))
    return error;
  if (static_cast<int64_t>(places.size()) * length != result.elements())
    return KernelError{"the result " + describe(result.type.shape) +
                       " does not have the elements that are picked"};
  for (size_t i = 0; i < places.size() && length > 0; ++i)
    std::memcpy(result.bytes.data() + i * length * bytes,
                input.bytes.data() + places[i] * bytes, length * bytes);
  return std::nullopt;
}

static Outcome scatterRuns(const TensorView &input,
                           llvm::ArrayRef<int64_t> places, int64_t length,
                           const TensorView &updates,
                           const TensorSpan &result) {
  int64_t bytes = 0;
  if (Outcome error = elementBytes({input, updates}, result, bytes))
    return error;
  if (input.bytes.size() != result.bytes.size() ||
      static_cast<int64_t>(places.size()) * length != updates.elements())
    return KernelError{"updates " + describe(updates.type.shape) + " of " +
                       describe(input.type.shape) + " do not make " +
                       describe(result.type.shape)};
  std::copy(input.bytes.begin(), input.bytes.end(), result.bytes.begin());
  for (size_t i = 0; i < places.size() && length > 0; ++i)
    std::memcpy(result.bytes.data() + places[i] * bytes,
                updates.bytes.data() + i * length * bytes, length * bytes);
  return std::nullopt;
}

Outcome gatherElements(const TensorView &input, const TensorView &indices,
                       int64_t axis, const TensorSpan &result) {
  if (Outcome error = check({input, indices}, {}))
    return error;
  std::vector<int64_t> places;
  if (Outcome error = placesAlong(input.type.shape, indices, axis, places))
    return error;
  return gatherRuns(input, places, 1, result);
}

Outcome scatterElements(const TensorView &input, const TensorView &indices,
                        const TensorView &updates, int64_t axis,
                        const TensorSpan &result) {
  if (Outcome error = check({input, indices}, {}))
    return error;
  std::vector<int64_t> places;
  if (Outcome error = placesAlong(input.type.shape, indices, axis, places))
    return error;
  return scatterRuns(input, places, 1, updates, result);
}

Outcome gatherSlices(const TensorView &input, const TensorView &indices,
                     int64_t batchDims, const TensorSpan &result) {
  if (Outcome error = check({input, indices}, {}))
    return error;
  if (batchDims < 0 || batchDims >= indices.rank() ||
      batchDims > input.rank() ||
      !std::equal(input.type.shape.begin(),
                  input.type.shape.begin() + batchDims,
                  indices.type.shape.begin()))
    return KernelError{"the first " + std::to_string(batchDims) +
                       " dimensions of " + describe(input.type.shape) +
                       " are not those of " + describe(indices.type.shape)};
  std::vector<int64_t> places;
  int64_t length = 1;
  const auto one = llvm::ArrayRef(input.type.shape).drop_front(batchDims);
  if (Outcome error = placesOfSlices(one, indices, places, length))
    return error;
  const int64_t batches = countOf(input.type.shape, 0, batchDims);
  const int64_t elements = countOf(one, 0, one.size());
  for (size_t i = 0; i < places.size(); ++i)
    places[i] += static_cast<int64_t>(i) /
                 (static_cast<int64_t>(places.size()) / batches) * elements;
  return gatherRuns(input, places, length, result);
}

Outcome scatterSlices(const TensorView &input, const TensorView &indices,
                      const TensorView &updates, const TensorSpan &result) {
  if (Outcome error = check({input, indices}, {}))
    return error;
  std::vector<int64_t> places;
  int64_t length = 1;
  if (Outcome error = placesOfSlices(input.type.shape, indices, places, length))
    return error;
  return scatterRuns(input, places, length, updates, result);
}

} // namespace tpu_mlir::execution
