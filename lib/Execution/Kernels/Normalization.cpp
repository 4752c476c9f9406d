//===- Normalization.cpp - Compute softmax and normalizations -------------===//
//
// Sums are taken upward in f64, so that a result does not depend on the number
// of threads.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Normalization.h"

#include "Epilogue.h"

#include <cmath>

namespace tpu_mlir::execution {

/// `count` elements `step` apart.
static void softmaxRow(float *row, int64_t count, int64_t step, float beta,
                       bool log) {
  float most = row[0];
  for (int64_t i = 1; i < count; ++i)
    most = std::fmax(most, row[i * step]);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    float &element = row[i * step];
    const float power = beta * (element - most);
    const float e = std::exp(power);
    sum += e;
    element = log ? power : e;
  }
  const float total = static_cast<float>(sum);
  const float logarithm = static_cast<float>(std::log(sum));
  for (int64_t i = 0; i < count; ++i) {
    float &element = row[i * step];
    element = log ? element - logarithm : element / total;
  }
}

/// A negative axis counts from the end; the result has as many elements.
static Outcome findAxis(const TensorView &input, const TensorSpan &result,
                        int64_t axis, int64_t &dim) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  const std::optional<int64_t> found = wholeAxis(axis, input.rank());
  if (!found)
    return KernelError{"there is no axis " + std::to_string(axis)};
  dim = *found;
  return std::nullopt;
}

Outcome softmax(const TensorView &input, int64_t axis, double beta, bool log,
                const TensorSpan &result, unsigned threads) {
  int64_t dim = 0;
  if (Outcome error = findAxis(input, result, axis, dim))
    return error;
  std::vector<float> values = numbersOf(input);
  const int64_t count = input.dim(dim);
  const int64_t inner = countOf(input.type.shape, dim + 1, input.rank());
  if (!values.empty())
    parallelFor(countOf(input.type.shape, 0, dim), threads, [&](int64_t outer) {
      for (int64_t i = 0; i < inner; ++i)
        softmaxRow(values.data() + outer * count * inner + i, count, inner,
                   static_cast<float>(beta), log);
    });
  store(values, result);
  return std::nullopt;
}

namespace {

/// Rows of `length` elements that are brought to mean 0 and variance 1, then
/// scaled. Element i of row r has coefficient (r % parts) * perRow + i / run.
struct Rows {
  int64_t length = 1, parts = 1, perRow = 1, run = 1;
  double eps = 0;
  bool keepsMean = false; ///< Divide by the root of the mean square only.
};

} // namespace

static void normalizeRow(const Rows &rows, int64_t index, float *row,
                         const std::optional<BiasOf> &gamma,
                         const std::optional<BiasOf> &beta) {
  double sum = 0, squares = 0;
  if (!rows.keepsMean)
    for (int64_t i = 0; i < rows.length; ++i)
      sum += row[i];
  const double mean = sum / rows.length;
  for (int64_t i = 0; i < rows.length; ++i)
    squares += (row[i] - mean) * (row[i] - mean);
  const float shift = static_cast<float>(mean);
  const float factor =
      static_cast<float>(1.0 / std::sqrt(squares / rows.length + rows.eps));
  const int64_t first = index % rows.parts * rows.perRow;
  for (int64_t i = 0; i < rows.length; ++i) {
    float value = (row[i] - shift) * factor;
    const int64_t at = first + i / rows.run;
    value = gamma ? value * gamma->at(at) : value;
    row[i] = beta ? value + beta->at(at) : value;
  }
}

static Outcome normalize(const Rows &rows, const TensorView &input,
                         const TensorView *gamma, const TensorView *beta,
                         const TensorSpan &result, unsigned threads) {
  std::optional<BiasOf> factors, shifts;
  if (Outcome error = readBias(gamma, rows.parts * rows.perRow, factors))
    return error;
  if (Outcome error = readBias(beta, rows.parts * rows.perRow, shifts))
    return error;
  std::vector<float> values = numbersOf(input);
  if (!values.empty())
    parallelFor(values.size() / rows.length, threads, [&](int64_t row) {
      normalizeRow(rows, row, values.data() + row * rows.length, factors,
                   shifts);
    });
  store(values, result);
  return std::nullopt;
}

Outcome layerNorm(const TensorView &input, int64_t axis, double eps,
                  const TensorView *gamma, const TensorView *beta,
                  const TensorSpan &result, unsigned threads) {
  int64_t dim = 0;
  if (Outcome error = findAxis(input, result, axis, dim))
    return error;
  Rows rows;
  rows.length = rows.perRow = countOf(input.type.shape, dim, input.rank());
  rows.eps = eps;
  return normalize(rows, input, gamma, beta, result, threads);
}

Outcome rmsNorm(const TensorView &input, double eps, const TensorView *gamma,
                const TensorSpan &result, unsigned threads) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  if (input.rank() < 1)
    return KernelError{"the input has no dimensions"};
  Rows rows;
  rows.length = rows.perRow = input.type.shape.back();
  rows.eps = eps;
  rows.keepsMean = true;
  return normalize(rows, input, gamma, nullptr, result, threads);
}

