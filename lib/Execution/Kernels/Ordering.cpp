//===- Ordering.cpp - Compute sorts, extremes and running sums ------------===//
//
// Stable, and exact for integers of all widths; NaN comes after every number,
// and is both the largest and the smallest one.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Ordering.h"

#include "Epilogue.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tpu_mlir::execution {

namespace {

/// Rows along an axis: element i of row r is at start(r) + i * inner.
struct Rows {
  int64_t count = 0, length = 0, inner = 1;
  int64_t start(int64_t row) const {
    return row / inner * inner * length + row % inner;
  }
};

} // namespace

static std::optional<Rows> rowsOf(const TensorType &type, int64_t axis) {
  std::optional<int64_t> dim = wholeAxis(axis, type.rank());
  if (!dim)
    return std::nullopt;
  Rows rows;
  rows.length = type.shape[*dim];
  rows.inner = countOf(type.shape, *dim + 1, type.rank());
  rows.count = countOf(type.shape, 0, *dim) * rows.inner;
  return rows;
}

static bool comesBefore(double a, double b, bool falling) {
  if (std::isnan(a) || std::isnan(b))
    return !std::isnan(a) && std::isnan(b);
  return falling ? a > b : a < b;
}

/// Whether `a` is more extreme, or as extreme and `last` is asked for.
static bool replaces(double a, double b, bool largest, bool last) {
  if (std::isnan(b))
    return last && std::isnan(a);
  if (a == b)
    return last;
  return std::isnan(a) || (largest ? a > b : a < b);
}

/// The rows of a result: those of the input, of the same shape but along the
/// axis, where there are at most as many elements.
static Outcome resultRows(const TensorView &input, int64_t axis,
                          const TensorSpan *result, std::optional<Rows> &to) {
  if (!result)
    return std::nullopt;
  if (Outcome error = check({}, {*result}))
    return error;
  Shape expected = input.type.shape;
  to = result->rank() == input.rank() ? rowsOf(result->type, axis)
                                      : std::nullopt;
  if (to)
    expected[*wholeAxis(axis, input.rank())] =
        std::min(to->length, expected[*wholeAxis(axis, input.rank())]);
  if (!to || expected != result->type.shape)
    return KernelError{"the result " + describe(result->type.shape) +
                       " is no part of the rows of " +
                       describe(input.type.shape)};
  return std::nullopt;
}

Outcome sortRows(const TensorView &input, int64_t axis, bool falling,
                 const TensorSpan *values, const TensorSpan *indices) {
  if (Outcome error = check({input}, {}))
    return error;
  const std::optional<Rows> from = rowsOf(input.type, axis);
  if (!from)
    return KernelError{"there is no axis " + std::to_string(axis)};
  std::optional<Rows> results[2];
  for (auto [index, span] : {std::pair(0, values), std::pair(1, indices)})
    if (Outcome error = resultRows(input, axis, span, results[index]))
      return error;
  const std::vector<double> numbers = exactNumbers(input);
  std::vector<double> kept(values ? values->elements() : 0);
  std::vector<int64_t> places(indices ? indices->elements() : 0);
  std::vector<int64_t> order(from->length);
  for (int64_t row = 0; row < from->count; ++row) {
    auto at = [&](int64_t i) {
      return numbers[from->start(row) + i * from->inner];
    };
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return comesBefore(at(a), at(b), falling);
    });
    for (int64_t i = 0; values && i < results[0]->length; ++i)
      kept[results[0]->start(row) + i * results[0]->inner] = at(order[i]);
    for (int64_t i = 0; indices && i < results[1]->length; ++i)
      places[results[1]->start(row) + i * results[1]->inner] = order[i];
  }
  if (values)
    storeNumbers(kept, *values);
  if (indices)
    store(places, *indices);
  return std::nullopt;
}

Outcome findExtreme(const TensorView &input, int64_t axis, bool largest,
                    bool last, const TensorSpan *values,
                    const TensorSpan *indices) {
  if (Outcome error = check({input}, {}))
    return error;
  const std::optional<Rows> rows = rowsOf(input.type, axis);
  if (!rows || rows->length < 1)
    return KernelError{"there is nothing along axis " + std::to_string(axis)};
  for (const TensorSpan *span : {values, indices}) {
    if (!span)
      continue;
    if (Outcome error = check({}, {*span}))
      return error;
    if (span->elements() != rows->count)
      return KernelError{"the result " + describe(span->type.shape) +
                         " does not have an element for each row of " +
                         describe(input.type.shape)};
  }
  const std::vector<double> numbers = exactNumbers(input);
  std::vector<double> found(rows->count);
  std::vector<int64_t> places(rows->count);
  for (int64_t row = 0; row < rows->count; ++row) {
    auto at = [&](int64_t i) {
      return numbers[rows->start(row) + i * rows->inner];
    };
    for (int64_t i = 1; i < rows->length; ++i)
      if (replaces(at(i), at(places[row]), largest, last))
        places[row] = i;
    found[row] = at(places[row]);
  }
  if (values)
    storeNumbers(found, *values);
  if (indices)
    store(places, *indices);
  return std::nullopt;
}

Outcome cumulativeSum(const TensorView &input, int64_t axis,
                      const TensorSpan &result) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  const std::optional<Rows> rows = rowsOf(input.type, axis);
  if (!rows)
    return KernelError{"there is no axis " + std::to_string(axis)};
  std::vector<float> values = floatsOf(input);
  for (int64_t row = 0; row < rows->count; ++row)
    for (int64_t i = 1; i < rows->length; ++i) {
      float *at = values.data() + rows->start(row) + i * rows->inner;
      *at += at[-rows->inner];
    }
  store(values, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution
