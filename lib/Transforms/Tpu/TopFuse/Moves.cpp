//===- Moves.cpp - Permutes and reshapes in a row -------------------------===//

#include "lib/Transforms/Tpu/TopFuse/Chain.h"

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tpu_mlir::fusion {

/// The order of a permute; empty for one that is none.
static SmallVector<int64_t> orderOf(Operation *permute) {
  SmallVector<int64_t> order = listOf(permute, "order");
  const ArrayRef<int64_t> from = shapeOf(permute->getOperand(0)),
                          to = shapeOf(permute->getResult(0));
  SmallVector<bool> seen(from.size(), false);
  if (order.size() != from.size() || order.size() != to.size())
    return {};
  for (auto [place, dim] : llvm::enumerate(order)) {
    if (dim < 0 || dim >= int64_t(from.size()) || seen[dim] ||
        from[dim] != to[place])
      return {};
    seen[dim] = true;
  }
  return order;
}

static Operation *toReshape(PatternRewriter &rewriter, Operation *root,
                            Value x) {
  const ArrayRef<int64_t> shape = shapeOf(root->getResult(0));
  return replaceRoot(
      rewriter, root, "Reshape", x,
      {rewriter.getNamedAttr("shape", rewriter.getI64ArrayAttr(shape)),
       rewriter.getNamedAttr("flatten_start_dim",
                             rewriter.getI64IntegerAttr(-1))});
}

/// Whether the network, or a branch of it, returns what the layer computes.
static bool isReturned(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Leaves out a layer that gives back its operand. What the network returns
/// keeps its name: the layer in front takes it where nobody else reads it.
static LogicalResult dropRoot(PatternRewriter &rewriter, Operation *root,
                              Value x) {
  Operation *made = x.getDefiningOp();
  if (x.getType() != root->getResult(0).getType())
    return failure();
  if (isReturned(root)) {
    if (!made || layerName(made).empty() || !x.hasOneUse() ||
        made->getBlock() != root->getBlock() ||
        isa<top::InputOp, top::WeightOp>(made))
      return failure();
    rewriter.modifyOpInPlace(made, [&] { made->setLoc(root->getLoc()); });
  }
  rewriter.replaceOp(root, x);
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// A permute that moves nothing, or nothing but dimensions of size 1.
static LogicalResult simplifyPermute(Operation *root, WeightValues &,
                                     PatternRewriter &rewriter) {
  const SmallVector<int64_t> order = orderOf(root);
  const Value x = root->getOperand(0);
  if (order.empty())
    return failure();
  if (llvm::is_sorted(order))
    return dropRoot(rewriter, root, x);
  SmallVector<int64_t> moved;
  for (int64_t dim : order)
    if (shapeOf(x)[dim] != 1)
      moved.push_back(dim);
  if (!llvm::is_sorted(moved))
    return failure();
  toReshape(rewriter, root, x);
  return success();
}

/// One permute for two. Where others read what is in between that saves one
/// only if nothing is left of both.
static LogicalResult joinPermutes(Operation *root, WeightValues &weights,
                                  PatternRewriter &rewriter) {
  Chain chain(root, weights);
  Operation *first = chain.find(root->getOperand(0), "Permute");
  const SmallVector<int64_t> outer = orderOf(root),
                             inner = first ? orderOf(first)
                                           : SmallVector<int64_t>();
  if (outer.empty() || inner.size() != outer.size())
    return failure();
  SmallVector<int64_t> order;
  for (int64_t dim : outer)
    order.push_back(inner[dim]);
  if (!chain.isClosed() && !llvm::is_sorted(order))
    return failure();
  replaceRoot(
      rewriter, root, "Permute", first->getOperand(0),
      {rewriter.getNamedAttr("order", rewriter.getI64ArrayAttr(order))});
  return success();
}

/// A view of the same shape.
static LogicalResult dropView(Operation *root, WeightValues &,
                              PatternRewriter &rewriter) {
  return dropRoot(rewriter, root, root->getOperand(0));
}

/// A weight under another shape is a weight of that shape.
static LogicalResult reshapeConstant(Operation *root, WeightValues &,
                                     PatternRewriter &rewriter) {
  const Value weight = root->getOperand(0);
  if (!canReshape(weight) || isReturned(root))
    return failure();
  rewriter.replaceOp(
      root, reshapeWeight(rewriter, weight, shapeOf(root->getResult(0))));
  return success();
}

/// One view for two, or none where the second gives back the first one's
/// operand.
static LogicalResult joinViews(Operation *root, WeightValues &weights,
                               PatternRewriter &rewriter) {
  Chain chain(root, weights);
  Operation *first = chain.find(root->getOperand(0), kViews);
  if (!first || !isPlain(first->getOperand(0).getType()))
    return failure();
  const Value x = first->getOperand(0);
  if (x.getType() == root->getResult(0).getType() &&
      succeeded(dropRoot(rewriter, root, x)))
    return success();
  if (!chain.isClosed())
    return failure();
  toReshape(rewriter, root, x);
  return success();
}

void addMoves(RewritePatternSet &patterns, WeightValues &weights) {
  addRule(patterns, weights, {"Permute"}, simplifyPermute, /*benefit=*/2);
  addRule(patterns, weights, {"Permute"}, joinPermutes);
  addRule(patterns, weights, kViews, dropView, /*benefit=*/2);
  addRule(patterns, weights, kViews, reshapeConstant);
  addRule(patterns, weights, kViews, joinViews);
}

} // namespace tpu_mlir::fusion
