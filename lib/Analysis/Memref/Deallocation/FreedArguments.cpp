//===- FreedArguments.cpp - Find arguments that a function frees ----------===//
//
// A fixed point over the functions of a module, recursive ones included.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/FreedArguments.h"

#include "lib/Analysis/Memref/Deallocation/Model/Worlds.h"
#include "lib/Analysis/Memref/Deallocation/Relations.h"

#include "tpu_mlir/Analysis/Memref/Calls.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

/// Above that it is not known whether an argument is freed on every path.
static constexpr size_t kMostWorlds = 16384;

FreedArguments::FreedArguments(Operation *root, FreshResults &fresh)
    : fresh(fresh), used(root, fresh) {
  root->walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.insert(function);
  });
  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> callers;
  for (Operation *function : functions)
    function->walk([&](CallOpInterface call) {
      if (Operation *callee = calleeOf(call)) {
        callers[callee].insert(function);
        called.insert(callee);
      }
    });
  llvm::SetVector<Operation *> open(functions.begin(), functions.end());
  while (!open.empty()) {
    Operation *function = open.pop_back_val();
    if (update(function))
      open.insert_range(callers.lookup(function));
  }
}

Operation *FreedArguments::calleeOf(Operation *op) const {
  auto call = dyn_cast<CallOpInterface>(op);
  Operation *callee = call ? calledFunction(call, symbols) : nullptr;
  return callee && functions.contains(callee) ? callee : nullptr;
}

/// By a call: numbers of the arguments that `operand` becomes.
static SmallVector<unsigned, 2> argumentsOf(Operation *op, Value operand) {
  SmallVector<unsigned, 2> result;
  auto passed = cast<CallOpInterface>(op).getArgOperands();
  for (auto [index, value] : llvm::enumerate(passed))
    if (value == operand)
      result.push_back(index);
  return result;
}

/// Also memref.realloc, and what an op frees under a condition.
static bool frees(Operation *op, Value operand) {
  if (isa<bufferization::DeallocOp>(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.getEffectOnValue<MemoryEffects::Free>(operand);
}

/// True when more is known to be freed than before.
bool FreedArguments::update(Operation *function) {
  SmallVector<Value> names;
  function->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) &&
          (frees(op, operand) || mayFree(op, operand)))
        names.push_back(operand);
  });
  if (names.empty())
    return false;
  llvm::DenseSet<Value> &old = freed[function];
  size_t before = old.size();
  auto returns = [&](OpResult result, Value value) {
    return fresh.returns(result, value);
  };
  auto freesNothing = [](Operation *, Value) { return Frees::Never; };
  old = closure(names, Relations(function, {returns, freesNothing}).sources);
  return old.size() > before;
}

bool FreedArguments::mayFree(Operation *op, Value operand) const {
  auto found = freed.find(calleeOf(op));
  if (found == freed.end())
    return false;
  auto arguments = cast<FunctionOpInterface>(found->first).getArguments();
  return llvm::any_of(argumentsOf(op, operand), [&](unsigned argument) {
    return argument < arguments.size() &&
           found->second.contains(arguments[argument]);
  });
}

bool FreedArguments::mayBeFreed(Value value) const {
  Operation *function = value.getParentBlock()->getParentOp();
  if (!isa<FunctionOpInterface>(function))
    function = function->getParentOfType<FunctionOpInterface>();
  auto found = freed.find(function);
  return found != freed.end() && found->second.contains(value);
}

Frees FreedArguments::ofCall(Operation *op, Value operand) {
  if (auto realloc = dyn_cast<memref::ReallocOp>(op))
    return realloc.getSource() == operand ? Frees::Always : Frees::Never;
  if (!mayFree(op, operand))
    return Frees::Never;
  auto arguments = cast<FunctionOpInterface>(calleeOf(op)).getArguments();
  Frees result = Frees::Never;
  for (unsigned argument : argumentsOf(op, operand))
    result = std::max(result, of(arguments[argument]));
  return result;
}

Frees FreedArguments::of(BlockArgument argument) {
  if (!mayBeFreed(argument))
    return Frees::Never;
  Operation *function = argument.getOwner()->getParentOp();
  if (!known.contains(function))
    solve(function);
  else
    asked.insert(function);
  return known[function][argument.getArgNumber()];
}

/// What is known once `now` was found out where `old` was taken for granted:
/// paths only come in addition.
static Frees either(Frees old, Frees now) {
  if (old == Frees::NoEnd || old == Frees::Returned || old == now ||
      (now == Frees::OrReturned && old != Frees::Sometimes))
    return now;
  return Frees::Sometimes;
}

