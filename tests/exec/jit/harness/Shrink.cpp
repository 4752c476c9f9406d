//===- Shrink.cpp - Smaller programs with the same fault ------------------===//

#include "tests/exec/jit/harness/Shrink.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

std::vector<Operation *> operations(ModuleOp module) {
  std::vector<Operation *> list;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module.getOperation())
      list.push_back(op);
  });
  return list;
}

/// Takes the op out, if something can stand for its results.
bool leaveOut(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value stand;
    for (Value operand : op->getOperands())
      if (operand.getType() == result.getType())
        stand = operand;
    if (!stand)
      return false;
    result.replaceAllUsesWith(stand);
  }
  op->erase();
  return true;
}

} // namespace

OwningOpRef<ModuleOp> shrink(ModuleOp module,
                             const std::function<bool(ModuleOp)> &wanted) {
  // What fails to verify on the way is nobody's concern.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> best = module.clone();
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (size_t i = operations(*best).size(); i-- > 0;) {
      OwningOpRef<ModuleOp> trial = best->clone();
      std::vector<Operation *> list = operations(*trial);
      // Ops inside of those that were left out are gone as well.
      if (i >= list.size())
        continue;
      if (!leaveOut(list[i]) || failed(verify(*trial)) || !wanted(*trial))
        continue;
      best = std::move(trial);
      smaller = true;
    }
  }
  return best;
}

} // namespace tpu_mlir::jit
