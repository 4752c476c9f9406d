#include "lib/Transforms/Memref/VerifyDeallocation/UsedArguments.h"

#include "lib/Transforms/Memref/VerifyDeallocation/Relations.h"

#include "tpu_mlir/Analysis/Memref/Calls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

UsedArguments::UsedArguments(Operation *root, FreshResults &fresh) {
  SmallVector<Operation *> found;
  root->walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      found.push_back(function);
  });
  functions.insert_range(found);
  for (Operation *function : found)
    collect(function, fresh);
  spread();
}

Operation *UsedArguments::calleeOf(Operation *op) const {
  auto call = dyn_cast<CallOpInterface>(op);
  Operation *callee = call ? calledFunction(call, symbols) : nullptr;
  return callee && functions.contains(callee) ? callee : nullptr;
}

static bool mayPass(Operation *user, Value name) {
  return Flow::isOpen(user) || isa<arith::SelectOp>(user) ||
         !viewsOf(user, name).empty();
}

void UsedArguments::collect(Operation *op, FreshResults &fresh) {
  auto function = cast<FunctionOpInterface>(op);
  const auto returns = [&](OpResult result, Value value) {
    return fresh.returns(result, value);
  };
  const auto freesNothing = [](Operation *, Value) { return Frees::Never; };
  const Callees callees{returns, freesNothing};
  const Relations relations(function, callees);
  AsynchronousNest asynchronous(function);
  Block &entry = function.getFunctionBody().front();
  for (BlockArgument argument : function.getArguments()) {
    known[argument] = Touch();
    if (!isa<BaseMemRefType>(argument.getType()))
      continue;
    for (Value name : closure(argument, relations.targets))
      for (Operation *user : name.getUsers())
        add(user, name, {argument, user->getBlock() == &entry}, callees,
            asynchronous);
  }
}

void UsedArguments::add(Operation *user, Value name, Passed passed,
                        const Callees &callees,
                        AsynchronousNest &asynchronous) {
  if (mayPass(user, name))
    return;
  Touch touch;
  if (Flow::endsBlock(user)) {
    touch.keeps = Flow::leadsAnywhere(user);
    touch.accesses = isa<FunctionOpInterface>(user->getParentOp());
  } else if (auto callee =
                 dyn_cast_or_null<FunctionOpInterface>(calleeOf(user))) {
    for (auto [argument, operand] :
         llvm::zip(callee.getArguments(),
                   cast<CallOpInterface>(user).getArgOperands()))
      if (operand == name)
        passedAs[argument].push_back(passed);
    return;
  } else {
    touch = touchOf(user, name, callees, asynchronous);
  }
  if (!passed.isCertain)
    touch.mayAccess |= std::exchange(touch.accesses, false);
  known[passed.argument].add(touch);
}

/// From what is called to callers, each time that more is known.
void UsedArguments::spread() {
  SmallVector<Value> open;
  for (auto &[argument, touch] : known)
    open.push_back(argument);
  const auto isLess = [](const Touch &a, const Touch &b) {
    return (b.accesses && !a.accesses) || (b.mayAccess && !a.mayAccess) ||
           (b.keeps && !a.keeps);
  };
  while (!open.empty()) {
    const Value argument = open.pop_back_val();
    const Touch touch = known.lookup(argument);
    for (const Passed &passed : passedAs.lookup(argument)) {
      Touch given = touch;
      given.mayFree = false;
      if (!passed.isCertain)
        given.mayAccess |= std::exchange(given.accesses, false);
      Touch &old = known[passed.argument];
      if (!isLess(old, given))
        continue;
      old.add(given);
      open.push_back(passed.argument);
    }
  }
}

Touch UsedArguments::of(Operation *op, Value operand) const {
  Touch result;
  auto callee = dyn_cast_or_null<FunctionOpInterface>(calleeOf(op));
  if (!callee) {
    result.accesses = true;
    return result;
  }
  for (auto [argument, passed] : llvm::zip(
           callee.getArguments(), cast<CallOpInterface>(op).getArgOperands()))
    if (passed == operand)
      result.add(known.lookup(argument));
  // What is freed is asked elsewhere.
  result.mayFree = false;
  return result;
}

} // namespace tpu_mlir::verify_deallocation
