//===- MatMul.cpp - Compute batched matrix products -----------------------===//
//
// Resolves transposes and batch dimensions to the rows and columns that the
// common product works on.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/MatMul.h"

#include "Epilogue.h"
#include "Gemm.h"

#include <functional>

namespace tpu_mlir::execution {

namespace {

/// A tensor as a stack of matrices, by distances in elements.
struct Matrices {
  Shape batch;      ///< Leading dimensions.
  Shape batchSteps; ///< From one matrix to the next along each.
  int64_t rows = 1, columns = 1, rowStep = 0, columnStep = 0;
};

} // namespace

/// `transposed`: the last two dimensions are columns and rows. `inside`: the
/// rows' dimension is the third from the end, and before it stands a batch.
static Matrices matricesOf(Shape shape, bool transposed, bool inside) {
  Shape steps(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    steps[i] = steps[i + 1] * shape[i + 1];
  if (inside) {
    std::swap(shape[shape.size() - 3], shape[shape.size() - 2]);
    std::swap(steps[shape.size() - 3], steps[shape.size() - 2]);
  }
  int64_t row = shape.size() - (transposed ? 1 : 2);
  int64_t column = shape.size() - (transposed ? 2 : 1);
  Matrices result;
  result.rows = shape[row], result.rowStep = steps[row];
  result.columns = shape[column], result.columnStep = steps[column];
  result.batch.assign(shape.begin(), shape.end() - 2);
  result.batchSteps.assign(steps.begin(), steps.end() - 2);
  return result;
}

/// Where matrix `index` of the result's batch begins in `operand`, whose
/// leading dimensions are those of the result from the end, or 1.
static int64_t startOf(const Matrices &operand, const Shape &batch,
                       int64_t index) {
  int64_t start = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    const size_t dim = batch.size() - 1 - i;
    const int64_t at = index % batch[dim];
    index /= batch[dim];
    if (i >= operand.batch.size())
      continue;
    const size_t own = operand.batch.size() - 1 - i;
    if (operand.batch[own] != 1)
      start += at * operand.batchSteps[own];
  }
  return start;
}

static bool spreads(const Shape &batch, const Shape &over) {
  if (batch.size() > over.size())
    return false;
  for (size_t i = 0; i < batch.size(); ++i) {
    int64_t own = batch[batch.size() - 1 - i];
    if (own != 1 && own != over[over.size() - 1 - i])
      return false;
  }
  return true;
}

namespace {

/// One product, its operands as f32.
struct Product {
  Matrices left, right, out;
  std::vector<float> leftValues, rightValues;
  std::optional<BiasOf> bias;
  FusedRelu relu;
  std::optional<Requant> requant;
  std::vector<int64_t> integerBias; ///< One a column, with `requant`.
};

/// Elements of a result: floats, or integers with `requant`.
struct Elements {
  std::vector<float> floats;
  std::vector<int64_t> integers;
};

} // namespace

/// Sums of kDepth products of 8 bits are exact in f32, and are added up in 64
/// bits.
template <typename Pack>
static std::vector<int64_t> multiplyIntegers(int64_t rows, int64_t columns,
                                             int64_t depth, const float *a,
                                             int64_t lda, const Pack &pack) {
  std::vector<int64_t> sums(rows * columns);
  std::vector<float> part(sums.size());
  for (int64_t from = 0; from < depth; from += kDepth) {
    multiply(
        rows, columns, std::min(kDepth, depth - from), a + from, lda,
        part.data(), columns,
        [&](int64_t begin, int64_t end, int64_t column, int64_t width,
            float *to) { pack(from + begin, from + end, column, width, to); });
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<int64_t>(part[i]);
  }
  return sums;
}

/// The rows [first, last) of matrix `batch`.
static void multiplyRows(const Product &product, int64_t batch, int64_t first,
                         int64_t last, Elements &elements) {
  const Matrices &left = product.left, &right = product.right;
  const float *from =
      product.leftValues.data() + startOf(left, product.out.batch, batch);
  const int64_t depth = left.columns, columns = right.columns;
  // Rows of the left side as the product reads them: one after the other.
  std::vector<float> rows;
  int64_t lda = left.rowStep;
  const float *a = from + first * left.rowStep;
  if (left.columnStep != 1 && depth > 0) {
    rows.resize((last - first) * depth);
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t i = first; i < last; ++i)
        rows[(i - first) * depth + k] =
            from[i * left.rowStep + k * left.columnStep];
    a = rows.data();
    lda = depth;
  }
  const float *b =
      product.rightValues.data() + startOf(right, product.out.batch, batch);
  auto pack = [&](int64_t begin, int64_t end, int64_t column, int64_t width,
                  float *to) {
    for (int64_t k = begin; k < end; ++k)
      for (int64_t j = 0; j < width; ++j)
        to[(k - begin) * kPanel + j] =
            b[k * right.rowStep + (column + j) * right.columnStep];
  };
  const int64_t start = startOf(product.out, product.out.batch, batch);
  auto placeOf = [&](int64_t i, int64_t j) {
    return start + i * product.out.rowStep + j * product.out.columnStep;
  };
  if (product.requant) {
    const auto sums =
        multiplyIntegers(last - first, columns, depth, a, lda, pack);
    for (int64_t i = first; i < last; ++i)
      for (int64_t j = 0; j < columns; ++j)
        elements.integers[placeOf(i, j)] =
            finish(sums[(i - first) * columns + j], product.integerBias, j,
                   *product.requant, product.relu);
    return;
  }
  std::vector<float> sums((last - first) * columns);
  multiply(last - first, columns, depth, a, lda, sums.data(), columns, pack);
  for (int64_t i = first; i < last; ++i)
    for (int64_t j = 0; j < columns; ++j)
      elements.floats[placeOf(i, j)] = finish(sums[(i - first) * columns + j],
                                              product.bias, j, product.relu);
}

