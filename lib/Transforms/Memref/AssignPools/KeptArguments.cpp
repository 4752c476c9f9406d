#include "lib/Transforms/Memref/AssignPools/KeptArguments.h"

#include "tpu_mlir/Analysis/Memref/Nests.h"

#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::pools {

namespace {

Operation *definerOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp();
  return value.getDefiningOp();
}

/// `op` gives `name` out under another name, which is looked at as well.
bool handsOn(const BufferViewFlowAnalysis &flow, Value name, Operation *op) {
  auto found = flow.find(name);
  return found != flow.end() && llvm::any_of(found->second, [&](Value value) {
           return definerOf(value) == op;
         });
}

std::optional<StayReason> terminatorKeeps(const BufferViewFlowAnalysis &flow,
                                          Value name, Operation *op,
                                          Operation *function) {
  Operation *parent = op->getParentOp();
  if (op->getNumSuccessors() > 0)
    return isa<BranchOpInterface>(op) && handsOn(flow, name, parent)
               ? std::nullopt
               : std::optional(StayReason::UnknownYield);
  if (parent == function || handsOn(flow, name, parent))
    return std::nullopt;
  return StayReason::UnknownYield;
}

bool frees(Operation *op, Value name) {
  if (isa<memref::DeallocOp, memref::ReallocOp>(op) ||
      op->getName().getStringRef() == "bufferization.dealloc")
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> onName;
  effects.getEffectsOnValue(name, onName);
  return llvm::any_of(onName, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Free>(effect.getEffect());
  });
}

/// Why `op` may keep `name` when it is done.
std::optional<StayReason> keeps(const BufferViewFlowAnalysis &flow, Value name,
                                Operation *op, Operation *function,
                                InnermostAround &asynchronous) {
  if (isAsynchronous(op) || asynchronous.opAround(op))
    return StayReason::Asynchronous;
  if (frees(op, name))
    return StayReason::Freed;
  if (endsBlock(op))
    return terminatorKeeps(flow, name, op, function);
  if (isa<memref::ExtractStridedMetadataOp>(op))
    return StayReason::Pointer;
  bool givesOut = handsOn(flow, name, op);
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    if (view.getViewSource() == name && givesOut &&
        llvm::all_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      return std::nullopt;
  if (isa<bufferization::BufferViewFlowOpInterface, RegionBranchOpInterface>(
          op) &&
      givesOut)
    return std::nullopt;
  return mayKeepOperands(op);
}

} // namespace

void KeptArguments::scan(const TreeNode &node) {
  func::FuncOp function = node.function;
  if (llvm::none_of(function.getArgumentTypes(), llvm::IsaPred<BaseMemRefType>))
    return;
  BufferViewFlowAnalysis flow(function);
  OpTicks ticks(function);
  InnermostAround asynchronous(function, isAsynchronous);
  for (BlockArgument argument : function.getArguments()) {
    if (!isa<BaseMemRefType>(argument.getType()))
      continue;
    Argument self{function, argument.getArgNumber()};
    std::optional<Stay> first;
    auto stay = [&](StayReason reason, Operation *op) {
      if (!first || std::pair(ticks.of(op), reason) <
                        std::pair(ticks.of(first->op), first->reason))
        first = Stay{reason, op};
    };
    for (Value name : flow.resolve(argument)) {
      if (!isa<BaseMemRefType>(name.getType()))
        stay(isa<TensorType>(name.getType()) ? StayReason::Tensor
                                             : StayReason::Asynchronous,
             definerOf(name));
      for (OpOperand &use : name.getUses()) {
        if (auto reason =
                keeps(flow, name, use.getOwner(), function, asynchronous))
          stay(*reason, use.getOwner());
        auto indirect = dyn_cast<CallOpInterface>(use.getOwner());
        auto call = dyn_cast<func::CallOp>(use.getOwner());
        if (indirect && !call && freeing.mayFree(indirect, name))
          stay(StayReason::MayBeFreed, indirect);
        if (call && tree.callee(call))
          passedOnBy[{tree.callee(call), use.getOperandNumber()}].push_back(
              self);
      }
    }
    if (first)
      kept[self] = *first;
  }
}

void KeptArguments::spread() {
  SmallVector<Argument> work;
  for (auto &[operation, node] : tree.nodes()) {
    func::FuncOp function = node.function;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (kept.contains({operation, i}))
        work.push_back({operation, i});
  }
  while (!work.empty()) {
    Argument argument = work.pop_back_val();
    Stay stay = kept[argument];
    auto from = passedOnBy.find(argument);
    if (from == passedOnBy.end())
      continue;
    for (Argument other : from->second)
      if (kept.try_emplace(other, stay).second)
        work.push_back(other);
  }
}

KeptArguments::KeptArguments(const CallTree &tree, Operation *root)
    : tree(tree), freeing(root) {
  for (auto &[function, node] : tree.nodes())
    scan(node);
  spread();
}

std::optional<Stay> KeptArguments::ofCall(CallOpInterface anyCall,
                                          ArrayRef<Value> names) const {
  auto call = dyn_cast<func::CallOp>(anyCall.getOperation());
  if (!call) {
    for (Value operand : anyCall->getOperands())
      if (llvm::is_contained(names, operand) &&
          freeing.mayFree(anyCall, operand))
        return Stay{StayReason::MayBeFreed, anyCall};
    return std::nullopt;
  }
  func::FuncOp callee = tree.callee(call);
  if (!callee)
    return std::nullopt;
  for (OpOperand &operand : call->getOpOperands()) {
    auto found = kept.find({callee, operand.getOperandNumber()});
    if (found != kept.end() && llvm::is_contained(names, operand.get()))
      return found->second;
  }
  return std::nullopt;
}

} // namespace tpu_mlir::pools
