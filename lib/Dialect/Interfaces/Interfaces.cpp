//===- Interfaces.cpp - What an op tells memory planning ------------------===//

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h"

#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.cpp.inc"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.cpp.inc"

using namespace mlir;

namespace tpu_mlir {

std::string LocalSliceOpInterface::whyGlobal() {
  return getLocalFacts().whyGlobal;
}

FailureOr<SmallVector<DimRule>>
LocalSliceOpInterface::getOperandRules(unsigned operand) {
  LocalFacts facts = getLocalFacts();
  if (facts.isGlobal() || operand >= facts.operands.size())
    return failure();
  return SmallVector<DimRule>(facts.operands[operand].begin(),
                              facts.operands[operand].end());
}

SmallVector<bool> LocalSliceOpInterface::getUncutDims() {
  LocalFacts facts = getLocalFacts();
  return SmallVector<bool>(facts.uncut.begin(), facts.uncut.end());
}

LocalScratch LocalSliceOpInterface::getLocalScratch() {
  return getLocalFacts().scratch;
}

LocalWork LocalSliceOpInterface::getLocalWork() { return getLocalFacts().work; }

/// One interval inside each dimension of `type`.
static bool isPartOf(ArrayRef<Interval> part, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != static_cast<int64_t>(part.size()))
    return false;
  for (auto [interval, size] : llvm::zip_equal(part, tensor.getShape()))
    if (interval.empty() || interval.begin < 0 || interval.end > size)
      return false;
  return true;
}

FailureOr<SmallVector<Interval>>
LocalSliceOpInterface::getOperandSlice(unsigned operand,
                                       ArrayRef<Interval> result) {
  Operation *op = getOperation();
  FailureOr<SmallVector<DimRule>> rules = getOperandRules(operand);
  if (failed(rules) || !isPartOf(result, op->getResult(0).getType()))
    return failure();
  SmallVector<Interval> parts;
  for (auto [dim, rule] : llvm::enumerate(*rules)) {
    auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
    Interval followed =
        rule.resultDim < 0 ? Interval{0, 1} : result[rule.resultDim];
    parts.push_back(neededInterval(rule, followed, type.getDimSize(dim)));
  }
  return parts;
}

} // namespace tpu_mlir
