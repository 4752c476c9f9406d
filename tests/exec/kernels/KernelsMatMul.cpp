//===- KernelsMatMul.cpp - Products of matrices ---------------------------===//

#include "tests/exec/kernels/KernelSupport.h"

#include <functional>

using llvm::SmallVector;

namespace tpu_mlir::exec {

namespace {

/// result[m][n] = sum over k of left[m][k] * right[k][n], for one of a number
/// of products. Flat element (m, k) of the left operand is leftBase + m *
/// leftRow + k * leftStep, and so on.
struct Product {
  int64_t leftBase = 0, rightBase = 0, resultBase = 0;
};
struct Products {
  int64_t m = 1, k = 1, n = 1;
  int64_t leftRow = 1, leftStep = 1;
  int64_t rightRow = 1, rightStep = 1; ///< From k to k + 1; from n to n + 1.
  int64_t resultRow = 1, resultStep = 1;
  std::vector<Product> each;
};

/// The matrix operands' last two dimensions and the number of products.
struct Matrix {
  int64_t rows = 1, columns = 1;
  std::vector<int64_t> leading;
};

} // namespace

static Matrix matrixOf(const std::vector<int64_t> &dims) {
  Matrix result;
  if (dims.empty())
    return result;
  result.columns = dims.back();
  if (dims.size() > 1)
    result.rows = dims[dims.size() - 2];
  if (dims.size() > 2)
    result.leading.assign(dims.begin(), dims.end() - 2);
  return result;
}

static int64_t product(llvm::ArrayRef<int64_t> dims) {
  int64_t result = 1;
  for (int64_t size : dims)
    result *= size;
  return result;
}

/// Heads between rows and columns: (b, m, h, k) times (b, k, h, n).
static std::optional<Products> perHead(Kernel &kernel) {
  const auto &left = kernel.operand(0).shape().dims;
  const auto &right = kernel.operand(1).shape().dims;
  if (left.size() != 4 || right.size() != 4 || kernel.rank() != 4 ||
      kernel.flag("left_transpose", false) ||
      kernel.flag("output_transpose", false))
    return std::nullopt;
  const bool isTransposed = kernel.flag("right_transpose", false);
  const int64_t heads = left[2];
  Products result;
  result.m = left[1], result.k = left[3];
  result.n = isTransposed ? right[1] : right[3];
  if (kernel.dims() !=
          std::vector<int64_t>{left[0], result.m, heads, result.n} ||
      right[0] != left[0] || right[2] != heads ||
      (isTransposed ? right[3] : right[1]) != result.k)
    return std::nullopt;
  result.leftRow = heads * result.k;
  result.rightRow = isTransposed ? 1 : heads * result.n;
  result.rightStep = isTransposed ? heads * result.k : 1;
  result.resultRow = heads * result.n;
  for (int64_t b = 0; b < left[0]; ++b)
    for (int64_t h = 0; h < heads; ++h)
      result.each.push_back({(b * result.m * heads + h) * result.k,
                             b * result.n * heads * result.k +
                                 h * (isTransposed ? result.k : result.n),
                             (b * result.m * heads + h) * result.n});
  return result;
}

/// The right operand's product for product `index` of the left: dimensions of
/// size 1 repeat.
static int64_t broadcast(int64_t index, const std::vector<int64_t> &left,
                         const std::vector<int64_t> &right) {
  const auto at = indexIn(left, index);
  int64_t result = 0;
  for (size_t dim = 0; dim < right.size(); ++dim) {
    const size_t other = dim + left.size() - right.size();
    result = result * right[dim] + (right[dim] == 1 ? 0 : at[other]);
  }
  return result;
}

static std::optional<Products> inRows(Kernel &kernel) {
  Matrix left = matrixOf(kernel.operand(0).shape().dims),
         right = matrixOf(kernel.operand(1).shape().dims);
  const bool isLeft = kernel.flag("left_transpose", false),
             isRight = kernel.flag("right_transpose", false),
             isResult = kernel.flag("output_transpose", false);
  // A weight has a dimension of 1 in front of what one matrix needs.
  while (right.leading.size() > left.leading.size() &&
         right.leading.front() == 1)
    right.leading.erase(right.leading.begin());
  Products result;
  result.m = isLeft ? left.columns : left.rows;
  result.k = isLeft ? left.rows : left.columns;
  result.n = isRight ? right.rows : right.columns;
  if ((isRight ? right.columns : right.rows) != result.k ||
      right.leading.size() > left.leading.size())
    return std::nullopt;
  for (size_t dim = 0; dim < right.leading.size(); ++dim)
    if (right.leading[dim] != 1 &&
        right.leading[dim] !=
            left.leading[dim + left.leading.size() - right.leading.size()])
      return std::nullopt;
  const int64_t count = product(left.leading);
  if (count * result.m * result.n != kernel.result.shape.elements())
    return std::nullopt;
  result.leftRow = isLeft ? 1 : result.k;
  result.leftStep = isLeft ? result.m : 1;
  result.rightRow = isRight ? 1 : result.n;
  result.rightStep = isRight ? result.k : 1;
  result.resultRow = isResult ? 1 : result.n;
  result.resultStep = isResult ? result.m : 1;
  for (int64_t i = 0; i < count; ++i)
    result.each.push_back(
        {i * result.m * result.k,
         broadcast(i, left.leading, right.leading) * result.k * result.n,
         i * result.m * result.n});
  return result;
}

namespace {

/// Which elements of one product's result are wanted: rows, each with columns.
struct Wanted {
  std::vector<std::vector<std::pair<int64_t, int64_t>>> rows; ///< n, position.
  std::vector<bool> columns;
};

template <typename T> class Multiplier {
public:
  /// Weight (k, n) of a product, and what all of column n adds.
  using Weight = std::function<uint32_t(const Product &, int64_t, int64_t)>;
  using Column = std::function<uint32_t(int64_t, int64_t)>;

  Multiplier(Kernel &kernel, const Products &products, Weight weight,
             Column column)
      : weight(std::move(weight)), column(std::move(column)), kernel(kernel),
        products(products) {}

  void run() {
    std::vector<Wanted> wanted(products.each.size());
    for (Wanted &one : wanted) {
      one.rows.resize(products.m);
      one.columns.assign(products.n, false);
    }
    if (!sortOut(wanted))
      return kernel.refuse("the result's shape");
    for (size_t i = 0; i < products.each.size(); ++i)
      multiply(i, wanted[i]);
  }

private:
  /// Finds product, row and column of each element of the part.
  bool sortOut(std::vector<Wanted> &wanted) {
    const bool isHeads = products.resultRow > products.n;
    const int64_t heads = isHeads ? products.resultRow / products.n : 1;
    for (const Run &run : runsOf(kernel.result.shape, kernel.result.box))
      for (int64_t i = 0; i < run.length; ++i) {
        const int64_t flat = run.flat + i;
        const int64_t size = products.m * products.n * heads;
        int64_t index = flat / size, rest = flat % size;
        if (isHeads) {
          index = index * heads + rest % products.resultRow / products.n;
          rest = rest / products.resultRow * products.n + rest % products.n;
        }
        const bool isTransposed = products.resultRow == 1 && products.n > 1;
        const int64_t m = isTransposed ? rest % products.m : rest / products.n;
        const int64_t n = isTransposed ? rest / products.m : rest % products.n;
        if (index >= static_cast<int64_t>(wanted.size()))
          return false;
        wanted[index].rows[m].push_back({n, run.position + i});
        wanted[index].columns[n] = true;
      }
    return true;
  }

  void multiply(int64_t index, const Wanted &wanted) {
    std::vector<int64_t> columns, placeOf(products.n, 0);
    for (int64_t n = 0; n < products.n; ++n)
      if (wanted.columns[n]) {
        placeOf[n] = static_cast<int64_t>(columns.size());
        columns.push_back(n);
      }
    if (columns.empty())
      return;
    const Product &one = products.each[index];
    std::vector<T> base(columns.size()), weights(products.k * columns.size());
    for (size_t c = 0; c < columns.size(); ++c) {
      uint32_t all = saltOf(kernel.op) + column(index, columns[c]);
      for (int64_t k = 0; k < products.k; ++k) {
        const uint32_t w = weight(one, k, columns[c]);
        weights[k * columns.size() + c] = static_cast<T>(2 * w + 1);
        all += 3 * w;
      }
      base[c] = static_cast<T>(all);
    }
    std::vector<T> sums;
    for (int64_t m = 0; m < products.m; ++m) {
      if (wanted.rows[m].empty())
        continue;
      sums = base;
      for (int64_t k = 0; k < products.k; ++k)
        addRow(kernel.operand(0).at(one.leftBase + m * products.leftRow +
                                    k * products.leftStep),
               &weights[k * columns.size()], sums);
      for (auto [n, position] : wanted.rows[m])
        kernel.result.values[position] = wrapped(sums[placeOf[n]], kernel.bits);
    }
  }

  static void addRow(uint32_t left, const T *weights, std::vector<T> &sums) {
    T *__restrict sum = sums.data();
    for (size_t i = 0, e = sums.size(); i < e; ++i)
      sum[i] = static_cast<T>(sum[i] + left * weights[i]);
  }

  Weight weight;
  Column column;
  Kernel &kernel;
  const Products &products;
};

} // namespace

/// Operands after the second belong to columns when they have as many
/// elements, or a multiple (one set for each product); others are read whole.
static uint32_t mixedColumn(Kernel &kernel, int64_t columns, int64_t index,
                            int64_t n) {
  uint32_t sum = 0;
  for (unsigned i = 2; i < kernel.operands.size(); ++i) {
    if (!kernel.has(i))
      continue;
    Reader &operand = kernel.operands[i];
    sum +=
        odd(i) * (operand.elements() % columns == 0
                      ? operand.at((index * columns + n) % operand.elements())
                      : mixedWhole(operand));
  }
  return sum;
}

static void
multiplyAll(Kernel &kernel, const Products &products,
            std::function<uint32_t(const Product &, int64_t, int64_t)> weight,
            std::function<uint32_t(int64_t, int64_t)> column) {
  if (kernel.bits <= 16)
    Multiplier<uint16_t>(kernel, products, weight, column).run();
  else
    Multiplier<uint32_t>(kernel, products, weight, column).run();
}

void runMatMul(Kernel &kernel) {
  if (!kernel.has(0) || !kernel.has(1))
    return kernel.refuse("operands");
  const auto products =
      kernel.flag("hdim_is_batch", false) ? perHead(kernel) : inRows(kernel);
  if (!products)
    return kernel.refuse("shapes");
  Reader &right = kernel.operand(1);
  multiplyAll(
      kernel, *products,
      [&](const Product &one, int64_t k, int64_t n) {
        return right.at(one.rightBase + k * products->rightRow +
                        n * products->rightStep);
      },
      [&](int64_t index, int64_t n) {
        return mixedColumn(kernel, products->n, index, n);
      });
}

/// The weight is (n, k) or (k, n), or packs several k into one element; scales,
/// zero points and the bias have some elements for each column.
void runA16MatMul(Kernel &kernel) {
  if (!kernel.has(0) || !kernel.has(1) || kernel.rank() == 0 ||
      kernel.operand(0).shape().dims.empty())
    return kernel.refuse("operands");
  Reader &weight = kernel.operand(1);
  const auto &left = kernel.operand(0).shape().dims;
  Products products;
  products.k = left.back();
  products.n = kernel.dims().back();
  products.m = kernel.operand(0).elements() / products.k;
  if (products.m * products.n != kernel.result.shape.elements() ||
      weight.elements() % products.n != 0)
    return kernel.refuse("shapes");
  products.leftRow = products.k;
  products.resultRow = products.n;
  products.each.resize(1);
  const bool isTransposed = kernel.flag("w_transpose", false);
  const int64_t length = weight.elements() / products.n;
  const auto weightAt = [&](const Product &, int64_t k, int64_t n) {
    const int64_t at = k * length / products.k;
    return weight.at(isTransposed ? n * length + at : at * products.n + n);
  };
  const auto columnAt = [&](int64_t, int64_t n) {
    uint32_t sum = 0;
    for (unsigned i = 2; i < kernel.operands.size(); ++i) {
      if (!kernel.has(i))
        continue;
      Reader &operand = kernel.operands[i];
      const int64_t each = operand.elements() / products.n;
      if (each * products.n != operand.elements())
        sum += odd(i) * mixedWhole(operand);
      else
        for (int64_t j = 0; j < each; ++j)
          sum += odd(i) * odd(j) * operand.at(n * each + j);
    }
    return sum;
  };
  multiplyAll(kernel, products, weightAt, columnAt);
}

} // namespace tpu_mlir::exec
