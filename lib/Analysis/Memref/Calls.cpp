//===- Calls.cpp - Summarise what functions do with their arguments -------===//
//
// Runs over the call graph until nothing changes; calls outside the module
// free and keep whatever they are given.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Keeping.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace tpu_mlir {

using namespace detail;

Operation *calledFunction(CallOpInterface call,
                          SymbolTableCollection &symbols) {
  CallInterfaceCallable callable = call.getCallableForCallee();
  auto name = dyn_cast<SymbolRefAttr>(callable);
  Attribute constant;
  if (auto value = dyn_cast<Value>(callable);
      value && matchPattern(value, m_Constant(&constant)))
    name = dyn_cast<SymbolRefAttr>(constant);
  return name ? dyn_cast_or_null<FunctionOpInterface>(
                    symbols.lookupNearestSymbolFrom(call, name))
              : nullptr;
}

/// Goes back from what is freed to all that it may be, and from arguments on to
/// the operands of calls.
class CallSummaries::Search {
public:
  explicit Search(CallSummaries &facts) : facts(facts) {}

  void addCall(CallOpInterface call, Operation *callee) {
    callers[callee].push_back(call);
  }
  void run();

private:
  void addFreed(Operation *function);
  void add(Value value) {
    if (isa<BaseMemRefType>(value.getType()) && seen.insert(value).second)
      open.push_back(value);
  }
  void addSources(Value value);
  void addOperands(BlockArgument argument);
  SmallVector<Value> sourcesOf(Value value);
  SmallVector<Value> sourcesOfCall(CallOpInterface call, OpResult result,
                                   FunctionOpInterface callee);
  const std::vector<llvm::BitVector> &returnedBy(FunctionOpInterface function);
  void findReturned();
  std::vector<llvm::BitVector> findReturnedBy(FunctionOpInterface function);
  llvm::BitVector argumentsAmong(FunctionOpInterface function,
                                 SmallVector<Value> values);
  void readFlow(Operation *function);

  CallSummaries &facts;
  llvm::MapVector<Operation *, SmallVector<CallOpInterface>> callers;
  /// Of functions whose flow has been read: what a value may be right away.
  llvm::DenseMap<Value, SmallVector<Value, 1>> sources;
  llvm::DenseSet<Operation *> read;
  /// By function and result: the arguments that it may be.
  std::map<Operation *, std::vector<llvm::BitVector>> returned;
  bool knowsReturned = false;
  /// What may be freed; of `open` the sources have not been added yet.
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open;
};

static FunctionOpInterface functionOf(Value value) {
  Operation *op = value.getParentRegion()->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? function : op->getParentOfType<FunctionOpInterface>();
}

void CallSummaries::Search::run() {
  for (auto &[function, calls] : callers)
    addFreed(function);
  while (!open.empty())
    addSources(open.pop_back_val());
}

/// What ops of the function free, and calls of which nothing is known.
void CallSummaries::Search::addFreed(Operation *function) {
  function->walk([&](Operation *op) {
    bool isUnknown = isa<CallOpInterface>(op) && !facts.callees.lookup(op);
    for (Value operand : op->getOperands())
      if (isUnknown || tpu_mlir::mayFree(op, operand))
        add(operand);
  });
}

static bool isArgumentOf(Value value, FunctionOpInterface function) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         argument.getParentRegion() == &function.getFunctionBody();
}

void CallSummaries::Search::addSources(Value value) {
  if (isArgumentOf(value, functionOf(value)))
    return addOperands(cast<BlockArgument>(value));
  llvm::for_each(sourcesOf(value), [&](Value source) { add(source); });
}

static void addAll(ValueRange values, SmallVectorImpl<Value> &to) {
  to.append(values.begin(), values.end());
}

/// Other memrefs that a value may be right away, or may have been got from. Not
/// of an argument of a function.
SmallVector<Value> CallSummaries::Search::sourcesOf(Value value) {
  FunctionOpInterface function = functionOf(value);
  if (read.insert(function).second)
    readFlow(function);
  SmallVector<Value> result;
  // Any buffer that its function has been given.
  if (mayBeAnyBuffer(value)) {
    addAll(function.getArguments(), result);
    return result;
  }
  auto made = dyn_cast<OpResult>(value);
  auto call = made ? dyn_cast<CallOpInterface>(made.getOwner()) : nullptr;
  auto callee =
      call ? dyn_cast_or_null<FunctionOpInterface>(facts.callees.lookup(call))
           : nullptr;
  SmallVector<Value> direct;
  if (callee && !callee.isExternal())
    direct = sourcesOfCall(call, made, callee);
  else if (auto found = sources.find(value); found != sources.end())
    addAll(found->second, direct);
  // Of an op whose results are not known to come from anywhere: they may come
  // from its operands, unless they are new memory.
  else if (made && !llvm::is_contained(allocatedMemrefs(made.getOwner()), made))
    addAll(made.getOwner()->getOperands(), direct);
  result = direct;
  for (Value source : direct) {
    auto memref = dyn_cast<BaseMemRefType>(source.getType());
    // It may have been stored where that leads.
    if (!isPlainType(memref ? memref.getElementType() : source.getType()))
      addAll(function.getArguments(), result);
  }
  return result;
}

