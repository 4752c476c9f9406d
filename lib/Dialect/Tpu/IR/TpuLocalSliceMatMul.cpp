//===- TpuLocalSliceMatMul.cpp - Matrix products --------------------------===//

#include "LocalFactsBuilder.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

using namespace mlir;

namespace tpu_mlir::tpu {

/// Sums are kept in 32 bits until the result is rounded.
static void stateProduct(LocalFactsBuilder &builder, int64_t depth) {
  if (builder.resultBits() < 32)
    builder.scratch(1, 32);
  builder.work(depth, /*onArray=*/true);
}

/// A bias has one number for each column of the result, in its last dimension
/// that is `columns` long, or one for all.
static void stateBias(LocalFactsBuilder &builder, unsigned index,
                      int columnDim) {
  int last = builder.rank(index) - 1;
  if (builder.ok() && last >= 0 &&
      builder.operand(index)[last] == builder.result()[columnDim])
    builder.set(index, last, DimRule::same(columnDim));
}

/// The leading dimensions of an operand of a product, up to its last two.
static void followBatch(LocalFactsBuilder &builder, unsigned index) {
  int missing = builder.rank() - builder.rank(index);
  for (int dim = std::max(0, -missing); dim < builder.rank(index) - 2; ++dim)
    builder.follow(index, dim, dim + missing);
}

/// What a matrix has more dimensions than the result is 1: in local memory a
/// weight has at least three, beside an operand of two.
static bool hasFrontOfOnes(const LocalFactsBuilder &builder, unsigned index) {
  const int more = std::max(builder.rank(index) - builder.rank(), 0);
  return llvm::all_of(builder.operand(index).take_front(more),
                      [](int64_t size) { return size == 1; });
}

LocalFacts MatMulOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  if (getHdimIsBatch())
    builder.refuse("its batch is in the middle of its shape");
  int rank = builder.rank(), left = builder.rank(0), right = builder.rank(1);
  if (std::min({rank, left, right}) < 2 || rank > std::max(left, right) ||
      !hasFrontOfOnes(builder, 0) || !hasFrontOfOnes(builder, 1))
    builder.refuse("its result does not have the rank of its operands");
  if (!builder.ok())
    return builder.take();

  // [.., rows, depth] x [.., depth, columns] -> [.., rows, columns], each
  // possibly with the last two exchanged.
  int rowDim = rank - (getOutputTranspose() ? 1 : 2);
  int columnDim = rank - (getOutputTranspose() ? 2 : 1);
  int leftRows = left - (getLeftTranspose() ? 1 : 2);
  int rightColumns = right - (getRightTranspose() ? 2 : 1);
  int64_t depth = builder.operand(0)[2 * left - 3 - leftRows];
  followBatch(builder, 0);
  builder.follow(0, leftRows, rowDim);
  if (getWeightBits() == 4) {
    // Two numbers a byte, in a layout of its own.
    builder.keepWhole(columnDim);
  } else {
    if (builder.operand(1)[2 * right - 3 - rightColumns] != depth ||
        builder.operand(1)[rightColumns] != builder.result()[columnDim])
      builder.refuseShapes();
    followBatch(builder, 1);
    builder.follow(1, rightColumns, columnDim);
  }
  if (!builder.isNone(2))
    stateBias(builder, 2, columnDim);
  stateProduct(builder, depth);
  return builder.take();
}

LocalFacts A16MatMulOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  int rank = builder.rank();
  if (rank < 1 || builder.rank(0) != rank)
    builder.refuseShapes();
  for (int dim = 0; dim < rank - 1; ++dim)
    builder.follow(0, dim, dim);
  if (!builder.ok())
    return builder.take();
  // The packed weights and their scales are laid out for all columns.
  builder.keepWhole(rank - 1);
  if (!builder.isNone(4))
    stateBias(builder, 4, rank - 1);
  stateProduct(builder, builder.operand(0)[rank - 1]);
  return builder.take();
}

} // namespace tpu_mlir::tpu
