//===- FunctionCheck.cpp - Check the deallocations of one function --------===//
//
// Explores what may happen to each buffer and reports leaks, double frees and
// uses after a free.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/FunctionCheck.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

/// So many that no function gets there, and 16 times it is an int64_t.
static constexpr int64_t kMostWorlds = int64_t(1) << 48;

FunctionCheck::FunctionCheck(Operation *function, FreshResults &fresh,
                             FreedArguments &freed, const Question &question)
    : function(function), fresh(fresh), freed(freed), flow(function),
      names(flow, function, fresh.waits()), maxWorlds(question.maxWorlds),
      leaks(question.leaks),
      taken(question.taken.begin(), question.taken.end()),
      only(question.only.begin(), question.only.end()), ticks(function) {
  collectBuffers();
}

void FunctionCheck::collectBuffers() {
  for (BlockArgument argument :
       cast<FunctionOpInterface>(function).getArguments())
    if (only.empty() && freed.mayBeFreed(argument))
      buffers.push_back(argument);
  function->walk([&](Operation *op) {
    if (op->getNumResults() == 0 || op == function ||
        (!only.empty() && !only.contains(op)) ||
        !names.dominators().isReachableFromEntry(op->getBlock()))
      return;
    for (OpResult result : op->getResults()) {
      if (isFollowed(result))
        buffers.push_back(result);
      else if (isForeign(result))
        foreignBuffers.push_back(result);
      if (isa<memref::LoadOp>(op) && isa<BaseMemRefType>(result.getType()) &&
          !result.use_empty())
        loadedBuffers.push_back(result);
    }
  });
}

/// From where it comes to its end.
bool FunctionCheck::isFollowed(OpResult result) {
  Operation *op = result.getOwner();
  if (!leaks && !freed.mayBeFreed(result))
    return false;
  return allocatesBuffer(op) || isa<memref::ReallocOp>(op) ||
         fresh.isFresh(result) || taken.contains(result) ||
         (isa<memref::AllocaOp, memref::GetGlobalOp>(op) &&
          freed.mayBeFreed(result));
}

/// It is freed here, and no name of what is followed.
bool FunctionCheck::isForeign(OpResult result) {
  Operation *op = result.getOwner();
  return isa<BaseMemRefType>(result.getType()) && freed.mayBeFreed(result) &&
         !Flow::isOpen(op) && !isa<arith::SelectOp, ViewLikeOpInterface>(op) &&
         llvm::none_of(op->getOperands(), [&](Value operand) {
           return fresh.returns(result, operand) == Returns::Always;
         });
}

Finding &FunctionCheck::add(Value buffer, const Event &event, bool isCertain) {
  // A leak is said where the buffer comes from, once.
  Operation *at =
      event.fault == Fault::Leak ? buffer.getDefiningOp() : event.op;
  Finding &finding = found[{ticks.of(at), event.fault}];
  auto position = [&](const Event &event) {
    return std::pair(event.op ? ticks.of(event.op) : 0,
                     event.freedBy ? ticks.of(event.freedBy) : 0);
  };
  if (finding.buffers.empty() || (isCertain && !finding.isCertain) ||
      (isCertain == finding.isCertain &&
       position(event) < position(finding.event)))
    finding.event = event;
  finding.isCertain |= isCertain;
  // Buffers come one after the other.
  if (finding.buffers.empty() || finding.buffers.back() != buffer)
    finding.buffers.push_back(buffer);
  return finding;
}

/// The buffer that is freed is the argument itself, not one of several: its
/// caller may know when.
static bool freesItself(Operation *op, Value argument) {
  auto dealloc = dyn_cast<memref::DeallocOp>(op);
  if (!dealloc)
    return llvm::is_contained(op->getOperands(), argument);
  Value name = dealloc.getMemref();
  while (Operation *made = name.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(made);
    if (!view || viewsOf(made, view.getViewSource()).empty())
      return false;
    name = view.getViewSource();
  }
  return name == argument;
}

/// Nobody may free it: what is not on the heap, and what a caller out of sight
/// has, if the function frees it on some paths only.
bool FunctionCheck::isBorrowed(Value buffer) const {
  if (Operation *op = buffer.getDefiningOp())
    return isa<memref::AllocaOp, memref::GetGlobalOp>(op);
  if (callersAreKnown())
    return false;
  Frees frees = freed.of(cast<BlockArgument>(buffer));
  return frees == Frees::Sometimes || frees == Frees::OrReturned;
}

bool FunctionCheck::callersAreKnown() const {
  auto symbol = dyn_cast<SymbolOpInterface>(function);
  return freed.isCalled(function) || (symbol && symbol.isPrivate());
}

/// A caller can know that a function takes a buffer over, if it always does.
/// Whether those in sight do know is seen in them.
void FunctionCheck::checkArgument(BlockArgument argument, const Worlds &worlds,
                                  int start) {
  if (callersAreKnown())
    return;
  for (int index : worlds.reachable({start}))
    if (Operation *op = worlds[index].freedBy)
      add(argument, {Fault::NotOwned, op}, false);
}

std::vector<Finding> FunctionCheck::findings() {
  auto returns = [&](OpResult result, Value operand) {
    return fresh.returns(result, operand);
  };
  auto frees = [&](Operation *op, Value value) {
    return freed.ofCall(op, value);
  };
  auto sharedFate = [&](Operation *op, llvm::function_ref<bool(Value)> holds) {
    return freed.ofShared(op, holds);
  };
  auto uses = [&](Operation *op, Value value) {
    return freed.usesBy(op, value);
  };
  Worlds worlds(flow, names, {returns, frees, sharedFate, uses});
  int64_t budget =
      16 * (std::min(maxWorlds, kMostWorlds) + int64_t(buffers.size()));
  std::vector<int> starts;
  auto explore = [&](Value buffer, bool isForeign) {
    int64_t left = std::max<int64_t>(budget - worlds.size(), 0);
    starts.push_back(worlds.explore(buffer, std::min(maxWorlds, left),
                                    isBorrowed(buffer), isForeign));
  };
  for (Value buffer : buffers)
    explore(buffer, /*isForeign=*/false);
  for (Value buffer : foreignBuffers)
    explore(buffer, /*isForeign=*/true);
  worlds.finish(std::max<int64_t>(budget - worlds.size(), 0));
  std::vector<bool> leaves =
      worlds.leadingTo([](const WorldNode &node) { return node.isLeft; });
  Certainty certainty(flow, worlds, names.dominators());
  for (auto [number, start] : llvm::enumerate(starts)) {
    const bool isForeign = number >= buffers.size();
    Value buffer =
        isForeign ? foreignBuffers[number - buffers.size()] : buffers[number];
    Verdict verdict = certainty.judge(buffer.getDefiningOp(), start);
    for (const Event &event : verdict.certain)
      add(buffer, event,
          event.fault != Fault::NotOwned || buffer.getDefiningOp() ||
              !freesItself(event.op, buffer))
          .isAlways &= verdict.alwaysLeaks;
    for (const Event &event : verdict.possible)
      add(buffer, event, false).isAlways &= verdict.alwaysLeaks;
    if (!verdict.isComplete)
      undecidedBuffers.push_back(buffer);
    if (leaves[start] && buffer.getDefiningOp() && !isForeign)
      leftBuffers.push_back(buffer);
    if (auto argument = dyn_cast<BlockArgument>(buffer))
      checkArgument(argument, worlds, start);
  }
  std::vector<Finding> result;
  for (auto &[key, finding] : found)
    result.push_back(std::move(finding));
  return result;
}

} // namespace tpu_mlir::verify_deallocation
