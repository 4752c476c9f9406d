//===- FreshResults.cpp - Find results that are new buffers ---------------===//
//
// Tells for each result of a function whether it is a new buffer, one of the
// arguments, or not known.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/FreshResults.h"

#include "lib/Analysis/Memref/Deallocation/Model/Worlds.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

/// Above that a buffer may be returned wherever its names are.
static constexpr size_t kMostWorlds = 16384;

/// What one function returns.
class FreshResults::Collector {
public:
  Collector(FunctionOpInterface function, FreshResults &fresh);
  Results collect();

private:
  void addEnd(Operation *end);
  void addSource(Value source, OpOperand &returned,
                 llvm::DenseMap<Value, unsigned> &returnedAs);
  bool isOwn(OpResult result);
  bool mayBeFresh(OpResult made);
  bool isReturned(Value buffer, unsigned result);

  FunctionOpInterface function;
  FreshResults &fresh;
  std::function<Returns(OpResult, Value)> returns;
  std::function<Frees(Operation *, Value)> frees;
  Callees callees;
  Relations relations;
  AsynchronousNest asynchronous;
  Results results;
  Flow flow;
  Names names;
  Worlds worlds;
  /// Of buffers that somebody else owns, the results that they may be.
  llvm::DenseMap<Value, llvm::BitVector> returnedIn;
};

FreshResults::FreshResults(Operation *root) : waiting(root) {
  root->walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.insert(function);
  });
}

Operation *FreshResults::calleeOf(OpResult result) {
  auto call = dyn_cast<CallOpInterface>(result.getOwner());
  return call ? calledFunction(call, symbols) : nullptr;
}

/// Null: nothing is known of what it is.
const FreshResults::Result *FreshResults::find(OpResult result) {
  Operation *callee = calleeOf(result);
  if (!callee || !functions.contains(callee))
    return nullptr;
  // While it is looked at, a function that calls itself finds nothing.
  auto [found, isNew] = known.try_emplace(callee);
  if (isNew) {
    Results results =
        Collector(cast<FunctionOpInterface>(callee), *this).collect();
    known[callee] = std::move(results);
  }
  const Results &results = known[callee];
  return result.getResultNumber() < results.size()
             ? &results[result.getResultNumber()]
             : nullptr;
}

bool FreshResults::isFresh(OpResult result) {
  const Result *found = find(result);
  return found && found->isFresh && isa<BaseMemRefType>(result.getType());
}

bool FreshResults::mayBeFresh(OpResult result) {
  const Result *found = find(result);
  return found && found->mayBeFresh;
}

Returns FreshResults::returns(OpResult result, Value operand) {
  const Result *found = find(result);
  if (!found || !isa<BaseMemRefType>(result.getType()) ||
      !(found->isFresh || found->isKnown))
    return Returns::Unknown;
  size_t may = 0;
  auto operands = cast<CallOpInterface>(result.getOwner()).getArgOperands();
  for (unsigned argument : found->arguments)
    may += argument < operands.size() && operands[argument] == operand;
  if (found->isFresh || may == 0)
    return Returns::Never;
  return found->isArgument && may == found->arguments.size()
             ? Returns::Always
             : Returns::Sometimes;
}

FreshResults::Collector::Collector(FunctionOpInterface function,
                                   FreshResults &fresh)
    : function(function), fresh(fresh),
      // Perhaps counts as well.
      returns([&fresh](OpResult result, Value operand) {
        Returns returns = fresh.returns(result, operand);
        return returns == Returns::Sometimes ? Returns::Always : returns;
      }),
      // What is freed is not kept.
      frees([](Operation *, Value) { return Frees::Never; }),
      callees{returns, frees}, relations(function, callees),
      asynchronous(function), results(function.getNumResults()), flow(function),
      names(flow, function, fresh.waits()), worlds(flow, names, callees) {}

