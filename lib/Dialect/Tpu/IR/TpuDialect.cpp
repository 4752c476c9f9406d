//===- TpuDialect.cpp - The Tpu dialect and its structure ops -------------===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "Attributes.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/OpImplementation.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.cpp.inc"

using namespace mlir;

namespace tpu_mlir::tpu {

void TpuDialect::initialize() {
  registerTpuDialectOperations(this);
  addOperations<
#define GET_OP_LIST
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.cpp.inc"
      >();
  registerAttributes();
  attachUpdates(getContext());
  // Newer dumps have ops that are not declared here. They have no interface
  // and no traits, so everybody takes them to do anything.
  allowUnknownOperations();
}

LogicalResult ConcatOp::verify() {
  return verifyConcat(getOperation(), getAxis());
}

LogicalResult BufferOp::verify() {
  if (getNumOperands() != 0)
    return emitOpError("is scratch memory and takes no operands, but has ")
           << getNumOperands();
  return success();
}

LogicalResult LoadOp::verify() {
  auto group = dyn_cast_or_null<GroupOp>((*this)->getParentOp());
  if (!group || !group.getRegion().isAncestor(getInput().getParentRegion()))
    return success();
  InFlightDiagnostic diag =
      emitOpError("loads a value that the group itself makes");
  if (Operation *source = getInput().getDefiningOp())
    diag.attachNote(source->getLoc()) << "made here";
  return diag;
}

LogicalResult LineBufferOp::verify() {
  if (!isa_and_nonnull<GroupOp>((*this)->getParentOp()))
    return emitOpError(
        "keeps rows of a layer group's sections, and is in none");
  if (getInput().getType() != getOutput().getType())
    return emitOpError("results in ")
           << getOutput().getType() << ", but keeps rows of "
           << getInput().getType();
  return success();
}

LayerGroupAttr GroupOp::infoOf(Operation *op) {
  auto info = op->getAttrOfType<LayerGroupAttr>("ginfo");
  const bool isStore = isa<StoreOp>(op) && op->getNumOperands() > 0;
  if (!info || info.isComplete() || (!isStore && op->getNumResults() == 0))
    return info;
  auto type = dyn_cast<RankedTensorType>(
      (isStore ? op->getOperand(0) : op->getResult(0)).getType());
  auto group = op->getParentOfType<GroupOp>();
  if (!type || !type.hasStaticShape() || !group)
    return info;
  return info.completed(type.getShape(),
                        readInteger(group->getAttr("group_type")).value_or(0));
}

LogicalResult GroupOp::verifyRegions() {
  Block &body = getRegion().front();
  if (body.getNumArguments() != 0)
    return emitOpError("region takes no arguments, but has ")
           << body.getNumArguments();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError("region must end in 'tpu.Yield'");
  if (yield.getNumOperands() != getNumResults())
    return emitOpError("has ")
           << getNumResults() << " results, but its region yields "
           << yield.getNumOperands() << " values";
  for (auto [index, types] : llvm::enumerate(
           llvm::zip_equal(yield.getOperandTypes(), getResultTypes()))) {
    auto [yielded, result] = types;
    if (withoutAddress(yielded) != withoutAddress(result))
      return emitOpError("result #") << index << " is " << result
                                     << ", but the region yields " << yielded;
  }
  return success();
}

} // namespace tpu_mlir::tpu
