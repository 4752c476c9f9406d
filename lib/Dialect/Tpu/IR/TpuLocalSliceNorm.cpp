//===- TpuLocalSliceNorm.cpp - Norms and reductions -----------------------===//

#include "Attributes.h"
#include "LocalFactsBuilder.h"

#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir::tpu {

/// Operand 0 has the result's shape; each element depends on all those that
/// differ from it in the dimensions [first, last) only.
static void stateNormed(LocalFactsBuilder &builder, int first, int last) {
  builder.followAll();
  if (first >= last)
    builder.refuseShapes();
  for (int dim = first; builder.ok() && dim < last; ++dim) {
    builder.set(0, dim, DimRule::whole());
    builder.keepWhole(dim);
  }
}

/// Mean and deviation are computed in f32, on two copies and a few numbers for
/// each row.
static LocalFacts normFacts(Operation *op, int first, int last) {
  LocalFactsBuilder builder(op);
  stateNormed(builder, first, std::min(last, builder.rank()));
  builder.scratch(2, 32, 64);
  builder.work(8);
  return builder.take();
}

constexpr int kToTheEnd = 1 << 30;

LocalFacts LayerNormOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  int axis = builder.axisOf(getAxis(), builder.rank());
  return builder.ok() ? normFacts(*this, axis, kToTheEnd) : builder.take();
}

LocalFacts RMSNormOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  int axis = builder.axisOf(-1, builder.rank());
  return builder.ok() ? normFacts(*this, axis, kToTheEnd) : builder.take();
}

LocalFacts PixelNormOp::statedLocalFacts() { return normFacts(*this, 1, 2); }
LocalFacts InstanceNormOp::statedLocalFacts() {
  return normFacts(*this, 1, kToTheEnd);
}

LocalFacts GroupNormOp::statedLocalFacts() {
  return normFacts(*this, 1, kToTheEnd);
}

template <typename OpTy> static LocalFacts softmaxFacts(OpTy op) {
  LocalFactsBuilder builder(op);
  int axis = builder.axisOf(op.getAxis(), builder.rank());
  stateNormed(builder, axis, axis + 1);
  builder.scratch(2, 32, 128);
  builder.work(16);
  return builder.take();
}

LocalFacts SoftmaxOp::statedLocalFacts() { return softmaxFacts(*this); }
LocalFacts SoftmaxCastOp::statedLocalFacts() { return softmaxFacts(*this); }

LocalFacts ReduceOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  int inRank = builder.rank(0);
  llvm::SmallBitVector isReduced(inRank);
  for (int64_t axis : getAxes()) {
    int dim = builder.axisOf(axis, inRank);
    if (builder.ok())
      isReduced.set(dim);
  }
  if (isReduced.none())
    builder.refuse("its axes are not known");
  int dropped = getKeepdims() ? 0 : isReduced.count();
  if (builder.rank() != inRank - dropped)
    builder.refuseShapes();
  if (!builder.ok())
    return builder.take();

  int resultDim = 0;
  std::optional<int64_t> terms = 1;
  for (int dim = 0; dim < inRank; ++dim) {
    if (isReduced.test(dim)) {
      terms = terms ? checkedMul(*terms, builder.operand(0)[dim]) : terms;
      if (getKeepdims())
        builder.keepWhole(resultDim++);
      continue;
    }
    if (builder.operand(0)[dim] != builder.result()[resultDim])
      builder.refuseShapes();
    builder.follow(0, dim, resultDim++);
  }
  if (!terms)
    builder.refuse("it reduces too many elements");
  builder.scratch(1, 32, 0, LocalScratch::Of::Operand);
  builder.work(terms.value_or(1));
  return builder.take();
}

} // namespace tpu_mlir::tpu
