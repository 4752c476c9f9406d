//===- Owners.cpp - Names and their roots ---------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Owners.h"

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/OtherNames.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;

namespace tpu_mlir::deallocation {

/// A name that may be one of more roots becomes a root itself, so that sets
/// stay small.
static constexpr size_t kMostRoots = 8;

Owners::Owners(Operation *function, const FlowGraph &graph, CallFacts calls,
               const llvm::DenseSet<Value> &critical)
    : function(function), graph(graph), calls(calls), critical(critical),
      names(findNameFlow(function, graph, calls)), dominance(function),
      asynchronous(function, isAsynchronous) {
  resolve();
  manage();
  collectUses();
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
  return found != rootIndex.end() && names.incoming.contains(name) &&
         roots[found->second].kind == RootKind::Other;
}

RootKind Owners::kindOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner()->getParentOp() == function &&
                   argument.getOwner()->isEntryBlock()
               ? RootKind::Local
               : RootKind::Other;
  Operation *op = value.getDefiningOp();
  if (allocatesBuffer(op) || names.keeps.contains(op) ||
      calls.ownsResult(cast<OpResult>(value)))
    return RootKind::Alloc;
  return isa<memref::AllocaOp>(op) ? RootKind::Local : RootKind::Other;
}

/// Names in the order of the text, so that what is above is mostly known; then
/// again those whose sources changed.
void Owners::resolve() {
  for (Value value : names.values)
    if (!names.incoming.contains(value))
      makeRoot(value, kindOf(value));
  std::priority_queue<int, std::vector<int>, std::greater<int>> todo;
  llvm::DenseSet<Value> inTodo;
  auto push = [&](Value value) {
    if (inTodo.insert(value).second)
      todo.push(names.position.at(value));
  };
  for (Value value : names.values)
    if (names.incoming.contains(value))
      push(value);
  while (!todo.empty()) {
    Value value = names.values[todo.top()];
    todo.pop();
    inTodo.erase(value);
    if (rootIndex.contains(value))
      continue;
    for (Value changed : update(value))
      for (Value next : names.outgoing.lookup(changed))
        if (!rootIndex.contains(next))
          push(next);
  }
}

Owners::RootSet Owners::unite(Value value) const {
  RootSet result;
  for (Value from : names.incoming.lookup(value)) {
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

/// The names that are others' now.
std::vector<Value> Owners::update(Value value) {
  RootSet now = unite(value);
  bool isView = value.getDefiningOp() && !graph.isOpen(value.getDefiningOp());
  if (!isView) {
    bool isAlias = now.size() <= kMostRoots &&
                   !names.unknownPhis.contains(value) &&
                   !critical.contains(value);
    for (int root : now)
      isAlias = isAlias && standsAbove(root, value);
    if (!isAlias)
      return makeCritical(value);
  } else if (now.size() > kMostRoots) {
    makeRoot(value, RootKind::Other);
    return {value};
  }
  RootSet &old = sets[value];
  if (old == now)
    return {};
  old = now;
  return {value};
}

/// What was an alias of it so far may have been one of its old roots: forget
/// all that, it comes in again.
std::vector<Value> Owners::makeCritical(Value phi) {
  std::vector<Value> changed;
  SmallVector<Value> open = {phi};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (rootIndex.contains(value))
      continue;
    makeRoot(value, RootKind::Phi);
    changed.push_back(value);
    SmallVector<Value> dependents(names.outgoing.lookup(value));
    while (!dependents.empty()) {
      Value next = dependents.pop_back_val();
      auto found = sets.find(next);
      if (rootIndex.contains(next) || found == sets.end() ||
          found->second.empty())
        continue;
      found->second.clear();
      changed.push_back(next);
      for (Value further : names.outgoing.lookup(next))
        dependents.push_back(further);
    }
    for (Value twin : names.twins.lookup(value))
      open.push_back(twin);
  }
  return changed;
}

ArrayRef<int> Owners::rootsOf(Value value) const {
  auto found = sets.find(value);
  return found == sets.end() ? ArrayRef<int>() : ArrayRef<int>(found->second);
}

std::optional<int> Owners::rootOf(Value value) const {
  auto found = rootIndex.find(value);
  return found == rootIndex.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Value> Owners::joins(ArrayRef<Value> of) const {
  std::vector<Value> result;
  llvm::SetVector<Value> seen(of.begin(), of.end());
  for (Value value : names.values)
    if (isCutOff(value))
      seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Value name = seen[i];
    auto found = names.incoming.find(name);
    bool isOwner = rootOf(name) && !isCutOff(name);
    if (found == names.incoming.end() || isOwner)
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
      const auto target = rootOf(pass.target);
      if (!target || names.isKept(pass.target))
        continue;
      auto [found, isNew] = passedIndex.try_emplace(
          pass.operand, static_cast<int>(passed.size()));
      if (isNew)
        passed.push_back({pass.operand, {}, {}});
      passed[found->second].edges.push_back(i);
      passed[found->second].targets.push_back(*target);
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
