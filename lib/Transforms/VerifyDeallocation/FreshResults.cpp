#include "lib/Transforms/VerifyDeallocation/FreshResults.h"

#include "lib/Transforms/VerifyDeallocation/Names.h"
#include "lib/Transforms/VerifyDeallocation/Relations.h"
#include "tpu_mlir/Analysis/MemrefAliases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

FreshResults::FreshResults(Operation *root) {
  root->walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.insert(function);
  });
}

bool FreshResults::isFresh(OpResult result) {
  auto call = dyn_cast<CallOpInterface>(result.getOwner());
  if (!call || !isa<BaseMemRefType>(result.getType()))
    return false;
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  Operation *callee =
      name ? symbols.lookupNearestSymbolFrom(call, name) : nullptr;
  if (!callee || !functions.contains(callee))
    return false;
  const llvm::BitVector &results = of(callee);
  return result.getResultNumber() < results.size() &&
         results[result.getResultNumber()];
}

const llvm::BitVector &FreshResults::of(Operation *function) {
  // While it is looked at, a function that calls itself finds nothing.
  auto [found, isNew] = known.try_emplace(function);
  if (isNew) {
    llvm::BitVector results = collect(function);
    known[function] = std::move(results);
  }
  return known[function];
}

/// Somebody else may have it when the function is left.
static bool isKept(Value buffer, const Relations &relations,
                   const Callees &callees) {
  for (Value name : closure(buffer, relations.targets))
    for (Operation *user : name.getUsers()) {
      if (Flow::leadsAnywhere(user))
        return true;
      if (Flow::endsBlock(user) || Flow::isOpen(user) ||
          isa<arith::SelectOp>(user) || !viewsOf(user, name).empty())
        continue;
      if (touchOf(user, name, /*looksInside=*/false, callees).keeps)
        return true;
    }
  return false;
}

llvm::BitVector FreshResults::collect(Operation *function) {
  llvm::BitVector fresh(cast<FunctionOpInterface>(function).getNumResults());
  Relations relations(function);
  auto isFreshResult = [&](OpResult result) { return isFresh(result); };
  // What is freed is not kept.
  auto freesNothing = [](Operation *, Value) { return Frees::Never; };
  Callees callees = {isFreshResult, freesNothing};
  auto isOwn = [&](Value value) {
    auto result = dyn_cast_or_null<OpResult>(value);
    return result && (allocatesBuffer(result.getOwner()) || isFresh(result)) &&
           !isKept(result, relations, callees);
  };
  bool returns = false;
  for (Block &block : cast<FunctionOpInterface>(function).getFunctionBody()) {
    Operation *end = block.empty() ? nullptr : &block.back();
    // Maybe with anything as results.
    if (end && !end->isRegistered() && end->getNumSuccessors() == 0)
      return llvm::BitVector(fresh.size());
    if (!end || !end->hasTrait<OpTrait::ReturnLike>() ||
        end->getNumOperands() != fresh.size())
      continue;
    if (!returns)
      fresh.set();
    returns = true;
    llvm::DenseMap<Value, unsigned> returnedAs;
    for (OpOperand &operand : end->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      if (!isa<BaseMemRefType>(operand.get().getType())) {
        fresh.reset(index);
        continue;
      }
      for (Value source : closure(operand.get(), relations.sources)) {
        // What has sources itself is only a name.
        if (source && relations.sources.contains(source))
          continue;
        auto [found, isNew] = returnedAs.try_emplace(source, index);
        if (!isOwn(source))
          fresh.reset(index);
        if (!isNew && found->second != index) {
          fresh.reset(index);
          fresh.reset(found->second);
        }
      }
    }
  }
  return fresh;
}

} // namespace tpu_mlir::verify_deallocation
