//===- Form.cpp - Find uses that depend on the layout of a buffer ---------===//
//
// Follows names to the ops that look at offset, strides or alignment, which a
// copy would not keep.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Form.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

/// The result has a stride or an offset that the source may have by chance
/// only. The identity is what copies have, too.
static bool refinesLayout(memref::CastOp cast) {
  auto to = dyn_cast<MemRefType>(cast.getType());
  if (!to || to.getLayout().isIdentity())
    return false;
  auto from = dyn_cast<MemRefType>(cast.getSource().getType());
  if (from && from.getLayout() == to.getLayout())
    return false;
  SmallVector<int64_t> strides, known;
  int64_t offset = 0, knownOffset = ShapedType::kDynamic;
  if (failed(to.getStridesAndOffset(strides, offset)))
    return true;
  if (from && failed(from.getStridesAndOffset(known, knownOffset)))
    return true;
  // What has no rank has no strides.
  known.resize(strides.size(), ShapedType::kDynamic);
  const auto isNew = [](int64_t number, int64_t before) {
    return ShapedType::isStatic(number) && ShapedType::isDynamic(before);
  };
  return isNew(offset, knownOffset) ||
         llvm::any_of(llvm::zip(strides, known), [&](auto pair) {
           return isNew(std::get<0>(pair), std::get<1>(pair));
         });
}

bool seesForm(Operation *op, Value memref) {
  // Of an access, or of an assumption.
  if (op->hasAttr("alignment") && !allocatesBuffer(op))
    return true;
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  if (!view || view.getViewSource() != memref)
    return false;
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return refinesLayout(cast);
  // memref.view makes elements of bytes, with an alignment of their own.
  return !isa<memref::SubViewOp, memref::ReshapeOp, memref::ExpandShapeOp,
              memref::CollapseShapeOp, memref::TransposeOp,
              memref::MemorySpaceCastOp>(op);
}

bool someoneSeesForm(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return llvm::any_of(op->getOperands(),
                            [&](Value value) {
                              return isa<BaseMemRefType>(value.getType()) &&
                                     seesForm(op, value);
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tpu_mlir::deallocation
