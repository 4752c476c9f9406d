//===- UsedArguments.cpp - What functions do with their arguments ---------===//
//
// Collects reads, writes and keeping in each function, then spreads them from
// callees to callers.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/UsedArguments.h"

#include "lib/Analysis/Memref/Deallocation/Relations.h"

#include "tpu_mlir/Analysis/Memref/Calls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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

/// Names that are this buffer and no other.
static llvm::DenseSet<Value> viewsOfAll(Value buffer) {
  llvm::DenseSet<Value> seen = {buffer};
  SmallVector<Value> open = {buffer};
  while (!open.empty()) {
    const Value name = open.pop_back_val();
    for (Operation *user : name.getUsers())
      for (Value view : viewsOf(user, name))
        if (seen.insert(view).second)
          open.push_back(view);
  }
  return seen;
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
  const bool hasWait = fresh.waits().in(function);
  const auto asserts = entry.getOps<cf::AssertOp>();
  Operation *stop = asserts.empty() ? nullptr : *asserts.begin();
  const auto isCertain = [&](Operation *user) {
    // A program may stop before.
    return user->getBlock() == &entry && !(stop && stop->isBeforeInBlock(user));
  };
  for (BlockArgument argument : function.getArguments()) {
    known[argument] = Touch();
    if (!isa<BaseMemRefType>(argument.getType()))
      continue;
    const llvm::DenseSet<Value> same = viewsOfAll(argument);
    for (Value name : closure(argument, relations.targets))
      for (Operation *user : name.getUsers())
        add(user, name,
            {argument, same.contains(name) && isCertain(user), hasWait},
            callees, asynchronous);
  }
}

void UsedArguments::add(Operation *user, Value name, Passed passed,
                        const Callees &callees,
                        AsynchronousNest &asynchronous) {
  if (mayPass(user, name))
    return;
  Touch touch;
  if (Flow::endsBlock(user)) {
    // What is returned the caller uses under another name, if at all.
    touch.keeps = Flow::leadsAnywhere(user);
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
    touch.starts = startedBy(user) != nullptr;
  }
  known[passed.argument].add(asPassed(touch, passed));
}

/// What is done there by what has become the argument.
Touch UsedArguments::asPassed(Touch touch, const Passed &passed) {
  // What is freed is asked elsewhere.
  touch.mayFree = false;
  if (!passed.isCertain)
    touch.mayAccess |= std::exchange(touch.accesses, false);
  touch.starts &= !passed.waits;
  return touch;
}

/// From what is called to callers, each time that more is known.
void UsedArguments::spread() {
  SmallVector<Value> open;
  for (auto &[argument, touch] : known)
    open.push_back(argument);
  const auto isLess = [](const Touch &a, const Touch &b) {
    return (b.accesses && !a.accesses) || (b.mayAccess && !a.mayAccess) ||
           (b.keeps && !a.keeps) || (b.starts && !a.starts);
  };
  while (!open.empty()) {
    const Value argument = open.pop_back_val();
    const Touch touch = known.lookup(argument);
    for (const Passed &passed : passedAs.lookup(argument)) {
      const Touch given = asPassed(touch, passed);
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
    // Which function it is may be unknown, too.
    const bool isExternal =
        calledFunction(cast<CallOpInterface>(op), symbols) != nullptr;
    result.accesses = isExternal;
    result.mayAccess = !isExternal;
    return result;
  }
  for (auto [argument, passed] : llvm::zip(
           callee.getArguments(), cast<CallOpInterface>(op).getArgOperands()))
    if (passed == operand)
      result.add(known.lookup(argument));
  return result;
}

} // namespace tpu_mlir::verify_deallocation
