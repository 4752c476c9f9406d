#include "lib/Transforms/DeallocateBuffers/DeallocateBuffers.h"

#include "lib/Transforms/DeallocateBuffers/Plan.h"
#include "tpu_mlir/Analysis/MemrefAliases.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_DEALLOCATEBUFFERS
#include "lib/Transforms/DeallocateBuffers/DeallocateBuffers.h.inc"

/// What is allocated and stays so is said once for each allocation.
static void remark(const Owners &owners) {
  for (const Root &root : owners.roots) {
    if (root.kind != RootKind::Alloc || root.managed || root.reason.empty())
      continue;
    InFlightDiagnostic diagnostic = emitRemark(root.value.getLoc())
                                    << "is not freed by memref-deallocate: "
                                    << root.reason;
    if (root.blame)
      diagnostic.attachNote(root.blame->getLoc()) << "here";
  }
}

namespace {

/// Functions below one op, and who calls whom.
class Functions {
public:
  explicit Functions(Operation *root);
  void run();

private:
  void visit(Operation *function);
  void deallocate(Operation *function);
  bool owns(OpResult result) const;
  Operation *calleeOf(CallOpInterface call) const;

  mutable SymbolTableCollection symbols;
  llvm::SetVector<Operation *> functions;
  llvm::DenseSet<Operation *> called;
  llvm::DenseSet<Operation *> visited;
  /// Results that belong to the caller, of functions that are done.
  llvm::DenseMap<Operation *, llvm::BitVector> ownedResults;
};

} // namespace

Functions::Functions(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
    if (!op.isExternal())
      functions.insert(op);
    return WalkResult::skip();
  });
  root->walk([&](CallOpInterface call) {
    if (Operation *callee = calleeOf(call))
      called.insert(callee);
  });
}

Operation *Functions::calleeOf(CallOpInterface call) const {
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  Operation *callee =
      name ? symbols.lookupNearestSymbolFrom(call, name) : nullptr;
  return callee && functions.contains(callee) ? callee : nullptr;
}

bool Functions::owns(OpResult result) const {
  Operation *callee = calleeOf(cast<CallOpInterface>(result.getOwner()));
  auto found = ownedResults.find(callee);
  return found != ownedResults.end() && found->second[result.getResultNumber()];
}

/// Callees first, so that it is known what they return.
void Functions::run() {
  for (Operation *function : functions)
    visit(function);
}

void Functions::visit(Operation *function) {
  if (!visited.insert(function).second)
    return;
  function->walk([&](CallOpInterface call) {
    if (Operation *callee = calleeOf(call))
      visit(callee);
  });
  deallocate(function);
}

static bool handsOver(OpOperand &operand, const DeallocationPlan &plan) {
  return plan.given.contains(&operand) ||
         llvm::is_contained(plan.returnedCopies, &operand);
}

/// Result numbers that every return hands over. Where only some do, nobody
/// knows what to free.
static llvm::BitVector handedOver(FunctionOpInterface function,
                                  const DeallocationPlan &plan) {
  llvm::BitVector always(function.getNumResults(), true);
  SmallVector<OpOperand *> given;
  bool returns = false;
  for (Block &block : function.getFunctionBody()) {
    Operation *op = block.empty() ? nullptr : &block.back();
    if (!op || !op->hasTrait<OpTrait::ReturnLike>() ||
        op->getNumOperands() != always.size())
      continue;
    returns = true;
    for (OpOperand &operand : op->getOpOperands())
      if (handsOver(operand, plan))
        given.push_back(&operand);
      else
        always.reset(operand.getOperandNumber());
  }
  if (!returns)
    always.reset();
  for (OpOperand *operand : given)
    if (!always[operand->getOperandNumber()])
      emitRemark(operand->getOwner()->getLoc())
          << "what is returned here is not freed by memref-deallocate: "
             "elsewhere the same result is not the caller's to free";
  return always;
}

void Functions::deallocate(Operation *function) {
  FlowGraph graph(function);
  Owners owners(function, graph, [&](OpResult result) { return owns(result); });
  DeallocationPlan plan =
      Planner(graph, owners, !called.contains(function)).plan();
  ownedResults[function] =
      handedOver(cast<FunctionOpInterface>(function), plan);
  applyPlan(function, graph, owners, plan);
  remark(owners);
}

namespace {

class DeallocateBuffersPass
    : public impl::DeallocateBuffersBase<DeallocateBuffersPass> {
public:
  using DeallocateBuffersBase::DeallocateBuffersBase;

  void runOnOperation() override { Functions(getOperation()).run(); }
};

} // namespace

} // namespace tpu_mlir
