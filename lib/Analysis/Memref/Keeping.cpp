//===- Keeping.cpp - Find functions that keep an argument -----------------===//
//
// Follows each argument through the function and its callees to stores,
// returned aliases and asynchronous ops.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Keeping.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"

#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::detail {

namespace {

/// Of one function: what it does itself with its arguments.
class Holder {
public:
  explicit Holder(Operation *function)
      : function(function), flow(function), ticks(function),
        asynchronous(function, isAsynchronous) {}

  /// The first reason in the text. `visit` sees the other uses of all names.
  std::optional<Stay> whyKept(BlockArgument argument,
                              llvm::function_ref<void(OpOperand &)> visit);

private:
  bool handsOn(Value name, Operation *op);
  std::optional<StayReason> endKeeps(Value name, Operation *end);
  std::optional<StayReason> keeps(Value name, Operation *op);

  Operation *function;
  BufferViewFlowAnalysis flow;
  OpTicks ticks;
  InnermostAround asynchronous;
};

} // namespace

/// `op` gives `name` out under another name, which is looked at as well.
bool Holder::handsOn(Value name, Operation *op) {
  auto found = flow.find(name);
  return found != flow.end() && llvm::any_of(found->second, [&](Value value) {
           return ownerOf(value) == op;
         });
}

std::optional<StayReason> Holder::endKeeps(Value name, Operation *end) {
  Operation *parent = end->getParentOp();
  const bool isKnown =
      end->getNumSuccessors() == 0 || isa<BranchOpInterface>(end);
  const bool isReturn = end->getNumSuccessors() == 0 && parent == function;
  if (isKnown && (isReturn || handsOn(name, parent)))
    return std::nullopt;
  return StayReason::UnknownYield;
}

/// Why `op` may hold `name` when it is done.
std::optional<StayReason> Holder::keeps(Value name, Operation *op) {
  if (isAsynchronous(op) || asynchronous.opAround(op))
    return StayReason::Asynchronous;
  if (endsBlock(op))
    return endKeeps(name, op);
  if (isa<memref::ExtractStridedMetadataOp>(op))
    return StayReason::Pointer;
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  const bool isView =
      view && view.getViewSource() == name &&
      llvm::all_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  if ((isView ||
       isa<bufferization::BufferViewFlowOpInterface, RegionBranchOpInterface>(
           op)) &&
      handsOn(name, op))
    return std::nullopt;
  return mayKeepOperands(op);
}

std::optional<Stay>
Holder::whyKept(BlockArgument argument,
                llvm::function_ref<void(OpOperand &)> visit) {
  std::optional<Stay> first;
  const auto stay = [&](StayReason reason, Operation *op) {
    if (!first || std::pair(ticks.of(op), reason) <
                      std::pair(ticks.of(first->op), first->reason))
      first = Stay{reason, op};
  };
  for (Value name : flow.resolve(argument)) {
    // What a call computes from it.
    if (isPlainType(name.getType()))
      continue;
    if (!isa<BaseMemRefType>(name.getType()))
      stay(isa<TensorType>(name.getType()) ? StayReason::Tensor
                                           : StayReason::Asynchronous,
           ownerOf(name));
    for (OpOperand &use : name.getUses()) {
      if (auto reason = keeps(name, use.getOwner()))
        stay(*reason, use.getOwner());
      else
        visit(use);
    }
  }
  return first;
}

llvm::DenseMap<Value, Stay>
findKept(ArrayRef<Operation *> functions,
         const llvm::DenseMap<Operation *, Operation *> &callees) {
  llvm::DenseMap<Value, Stay> kept;
  /// By argument: arguments that their functions pass on as it.
  llvm::DenseMap<Value, SmallVector<Value, 2>> passedOnBy;
  SmallVector<Value> open;
  for (Operation *op : functions) {
    auto function = cast<FunctionOpInterface>(op);
    if (llvm::none_of(function.getArgumentTypes(),
                      llvm::IsaPred<BaseMemRefType>))
      continue;
    Holder holder(function);
    for (BlockArgument argument : function.getArguments()) {
      if (!isa<BaseMemRefType>(argument.getType()))
        continue;
      const auto passOn = [&](OpOperand &use) {
        auto call = dyn_cast<CallOpInterface>(use.getOwner());
        auto callee =
            call ? dyn_cast_or_null<FunctionOpInterface>(callees.lookup(call))
                 : nullptr;
        if (!callee || callee.isExternal())
          return;
        for (auto [given, passed] :
             llvm::zip(callee.getArguments(), call.getArgOperands()))
          if (passed == use.get())
            passedOnBy[given].push_back(argument);
      };
      if (std::optional<Stay> stay = holder.whyKept(argument, passOn)) {
        kept[argument] = *stay;
        open.push_back(argument);
      }
    }
  }
  while (!open.empty()) {
    const Value argument = open.pop_back_val();
    const Stay stay = kept.lookup(argument);
    for (Value other : passedOnBy.lookup(argument))
      if (kept.try_emplace(other, stay).second)
        open.push_back(other);
  }
  return kept;
}

} // namespace tpu_mlir::detail
