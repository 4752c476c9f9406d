//===- Owners.cpp - Names and their roots ---------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Owners.h"

#include "lib/Analysis/DefinedValues.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/OtherNames.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;

namespace tpu_mlir::deallocation {

/// A name that may be one of more roots becomes a root itself, so that sets
/// stay small.
static constexpr size_t kMostRoots = 8;

/// Gives a memref, or a copy of it if the flag beside it is not set: a phi that
/// owns its buffer sometimes becomes an allocation. A run of the pass leaves
/// these after. Whoever rewrote it since has left the form, too.
static bool copiesUnlessOwned(Operation *op) {
  auto choice = dyn_cast<scf::IfOp>(op);
  if (!choice || !op->hasAttr(kCopiesUnlessOwned) ||
      choice.getNumResults() != 1 || !choice.elseBlock() ||
      !isMemref(choice.getResult(0)) ||
      !llvm::hasSingleElement(*choice.thenBlock()))
    return false;
  Value kept = choice.thenYield().getOperand(0);
  Value made = choice.elseYield().getOperand(0);
  if (auto cast = made.getDefiningOp<memref::CastOp>())
    made = cast.getSource();
  return made.getDefiningOp<memref::AllocOp>() &&
         llvm::any_of(made.getUsers(), [&](Operation *user) {
           auto copy = dyn_cast<memref::CopyOp>(user);
           return copy && copy.getSource() == kept && copy.getTarget() == made;
         });
}

Owners::Owners(Operation *function, const FlowGraph &graph, CallFacts calls,
               const llvm::DenseSet<Value> &critical)
    : function(function), graph(graph), calls(calls), critical(critical),
      dominance(function), asynchronous(function, isAsynchronous) {
  collectValues();
  collectIncoming();
  resolve();
  manage();
  collectUses();
}

void Owners::addValue(Value value) {
  if (!isMemref(value))
    return;
  position[value] = static_cast<int>(values.size());
  values.push_back(value);
}

void Owners::collectValues() {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    forEachDefined(op, [&](Value value) {
      if (value.getDefiningOp() != function)
        addValue(value);
    });
  });
}

bool Owners::isKept(Value value) const {
  return value.getDefiningOp() && keeps.contains(value.getDefiningOp());
}

void Owners::collectIncoming() {
  function->walk([&](Operation *op) {
    if (copiesUnlessOwned(op))
      keeps.insert(op);
  });
  llvm::DenseMap<OpOperand *, Value> firstTarget;
  llvm::DenseMap<Value, int> passes;
  for (int i = 0; i < graph.edgeCount(); ++i) {
    const ControlEdge &edge = graph.edge(i);
    if (!graph.isReachable(edge.from))
      continue;
    for (const MemrefPass &pass : edge.passes) {
      if (isKept(pass.target))
        continue;
      ++passes[pass.target];
      forwarded.insert(pass.operand);
      auto &from = incoming[pass.target];
      if (!llvm::is_contained(from, pass.operand->get()))
        from.push_back(pass.operand->get());
      auto [found, isNew] = firstTarget.try_emplace(pass.operand, pass.target);
      if (!isNew && found->second != pass.target) {
        twins[found->second].push_back(pass.target);
        twins[pass.target].push_back(found->second);
      }
    }
  }
  for (auto &[value, count] : passes) {
    int reachable = 0;
    for (int edge : graph.node(graph.definition(value).node).in)
      reachable += graph.isReachable(graph.edge(edge).from);
    if (reachable != count ||
        graph.isUnknown(graph.node(graph.definition(value).node).scope))
      unknownPhis.insert(value);
  }
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (!op || incoming.contains(value))
      continue;
    if (Value source = viewSource(op); source && source != value)
      incoming[value] = {source};
    else if (isSelect(op))
      incoming[value] = {op->getOperand(1), op->getOperand(2)};
    else if (auto operands = returnedOperands(value); !operands.empty())
      incoming[value] = operands;
  }
  for (Value value : values)
    for (Value from : incoming.lookup(value))
      outgoing[from].push_back(value);
}

void Owners::makeRoot(Value value, RootKind kind) {
  int index = static_cast<int>(roots.size());
  Root root;
  root.value = value;
  root.kind = kind;
  root.definition = graph.definition(value);
  root.scope = graph.node(root.definition.node).scope;
  roots.push_back(root);
  rootIndex[value] = index;
  sets[value] = {index};
}

