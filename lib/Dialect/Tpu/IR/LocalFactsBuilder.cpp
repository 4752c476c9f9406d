//===- LocalFactsBuilder.cpp - Stating the facts of one op ----------------===//

#include "LocalFactsBuilder.h"

#include "tpu_mlir/Dialect/Interfaces/Storage.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::tpu {

LocalFactsBuilder::LocalFactsBuilder(Operation *op) : op(op) {
  auto shapeOf = [&](Type type) -> SmallVector<int64_t> {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      refuse("a shape is not static");
    else if (!elementBits(tensor.getElementType()))
      refuse("an element type has no size");
    else if (llvm::any_of(tensor.getShape(), [](int64_t size) {
               return size < 1 || size > kMaxNumber;
             }))
      refuse("a dimension is empty or too long");
    else
      return llvm::to_vector(tensor.getShape());
    return {};
  };
  for (Value value : op->getOperands()) {
    operandShapes.emplace_back();
    if (!isa<NoneType>(value.getType()))
      operandShapes.back() = shapeOf(value.getType());
    facts.operands.emplace_back(operandShapes.back().size());
  }
  if (op->getNumResults() == 0) {
    refuse("it has no result");
    return;
  }
  resultShape = shapeOf(op->getResult(0).getType());
  facts.uncut.assign(resultShape.size(), false);
  if (!ok())
    return;
  auto bits = [](Value value) {
    return *elementBits(
        cast<RankedTensorType>(value.getType()).getElementType());
  };
  bitsOfResult = bits(op->getResult(0));
  if (!isNone(0))
    bitsOfOperand = bits(op->getOperand(0));
}

void LocalFactsBuilder::refuse(std::string why) {
  if (ok())
    facts.whyGlobal = std::move(why);
}

void LocalFactsBuilder::refuseShapes() { refuse("its shapes do not fit"); }

ArrayRef<int64_t> LocalFactsBuilder::operand(unsigned index) const {
  return index < numOperands() ? ArrayRef<int64_t>(operandShapes[index])
                               : ArrayRef<int64_t>();
}

bool LocalFactsBuilder::isNone(unsigned index) const {
  return index >= numOperands() ||
         isa<NoneType>(op->getOperand(index).getType());
}

int LocalFactsBuilder::axisOf(int64_t axis, int axisRank) {
  int64_t dim = axis < 0 ? axis + axisRank : axis;
  if (dim >= 0 && dim < axisRank)
    return dim;
  refuse("its axis is none of its dimensions");
  return 0;
}

void LocalFactsBuilder::set(unsigned index, int dim, DimRule rule) {
  if (ok())
    facts.operands[index][dim] = rule;
}

void LocalFactsBuilder::follow(unsigned index, int dim, int resultDim) {
  if (dim >= rank(index) || resultDim >= rank())
    return refuseShapes();
  if (operand(index)[dim] == resultShape[resultDim])
    set(index, dim, DimRule::same(resultDim));
  else if (operand(index)[dim] != 1)
    refuseShapes();
}

void LocalFactsBuilder::broadcast(unsigned index) {
  int missing = rank() - rank(index);
  if (missing < 0)
    return refuseShapes();
  for (int dim = 0; dim < rank(index); ++dim)
    follow(index, dim, dim + missing);
}

void LocalFactsBuilder::followChannels(unsigned index) {
  ArrayRef<int64_t> sizes = operand(index);
  auto isOne = [](int64_t size) { return size == 1; };
  if (rank() < 2 || llvm::all_of(sizes, isOne))
    return;
  if (rank(index) == rank() && sizes[1] == result()[1] && isOne(sizes[0]) &&
      llvm::all_of(sizes.drop_front(2), isOne))
    follow(index, 1, 1);
  else
    keepWhole(1);
}

void LocalFactsBuilder::followAll() {
  if (operand(0) != result())
    return refuseShapes();
  broadcast(0);
}

void LocalFactsBuilder::keepWhole(int resultDim) {
  if (ok())
    facts.uncut[resultDim] = true;
}

void LocalFactsBuilder::scratch(int64_t tiles, int64_t tileBits,
                                int64_t tableBytes, LocalScratch::Of of) {
  if (ok())
    facts.scratch = {tiles, tiles ? tileBits : 0, of, tableBytes};
}

void LocalFactsBuilder::work(int64_t opsPerElement, bool onArray) {
  if (ok())
    facts.work = {std::max<int64_t>(opsPerElement, 1), onArray};
}

} // namespace tpu_mlir::tpu
