//===- TpuLocalSliceShape.cpp - Ops that move elements --------------------===//

#include "Attributes.h"
#include "LocalFactsBuilder.h"

using namespace mlir;

namespace tpu_mlir::tpu {

LocalFacts shapeViewFacts(Operation *op) {
  LocalFactsBuilder builder(op);
  if (builder.rank() < 2 || builder.rank(0) < 2 ||
      builder.operand(0).take_front(2) != builder.result().take_front(2))
    builder.refuse("it changes the first two dimensions");
  if (!builder.ok())
    return builder.take();
  builder.follow(0, 0, 0);
  builder.follow(0, 1, 1);
  for (int dim = 2; dim < builder.rank(); ++dim)
    builder.keepWhole(dim);
  return builder.take();
}

LocalFacts ConcatOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  int axis = builder.axisOf(getAxis(), builder.rank());
  int64_t shift = 0;
  for (unsigned i = 0, e = builder.numOperands(); i < e && builder.ok(); ++i) {
    if (builder.isNone(i))
      continue;
    if (builder.rank(i) != builder.rank()) {
      builder.refuseShapes();
      break;
    }
    for (int dim = 0; dim < builder.rank(); ++dim)
      if (dim != axis && builder.operand(i)[dim] != builder.result()[dim])
        builder.refuseShapes();
      else
        builder.set(i, dim,
                    dim == axis ? DimRule::window(axis, 1, shift, 1)
                                : DimRule::same(dim));
    shift += builder.operand(i)[axis];
  }
  if (builder.ok() && shift != builder.result()[axis])
    builder.refuseShapes();
  builder.keepWhole(axis);
  return builder.take();
}

LocalFacts SliceOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  if (builder.rank(0) != builder.rank())
    builder.refuseShapes();
  if (!builder.ok())
    return builder.take();
  std::optional<SliceStarts> starts =
      sliceStarts(*this, cast<RankedTensorType>(getInput().getType()));
  if (!starts)
    builder.refuse("its offsets are not known");
  for (int dim = 0; dim < builder.rank() && builder.ok(); ++dim) {
    int64_t offset = starts->offsets[dim], step = starts->steps[dim];
    if (step < 1 || step > LocalFactsBuilder::kMaxNumber)
      builder.refuse("it goes backwards");
    else if (offset < 0 || offset >= builder.operand(0)[dim] ||
             (builder.result()[dim] - 1) * step >=
                 builder.operand(0)[dim] - offset)
      builder.refuseShapes();
    builder.set(0, dim, DimRule::window(dim, step, -offset, 1));
  }
  return builder.take();
}

LocalFacts PadOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  int rank = builder.rank();
  SmallVector<int64_t> pads = getPaddings();
  if (getMode() != PaddingMode::constant)
    builder.refuse("what it pads with depends on the elements at the edge");
  if (getWithInsertZero())
    builder.refuse("it inserts zeros between the elements");
  // The operand after the input: paddings that are known at run time only.
  if (!builder.isNone(1))
    builder.refuse("its paddings are not known");
  if (builder.rank(0) != rank || pads.size() != 2 * static_cast<size_t>(rank))
    builder.refuseShapes();
  for (int dim = 0; dim < rank && builder.ok(); ++dim) {
    // All the starts, then all the ends.
    int64_t before = pads[dim], behind = pads[dim + rank];
    int64_t limit = LocalFactsBuilder::kMaxNumber;
    if (std::abs(before) > limit || std::abs(behind) > limit ||
        builder.operand(0)[dim] + before + behind != builder.result()[dim])
      builder.refuseShapes();
    builder.set(0, dim, DimRule::window(dim, 1, before, 1));
  }
  return builder.take();
}

LocalFacts RopeOp::statedLocalFacts() {
  LocalFactsBuilder builder(*this);
  if (getIsPermuteOptimize())
    builder.refuse("its tables are laid out for another order of dimensions");
  if (builder.rank() < 1)
    builder.refuseShapes();
  builder.followAll();
  builder.broadcast(1);
  builder.broadcast(2);
  if (!builder.ok())
    return builder.take();
  // Elements are turned in pairs of the last dimension.
  int last = builder.rank() - 1;
  builder.set(0, last, DimRule::whole());
  for (unsigned index : {1u, 2u})
    if (!builder.isNone(index))
      builder.set(index, builder.rank(index) - 1, DimRule::whole());
  builder.keepWhole(last);
  builder.scratch(2, builder.resultBits());
  builder.work(3);
  return builder.take();
}

} // namespace tpu_mlir::tpu
