//===- Uses.cpp - What is done with the buffers of each root --------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Owners.h"

#include "lib/Analysis/Memref/Deallocation/Model/Names.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Form.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/OtherNames.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

/// Of what is never freed here the reason is kept, too: a buffer that meets it
/// is left to the program only if the program is known to free it.
void Owners::escape(Value value, StringRef reason, Operation *op) {
  for (int index : rootsOf(value)) {
    Root &root = roots[index];
    if (!root.mayOwn && (reason.empty() || !root.escapes))
      root.reason = reason.str();
    root.escapes = true;
    giveUp(index, reason, op);
  }
}

void Owners::use(Value value, OpOperand &operand, UseKind kind, bool seesForm) {
  for (int index : rootsOf(value)) {
    Root &root = roots[index];
    Operation *op = graph.inScope(operand.getOwner(), root.scope);
    if (!op)
      return escape(value, "control flow around a use is not known",
                    operand.getOwner());
    bool isInside = op != operand.getOwner();
    if (isInside && kind == UseKind::Return)
      return escape(value, "it leaves a region of unknown control flow",
                    operand.getOwner());
    if (isInside && kind == UseKind::Dealloc)
      return escape(value, "", operand.getOwner());
    if (isInside && endsBlock(op))
      return escape(value, "an op that ends its block uses it", op);
    // What is passed on in there gets a copy.
    if (isInside && kind == UseKind::Pass)
      kind = UseKind::Read;
    root.uses.push_back({graph.pointOf(op), &operand, kind, seesForm});
  }
}

/// What an op that is neither a view nor a terminator does with an operand.
static std::optional<UseKind> effectOn(Operation *op, OpOperand &operand) {
  // It does not say so in its effects.
  if (isa<bufferization::DeallocOp>(op))
    return std::nullopt;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return UseKind::Write;
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffectsOnValue(operand.get(), found);
  UseKind kind = UseKind::Read;
  for (const MemoryEffects::EffectInstance &effect : found) {
    if (isa<MemoryEffects::Free>(effect.getEffect()))
      return std::nullopt;
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      kind = UseKind::Write;
  }
  return kind;
}

void Owners::classify(Value value, OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (!graph.isReachable(graph.pointOf(op).node))
    return;
  if (isa<scf::YieldOp>(op) && names.keeps.contains(op->getParentOp()))
    return escape(value, "", op);
  if (names.forwarded.contains(&operand)) {
    if (passedIndex.contains(&operand))
      use(value, operand, UseKind::Pass);
    return;
  }
  if (isAsynchronous(op) || asynchronous.opAround(op))
    return escape(value, "an asynchronous op uses it", op);
  if (isa<memref::DeallocOp>(op)) {
    ArrayRef<int> set = rootsOf(value);
    bool isOwner =
        set.size() == 1 && (roots[set.front()].kind == RootKind::Alloc ||
                            roots[set.front()].kind == RootKind::Phi);
    if (!isOwner)
      return escape(value, "", op);
    return use(value, operand, UseKind::Dealloc);
  }
  if (endsBlock(op)) {
    if (op->hasTrait<OpTrait::ReturnLike>() && op->getParentOp() == function)
      return use(value, operand, UseKind::Return);
    return escape(value, "an op of unknown control flow gets it", op);
  }
  if (llvm::any_of(op->getResults(),
                   [&](Value name) { return isCutOff(name); }))
    return escape(value, "it is one of too many buffers under one name", op);
  const bool isFormSeen = seesForm(op, value);
  if (viewSource(op) == value || isSelect(op)) {
    if (isFormSeen)
      use(value, operand, UseKind::Read, isFormSeen);
    return;
  }
  if (!allocatesBuffer(op) && !verify_deallocation::movesElement(op, value)) {
    if (auto reason = mayKeepOperands(op))
      return escape(value, describe({*reason, op}), op);
    // Of a call that hands over something else.
    if (!calls.knowResults(op) &&
        !llvm::all_of(op->getResultTypes(), isPlainType))
      return escape(value, describe({StayReason::UnknownResult, op}), op);
  }
  auto call = dyn_cast<CallOpInterface>(op);
  if (call && calls.module.calls.mayFree(call, value))
    return escape(value, "", op);
  if (call)
    if (auto kept = calls.module.calls.mayKeep(call, value))
      return escape(value, describe({kept->reason, op}), op);
  std::optional<UseKind> kind = effectOn(op, operand);
  if (!kind)
    return escape(value, describe({StayReason::Freed, op}), op);
  use(value, operand, *kind, isFormSeen || (formMatters() && call));
}

/// So does a call where some function may, or with an operand by which to find
/// other memory.
bool Owners::mayWriteElsewhere(Operation *op) const {
  const auto leadsOn = [](Type type) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    return !isPlainType(memref ? memref.getElementType() : type);
  };
  return writesAnywhere(op) || (isa<CallOpInterface>(op) &&
                                (calls.module.elsewhereMatters ||
                                 llvm::any_of(op->getOperandTypes(), leadsOn)));
}

void Owners::collectElsewhere() {
  elsewhere.definition = {0, -1};
  llvm::DenseSet<Operation *> writers;
  for (const Root &root : roots)
    if (root.kind == RootKind::Other)
      for (const BufferUse &use : root.uses)
        if (use.kind == UseKind::Write)
          writers.insert(use.operand->getOwner());
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || !(writers.contains(op) || mayWriteElsewhere(op)))
      return;
    Operation *around = graph.inScope(op, elsewhere.scope);
    if (graph.isReachable(graph.pointOf(around).node))
      elsewhere.uses.push_back(
          {graph.pointOf(around), nullptr, UseKind::Write});
  });
}

void Owners::collectUses() {
  for (Block &block : function->getRegion(0))
    if (!block.empty() && block.back().hasTrait<OpTrait::ReturnLike>())
      for (OpOperand &operand : block.back().getOpOperands())
        if (isMemref(operand.get()) &&
            graph.isReachable(graph.pointOf(&block.back()).node))
          returned.push_back(&operand);
  for (Value value : names.values)
    for (OpOperand &operand : value.getUses())
      classify(value, operand);
  for (Root &root : roots)
    llvm::stable_sort(root.uses, [](const BufferUse &a, const BufferUse &b) {
      return a.point.order < b.point.order;
    });
  collectElsewhere();
  for (auto [index, root] : llvm::enumerate(roots))
    if (root.managed && names.unknownPhis.contains(root.value))
      giveUp(static_cast<int>(index), "control flow hands on an unknown buffer",
             root.value.getDefiningOp());
  for (auto [index, root] : llvm::enumerate(roots))
    if (root.managed && graph.isUnknown(root.scope))
      giveUp(static_cast<int>(index), "control flow around it is not known",
             root.value.getDefiningOp());
}

} // namespace tpu_mlir::deallocation
