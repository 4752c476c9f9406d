//===- Relations.cpp - Relate memrefs by what is passed on ----------------===//
//
// Views, branches and calls are edges; which names may be one buffer is the
// closure over them.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Relations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

Relations::Relations(Operation *function, const Callees &callees) {
  Flow flow(function);
  function->walk([&](Operation *op) {
    if (op == function)
      return;
    if (isa<arith::SelectOp>(op)) {
      relate(op->getOperand(1), op->getResult(0));
      relate(op->getOperand(2), op->getResult(0));
    }
    if (isa<CallOpInterface>(op))
      relateCall(op, callees);
    for (Value operand : op->getOperands())
      for (Value view : viewsOf(op, operand))
        relate(operand, view);
    if (Flow::isOpen(op) || Flow::endsBlock(op))
      for (const Edge &edge : flow.edgesOf(op))
        for (const auto &[target, source] : edge.passes)
          relate(source, target);
  });
}

void Relations::relateCall(Operation *call, const Callees &callees) {
  for (OpResult result : call->getResults())
    for (Value operand : call->getOperands()) {
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      Returns returns = callees.returns(result, operand);
      if (returns == Returns::Sometimes || returns == Returns::Always)
        relate(operand, result);
    }
}

void Relations::relate(Value source, Value target) {
  if (!isa<BaseMemRefType>(target.getType()))
    return;
  sources[target].push_back(source);
  if (source)
    targets[source].push_back(target);
}

llvm::DenseSet<Value> closure(ArrayRef<Value> starts,
                              const Relations::Map &relation) {
  llvm::DenseSet<Value> seen(starts.begin(), starts.end());
  SmallVector<Value> open(starts);
  while (!open.empty())
    for (Value next : relation.lookup(open.pop_back_val()))
      if (seen.insert(next).second && next)
        open.push_back(next);
  return seen;
}

bool mayBeKept(Value buffer, const Relations &relations, const Callees &callees,
               AsynchronousNest &asynchronous) {
  for (Value name : closure(buffer, relations.targets))
    for (Operation *user : name.getUsers()) {
      if (Flow::leadsAnywhere(user))
        return true;
      if (Flow::endsBlock(user) || Flow::isOpen(user) ||
          isa<arith::SelectOp>(user) || !viewsOf(user, name).empty())
        continue;
      if (touchOf(user, name, callees, asynchronous).keeps)
        return true;
    }
  return false;
}

} // namespace tpu_mlir::verify_deallocation