/// It is one of so many buffers that it is followed no further.
bool Owners::isCutOff(Value name) const {
  auto found = rootIndex.find(name);
  return found != rootIndex.end() && incoming.contains(name) &&
         roots[found->second].kind == RootKind::Other;
}

bool Owners::ownsResult(OpResult result) const {
  const ReturnedBuffer *found = isa<CallOpInterface>(result.getOwner())
                                    ? calls.returnedBy(result)
                                    : nullptr;
  return found && found->owned;
}

/// The operands of a call one of which it returns in `value`.
SmallVector<Value, 2> Owners::returnedOperands(Value value) const {
  SmallVector<Value, 2> result;
  auto call = value.getDefiningOp<CallOpInterface>();
  const ReturnedBuffer *found =
      call ? calls.returnedBy(cast<OpResult>(value)) : nullptr;
  if (!found || found->owned)
    return result;
  for (unsigned argument : found->arguments)
    if (argument < call.getArgOperands().size())
      result.push_back(call.getArgOperands()[argument]);
  return result;
}

/// It is known of each memref it returns what that is.
bool Owners::knowsResults(Operation *op) const {
  return isa<CallOpInterface>(op) &&
         llvm::all_of(op->getResults(), [&](OpResult result) {
           return isPlainType(result.getType()) || ownsResult(result) ||
                  !returnedOperands(result).empty();
         });
}

RootKind Owners::kindOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == function &&
                   argument.getOwner()->isEntryBlock()
               ? RootKind::Local
               : RootKind::Other;
  Operation *op = value.getDefiningOp();
  if (allocatesBuffer(op) || keeps.contains(op) ||
      ownsResult(cast<OpResult>(value)))
    return RootKind::Alloc;
  return isa<memref::AllocaOp>(op) ? RootKind::Local : RootKind::Other;
}

/// Names in the order of the text, so that what is above is mostly known; then
/// again those whose sources changed.
void Owners::resolve() {
  for (Value value : values)
    if (!incoming.contains(value))
      makeRoot(value, kindOf(value));
  std::priority_queue<int, std::vector<int>, std::greater<int>> todo;
  llvm::DenseSet<Value> inTodo;
  auto push = [&](Value value) {
    if (inTodo.insert(value).second)
      todo.push(position[value]);
  };
  for (Value value : values)
    if (incoming.contains(value))
      push(value);
  while (!todo.empty()) {
    Value value = values[todo.top()];
    todo.pop();
    inTodo.erase(value);
    if (rootIndex.contains(value))
      continue;
    queue.clear();
    update(value);
    for (Value changed : queue)
      for (Value next : outgoing.lookup(changed))
        if (!rootIndex.contains(next))
          push(next);
  }
}

Owners::RootSet Owners::unite(Value value) const {
  RootSet result;
  for (Value from : incoming.lookup(value)) {
    auto found = sets.find(from);
    if (found == sets.end())
      continue;
    for (int root : found->second)
      if (!llvm::is_contained(result, root))
        result.push_back(root);
  }
  llvm::sort(result);
  return result;
}

bool Owners::standsAbove(int index, Value phi) const {
  const Root &root = roots[index];
  Value value = root.value;
  if (root.kind == RootKind::Local || root.kind == RootKind::Other)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(phi)) {
    Block *block = argument.getOwner();
    return value.getParentBlock() != block &&
           dominance.properlyDominates(value, &block->front());
  }
  return dominance.properlyDominates(value, phi.getDefiningOp());
}

void Owners::update(Value value) {
  RootSet now = unite(value);
  bool isView = value.getDefiningOp() && !graph.isOpen(value.getDefiningOp());
  if (!isView) {
    bool isAlias = now.size() <= kMostRoots && !unknownPhis.contains(value) &&
                   !critical.contains(value);
    for (int root : now)
      isAlias = isAlias && standsAbove(root, value);
    if (!isAlias)
      return makeCritical(value);
  } else if (now.size() > kMostRoots) {
    makeRoot(value, RootKind::Other);
    queue.push_back(value);
    return;
  }
  RootSet &old = sets[value];
  if (old == now)
    return;
  old = now;
  queue.push_back(value);
}

