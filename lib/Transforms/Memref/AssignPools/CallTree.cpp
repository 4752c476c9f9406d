//===- CallTree.cpp - Build the tree of calls -----------------------------===//
//
// Finds recursion, functions whose address is taken and calls that run in
// parallel, and sorts the rest callees first.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/CallTree.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tpu_mlir::pools {

void CallTree::bar(Operation *function, std::string why, Operation *op) {
  TreeNode &node = nodeOf[function];
  if (!node.barrier)
    node.barrier = Barrier{std::move(why), op};
}

void CallTree::collectCalls(ModuleOp module) {
  llvm::StringMap<func::FuncOp> byName;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    nodeOf[function].function = function;
    byName[function.getName()] = function;
  }
  llvm::DenseSet<Operation *> called;
  for (auto &entry : nodeOf)
    entry.first->walk<WalkOrder::PreOrder>([&](func::CallOp call) {
      auto found = byName.find(call.getCallee());
      if (found == byName.end() ||
          SymbolTable::getNearestSymbolTable(call) != module)
        return;
      calleeOf[call] = found->second;
      called.insert(found->second);
      entry.second.calls.push_back(call);
    });
  for (auto &[function, node] : nodeOf)
    node.isEntry = !node.function.isPrivate() || !called.contains(function);
}

/// Whoever names a function and is no call of it: an address, or a call from
/// elsewhere. By the last part of the name alone, so that none is missed.
void CallTree::findAddressTaken(Operation *root) {
  llvm::StringMap<SmallVector<Operation *, 1>> byName;
  for (auto &[function, node] : nodeOf)
    byName[node.function.getName()].push_back(function);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    bool isKnownCall = call && calleeOf.contains(call);
    for (NamedAttribute named : op->getAttrs()) {
      if (isKnownCall && named.getName() == call.getCalleeAttrName())
        continue;
      named.getValue().walk([&](SymbolRefAttr symbol) {
        auto found = byName.find(symbol.getLeafReference().getValue());
        if (found == byName.end())
          return;
        for (Operation *function : found->second)
          bar(function, "its function is named by " + quoted(op), op);
      });
    }
  });
}

bool isApart(Operation *op) {
  return isOpaque(op) || isAsynchronous(op) ||
         op->hasTrait<OpTrait::IsIsolatedFromAbove>();
}

/// What is inside may run several times at once, or after it is done.
void CallTree::findParallelCalls() {
  for (auto &[function, node] : nodeOf) {
    InnermostAround apart(function, isApart);
    for (func::CallOp call : node.calls)
      if (Operation *around = apart.opAround(call))
        bar(calleeOf[call],
            "its function is called inside " + quoted(around) + ", " +
                whyOpaque(around).str(),
            call);
  }
}

/// Leaves out, again and again, functions that call none of the rest, or that
/// none of the rest calls: what is left is on a cycle, or between two.
void CallTree::findRecursion() {
  llvm::DenseMap<Operation *, SmallVector<Operation *>> callers;
  for (auto &[function, node] : nodeOf)
    for (func::CallOp call : node.calls)
      callers[calleeOf[call]].push_back(function);
  llvm::DenseSet<Operation *> gone;
  auto trim = [&](auto next, auto before) {
    llvm::DenseMap<Operation *, int64_t> open;
    SmallVector<Operation *> work;
    for (auto &[function, node] : nodeOf) {
      if (gone.contains(function))
        continue;
      for (Operation *other : next(function))
        open[function] += !gone.contains(other);
      if (open[function] == 0)
        work.push_back(function);
    }
    while (!work.empty()) {
      Operation *function = work.pop_back_val();
      gone.insert(function);
      for (Operation *other : before(function))
        if (!gone.contains(other) && --open[other] == 0)
          work.push_back(other);
    }
  };
  auto callees = [&](Operation *function) {
    SmallVector<Operation *> result;
    for (func::CallOp call : nodeOf[function].calls)
      result.push_back(calleeOf[call]);
    return result;
  };
  auto callersOf = [&](Operation *function) { return callers[function]; };
  trim(callees, callersOf);
  trim(callersOf, callees);
  for (auto &[function, node] : nodeOf)
    if (!gone.contains(function))
      bar(function, "its function calls itself, by way of others or directly",
          function);
}

/// Nobody knows either when what such a function calls runs.
void CallTree::spreadBarriers() {
  SmallVector<Operation *> work;
  for (auto &[function, node] : nodeOf)
    if (node.barrier)
      work.push_back(function);
  while (!work.empty()) {
    TreeNode &node = nodeOf[work.pop_back_val()];
    for (func::CallOp call : node.calls) {
      func::FuncOp function = calleeOf[call];
      if (nodeOf[function].barrier)
        continue;
      bar(function,
          "'" + node.function.getName().str() + "' calls its function, and " +
              node.barrier->why,
          call);
      work.push_back(function);
    }
  }
}

void CallTree::sortCalleesFirst() {
  llvm::DenseMap<Operation *, SmallVector<Operation *>> callers;
  llvm::DenseMap<Operation *, int64_t> open;
  std::vector<func::FuncOp> work;
  for (auto &[function, node] : nodeOf) {
    if (node.barrier)
      continue;
    for (func::CallOp call : node.calls) {
      if (nodeOf[calleeOf[call]].barrier)
        continue;
      callers[calleeOf[call]].push_back(function);
      ++open[function];
    }
    if (open[function] == 0)
      work.push_back(node.function);
  }
  while (!work.empty()) {
    func::FuncOp function = work.back();
    work.pop_back();
    order.push_back(function);
    for (Operation *caller : callers[function])
      if (--open[caller] == 0)
        work.push_back(cast<func::FuncOp>(caller));
  }
}

CallTree::CallTree(ModuleOp module, Operation *root) {
  collectCalls(module);
  findAddressTaken(root);
  findParallelCalls();
  findRecursion();
  spreadBarriers();
  sortCalleesFirst();
}

} // namespace tpu_mlir::pools
