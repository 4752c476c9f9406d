//===- Effects.cpp - Classify the effects of one op on its memrefs --------===//
//
// Which operands are read, written or freed, and whether the op may lead to
// other names of a buffer.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/CopyRemoval/Effects.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::copies {

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

bool leadsElsewhere(Operation *op, const CallSummaries &calls) {
  if (endsBlock(op))
    return !saysWhereItLeads(op);
  if (!isa<memref::ExtractStridedMetadataOp>(op) &&
      isa<ViewLikeOpInterface, bufferization::BufferViewFlowOpInterface,
          RegionBranchOpInterface, memref::DimOp>(op))
    return false;
  auto call = dyn_cast<CallOpInterface>(op);
  return mayKeepOperands(op) ||
         (call && llvm::any_of(call.getArgOperands(), [&](Value operand) {
            return isa<BaseMemRefType>(operand.getType()) &&
                   calls.mayKeep(call, operand);
          }));
}

} // namespace tpu_mlir::copies
