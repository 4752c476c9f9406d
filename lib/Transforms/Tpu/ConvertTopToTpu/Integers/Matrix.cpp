//===- Matrix.cpp - Products of matrices ----------------------------------===//
//
// One factor for the whole product. Chips that multiply by a fraction need a
// weight on the right, others take two activations as well.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/ConvertTopToTpu/Integers/IntegerOp.h"

#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tpu_mlir::lowering {

using quantization::Factor;

static void setFactor(IntegerOp &op, const Factor &factor) {
  op.setFactors("multipliers", "rshifts", factor);
  if (op.isQdm())
    op.setQdm();
}

static void makeProduct(IntegerOp &op, Value left, Value right, Value bias) {
  SmallVector<Value> operands = {left, right, bias};
  while (operands.size() < op.recipe.rule->minOperands)
    operands.push_back(op.none());
  op.make(op.recipe.tpuName, operands, op.resultType());
}

/// A zero point of the input is taken off by a bias with a number for each
/// column of the weight; 0 where batches have columns of their own.
static int64_t columnsOf(const IntegerOp &op, bool isTurned) {
  ArrayRef<int64_t> shape = op.shape(1);
  return shape.size() == 2 ? shape[isTurned ? 0 : 1] : 0;
}

static bool lowerWeighted(IntegerOp &op) {
  auto numbers = op.numbers(1);
  std::optional<std::vector<float>> bias = std::vector<float>();
  if (op.has(2))
    bias = op.numbers(2);
  const bool isTurned =
      readFlag(op.attributes.get("right_transpose")).value_or(false);
  const int64_t zeroPoint = op.scale(0).zeroPoint;
  const int64_t columns = columnsOf(op, isTurned);
  if (zeroPoint != 0 && columns < 1)
    return false;
  std::optional<std::vector<uint8_t>> stored, added;
  if (numbers && bias) {
    if (!quantization::areFinite(*numbers) || !quantization::areFinite(*bias))
      return false;
    const quantization::IntegerWeights weights = quantization::quantizeMatrix(
        *numbers, *bias, {op.scale(0).scale, op.resultScale().scale, zeroPoint},
        op.mode.scheme, columns, isTurned);
    setFactor(op, weights.factors.front());
    stored = quantization::bytesOf(weights.weights);
    added = quantization::bytesOf(weights.bias);
  } else {
    const int64_t bits =
        7 + llvm::Log2_64_Ceil(std::max<int64_t>(op.shape(0).back(), 1)) / 2;
    setFactor(op, op.isQdm() ? Factor{int64_t(1) << 30, bits - 1}
                             : Factor{1, bits});
  }
  Value left = op.operand(0);
  Value right = op.weight("_filter_int8", op.shape(1),
                          op.integerType(8, /*isSigned=*/true), stored);
  ArrayRef<int64_t> shape =
      zeroPoint == 0 ? op.shape(2) : ArrayRef<int64_t>(columns);
  Value sum = op.has(2) || zeroPoint != 0
                  ? op.weight("_bias_int32", shape,
                              IntegerType::get(op.context(), 32), added)
                  : op.none();
  makeProduct(op, left, right, sum);
  return true;
}

static bool lowerMatMul(IntegerOp &op) {
  if (!op.isRanged(0) || !op.hasRangedResult() || op.shape(0).empty() ||
      op.resultShape().empty())
    return false;
  if (op.isWeight(1) && (!op.has(2) || op.isWeight(2)))
    return lowerWeighted(op);
  if (op.isQdm() || op.mode.asymmetric || op.has(2) || !op.isRanged(1))
    return false;
  setFactor(op, quantization::wideFactor(op.scale(0).scale * op.scale(1).scale /
                                         op.resultScale().scale));
  Value left = op.operand(0), right = op.operand(1);
  makeProduct(op, left, right, op.none());
  return true;
}

void addMatrixRules(IntegerRules &rules) { rules["top.MatMul"] = lowerMatMul; }

} // namespace tpu_mlir::lowering
