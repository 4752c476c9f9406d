#include "lib/Transforms/VerifyDeallocation/Relations.h"

#include "lib/Transforms/VerifyDeallocation/Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

Relations::Relations(Operation *function) {
  Flow flow(function);
  function->walk([&](Operation *op) {
    if (op == function)
      return;
    if (isa<arith::SelectOp>(op)) {
      relate(op->getOperand(1), op->getResult(0));
      relate(op->getOperand(2), op->getResult(0));
    }
    for (Value operand : op->getOperands())
      for (Value view : viewsOf(op, operand))
        relate(operand, view);
    if (Flow::isOpen(op) || Flow::endsBlock(op))
      for (const Edge &edge : flow.edgesOf(op))
        for (const auto &[target, source] : edge.passes)
          relate(source, target);
  });
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

} // namespace tpu_mlir::verify_deallocation