bool FreshResults::Collector::isOwn(OpResult result) {
  return (allocatesBuffer(result.getOwner()) ||
          isa<memref::ReallocOp>(result.getOwner()) || fresh.isFresh(result)) &&
         !mayBeKept(result, relations, callees, asynchronous);
}

/// Of what a call gives of which nothing is known, too: it is handed on. What
/// the function itself gives is what its other paths give.
bool FreshResults::Collector::mayBeFresh(OpResult made) {
  if (const Result *called = fresh.find(made))
    return called->mayBeFresh;
  if (isa<CallOpInterface>(made.getOwner()))
    return fresh.calleeOf(made) != function;
  return !allocatedMemrefs(made.getOwner()).empty() ||
         isa<memref::ReallocOp>(made.getOwner());
}

/// Under what is known of flags. True where that is too much to look at.
bool FreshResults::Collector::isReturned(Value buffer, unsigned result) {
  auto [found, isNew] = returnedIn.try_emplace(buffer, results.size());
  if (!isNew)
    return found->second.test(result);
  int start = worlds.explore(buffer, kMostWorlds);
  for (int index : worlds.reachable({start})) {
    const WorldNode &node = worlds[index];
    if (node.end == WorldNode::End::Open || node.isLost)
      found->second.set();
    for (unsigned number : node.returned)
      if (number < results.size())
        found->second.set(number);
  }
  return found->second.test(result);
}

/// One of the things that a returned memref may be.
void FreshResults::Collector::addSource(
    Value source, OpOperand &returned,
    llvm::DenseMap<Value, unsigned> &returnedAs) {
  unsigned index = returned.getOperandNumber();
  Result &result = results[index];
  auto argument = dyn_cast_or_null<BlockArgument>(source);
  auto made = dyn_cast_or_null<OpResult>(source);
  // What has sources itself is only a name, if it is not something else at
  // times.
  bool isName = source && relations.sources.contains(source);
  const Result *called = made ? fresh.find(made) : nullptr;
  if (isName && !(called && !called->isArgument))
    return;
  bool isOthers =
      argument ||
      (made && isa<memref::AllocaOp, memref::GetGlobalOp>(made.getOwner()));
  if (isOthers && !isReturned(source, index))
    return;
  auto [found, isNew] = returnedAs.try_emplace(source, index);
  if (!isNew && found->second != index)
    result.isFresh = results[found->second].isFresh = false;
  if (argument && argument.getOwner()->getParentOp() == function &&
      argument.getOwner()->isEntryBlock()) {
    result.isFresh = false;
    result.arguments.insert(argument.getArgNumber());
    return;
  }
  result.isArgument = false;
  result.isFresh &= made && isOwn(made);
  result.mayBeFresh |= made && mayBeFresh(made);
  result.isKnown &=
      made &&
      (called
           ? called->isFresh || called->isKnown
           : !allocatedMemrefs(made.getOwner()).empty() ||
                 isa<memref::AllocaOp, memref::GetGlobalOp>(made.getOwner()));
}

void FreshResults::Collector::addEnd(Operation *end) {
  llvm::DenseMap<Value, unsigned> returnedAs;
  for (OpOperand &operand : end->getOpOperands())
    if (isa<BaseMemRefType>(operand.get().getType()))
      for (Value source : closure(operand.get(), relations.sources))
        addSource(source, operand, returnedAs);
}

FreshResults::Results FreshResults::Collector::collect() {
  bool returns = false;
  for (Block &block : function.getFunctionBody()) {
    Operation *end = block.empty() ? nullptr : &block.back();
    // Maybe with anything as results.
    if (end && !end->isRegistered() && end->getNumSuccessors() == 0)
      return Results(results.size());
    if (!end || !end->hasTrait<OpTrait::ReturnLike>() ||
        end->getNumOperands() != results.size())
      continue;
    if (!returns)
      for (Result &result : results)
        result.isFresh = result.isKnown = result.isArgument = true;
    returns = true;
    addEnd(end);
  }
  return std::move(results);
}

} // namespace tpu_mlir::verify_deallocation
