//===- MatMulTest.cpp - Products of matrices against sums -----------------===//
//
// With transposes, batches and heads; the same bits for all numbers of
// threads.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/MatMul.h"

#include "Tensors.h"

using namespace tpu_mlir::execution;

namespace {

struct Case {
  int64_t batch, rows, depth, columns;
  MatMul how;
};

/// Element (i, j) of matrix b in a tensor [batch, rows, columns], or with the
/// last two exchanged, or with the batch inside.
int64_t at(const Case &c, int64_t b, int64_t i, int64_t j, int64_t rows,
           int64_t columns, bool transposed) {
  if (c.how.headsInside)
    return transposed ? (j * c.batch + b) * rows + i
                      : (i * c.batch + b) * columns + j;
  return transposed ? (b * columns + j) * rows + i
                    : (b * rows + i) * columns + j;
}

Shape shapeOf(const Case &c, int64_t rows, int64_t columns, bool transposed) {
  const int64_t first = transposed ? columns : rows;
  const int64_t last = transposed ? rows : columns;
  if (c.how.headsInside)
    return {1, first, c.batch, last};
  return {1, c.batch, first, last};
}

std::vector<double> naive(const Case &c, const TensorView &left,
                          const TensorView &right, const TensorView &bias) {
  std::vector<float> l = floatsOf(left), r = floatsOf(right),
                     s = floatsOf(bias);
  std::vector<double> out(c.batch * c.rows * c.columns);
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t i = 0; i < c.rows; ++i)
      for (int64_t j = 0; j < c.columns; ++j) {
        double sum = s[j];
        for (int64_t k = 0; k < c.depth; ++k)
          sum +=
              double(l[at(c, b, i, k, c.rows, c.depth, c.how.leftTranspose)]) *
              r[at(c, b, k, j, c.depth, c.columns, c.how.rightTranspose)];
        if (c.how.relu.isOn)
          sum = std::max(sum, 0.0);
        out[at(c, b, i, j, c.rows, c.columns, c.how.outputTranspose)] = sum;
      }
  return out;
}

TEST(MatMul, IsTheSumOfProducts) {
  for (int flags = 0; flags < 16; ++flags) {
    Case c{3, 7, 301, 37, {}};
    c.how.leftTranspose = flags & 1, c.how.rightTranspose = flags & 2;
    c.how.outputTranspose = flags & 4, c.how.relu.isOn = flags & 8;
    // With heads inside, exchanged dimensions are those around them.
    Tensor left = randomTensor(
        ElementType::F32, shapeOf(c, c.rows, c.depth, c.how.leftTranspose), 1);
    Tensor right =
        randomTensor(ElementType::F32,
                     shapeOf(c, c.depth, c.columns, c.how.rightTranspose), 2);
    Tensor bias = randomTensor(ElementType::F32, {1, 1, c.columns}, 3);
    Tensor out = makeTensor(
        ElementType::F32, shapeOf(c, c.rows, c.columns, c.how.outputTranspose));
    TensorView biasView = bias.view();
    expectOk(
        matMul(c.how, left.view(), right.view(), &biasView, out.span(), 2));
    expectNear(out.view(), naive(c, left.view(), right.view(), biasView), 1e-4);
  }
}

TEST(MatMul, HeadsMayBeInside) {
  Case c{4, 5, 18, 20, {}};
  c.how.headsInside = true;
  Tensor left = randomTensor(ElementType::F32, shapeOf(c, 5, 18, false), 1);
  Tensor right = randomTensor(ElementType::F32, shapeOf(c, 18, 20, false), 2);
  Tensor bias = tensorOf({20}, std::vector<float>(20, 0));
  Tensor out = makeTensor(ElementType::F32, shapeOf(c, 5, 20, false));
  expectOk(matMul(c.how, left.view(), right.view(), nullptr, out.span(), 1));
  expectNear(out.view(), naive(c, left.view(), right.view(), bias.view()),
             1e-5);
}

TEST(MatMul, PartsAndThreadsGiveTheSameBits) {
  const int64_t rows = 130, depth = 1000, columns = 75;
  Tensor left = randomTensor(ElementType::F32, {rows, depth}, 1);
  Tensor right = randomTensor(ElementType::F32, {depth, columns}, 2);
  Tensor whole = makeTensor(ElementType::F32, {rows, columns});
  expectOk(matMul({}, left.view(), right.view(), nullptr, whole.span(), 1));
  Tensor again = makeTensor(ElementType::F32, {rows, columns});
  expectOk(matMul({}, left.view(), right.view(), nullptr, again.span(), 3));
  expectSameBytes(whole.view(), again.view());

  // Rows 3 to 6 and 6 to 59: other blocks, other edges.
  for (auto [first, last] : {std::pair<int64_t, int64_t>{3, 6}, {6, 59}}) {
    TensorView part = left.view();
    part.type.shape[0] = last - first;
    part.bytes =
        part.bytes.slice(first * depth * 4, (last - first) * depth * 4);
    Tensor out = makeTensor(ElementType::F32, {last - first, columns});
    expectOk(matMul({}, part, right.view(), nullptr, out.span(), 1));
    EXPECT_EQ(
        out.view().bytes.vec(),
        whole.view()
            .bytes.slice(first * columns * 4, (last - first) * columns * 4)
            .vec());
  }
  // One column alone.
  std::vector<float> all = floatsOf(right.view()), single;
  for (int64_t k = 0; k < depth; ++k)
    single.push_back(all[k * columns + 70]);
  Tensor column = tensorOf({depth, 1}, single);
  Tensor out = makeTensor(ElementType::F32, {rows, 1});
  expectOk(matMul({}, left.view(), column.view(), nullptr, out.span(), 1));
  for (int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(floatsOf(out.view())[i],
              floatsOf(whole.view())[i * columns + 70]);
}

/// The sum goes upward in f32, one rounding a product and one an addition.
TEST(MatMul, IsBitExactlyTheStatedSum) {
  const int64_t depth = 700, columns = 19;
  Tensor left = randomTensor(ElementType::F16, {1, depth}, 4);
  Tensor right = randomTensor(ElementType::BF16, {depth, columns}, 5);
  Tensor out = makeTensor(ElementType::F32, {1, columns});
  expectOk(matMul({}, left.view(), right.view(), nullptr, out.span(), 2));
  std::vector<float> l = floatsOf(left.view()), r = floatsOf(right.view());
  for (int64_t j = 0; j < columns; ++j) {
    volatile float sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      volatile float product = l[k] * r[k * columns + j];
      sum = sum + product;
    }
    EXPECT_EQ(floatsOf(out.view())[j], sum) << j;
  }
}

TEST(MatMul, LeadingDimensionsSpread) {
  Tensor left = randomTensor(ElementType::F32, {2, 1, 3, 4}, 1);
  Tensor right = randomTensor(ElementType::F32, {5, 4, 6}, 2);
  Tensor out = makeTensor(ElementType::F32, {2, 5, 3, 6});
  expectOk(matMul({}, left.view(), right.view(), nullptr, out.span(), 1));
  std::vector<float> l = floatsOf(left.view()), r = floatsOf(right.view());
  std::vector<double> want;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 5; ++b)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 6; ++j) {
          double sum = 0;
          for (int k = 0; k < 4; ++k)
            sum += double(l[(a * 3 + i) * 4 + k]) * r[(b * 4 + k) * 6 + j];
          want.push_back(sum);
        }
  expectNear(out.view(), want, 1e-6);
}

TEST(MatMul, RowsAndColumnsMayBeVectors) {
  Tensor row = tensorOf({3}, {1, 2, 3});
  Tensor matrix = tensorOf({3, 2}, {1, 0, 0, 1, 1, 1});
  Tensor out = makeTensor(ElementType::F32, {2});
  expectOk(matMul({}, row.view(), matrix.view(), nullptr, out.span(), 1));
  EXPECT_EQ(floatsOf(out.view()), (std::vector<float>{4, 5}));
  Tensor number = makeTensor(ElementType::F32, {});
  expectOk(matMul({}, row.view(), row.view(), nullptr, number.span(), 1));
  EXPECT_EQ(floatsOf(number.view()), (std::vector<float>{14}));
}

/// Column n of a weight in two lanes is row n / 2 of lane n % 2.
TEST(MatMul, PackedWeightsHaveScalesByGroup) {
  const int64_t depth = 8, columns = 4, group = 4;
  Tensor left = randomTensor(ElementType::F32, {3, depth}, 1);
  Tensor numbers = randomTensor(ElementType::U8, {columns, depth / 2}, 2);
  Tensor scales = randomTensor(ElementType::F16, {2, 2, 2}, 3);
  Tensor zeros = tensorOf({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, ElementType::U8);
  Tensor out = makeTensor(ElementType::F32, {3, columns});
  expectOk(matMulPacked(left.view(),
                        {numbers.view(), scales.view(), zeros.view(), 4, group},
                        nullptr, {}, out.span(), 1));
  std::vector<float> l = floatsOf(left.view()), s = floatsOf(scales.view()),
                     z = floatsOf(zeros.view());
  std::vector<double> want;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int k = 0; k < depth; ++k) {
        const int byte = numbers.view().bytes[j * depth / 2 + k / 2];
        const int at = (j % 2 * 2 + j / 2) * 2 + k / group;
        sum += l[i * depth + k] * ((k % 2 ? byte >> 4 : byte & 15) - z[at]) *
               s[at];
      }
      want.push_back(sum);
    }
  expectNear(out.view(), want, 1e-5);
  EXPECT_TRUE(matMulPacked(left.view(),
                           {numbers.view(), scales.view(), zeros.view(), 4, 3},
                           nullptr, {}, out.span(), 1));
  EXPECT_TRUE(matMulPacked(
      left.view(), {numbers.view(), scales.view(), zeros.view(), 8, group},
      nullptr, {}, out.span(), 1));
}

TEST(MatMul, RefusesWhatDoesNotFit) {
  Tensor left = makeTensor(ElementType::F32, {2, 3});
  Tensor right = makeTensor(ElementType::F32, {4, 5});
  Tensor out = makeTensor(ElementType::F32, {2, 5});
  Outcome outcome =
      matMul({}, left.view(), right.view(), nullptr, out.span(), 1);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->message,
            "the left side has 3 columns, the right side 4 rows");
  Tensor bias = makeTensor(ElementType::F32, {3});
  TensorView biasView = bias.view();
  Tensor fitting = makeTensor(ElementType::F32, {3, 5});
  outcome = matMul({}, left.view(), fitting.view(), &biasView, out.span(), 1);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->message, "the bias has 3 elements for 5 channels");
}

} // namespace
