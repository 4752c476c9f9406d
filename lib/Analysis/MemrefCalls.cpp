#include "tpu_mlir/Analysis/MemrefCalls.h"

#include "tpu_mlir/Analysis/MemrefAliases.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tpu_mlir {

/// Goes back from what is freed to all that it may be, and from arguments on to
/// the operands of calls.
class FreeingCalls::Search {
public:
  explicit Search(FreeingCalls &facts) : facts(facts) {}

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
  void addSource(Value value);
  void addDefinition(OpResult result);
  void addOperands(BlockArgument argument);
  void addArguments(Value value);
  void readFlow(Operation *function);

  FreeingCalls &facts;
  llvm::MapVector<Operation *, SmallVector<CallOpInterface>> callers;
  /// Of functions whose flow has been read: what a value may be right away.
  llvm::DenseMap<Value, SmallVector<Value, 1>> sources;
  llvm::DenseSet<Operation *> read;
  /// What may be freed; of `open` the sources have not been added yet.
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open;
};

static FunctionOpInterface functionOf(Value value) {
  Operation *op = value.getParentRegion()->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? function : op->getParentOfType<FunctionOpInterface>();
}

void FreeingCalls::Search::run() {
  for (auto &[function, calls] : callers)
    addFreed(function);
  while (!open.empty())
    addSources(open.pop_back_val());
}

/// What ops of the function free, and calls of which nothing is known.
void FreeingCalls::Search::addFreed(Operation *function) {
  function->walk([&](Operation *op) {
    bool isUnknown = isa<CallOpInterface>(op) && !facts.callees.lookup(op);
    for (Value operand : op->getOperands())
      if (isUnknown || tpu_mlir::mayFree(op, operand))
        add(operand);
  });
}

void FreeingCalls::Search::addSources(Value value) {
  FunctionOpInterface function = functionOf(value);
  if (read.insert(function).second)
    readFlow(function);
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getParentRegion() == &function.getFunctionBody() &&
      argument.getOwner()->isEntryBlock())
    return addOperands(argument);
  if (mayBeAnyBuffer(value))
    return addArguments(value);
  auto found = sources.find(value);
  if (found != sources.end())
    llvm::for_each(found->second, [&](Value source) { addSource(source); });
  else if (auto result = dyn_cast<OpResult>(value))
    addDefinition(result);
}

/// Of an op whose results are not known to come from anywhere: they may come
/// from its operands, unless they are new memory.
void FreeingCalls::Search::addDefinition(OpResult result) {
  Operation *op = result.getOwner();
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (effects && effects.getEffectOnValue<MemoryEffects::Allocate>(result))
    return;
  llvm::for_each(op->getOperands(), [&](Value value) { addSource(value); });
}

/// What is freed may be `value`, or may have been stored where that leads.
void FreeingCalls::Search::addSource(Value value) {
  add(value);
  auto memref = dyn_cast<BaseMemRefType>(value.getType());
  if (!isPlainType(memref ? memref.getElementType() : value.getType()))
    addArguments(value);
}

/// The value may be any buffer that its function has been given.
void FreeingCalls::Search::addArguments(Value value) {
  for (BlockArgument argument : functionOf(value).getArguments())
    add(argument);
}

/// What nobody calls is asked by nobody.
void FreeingCalls::Search::addOperands(BlockArgument argument) {
  facts.freed.insert(argument);
  for (CallOpInterface call :
       callers.lookup(argument.getOwner()->getParentOp())) {
    auto operands = call.getArgOperands();
    if (argument.getArgNumber() < operands.size() &&
        callers.contains(call->getParentOfType<FunctionOpInterface>()))
      add(operands[argument.getArgNumber()]);
  }
}

void FreeingCalls::Search::readFlow(Operation *function) {
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

/// Null: nobody can say which function it is, or it is not below the root.
static Operation *calleeOf(CallOpInterface call, Operation *root,
                           SymbolTableCollection &symbols) {
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  Operation *table = name ? SymbolTable::getNearestSymbolTable(call) : nullptr;
  if (!table || !root->isAncestor(table))
    return nullptr;
  Operation *callee = symbols.lookupSymbolIn(table, name);
  return isa_and_nonnull<FunctionOpInterface>(callee) ? callee : nullptr;
}

FreeingCalls::FreeingCalls(Operation *root) {
  SymbolTableCollection symbols;
  Search search(*this);
  root->walk([&](CallOpInterface call) {
    Operation *callee = calleeOf(call, root, symbols);
    callees[call] = callee;
    if (callee && !cast<FunctionOpInterface>(callee).isExternal())
      search.addCall(call, callee);
  });
  search.run();
}

bool FreeingCalls::mayFree(CallOpInterface call, Value operand) const {
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
