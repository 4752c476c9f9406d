//===- Waits.cpp - Find what is asynchronous, and the waits for it --------===//
//
// The check's own reading of async ops; it shares none with the passes that it
// checks.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Model/Waits.h"

#include "lib/Analysis/Memref/Deallocation/Model/Flow.h"
#include "tpu_mlir/Analysis/Memref/Calls.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

static bool hasAsyncType(ValueRange values) {
  return llvm::any_of(values, [](Value value) {
    return value.getType().getAbstractType().getName().contains("async");
  });
}

static bool waitsItself(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (hasAsyncType(op->getResults()) || Flow::endsBlock(op) ||
      name == "add_to_group")
    return false;
  return hasAsyncType(op->getOperands()) || name.contains("wait") ||
         name.contains("barrier");
}

Operation *startedBy(Operation *op) {
  Operation *found = nullptr;
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    StringRef name = op->getName().stripDialect();
    if (!waitsItself(op) && (hasAsyncType(op->getResults()) ||
                             name.contains("async") || name == "dma_start"))
      found = op;
  }
  return found;
}

Waits::Waits(Operation *root) {
  root->walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.insert(function);
  });
  llvm::DenseMap<Operation *, SmallVector<Operation *, 2>> callers;
  SmallVector<Operation *> open;
  for (Operation *function : functions)
    function->walk([&](Operation *op) {
      if (Operation *callee = calleeOf(op))
        callers[callee].push_back(function);
      else if (waitsItself(op) && waiting.insert(function).second)
        open.push_back(function);
    });
  while (!open.empty())
    for (Operation *caller : callers.lookup(open.pop_back_val()))
      if (waiting.insert(caller).second)
        open.push_back(caller);
}

Operation *Waits::calleeOf(Operation *op) const {
  auto call = dyn_cast<CallOpInterface>(op);
  Operation *callee = call ? calledFunction(call, symbols) : nullptr;
  return callee && functions.contains(callee) ? callee : nullptr;
}

bool Waits::is(Operation *op) const {
  if (Operation *callee = calleeOf(op))
    return waiting.contains(callee);
  return waitsItself(op);
}

} // namespace tpu_mlir::verify_deallocation