static Outcome checkProduct(const Product &product) {
  const Matrices &left = product.left, &right = product.right;
  if (left.columns != right.rows)
    return KernelError{"the left side has " + std::to_string(left.columns) +
                       " columns, the right side " +
                       std::to_string(right.rows) + " rows"};
  if (product.out.rows != left.rows || product.out.columns != right.columns)
    return KernelError{"the result has " + std::to_string(product.out.rows) +
                       "x" + std::to_string(product.out.columns) +
                       " elements a matrix, the product " +
                       std::to_string(left.rows) + "x" +
                       std::to_string(right.columns)};
  if (!spreads(left.batch, product.out.batch) ||
      !spreads(right.batch, product.out.batch))
    return KernelError{"the leading dimensions do not fit each other"};
  return std::nullopt;
}

static void compute(const Product &product, const TensorSpan &result,
                    unsigned threads) {
  Elements elements;
  if (product.requant)
    elements.integers.resize(result.elements());
  else
    elements.floats.resize(result.elements());
  const int64_t batches =
      countOf(product.out.batch, 0, product.out.batch.size());
  // Few rows would pack the right side again for each block of them.
  const int64_t blocks = std::clamp<int64_t>(product.out.rows / 64, 1, threads);
  parallelFor(batches * blocks, threads, [&](int64_t task) {
    const int64_t block = task % blocks;
    multiplyRows(product, task / blocks, product.out.rows * block / blocks,
                 product.out.rows * (block + 1) / blocks, elements);
  });
  if (product.requant)
    store(elements.integers, result);
  else
    store(elements.floats, result);
}

Outcome matMul(const MatMul &how, const TensorView &left,
               const TensorView &right, const TensorView *bias,
               const TensorSpan &result, unsigned threads) {
  if (Outcome error = check({left, right}, {result}))
    return error;
  if (left.rank() < 1 || right.rank() < 1)
    return KernelError{"an operand has no dimensions"};
  Shape leftShape = left.type.shape, rightShape = right.type.shape,
        outShape = result.type.shape;
  if (leftShape.size() == 1) {
    leftShape.insert(leftShape.begin(), 1);
    outShape.insert(outShape.end() - (right.rank() > 1 && !outShape.empty()),
                    1);
  }
  if (rightShape.size() == 1) {
    rightShape.push_back(1);
    outShape.push_back(1);
  }
  const size_t least = how.headsInside ? 3 : 2;
  if (std::min({leftShape.size(), rightShape.size(), outShape.size()}) < least)
    return KernelError{"an operand or the result has too few dimensions"};
  Product product{matricesOf(leftShape, how.leftTranspose, how.headsInside),
                  matricesOf(rightShape, how.rightTranspose, how.headsInside),
                  matricesOf(outShape, how.outputTranspose, how.headsInside),
                  {},
                  {},
                  std::nullopt,
                  how.relu,
                  how.requant,
                  {}};
  if (Outcome error = checkProduct(product))
    return error;
  const int64_t columns = product.out.columns;
  if (Outcome error =
          how.requant ? readIntegers(*how.requant, how.relu, left, right, bias,
                                     columns, result, product.integerBias)
                      : readBias(bias, columns, product.bias))
    return error;
  if (!how.requant) {
    product.leftValues = numbersOf(left);
    product.rightValues = numbersOf(right);
  } else if (Outcome error =
                 readDifferences(left, how.leftZeroPoint, product.leftValues)) {
    return error;
  } else if (Outcome error = readDifferences(right, how.rightZeroPoint,
                                             product.rightValues)) {
    return error;
  }
  compute(product, result, threads);
  return std::nullopt;
}

} // namespace tpu_mlir::execution
