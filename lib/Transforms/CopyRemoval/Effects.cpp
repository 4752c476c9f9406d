#include "lib/Transforms/CopyRemoval/Effects.h"

#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir {

bool isPlainType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isPlainType(complex.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return isPlainType(vector.getElementType());
  return type.isIntOrIndexOrFloat();
}

static bool holdsNoAddress(Type type) {
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    return isPlainType(memref.getElementType());
  return isPlainType(type);
}

static void addAccess(OpEffects &effects, unsigned operand, bool writes) {
  for (OperandAccess &known : effects.accesses)
    if (known.operand == operand) {
      known.writes |= writes;
      return;
    }
  effects.accesses.push_back({operand, writes});
}

OpEffects effectsOf(Operation *op) {
  OpEffects effects;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return effects;
    effects.touchesOthers = true;
    for (OpOperand &operand : op->getOpOperands())
      if (!isPlainType(operand.get().getType()))
        effects.accesses.push_back({operand.getOperandNumber(), true});
    return effects;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  interface.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (isa<MemoryEffects::Allocate>(instance.getEffect()))
      continue;
    bool writes = !isa<MemoryEffects::Read>(instance.getEffect());
    if (auto *operand = instance.getEffectValue<OpOperand *>())
      addAccess(effects, operand->getOperandNumber(), writes);
    else
      effects.touchesOthers = true;
  }
  return effects;
}

/// A result of this type may be an address, when nothing is known of its op.
static bool mayBeAddress(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isPlainType(type) || element.isIndex() ||
         (element.isInteger() && element.getIntOrFloatBitWidth() >= 32);
}

static bool regionsMayKeep(Operation *op) {
  if (isa<RegionBranchOpInterface>(op))
    return false;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!llvm::all_of(block.getArgumentTypes(), isPlainType))
        return true;
  return false;
}

bool mayKeepOperands(Operation *op) {
  if (isa<memref::ExtractAlignedPointerAsIndexOp,
          memref::ExtractStridedMetadataOp>(op))
    return true;
  if (isa<ViewLikeOpInterface, bufferization::BufferViewFlowOpInterface,
          BranchOpInterface, RegionBranchOpInterface,
          RegionBranchTerminatorOpInterface, memref::DimOp>(op))
    return false;
  bool isCall = isa<CallOpInterface>(op);
  bool isKnown = isCall || isa<MemoryEffectOpInterface>(op);
  for (Type type : op->getResultTypes()) {
    if (isCall && isa<BaseMemRefType>(type) && holdsNoAddress(type))
      continue;
    if (isKnown ? !isPlainType(type) : mayBeAddress(type))
      return true;
  }
  return !llvm::all_of(op->getOperandTypes(), holdsNoAddress) ||
         regionsMayKeep(op);
}

} // namespace tpu_mlir
