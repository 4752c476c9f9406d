//===- Packed.cpp - Matrices in few bits beside floats --------------------===//
//
// Activations are floats; of a product with a weight on the right the weight is
// stored row by row in 4 or 8 bits, with a scale and a zero point for each
// group of a row.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Execution/Element.h"
#include "tpu_mlir/Quantization/PackedMatrix.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::lowering {

namespace {

/// [rows, columns] as it is stored: a row for each column of the result.
struct Matrix {
  int64_t rows = 0, columns = 0, groupSize = 1;
  bool isTransposed = false;
  /// The first rows, which are whole lanes of the chip; the others stay floats.
  int64_t packedRows = 0;
  bool isSplit() const { return packedRows < rows; }
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
  if (matrix.rows < mode.lanes)
    return "its " + std::to_string(matrix.rows) +
           (matrix.rows == 1 ? " column is less" : " columns are fewer") +
           " than the chip's " + std::to_string(mode.lanes) + " lanes";
  if (matrix.columns % matrix.groupSize != 0)
    return whyNotGroups(matrix.columns, matrix.groupSize);
  if (matrix.columns * mode.packedBits % 8 != 0)
    return "rows of " + std::to_string(matrix.columns) + " numbers of " +
           std::to_string(mode.packedBits) + " bits are no whole bytes";
  return "";
}

/// Whether a part of the rows is a part of the bias and of the result.
static bool splitsAlongRows(const IntegerOp &op, const Matrix &matrix) {
  ArrayRef<int64_t> result = op.resultShape();
  int64_t biases = 1;
  for (int64_t size : op.has(2) ? op.shape(2) : ArrayRef<int64_t>())
    biases *= size;
  return result.back() == matrix.rows && (biases == 1 || biases == matrix.rows);
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
    matrix.packedRows = matrix.rows / op.mode.lanes * op.mode.lanes;
    why = whyUnpacked(matrix, op.mode);
    if (why.empty() && matrix.isSplit() && !splitsAlongRows(op, matrix))
      why = "its " + std::to_string(matrix.rows) +
            " columns are no multiple of the chip's " +
            std::to_string(op.mode.lanes) +
            " lanes, and its bias or result cannot be split";
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

/// The numbers in elements of 16 or 32 bits.
static std::vector<uint8_t> inElements(ArrayRef<float> numbers, Type element) {
  using execution::ElementType;
  const ElementType type = element.isF16()    ? ElementType::F16
                           : element.isBF16() ? ElementType::BF16
                                              : ElementType::F32;
  std::vector<uint8_t> bytes(numbers.size() * execution::bitsOf(type) / 8);
  execution::writeFloats(type, bytes.data(), 0,
                         static_cast<int64_t>(numbers.size()), numbers.data());
  return bytes;
}

/// Numbers of a row that its scale is stored once for, where it is one for the
/// whole row.
static constexpr int64_t kRowGroup = 128;

/// Each of `count` equally wide elements so many times in a row.
static void repeatEach(std::optional<std::vector<uint8_t>> &bytes,
                       int64_t count, int64_t times) {
  if (!bytes || times == 1)
    return;
  const auto width = static_cast<ptrdiff_t>(bytes->size()) / count;
  std::vector<uint8_t> all;
  all.reserve(bytes->size() * times);
  for (auto from = bytes->begin(); from != bytes->end(); from += width)
    for (int64_t i = 0; i < times; ++i)
      all.insert(all.end(), from, from + width);
  bytes = std::move(all);
}

namespace {

/// A product on its way to one of packed rows, and one of floats where rows are
/// left over.
class PackedProduct {
public:
  PackedProduct(IntegerOp &op, const Matrix &matrix)
      : op(op), matrix(matrix), mode(op.mode),
        floats(op.mode.floats.type(op.context())), builder(op.context()),
        plain(op.attributes) {
    if (auto given = op.numbers(1))
      numbers = rowsOf(matrix, *given);
  }

  void lower();

private:
  /// The shape of rows [from, to) of the result.
  Type resultType(int64_t count) const {
    SmallVector<int64_t> shape(op.resultShape());
    if (matrix.isSplit())
      shape.back() = count;
    return RankedTensorType::get(shape, floats);
  }
  /// Numbers that a scale in memory is for. That of a whole row is there once
  /// for each kRowGroup of them, as if they were groups.
  int64_t storedGroup() const {
    return mode.groupSize == 0 && matrix.columns % kRowGroup == 0
               ? kRowGroup
               : matrix.groupSize;
  }
  Value bias(StringRef suffix, int64_t from, int64_t count);
  SmallVector<Value> packedOperands(Value input);
  NamedAttrList packedAttributes() const;
  Value floatPart(Value input);

  IntegerOp &op;
  const Matrix &matrix;
  const IntegerMode &mode;
  Type floats;
  Builder builder;
  /// Of the product in floats.
  NamedAttrList plain;
  /// Row by row; nullopt when nobody knows them.
  std::optional<std::vector<float>> numbers;
};

} // namespace

/// Of rows [from, from + count); all of it where it is one number.
Value PackedProduct::bias(StringRef suffix, int64_t from, int64_t count) {
  if (!op.has(2))
    return op.none();
  int64_t all = 1;
  for (int64_t size : op.shape(2))
    all *= size;
  if (!matrix.isSplit() || all != matrix.rows)
    return op.floatOperand(2, floats, typing::kMatMulBias);
  // As an undivided one is stored.
  Type element = floats.isF16() ? builder.getF32Type() : floats;
  std::optional<std::vector<uint8_t>> bytes;
  if (auto given = op.numbers(2))
    bytes = inElements(ArrayRef(*given).slice(from, count), element);
  return op.weight(suffix, {count}, element, bytes);
}

SmallVector<Value> PackedProduct::packedOperands(Value input) {
  const int64_t rows = matrix.packedRows;
  const bool isPerRow = mode.groupSize == 0;
  quantization::PackingRule rule;
  rule.bits = mode.packedBits;
  rule.groupSize = matrix.groupSize;
  // Four bits of a whole row always have a zero point.
  rule.isSymmetric = mode.isSymmetric && (rule.bits == 8 || !isPerRow);
  rule.isSigned = rule.isSymmetric && isPerRow;
  rule.isHalf = floats.isF16();
  std::optional<std::vector<uint8_t>> weights, scales, zeroPoints;
  if (numbers) {
    quantization::PackedMatrix packed = quantization::packMatrix(
        ArrayRef(*numbers).take_front(rows * matrix.columns), rows, rule);
    weights = std::move(packed.weights);
    scales = std::move(packed.scales);
    zeroPoints = std::move(packed.zeroPoints);
  }
  const int64_t groups = matrix.columns / storedGroup();
  repeatEach(scales, rows, isPerRow ? groups : 1);
  repeatEach(zeroPoints, rows, isPerRow ? groups : 1);
  Type bytes = op.integerType(8, /*isSigned=*/false);
  Type elements = rule.isSigned ? builder.getIntegerType(8) : bytes;
  Value stored = op.weight("_weight", {rows, matrix.columns * rule.bits / 8},
                           elements, weights);
  Value scale = op.weight("_scale", {rows, groups}, floats, scales);
  Value zero = op.weight("_zp", {rows, groups}, bytes, zeroPoints);
  return {input, stored, scale, zero, bias("_packed_bias", 0, rows)};
}

NamedAttrList PackedProduct::packedAttributes() const {
  Builder builder(op.context());
  NamedAttrList attributes;
  attributes.set("dq_type", builder.getStringAttr("NONE"));
  attributes.set("q_group_size", builder.getI64IntegerAttr(storedGroup()));
  attributes.set("sign", builder.getBoolAttr(true));
  attributes.set("w_transpose", builder.getBoolAttr(true));
  attributes.set("weight_bits", builder.getI64IntegerAttr(mode.packedBits));
  return attributes;
}

/// The rows behind the packed ones.
Value PackedProduct::floatPart(Value input) {
  const int64_t count = matrix.rows - matrix.packedRows;
  std::optional<std::vector<uint8_t>> bytes;
  if (numbers)
    bytes = inElements(
        ArrayRef(*numbers).drop_front(matrix.packedRows * matrix.columns),
        floats);
  SmallVector<Value> operands = {
      input, op.weight("_float_weight", {count, matrix.columns}, floats, bytes),
      bias("_float_bias", matrix.packedRows, count)};
  while (operands.size() < op.recipe.rule->minOperands)
    operands.push_back(op.none());
  plain.set("right_transpose", builder.getBoolAttr(true));
  return op.part("_float", "tpu.MatMul", operands, resultType(count), plain);
}

void PackedProduct::lower() {
  Value input = op.floatOperand(0, floats, typing::kValue);
  SmallVector<Value> operands = packedOperands(input);
  Type type = resultType(matrix.packedRows);
  op.attributes = packedAttributes();
  if (!matrix.isSplit())
    return op.make("tpu.A16MatMul", operands, type);
  Value packed =
      op.part("_packed", "tpu.A16MatMul", operands, type, op.attributes);
  Value rest = floatPart(input);
  op.attributes = NamedAttrList();
  op.setInteger32("axis", static_cast<int64_t>(op.resultShape().size()) - 1);
  op.attributes.set("do_relu", builder.getBoolAttr(false));
  op.attributes.set("only_merge", builder.getBoolAttr(false));
  op.make("tpu.Concat", {packed, rest},
          RankedTensorType::get(op.resultShape(), floats));
}

static bool lowerPacked(IntegerOp &op) {
  auto matrix = matrixOf(op);
  if (matrix)
    PackedProduct(op, *matrix).lower();
  return matrix.has_value();
}

void addPackingRules(IntegerRules &rules) { rules["top.MatMul"] = lowerPacked; }

} // namespace tpu_mlir::lowering
