//===- ModuleFacts.cpp - Collect facts about all functions of a module ----===//
//
// Whether anything looks at the layout of a memref, and whether anything may
// be written without being named as an operand.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/ModuleFacts.h"

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Form.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

bool writesAnywhere(Operation *op) {
  if (isa<CallOpInterface>(op))
    return false;
  // What was started before is written when it is done.
  if (isa<memref::DmaWaitOp>(op) ||
      op->getName().getStringRef() == "affine.dma_wait")
    return true;
  auto known = dyn_cast<MemoryEffectOpInterface>(op);
  if (!known)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
           !op->hasTrait<OpTrait::IsIsolatedFromAbove>() &&
           !isa<SymbolOpInterface>(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  known.getEffects(effects);
  return llvm::any_of(effects, [](const auto &effect) {
    Value where = effect.getValue();
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           !(where && isa<BaseMemRefType>(where.getType()));
  });
}

static bool mayWriteElsewhere(Operation *root) {
  return root
      ->walk([](Operation *op) {
        auto global = dyn_cast<memref::GlobalOp>(op);
        return (global && !global.getConstant()) || writesAnywhere(op) ||
                       isAsynchronous(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

ModuleFacts::ModuleFacts(Operation *root)
    : calls(root), formMatters(someoneSeesForm(root)),
      elsewhereMatters(mayWriteElsewhere(root)) {}

} // namespace tpu_mlir::deallocation