SmallVector<Value>
CallSummaries::Search::sourcesOfCall(CallOpInterface call, OpResult result,
                                     FunctionOpInterface callee) {
  SmallVector<Value> operands;
  const std::vector<llvm::BitVector> &known = returnedBy(callee);
  unsigned number = result.getResultNumber();
  for (auto [index, operand] : llvm::enumerate(call.getArgOperands()))
    if (number >= known.size() || index >= known[number].size() ||
        known[number].test(index))
      operands.push_back(operand);
  return operands;
}

const std::vector<llvm::BitVector> &
CallSummaries::Search::returnedBy(FunctionOpInterface function) {
  if (!std::exchange(knowsReturned, true))
    findReturned();
  return returned[function];
}

/// What goes round a circle of functions has come into it somewhere: nothing is
/// returned until a way is found on which it is.
void CallSummaries::Search::findReturned() {
  llvm::SetVector<Operation *> changing;
  for (auto &[op, calls] : callers) {
    auto function = cast<FunctionOpInterface>(op);
    returned[op].assign(function.getNumResults(),
                        llvm::BitVector(function.getNumArguments()));
    if (llvm::any_of(function.getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      changing.insert(op);
  }
  while (!changing.empty()) {
    auto function = cast<FunctionOpInterface>(changing.pop_back_val());
    std::vector<llvm::BitVector> results = findReturnedBy(function);
    if (results == returned[function])
      continue;
    returned[function] = std::move(results);
    for (CallOpInterface call : callers.lookup(function))
      if (auto caller = call->getParentOfType<FunctionOpInterface>();
          caller && callers.contains(caller) && caller.getNumResults() > 0)
        changing.insert(caller);
  }
}

std::vector<llvm::BitVector>
CallSummaries::Search::findReturnedBy(FunctionOpInterface function) {
  const unsigned count = function.getNumArguments();
  std::vector<llvm::BitVector> results(function.getNumResults(),
                                       llvm::BitVector(count));
  for (Block &block : function.getFunctionBody()) {
    Operation *end = block.empty() ? nullptr : &block.back();
    if (!end || end->getNumSuccessors() > 0)
      continue;
    bool isReturn = end->hasTrait<OpTrait::ReturnLike>() &&
                    end->getNumOperands() == results.size();
    // Maybe with anything as results.
    if (!isReturn && !end->isRegistered())
      results.assign(results.size(), llvm::BitVector(count, true));
    if (isReturn)
      for (unsigned i = 0; i < results.size(); ++i)
        results[i] |= argumentsAmong(function, {end->getOperand(i)});
  }
  return results;
}

/// Arguments that one of the values may be.
llvm::BitVector
CallSummaries::Search::argumentsAmong(FunctionOpInterface function,
                                      SmallVector<Value> values) {
  llvm::BitVector result(function.getNumArguments());
  llvm::DenseSet<Value> reached;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!isa<BaseMemRefType>(value.getType()) || !reached.insert(value).second)
      continue;
    if (isArgumentOf(value, function))
      result.set(cast<BlockArgument>(value).getArgNumber());
    else
      addAll(sourcesOf(value), values);
  }
  return result;
}

/// Functions that nothing calls are never asked about.
void CallSummaries::Search::addOperands(BlockArgument argument) {
  facts.freed.insert(argument);
  for (CallOpInterface call :
       callers.lookup(argument.getOwner()->getParentOp())) {
    auto operands = call.getArgOperands();
    if (argument.getArgNumber() < operands.size() &&
        callers.contains(call->getParentOfType<FunctionOpInterface>()))
      add(operands[argument.getArgNumber()]);
  }
}

void CallSummaries::Search::readFlow(Operation *function) {
  BufferViewFlowAnalysis flow(function);
  auto addTargets = [&](Value value) {
    auto found = flow.find(value);
    if (found != flow.end())
      for (Value target : found->second)
        sources[target].push_back(value);
  };
  function->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), addTargets);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), addTargets);
  });
}

CallSummaries::CallSummaries(Operation *root) {
  SymbolTableCollection symbols;
  Search search(*this);
  llvm::SetVector<Operation *> called;
  root->walk([&](CallOpInterface call) {
    // One that is not below the root may be changing at the time.
    Operation *table = SymbolTable::getNearestSymbolTable(call);
    Operation *callee = table && root->isAncestor(table)
                            ? calledFunction(call, symbols)
                            : nullptr;
    callees[call] = callee;
    if (!callee || cast<FunctionOpInterface>(callee).isExternal())
      return;
    search.addCall(call, callee);
    called.insert(callee);
  });
  search.run();
  kept = findKept(called.getArrayRef(), callees);
}

std::optional<Stay> CallSummaries::mayKeep(CallOpInterface call,
                                           Value operand) const {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(callees.lookup(call));
  if (!callee)
    return Stay{StayReason::Stored, call};
  if (callee.isExternal())
    return std::nullopt;
  for (auto [argument, value] :
       llvm::zip(callee.getArguments(), call.getArgOperands()))
    if (value == operand)
      if (auto found = kept.find(argument); found != kept.end())
        return found->second;
  return std::nullopt;
}

bool CallSummaries::mayFree(CallOpInterface call, Value operand) const {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(callees.lookup(call));
  if (!callee)
    return true;
  if (callee.isExternal())
    return false;
  auto arguments = callee.getArguments();
  for (auto [index, value] : llvm::enumerate(call.getArgOperands()))
    if (value == operand &&
        (index >= arguments.size() || freed.contains(arguments[index])))
      return true;
  return false;
}

} // namespace tpu_mlir