Outcome groupNorm(const TensorView &input, int64_t groups, double eps,
                  const TensorView *gamma, const TensorView *beta,
                  const TensorSpan &result, unsigned threads) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  if (input.rank() < 2 || groups < 1 || input.dim(1) % groups != 0)
    return KernelError{std::to_string(groups) + " groups do not fit " +
                       describe(input.type.shape)};
  Rows rows;
  rows.parts = groups;
  rows.perRow = input.dim(1) / groups;
  rows.run = countOf(input.type.shape, 2, input.rank());
  rows.length = rows.perRow * rows.run;
  rows.eps = eps;
  return normalize(rows, input, gamma, beta, result, threads);
}

Outcome localResponseNorm(const ChannelSums &how, const TensorView &input,
                          const TensorSpan &result, unsigned threads) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  if (input.rank() < 2 || how.size < 1)
    return KernelError{"there are no channels, or none are summed"};
  const int64_t channels = input.dim(1),
                inner = countOf(input.type.shape, 2, input.rank()),
                before = (how.size - 1) / 2, after = how.size - 1 - before;
  const std::vector<float> values = numbersOf(input);
  std::vector<float> out(values.size());
  parallelFor(input.dim(0) * channels, threads, [&](int64_t plane) {
    const int64_t image = plane / channels, c = plane % channels;
    const int64_t first = std::max<int64_t>(c - before, 0),
                  last = std::min(c + after, channels - 1);
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      for (int64_t other = first; other <= last; ++other) {
        const double x = values[(image * channels + other) * inner + i];
        sum += x * x;
      }
      const double base =
          how.bias + how.alpha / static_cast<double>(how.size) * sum;
      out[plane * inner + i] = static_cast<float>(values[plane * inner + i] /
                                                  std::pow(base, how.beta));
    }
  });
  store(out, result);
  return std::nullopt;
}

Outcome scale(const TensorView &input, const TensorView *factor,
              const TensorView *bias, const FusedRelu &relu,
              const TensorSpan &result) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  if (input.rank() < 2)
    return KernelError{"the input has no channels"};
  const int64_t channels = input.dim(1);
  std::optional<BiasOf> factors, shifts;
  if (Outcome error = readBias(factor, channels, factors))
    return error;
  if (Outcome error = readBias(bias, channels, shifts))
    return error;
  std::vector<float> values = numbersOf(input);
  const int64_t run = countOf(input.type.shape, 2, input.rank());
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t channel = i / run % channels;
    values[i] = finish(factors ? values[i] * factors->at(channel) : values[i],
                       shifts, channel, relu);
  }
  store(values, result);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static double reduced(Reduction kind, double so_far, double element) {
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return so_far + element;
  case Reduction::Max:
    return largerOf(so_far, element);
  case Reduction::Min:
    return smallerOf(so_far, element);
  case Reduction::Product:
    return so_far * element;
  case Reduction::L1:
    return so_far + std::fabs(element);
  case Reduction::L2:
    return so_far + element * element;
  }
  return so_far;
}

static double startOf(Reduction kind) {
  switch (kind) {
  case Reduction::Max:
    return -INFINITY;
  case Reduction::Min:
    return INFINITY;
  case Reduction::Product:
    return 1;
  default:
    return 0;
  }
}

/// For each dimension, how far an element moves on in the result; 0 along what
/// is reduced. nullopt: no such axis.
static std::optional<Shape> keptSteps(const TensorView &input,
                                      llvm::ArrayRef<int64_t> axes) {
  llvm::SmallVector<bool> isReduced(input.rank(), false);
  for (int64_t axis : axes) {
    std::optional<int64_t> dim = wholeAxis(axis, input.rank());
    if (!dim)
      return std::nullopt;
    isReduced[*dim] = true;
  }
  Shape steps(input.rank(), 0);
  int64_t step = 1;
  for (int64_t dim = input.rank() - 1; dim >= 0; --dim)
    if (!isReduced[dim]) {
      steps[dim] = step;
      step *= input.dim(dim);
    }
  return steps;
}

Outcome reduce(Reduction kind, const TensorView &input,
               llvm::ArrayRef<int64_t> axes, const TensorSpan &result) {
  if (Outcome error = check({input}, {result}))
    return error;
  std::optional<Shape> steps = keptSteps(input, axes);
  if (!steps)
    return KernelError{"there is no such axis"};
  int64_t kept = 1;
  for (int64_t dim = 0; dim < input.rank(); ++dim)
    kept *= (*steps)[dim] ? input.dim(dim) : 1;
  if (kept != result.elements())
    return KernelError{"the result has " + std::to_string(result.elements()) +
                       " elements, " + std::to_string(kept) + " are left"};
  const std::vector<float> values = numbersOf(input);
  std::vector<double> totals(kept, startOf(kind));
  Shape at(input.rank(), 0);
  int64_t to = 0;
  for (float value : values) {
    totals[to] = reduced(kind, totals[to], value);
    for (int64_t dim = input.rank() - 1; dim >= 0; --dim) {
      to += (*steps)[dim];
      if (++at[dim] < input.dim(dim))
        break;
      to -= (*steps)[dim] * input.dim(dim);
      at[dim] = 0;
    }
  }
  const double each = kept ? double(values.size()) / kept : 1;
  std::vector<float> finished;
  for (double total : totals)
    finished.push_back(static_cast<float>(kind == Reduction::Mean ? total / each
                                          : kind == Reduction::L2
                                              ? std::sqrt(total)
                                              : total));
  store(finished, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution
