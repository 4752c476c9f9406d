//===- Packed.cpp - Matrices in few bits beside floats --------------------===//
//
// Activations are floats; of a product with a weight on the right the weight is
// stored row by row in 4 or 8 bits, with a scale and a zero point for each
// group of a row.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Quantization/PackedMatrix.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::lowering {

namespace {

/// [rows, columns] as it is stored: a row for each column of the result.
struct Matrix {
  int64_t rows = 0, columns = 0, groupSize = 1;
  bool isTransposed = false;
};

} // namespace

/// What besides a product of matrices the op does; null: nothing.
static const char *otherwise(const IntegerOp &op) {
  for (auto [name, what] :
       {std::pair("left_transpose", "its left side is transposed"),
        std::pair("output_transpose", "its result is transposed"),
        std::pair("hdim_is_batch", "its batches lie in another dimension"),
        std::pair("is_lora", "it is an adapter"),
        std::pair("do_relu", "it ends in a relu")})
    if (readFlag(op.attributes.get(name)).value_or(false))
      return what;
  return op.has(2) && !op.isWeight(2) ? "its bias is computed" : nullptr;
}

/// The largest group that a row can be cut into, up to `most`.
static int64_t largestGroup(int64_t columns, int64_t most) {
  int64_t largest = 1;
  for (int64_t small = 1; small * small <= columns; ++small)
    for (int64_t size : {small, columns / small})
      if (columns % small == 0 && size <= most)
        largest = std::max(largest, size);
  return largest;
}

static std::string whyNotGroups(int64_t columns, int64_t groupSize) {
  const int64_t fits = largestGroup(columns, groupSize);
  return "rows of " + std::to_string(columns) + " are no whole groups of " +
         std::to_string(groupSize) + ": q_group_size " +
         (fits > 1 && fits < columns ? std::to_string(fits) + " or " : "") +
         "0 (the whole row) would do";
}

/// Why rows of the matrix cannot be packed; empty: they can.
static std::string whyUnpacked(const Matrix &matrix, const IntegerMode &mode) {
  constexpr int64_t kMost = int64_t(1) << 31;
  if (matrix.rows >= kMost || matrix.columns >= kMost)
    return "its weight is too large";
  if (matrix.rows % mode.lanes != 0)
    return "its " + std::to_string(matrix.rows) +
           " columns are no multiple of the chip's " +
           std::to_string(mode.lanes) + " lanes";
  if (matrix.columns % matrix.groupSize != 0)
    return whyNotGroups(matrix.columns, matrix.groupSize);
  if (matrix.columns * mode.packedBits % 8 != 0)
    return "rows of " + std::to_string(matrix.columns) + " numbers of " +
           std::to_string(mode.packedBits) + " bits are no whole bytes";
  return "";
}

/// nullopt where there is no weight, or it cannot be packed; why is said.
static std::optional<Matrix> matrixOf(IntegerOp &op) {
  ArrayRef<int64_t> shape = op.shape(1);
  if (!op.isWeight(1) && op.isWeight(0))
    op.leave("its weight is on the left");
  if (!op.isWeight(1) || op.resultShape().empty())
    return std::nullopt;
  std::string why;
  Matrix matrix;
  if (const char *what = otherwise(op)) {
    why = what;
  } else if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    why = "its weight has not two dimensions";
  } else {
    matrix.isTransposed =
        readFlag(op.attributes.get("right_transpose")).value_or(false);
    matrix.rows = shape[matrix.isTransposed ? 0 : 1];
    matrix.columns = shape[matrix.isTransposed ? 1 : 0];
    matrix.groupSize =
        op.mode.groupSize > 0 ? op.mode.groupSize : matrix.columns;
    why = whyUnpacked(matrix, op.mode);
  }
  if (why.empty())
    return matrix;
  op.leave(std::move(why));
  return std::nullopt;
}

/// Row by row, whatever the order of the weight.
static std::vector<float> rowsOf(const Matrix &matrix,
                                 const std::vector<float> &numbers) {
  if (matrix.isTransposed)
    return numbers;
  std::vector<float> rows(numbers.size());
  for (int64_t r = 0; r < matrix.rows; ++r)
    for (int64_t c = 0; c < matrix.columns; ++c)
      rows[r * matrix.columns + c] = numbers[c * matrix.rows + r];
  return rows;
}

static bool lowerPacked(IntegerOp &op) {
  auto matrix = matrixOf(op);
  if (!matrix)
    return false;
  const IntegerMode &mode = op.mode;
  Type floats = mode.floats.type(op.context());
  std::optional<std::vector<uint8_t>> weights, scales, zeroPoints;
  if (auto numbers = op.numbers(1)) {
    quantization::PackedMatrix packed = quantization::packMatrix(
        rowsOf(*matrix, *numbers), matrix->rows,
        {mode.packedBits, matrix->groupSize, mode.isSymmetric, floats.isF16()});
    weights = std::move(packed.weights);
    scales = std::move(packed.scales);
    zeroPoints = std::move(packed.zeroPoints);
  }
  const int64_t groups = matrix->columns / matrix->groupSize;
  Type bytes = op.integerType(8, /*isSigned=*/false);
  Value input = op.floatOperand(0, floats, typing::kValue);
  Value stored = op.weight(
      "_weight", {matrix->rows, matrix->columns * mode.packedBits / 8}, bytes,
      weights);
  Value scale = op.weight("_scale", {matrix->rows, groups}, floats, scales);
  Value zero = op.weight("_zp", {matrix->rows, groups}, bytes, zeroPoints);
  Value bias =
      op.has(2) ? op.floatOperand(2, floats, typing::kMatMulBias) : op.none();
  Builder builder(op.context());
  op.attributes = NamedAttrList();
  op.attributes.set("dq_type", builder.getStringAttr("NONE"));
  op.attributes.set("q_group_size",
                    builder.getI64IntegerAttr(matrix->groupSize));
  op.attributes.set("sign", builder.getBoolAttr(true));
  op.attributes.set("w_transpose", builder.getBoolAttr(true));
  op.attributes.set("weight_bits", builder.getI64IntegerAttr(mode.packedBits));
  op.make("tpu.A16MatMul", {input, stored, scale, zero, bias},
          RankedTensorType::get(op.resultShape(), floats));
  return true;
}

void addPackingRules(IntegerRules &rules) { rules["top.MatMul"] = lowerPacked; }

} // namespace tpu_mlir::lowering