/// What calls itself does what its paths do that call it no more, and then what
/// those do that call one of these, until nothing comes in addition. All that
/// relied on less is looked at again.
void FreedArguments::solve(Operation *function) {
  unsigned count = cast<FunctionOpInterface>(function).getNumArguments();
  SmallVector<Frees> guess(count, Frees::NoEnd);
  size_t before = solved.size();
  ++depth;
  while (true) {
    known[function] = guess;
    asked.erase(function);
    SmallVector<Frees> result = collect(function);
    const bool isAsked = asked.contains(function);
    if (isAsked)
      for (auto [now, old] : llvm::zip_equal(result, guess))
        now = either(old, now);
    const bool isSolved = !isAsked || result == guess;
    guess = known[function] = result;
    if (isSolved)
      break;
    for (; solved.size() > before; solved.pop_back())
      known.erase(solved.back());
  }
  solved.push_back(function);
  // Nothing is taken for granted any more: all paths are known.
  if (--depth == 0)
    for (Operation *each : ArrayRef(solved).drop_front(before))
      llvm::replace(known[each], Frees::Returned, Frees::Never);
}

/// Maybe through others.
bool FreedArguments::callsItself(Operation *function) const {
  llvm::SetVector<Operation *> callees;
  auto add = [&](CallOpInterface call) {
    if (Operation *callee = calleeOf(call))
      callees.insert(callee);
  };
  function->walk(add);
  for (size_t i = 0; i < callees.size(); ++i)
    callees[i]->walk(add);
  return callees.contains(function);
}

std::optional<SharedFate>
FreedArguments::ofShared(Operation *op, llvm::function_ref<bool(Value)> isIt) {
  Operation *callee = calleeOf(op);
  if (!callee)
    return std::nullopt;
  auto arguments = cast<FunctionOpInterface>(callee).getArguments();
  auto passed = cast<CallOpInterface>(op).getArgOperands();
  std::vector<unsigned> numbers;
  for (auto [argument, operand] : llvm::zip(arguments, passed))
    if (isIt(operand) && !argument.use_empty())
      numbers.push_back(argument.getArgNumber());
  if (numbers.size() < 2)
    return std::nullopt;
  auto [found, isNew] = knownShared.try_emplace({callee, numbers});
  if (isNew)
    found->second = collectShared(callee, numbers);
  return found->second;
}

/// As if they were names of one buffer in the function.
SharedFate FreedArguments::collectShared(Operation *function,
                                         ArrayRef<unsigned> arguments) {
  SharedFate result;
  // Nothing is known yet of what it does when it calls itself.
  if (callsItself(function))
    return {Frees::Sometimes, SharedFate::Fault::Sometimes};
  SmallVector<Value> names;
  for (unsigned number : arguments)
    names.push_back(cast<FunctionOpInterface>(function).getArgument(number));
  explore(function, [&](Worlds &worlds) {
    const int start = worlds.explore(names.front(), kMostWorlds,
                                     /*isBorrowed=*/false, /*isForeign=*/false,
                                     ArrayRef(names).drop_front());
    result = {worlds.freesFrom(start), worlds.faultFrom(start)};
  });
  return result;
}

/// Calls `visit` to ask what becomes of buffers of the function.
void FreedArguments::explore(Operation *function,
                             llvm::function_ref<void(Worlds &)> visit) {
  Flow flow(function);
  Names names(flow, function, fresh.waits());
  auto returns = [&](OpResult result, Value operand) {
    return fresh.returns(result, operand);
  };
  auto freesOf = [&](Operation *op, Value value) { return ofCall(op, value); };
  auto sharedFate = [&](Operation *op, llvm::function_ref<bool(Value)> holds) {
    return ofShared(op, holds);
  };
  auto uses = [&](Operation *op, Value value) { return used.of(op, value); };
  Worlds worlds(flow, names, {returns, freesOf, sharedFate, uses});
  visit(worlds);
}

SmallVector<Frees> FreedArguments::collect(Operation *function) {
  auto arguments = cast<FunctionOpInterface>(function).getArguments();
  SmallVector<Frees> result(arguments.size(), Frees::Never);
  SmallVector<std::pair<unsigned, int>> starts;
  explore(function, [&](Worlds &worlds) {
    for (BlockArgument argument : arguments)
      if (mayBeFreed(argument))
        starts.emplace_back(argument.getArgNumber(),
                            worlds.explore(argument, kMostWorlds));
    worlds.finish(16 * kMostWorlds);
    for (auto [number, start] : starts)
      result[number] = worlds.freesFrom(start);
  });
  return result;
}

} // namespace tpu_mlir::verify_deallocation
