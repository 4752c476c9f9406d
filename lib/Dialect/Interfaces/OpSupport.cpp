//===- OpSupport.cpp - What both dialects' ops have in common -------------===//

#include "tpu_mlir/Dialect/Interfaces/OpSupport.h"
#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tpu_mlir {

static LogicalResult verifyAddress(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return success();
  std::optional<int64_t> address = getAddress(type);
  if (isa<IntegerAttr>(tensor.getEncoding()) && !address)
    return op->emitOpError("address does not fit into 63 bits in ") << type;
  if (address && *address < 0)
    return op->emitOpError("address must not be negative, but is ")
           << *address << " in " << type;
  return success();
}

LogicalResult verifyAddresses(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(verifyAddress(op, type)))
      return failure();
  // An operand's address was checked where it was defined.
  for (Value operand : op->getOperands())
    if (isa<BlockArgument>(operand))
      if (failed(verifyAddress(op, operand.getType())))
        return failure();
  return success();
}

void nameResults(Operation *op, function_ref<void(Value, StringRef)> setName) {
  StringRef names =
      llvm::StringSwitch<StringRef>(op->getName().stripDialect())
          .Cases({"TopK", "Sort"}, "values indices")
          .Case("Arg", "indices values")
          .Case("MaxPoolWithMask", "output mask")
          .Case("LSTM", "Y Y_h Y_c")
          .Case("GRU", "Y Y_h")
          .Cases({"BatchNormBwd", "WhereBnbwdOp"},
                 "grad_in weight_grad bias_grad")
          .Case("BatchNormTrain",
                "output mean_out saved_invstd running_mean running_var")
          .Cases({"Convbwd", "LayerNormBwd"},
                 "grad_input grad_weight grad_bias")
          .Case("GroupNormTrain", "output mean rstd")
          .Case("LayerNormTrain", "output mean variance")
          .Case("MaskRCNN_BboxPooler", "result_res result_rois")
          .Case("MaskRCNN_GetBboxB", "result_det_bboxes result_det_labels")
          .Case("MeanRstd", "mean rstd running_mean_update "
                            "running_var_update scale bias_new")
          .Default("");
  SmallVector<StringRef> each;
  names.split(each, ' ', -1, /*KeepEmpty=*/false);
  if (each.size() != op->getNumResults())
    return;
  for (auto [name, result] : llvm::zip_equal(each, op->getResults()))
    setName(result, name);
}

static std::optional<int64_t> elementCount(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(tensor.getShape(), 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : tensor.getShape()) {
    std::optional<int64_t> product = checkedMul(count, size);
    if (!product)
      return std::nullopt;
    count = *product;
  }
  return count;
}

LogicalResult verifySameElementCount(Operation *op) {
  auto from = elementCount(op->getOperand(0).getType());
  auto to = elementCount(op->getResult(0).getType());
  if (from && to && *from != *to)
    return op->emitOpError("changes the number of elements from ")
           << *from << " to " << *to;
  return success();
}

LogicalResult verifyBranches(Operation *op) {
  for (Region &region : op->getRegions()) {
    if (region.empty() || region.front().empty())
      continue;
    Operation &yield = region.front().back();
    if (yield.getNumOperands() != op->getNumResults())
      return op->emitOpError("has ")
             << op->getNumResults() << " results, but a branch yields "
             << yield.getNumOperands() << " values";
  }
  return success();
}

static bool disagree(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

/// One piece of a concatenation has the rank of the result and its sizes in
/// all dimensions but `dim`.
static LogicalResult verifyPiece(Operation *op, unsigned number,
                                 RankedTensorType piece,
                                 RankedTensorType result, int64_t dim) {
  if (piece.getRank() != result.getRank())
    return op->emitOpError("operand #")
           << number << " has rank " << piece.getRank()
           << ", but the result has rank " << result.getRank();
  for (int64_t i = 0; i < result.getRank(); ++i)
    if (i != dim && disagree(piece.getDimSize(i), result.getDimSize(i)))
      return op->emitOpError("operand #")
             << number << " has size " << piece.getDimSize(i)
             << " in dimension " << i << ", but the result has "
             << result.getDimSize(i);
  return success();
}

LogicalResult verifyConcat(Operation *op, int64_t axis) {
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result)
    return success();
  int64_t rank = result.getRank();
  int64_t dim = axis < 0 ? axis + rank : axis;
  if (dim < 0 || dim >= rank)
    return op->emitOpError("axis ")
           << axis << " is out of range for rank " << rank;

  int64_t sum = 0;
  bool isSumKnown = !result.isDynamicDim(dim);
  for (auto [number, type] : llvm::enumerate(op->getOperandTypes())) {
    auto piece = dyn_cast<RankedTensorType>(type);
    if (piece && failed(verifyPiece(op, number, piece, result, dim)))
      return failure();
    isSumKnown = isSumKnown && piece && !piece.isDynamicDim(dim);
    std::optional<int64_t> next =
        isSumKnown ? checkedAdd(sum, piece.getDimSize(dim)) : std::nullopt;
    isSumKnown = next.has_value();
    sum = next.value_or(0);
  }
  if (isSumKnown && sum != result.getDimSize(dim))
    return op->emitOpError("operands add up to ")
           << sum << " along axis " << axis << ", but the result has "
           << result.getDimSize(dim);
  return success();
}

SmallVector<InPlaceEdge> viewEdges(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (isa<NoneType>(from))
    return {};
  auto fromBytes = typeBytes(from), toBytes = typeBytes(to);
  if (!fromBytes || !toBytes || *fromBytes != *toBytes)
    return {};
  return {InPlaceEdge{}};
}

} // namespace tpu_mlir
