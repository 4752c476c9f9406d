//===- OpSupport.cpp - What both dialects' ops have in common -------------===//

#include "tpu_mlir/Dialect/Interfaces/OpSupport.h"
#include "tpu_mlir/Dialect/Interfaces/AddressEncoding.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tpu_mlir {

static LogicalResult verifyAddress(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return success();
  if (auto integer = dyn_cast<IntegerAttr>(tensor.getEncoding()))
    if (!integer.getType().isSignlessInteger(64))
      return op->emitOpError("address encoding must be an i64, but is ")
             << integer.getType() << " in " << type;
  if (std::optional<int64_t> address = getAddress(type))
    if (*address < 0)
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

static std::optional<int64_t> elementCount(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(tensor.getShape(), 0))
    return 0;
  std::optional<int64_t> count = 1;
  for (int64_t size : tensor.getShape())
    count = count ? checkedMul(*count, size) : std::nullopt;
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

static bool disagree(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
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

  std::optional<int64_t> sum = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type) {
      sum = std::nullopt;
      continue;
    }
    if (type.getRank() != rank)
      return op->emitOpError("operand #")
             << operand.getOperandNumber() << " has rank " << type.getRank()
             << ", but the result has rank " << rank;
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim && disagree(type.getDimSize(i), result.getDimSize(i)))
        return op->emitOpError("operand #")
               << operand.getOperandNumber() << " has size "
               << type.getDimSize(i) << " in dimension " << i
               << ", but the result has " << result.getDimSize(i);
    int64_t size = type.getDimSize(dim);
    sum = sum && !ShapedType::isDynamic(size) ? checkedAdd(*sum, size)
                                              : std::nullopt;
  }
  if (sum && disagree(*sum, result.getDimSize(dim)))
    return op->emitOpError("operands add up to ")
           << *sum << " along axis " << axis << ", but the result has "
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

FailureOr<SmallVector<DimSlice>> wholeSlice(Type type) {
  if (isa<NoneType>(type))
    return SmallVector<DimSlice>();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return failure();
  SmallVector<DimSlice> whole;
  for (int64_t size : tensor.getShape())
    whole.push_back({0, size});
  return whole;
}

FailureOr<SmallVector<DimSlice>>
elementwiseOperandSlice(Operation *op, unsigned operand,
                        ArrayRef<DimSlice> result) {
  if (operand >= op->getNumOperands())
    return failure();
  Type type = op->getOperand(operand).getType();
  if (isa<NoneType>(type))
    return SmallVector<DimSlice>();
  auto from = dyn_cast<RankedTensorType>(type);
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
      to.getRank() != static_cast<int64_t>(result.size()) ||
      from.getRank() > to.getRank())
    return failure();

  SmallVector<DimSlice> slices;
  int64_t missing = to.getRank() - from.getRank();
  for (auto [index, size] : llvm::enumerate(from.getShape())) {
    if (size == to.getDimSize(index + missing))
      slices.push_back(result[index + missing]);
    else if (size == 1)
      slices.push_back({0, 1});
    else
      return failure();
  }
  return slices;
}

} // namespace tpu_mlir
