//===- TpuSweeps.cpp - Results that may begin below an operand ------------===//
//
// The loop nest is the result's dimensions in the order of memory; what an
// iteration reads is what the op's facts say of one element.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir::tpu {

std::optional<SweptTensor> sweptTensor(Type type, bool fourN) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  const auto bits = elementBits(tensor.getElementType());
  if (!bits || *bits % 8 != 0)
    return std::nullopt;
  SweptTensor swept;
  swept.extents.assign(tensor.getShape().begin(), tensor.getShape().end());
  swept.unitBytes = *bits / 8;
  if (fourN && sharesSlots(tensor)) {
    swept.extents[0] = ceilDiv(swept.extents[0], 32 / *bits);
    swept.unitBytes = 4;
  }
  return swept;
}

/// Kernels whose operand 0 is read window by window, through all channels at
/// most. Winograd's computes tiles of several rows at once.
static bool isWindowed(Operation *op) {
  return isa<Conv1DOp, Conv2DOp, Conv3DOp, DeconvOp, Pool1DOp, Pool2DOp,
             Pool3DOp, UpsampleOp>(op) &&
         readInteger(op->getAttr("use_winograd")).value_or(0) == 0;
}

/// A dimension of one element is at one place whatever its rule is.
static bool isRead(const DimRule &rule, int64_t extent) {
  return rule.kind == DimRule::Kind::Whole && extent > 1;
}

/// With slots an index of the first dimension is one of several images: it has
/// to be the same slot on both sides.
static bool keepsSlots(Type operand, Type result, ArrayRef<DimRule> rules) {
  const auto from = sweptTensor(operand, true), to = sweptTensor(result, true);
  if (!sharesSlots(operand) && !sharesSlots(result))
    return true;
  if (from->extents.empty() || to->extents.empty())
    return false;
  const auto followsImages = [](const DimRule &rule) {
    return rule.kind != DimRule::Kind::Whole && rule.resultDim == 0;
  };
  return from->extents[0] == to->extents[0] && rules.front().isSame() &&
         followsImages(rules.front()) &&
         llvm::none_of(rules.drop_front(), followsImages);
}

static bool isSwept(Operation *op, unsigned index, ArrayRef<DimRule> rules,
                    bool fourN) {
  const Type operand = op->getOperand(index).getType(),
             result = op->getResult(0).getType();
  const auto swept = sweptTensor(operand, fourN);
  if (!swept || rules.size() != swept->extents.size() ||
      (fourN && !keepsSlots(operand, result, rules)))
    return false;
  if (isWindowed(op))
    return index == 0;
  return llvm::none_of(llvm::zip_equal(rules, swept->extents),
                       [](const auto &entry) {
                         return isRead(std::get<0>(entry), std::get<1>(entry));
                       });
}

/// What the op states, if it is a sweep at all.
static std::optional<LocalFacts> factsOfSweep(Operation *op) {
  auto sliced = dyn_cast<LocalSliceOpInterface>(op);
  const bool isScratch = llvm::any_of(op->getOperands(), [](Value value) {
    return isa_and_nonnull<BufferOp>(value.getDefiningOp());
  });
  if (!sliced || op->getNumResults() != 1 || isScratch || isa<GroupOp>(op) ||
      op->hasTrait<InPlaceOpInterface::Trait>())
    return std::nullopt;
  LocalFacts facts = sliced.getLocalFacts();
  if (facts.isGlobal() ||
      (!isWindowed(op) && llvm::is_contained(facts.uncut, true)))
    return std::nullopt;
  return facts;
}

SmallVector<unsigned> sweptOperands(Operation *op, bool fourN) {
  SmallVector<unsigned> operands;
  const std::optional<LocalFacts> facts = factsOfSweep(op);
  if (!facts || !sweptTensor(op->getResult(0).getType(), fourN))
    return operands;
  for (unsigned index = 0; index < facts->operands.size(); ++index)
    if (isSwept(op, index, facts->operands[index], fourN))
      operands.push_back(index);
  return operands;
}

SmallVector<SweepEdge> sweepEdges(Operation *op, bool fourN) {
  SmallVector<SweepEdge> edges;
  const SmallVector<unsigned> operands = sweptOperands(op, fourN);
  if (operands.empty())
    return edges;
  const LocalFacts facts = cast<LocalSliceOpInterface>(op).getLocalFacts();
  const Type type = op->getResult(0).getType();
  const SweptTensor result = *sweptTensor(type, fourN);
  for (unsigned index : operands) {
    const SweptTensor operand =
        *sweptTensor(op->getOperand(index).getType(), fourN);
    const auto distance = sweepDistance(result, operand, facts.operands[index]);
    if (distance && *distance < *typeBytes(type, fourN))
      edges.push_back({index, *distance});
  }
  return edges;
}

} // namespace tpu_mlir::tpu
