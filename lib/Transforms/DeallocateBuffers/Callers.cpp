#include "lib/Transforms/DeallocateBuffers/Callers.h"

#include "lib/Transforms/DeallocateBuffers/Plan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir {

bool Callers::mayGetCopies(Operation *function) {
  asked.clear();
  SmallVector<Operation *> open = {function};
  asked.insert(function);
  while (!open.empty()) {
    Operation *callee = open.pop_back_val();
    for (CallOpInterface call : calls.lookup(callee)) {
      Operation *caller = call->getParentOfType<FunctionOpInterface>();
      if (!caller || done.contains(caller) || !isUnnoticed(call))
        return false;
      bool returns = llvm::any_of(call->getResults(), [&](Value result) {
        return isa<BaseMemRefType>(result.getType());
      });
      if (returns && asked.insert(caller).second)
        open.push_back(caller);
    }
  }
  return true;
}

/// It is written through no name behind the op.
static bool isWrittenBehind(const Root &root, int index, FlowPoint at,
                            const FlowGraph &graph, Liveness &liveness) {
  return llvm::any_of(root.uses,
                      [&](const BufferUse &use) {
                        return use.kind == UseKind::Write &&
                               use.point.node == at.node &&
                               use.point.order > at.order;
                      }) ||
         llvm::any_of(graph.node(at.node).out, [&](int edge) {
           return liveness.writtenLater(index).contains(graph,
                                                        graph.edge(edge).to);
         });
}

/// The roots, and the phis they are handed to.
static llvm::SetVector<int> reachedFrom(ArrayRef<int> roots,
                                        const Owners &owners) {
  llvm::SetVector<int> result(roots.begin(), roots.end());
  for (size_t before = 0; before != result.size();) {
    before = result.size();
    for (const PassedOperand &pass : owners.passed)
      if (llvm::any_of(owners.rootsOf(pass.operand->get()),
                       [&](int root) { return result.contains(root); }))
        result.insert_range(pass.targets);
  }
  return result;
}

static bool isWritten(const Root &root) {
  return llvm::any_of(root.uses, [](const BufferUse &use) {
    return use.kind == UseKind::Write || use.kind == UseKind::Dealloc;
  });
}

/// The results are only read, or returned, and the operands not written any
/// more.
bool Callers::isUnnoticed(CallOpInterface call) {
  Operation *caller = call->getParentOfType<FunctionOpInterface>();
  static const ReturnedBuffer owned = {true, {}};
  FlowGraph graph(caller);
  Owners owners(caller, graph, [](OpResult) { return &owned; });
  Liveness liveness(graph, owners);
  FlowPoint at = graph.pointOf(call);
  if (!graph.node(at.node).reachable)
    return true;
  auto isTracked = [&](int index) {
    const Root &root = owners.roots[index];
    return root.kind != RootKind::Other && !root.escapes &&
           root.scope == graph.scopeOf(call);
  };
  for (Value result : call->getResults())
    for (int index : reachedFrom(owners.rootsOf(result), owners))
      if (!isTracked(index) || isWritten(owners.roots[index]))
        return false;
  for (Value operand : call.getArgOperands()) {
    ArrayRef<int> names = owners.rootsOf(operand);
    for (int index : reachedFrom(names, owners))
      if (!isTracked(index) ||
          (llvm::is_contained(names, index)
               ? isWrittenBehind(owners.roots[index], index, at, graph,
                                 liveness)
               : isWritten(owners.roots[index])))
        return false;
  }
  return true;
}

} // namespace tpu_mlir