/// What was an alias of it so far may have been one of its old roots: forget
/// all that, it comes in again.
void Owners::makeCritical(Value phi) {
  SmallVector<Value> open = {phi};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (rootIndex.contains(value))
      continue;
    makeRoot(value, RootKind::Phi);
    queue.push_back(value);
    SmallVector<Value> dependents(outgoing.lookup(value));
    while (!dependents.empty()) {
      Value next = dependents.pop_back_val();
      auto found = sets.find(next);
      if (rootIndex.contains(next) || found == sets.end() ||
          found->second.empty())
        continue;
      found->second.clear();
      queue.push_back(next);
      for (Value further : outgoing.lookup(next))
        dependents.push_back(further);
    }
    for (Value twin : twins.lookup(value))
      open.push_back(twin);
  }
}

ArrayRef<int> Owners::rootsOf(Value value) const {
  auto found = sets.find(value);
  return found == sets.end() ? ArrayRef<int>() : ArrayRef<int>(found->second);
}

int Owners::rootOf(Value value) const {
  auto found = rootIndex.find(value);
  return found == rootIndex.end() ? -1 : found->second;
}

std::vector<Value> Owners::joins(ArrayRef<Value> names) const {
  std::vector<Value> result;
  llvm::SetVector<Value> seen(names.begin(), names.end());
  for (Value value : values)
    if (isCutOff(value))
      seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Value name = seen[i];
    auto found = incoming.find(name);
    bool isOwner = rootOf(name) >= 0 && !isCutOff(name);
    if (found == incoming.end() || isOwner)
      continue;
    bool isCall =
        name.getDefiningOp() && isa<CallOpInterface>(name.getDefiningOp());
    if ((isCutOff(name) || rootsOf(name).size() > 1) &&
        found->second.size() > 1 && !isCall)
      result.push_back(name);
    seen.insert_range(found->second);
  }
  return result;
}

bool Owners::isFreed(int root) const {
  return llvm::any_of(roots[root].uses, [](const BufferUse &use) {
    return use.kind == UseKind::Dealloc;
  });
}

/// Allocations, and the phis that they reach.
void Owners::manage() {
  for (int i = 0; i < graph.edgeCount(); ++i) {
    const ControlEdge &edge = graph.edge(i);
    if (!graph.isReachable(edge.from))
      continue;
    for (const MemrefPass &pass : edge.passes) {
      int target = rootOf(pass.target);
      if (target < 0 || isKept(pass.target))
        continue;
      auto [found, isNew] = passedIndex.try_emplace(
          pass.operand, static_cast<int>(passed.size()));
      if (isNew)
        passed.push_back({pass.operand, {}, {}});
      passed[found->second].edges.push_back(i);
      passed[found->second].targets.push_back(target);
    }
  }
  passedOf.resize(roots.size());
  std::vector<SmallVector<int, 2>> reaches(roots.size());
  for (auto [index, pass] : llvm::enumerate(passed))
    for (int target : pass.targets) {
      if (!llvm::is_contained(passedOf[target], static_cast<int>(index)))
        passedOf[target].push_back(static_cast<int>(index));
      for (int root : rootsOf(pass.operand->get()))
        reaches[root].push_back(target);
    }
  std::vector<int> open;
  for (auto [index, root] : llvm::enumerate(roots))
    if (root.kind == RootKind::Alloc &&
        graph.isReachable(root.definition.node)) {
      root.managed = root.mayOwn = true;
      open.push_back(static_cast<int>(index));
    }
  while (!open.empty()) {
    int from = open.back();
    open.pop_back();
    for (int to : reaches[from])
      if (!roots[to].managed) {
        roots[to].managed = roots[to].mayOwn = true;
        open.push_back(to);
      }
  }
}

bool isArgument(const Root &root) {
  return root.kind == RootKind::Local && isa<BlockArgument>(root.value);
}

ArrayRef<int> Owners::passedTo(int root) const { return passedOf[root]; }

void Owners::giveUp(int root, StringRef reason, Operation *blame) {
  std::vector<int> open = {root};
  while (!open.empty()) {
    int index = open.back();
    open.pop_back();
    if (!roots[index].managed)
      continue;
    roots[index].managed = false;
    roots[index].reason = reason.str();
    roots[index].blame = blame;
    for (int pass : passedOf[index]) {
      for (int source : rootsOf(passed[pass].operand->get()))
        open.push_back(source);
      for (int twin : passed[pass].targets)
        open.push_back(twin);
    }
  }
}

} // namespace tpu_mlir::deallocation
