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

using namespace mlir;

namespace tpu_mlir::lowering {

namespace {

/// [rows, columns] as it is stored: a row for each column of the result.
struct Matrix {
  int64_t rows = 0, columns = 0, groupSize = 1;
  bool isTransposed = false;
};

} // namespace

/// nullopt where the op does more than a product, or the weight has not rows
/// and groups of whole lanes and bytes.
static std::optional<Matrix> matrixOf(const IntegerOp &op) {
  ArrayRef<int64_t> shape = op.shape(1);
  if (!op.isWeight(1) || shape.size() != 2 || op.resultShape().empty() ||
      (op.has(2) && !op.isWeight(2)))
    return std::nullopt;
  for (StringRef name : {"left_transpose", "output_transpose", "hdim_is_batch",
                         "is_lora", "do_relu"})
    if (readFlag(op.attributes.get(name)).value_or(false))
      return std::nullopt;
  Matrix matrix;
  matrix.isTransposed =
      readFlag(op.attributes.get("right_transpose")).value_or(false);
  matrix.rows = shape[matrix.isTransposed ? 0 : 1];
  matrix.columns = shape[matrix.isTransposed ? 1 : 0];
  matrix.groupSize = op.mode.groupSize > 0 ? op.mode.groupSize : matrix.columns;
  constexpr int64_t kMost = int64_t(1) << 31;
  const bool fits = matrix.rows > 0 && matrix.columns > 0 &&
                    matrix.rows < kMost && matrix.columns < kMost &&
                    matrix.rows % op.mode.lanes == 0 &&
                    matrix.columns % matrix.groupSize == 0 &&
                    matrix.columns * op.mode.packedBits % 8 == 0;
  return fits ? std::optional<Matrix>(matrix) : std::nullopt;
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
  Value input = op.floatOperand(0, floats, typing::Value);
  Value stored = op.weight(
      "_weight", {matrix->rows, matrix->columns * mode.packedBits / 8}, bytes,
      weights);
  Value scale = op.weight("_scale", {matrix->rows, groups}, floats, scales);
  Value zero = op.weight("_zp", {matrix->rows, groups}, bytes, zeroPoints);
  Value bias =
      op.has(2) ? op.floatOperand(2, floats, typing::MatMulBias) : op.none();
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
