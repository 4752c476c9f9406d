//===- TopDialect.cpp - The Top dialect and its structure ops -------------===//

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Top/IR/TopLayerOps.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/OpImplementation.h"

#include "tpu_mlir/Dialect/Top/IR/TopDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.cpp.inc"

using namespace mlir;

namespace tpu_mlir::top {

void TopDialect::initialize() {
  registerTopDialectOperations(this);
  addOperations<
#define GET_OP_LIST
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.cpp.inc"
      >();
  // Newer dumps have ops that are not declared here. They have no interface
  // and no traits, so everybody takes them to do anything.
  allowUnknownOperations();
}

/// The type to measure for a store mode: `images` of them share one 4-byte
/// slot, so the first dimension counts slots of i32.
static std::optional<int64_t> slotBytes(Type type, int64_t images) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() == 0)
    return typeBytes(type);
  auto shape = llvm::to_vector(tensor.getShape());
  shape[0] = shape[0] / images + (shape[0] % images != 0);
  return typeBytes(
      RankedTensorType::get(shape, IntegerType::get(type.getContext(), 32)));
}

/// Bytes when each row starts at a byte.
static std::optional<int64_t> paddedRowBytes(RankedTensorType tensor,
                                             int64_t bits) {
  if (!tensor.hasStaticShape() || tensor.getRank() == 0)
    return typeBytes(tensor);
  auto shape = llvm::to_vector(tensor.getShape());
  auto rowBits = checkedMul(shape.back(), bits);
  if (!rowBits)
    return std::nullopt;
  shape.back() = *rowBits / 8 + (*rowBits % 8 != 0);
  return typeBytes(
      RankedTensorType::get(shape, IntegerType::get(tensor.getContext(), 8)));
}

/// Whether a MatMul reads `value` as its right operand or bias, itself or
/// through a load into local memory. The ops are known by name, as this
/// dialect knows no other.
static bool isMatMulRightOrBias(Value value) {
  for (OpOperand &use : value.getUses()) {
    StringRef user = use.getOwner()->getName().stripDialect();
    unsigned index = use.getOperandNumber();
    if (user == "MatMul" && (index == 1 || index == 2))
      return true;
    if (user == "Load" && use.getOwner()->getNumResults() == 1 &&
        llvm::any_of(
            use.getOwner()->getResult(0).getUses(), [](OpOperand &loaded) {
              return loaded.getOwner()->getName().stripDialect() == "MatMul" &&
                     (loaded.getOperandNumber() == 1 ||
                      loaded.getOperandNumber() == 2);
            }))
      return true;
  }
  return false;
}

std::optional<int64_t> WeightOp::getResultBytes(unsigned index,
                                                bool /*fourN*/) {
  Type type = getResult().getType();
  StringRef mode = readWord((*this)->getAttr("store_mode")).value_or("1N");
  if (mode == "2N")
    return slotBytes(type, 2);
  if (mode == "4N")
    return slotBytes(type, 4);

  std::optional<int64_t> packed = typeBytes(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto bits = tensor ? elementBits(tensor.getElementType()) : std::nullopt;
  if (!packed || bits != 4 || !isMatMulRightOrBias(getResult()))
    return packed;
  auto padded = paddedRowBytes(tensor, *bits);
  return padded ? std::optional(std::max(*packed, *padded)) : std::nullopt;
}

} // namespace tpu_mlir::top
