//===- NameFlow.cpp - Find which names come from which --------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/NameFlow.h"

#include "lib/Analysis/DefinedValues.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/OtherNames.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

bool CallFacts::ownsResult(OpResult result) const {
  const ReturnedBuffer *found =
      isa<CallOpInterface>(result.getOwner()) ? returnedBy(result) : nullptr;
  return found && found->owned;
}

SmallVector<Value, 2> CallFacts::returnedOperands(Value value) const {
  SmallVector<Value, 2> result;
  auto call = value.getDefiningOp<CallOpInterface>();
  const ReturnedBuffer *found =
      call ? returnedBy(cast<OpResult>(value)) : nullptr;
  if (!found || found->owned)
    return result;
  for (unsigned argument : found->arguments)
    if (argument < call.getArgOperands().size())
      result.push_back(call.getArgOperands()[argument]);
  return result;
}

bool CallFacts::knowResults(Operation *op) const {
  return isa<CallOpInterface>(op) &&
         llvm::all_of(op->getResults(), [&](OpResult result) {
           return isPlainType(result.getType()) || ownsResult(result) ||
                  !returnedOperands(result).empty();
         });
}

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

namespace {

class FlowFinder : NameFlow {
public:
  FlowFinder(Operation *function, const FlowGraph &graph,
             const CallFacts &calls)
      : function(function), graph(graph), calls(calls) {}

  NameFlow run() {
    collectValues();
    collectKeeps();
    followEdges();
    followOps();
    return std::move(*this);
  }

private:
  void collectValues();
  void collectKeeps();
  void followEdges();
  void findUnknown(const llvm::DenseMap<Value, int> &passes);
  void followOps();

  Operation *function;
  const FlowGraph &graph;
  const CallFacts &calls;
};

} // namespace

void FlowFinder::collectValues() {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    forEachDefined(op, [&](Value value) {
      if (value.getDefiningOp() == function || !isMemref(value))
        return;
      position[value] = static_cast<int>(values.size());
      values.push_back(value);
    });
  });
}

void FlowFinder::collectKeeps() {
  function->walk([&](Operation *op) {
    if (copiesUnlessOwned(op))
      keeps.insert(op);
  });
}

void FlowFinder::followEdges() {
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
  findUnknown(passes);
}

/// Phis to which some edge hands nothing that is known.
void FlowFinder::findUnknown(const llvm::DenseMap<Value, int> &passes) {
  for (auto &[value, count] : passes) {
    int reachable = 0;
    for (int edge : graph.node(graph.definition(value).node).in)
      reachable += graph.isReachable(graph.edge(edge).from);
    if (reachable != count ||
        graph.isUnknown(graph.node(graph.definition(value).node).scope))
      unknownPhis.insert(value);
  }
}

/// What is no phi.
void FlowFinder::followOps() {
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (!op || incoming.contains(value))
      continue;
    if (Value source = viewSource(op); source && source != value)
      incoming[value] = {source};
    else if (isSelect(op))
      incoming[value] = {op->getOperand(1), op->getOperand(2)};
    else if (auto operands = calls.returnedOperands(value); !operands.empty())
      incoming[value] = operands;
  }
  for (Value value : values)
    for (Value from : incoming.lookup(value))
      outgoing[from].push_back(value);
}

NameFlow findNameFlow(Operation *function, const FlowGraph &graph,
                      const CallFacts &calls) {
  return FlowFinder(function, graph, calls).run();
}

} // namespace tpu_mlir::deallocation
