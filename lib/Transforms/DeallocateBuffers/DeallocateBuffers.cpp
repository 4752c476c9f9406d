#include "tpu_mlir/Transforms/DeallocateBuffers.h"

#include "lib/Transforms/DeallocateBuffers/Callers.h"
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

/// What else allocates memory has its own way to free it.
static void remarkOthers(Operation *root) {
  root->walk<WalkOrder::PreOrder>([](Operation *op) {
    if (allocatesBuffer(op) || isa<memref::ReallocOp>(op))
      return;
    for (OpResult memref : allocatedMemrefs(op))
      if (!isFreedByItsUser(memref))
        emitRemark(op->getLoc())
            << "is not freed by memref-deallocate: 'memref.dealloc' is not "
               "known to free what "
            << quoted(op) << " allocates";
  });
}

namespace {

/// Functions below one op, and who calls whom.
class Functions {
public:
  Functions(Operation *root, bool prefersFlags);
  void run();

private:
  void visit(Operation *function);
  bool deallocate(FunctionOpInterface function, bool hopes);
  bool callsItself(Operation *function) const;
  const ReturnedBuffer *returnedBy(OpResult result) const;
  Operation *calleeOf(CallOpInterface call) const;

  bool prefersFlags;
  mutable SymbolTableCollection symbols;
  llvm::SetVector<Operation *> functions;
  Callers callers;
  llvm::DenseSet<Operation *> visited;
  /// By result, of functions that are done.
  llvm::DenseMap<Operation *, std::vector<ReturnedBuffer>> returned;
};

} // namespace

Functions::Functions(Operation *root, bool prefersFlags)
    : prefersFlags(prefersFlags),
      callers([this](OpResult result) { return returnedBy(result); }) {
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
    if (!op.isExternal())
      functions.insert(op);
    return WalkResult::skip();
  });
  root->walk([&](CallOpInterface call) {
    if (Operation *callee = calleeOf(call))
      callers.add(callee, call);
  });
}

Operation *Functions::calleeOf(CallOpInterface call) const {
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  Operation *callee =
      name ? symbols.lookupNearestSymbolFrom(call, name) : nullptr;
  return callee && functions.contains(callee) ? callee : nullptr;
}

const ReturnedBuffer *Functions::returnedBy(OpResult result) const {
  auto found =
      returned.find(calleeOf(cast<CallOpInterface>(result.getOwner())));
  return found != returned.end() ? &found->second[result.getResultNumber()]
                                 : nullptr;
}

/// Callees first, so that it is known what they return; in the order of their
/// calls, so that it is also known where their operands come from.
void Functions::run() {
  for (Operation *function : functions)
    if (!callers.isCalled(function))
      visit(function);
  for (Operation *function : functions)
    visit(function);
}

void Functions::visit(Operation *root) {
  SmallVector<std::pair<Operation *, bool>> open = {{root, false}};
  while (!open.empty()) {
    auto [function, calleesAreDone] = open.pop_back_val();
    if (calleesAreDone) {
      auto done = cast<FunctionOpInterface>(function);
      if (!callsItself(function) || !deallocate(done, /*hopes=*/true))
        deallocate(done, /*hopes=*/false);
      continue;
    }
    if (!visited.insert(function).second)
      continue;
    open.push_back({function, true});
    SmallVector<Operation *> callees;
    function->walk([&](CallOpInterface call) {
      if (Operation *callee = calleeOf(call))
        callees.push_back(callee);
    });
    for (Operation *callee : llvm::reverse(callees))
      open.push_back({callee, false});
  }
}

bool Functions::callsItself(Operation *function) const {
  return function
      ->walk([&](CallOpInterface call) {
        return calleeOf(call) == function ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool handsOver(OpOperand &operand, const DeallocationPlan &plan) {
  return plan.given.contains(&operand) ||
         llvm::is_contained(plan.returnedCopies, &operand);
}

/// An op that is not registered ends the function, maybe with what it takes as
/// results.
static bool mayReturnAnything(FunctionOpInterface function) {
  return llvm::any_of(function.getFunctionBody(), [](Block &block) {
    return !block.empty() && block.back().getNumSuccessors() == 0 &&
           !block.back().isRegistered();
  });
}

/// Calls `visit` with each memref that the function returns.
static void forEachReturned(FunctionOpInterface function,
                            llvm::function_ref<void(OpOperand &)> visit) {
  for (Block &block : function.getFunctionBody())
    if (!block.empty() && block.back().hasTrait<OpTrait::ReturnLike>() &&
        block.back().getNumOperands() == function.getNumResults())
      for (OpOperand &operand : block.back().getOpOperands())
        if (isa<BaseMemRefType>(operand.get().getType()))
          visit(operand);
}

/// Result numbers that every return hands over. Where only some do, nobody
/// knows what to free.
static llvm::BitVector handedOver(FunctionOpInterface function,
                                  const DeallocationPlan &plan) {
  llvm::BitVector sometimes(function.getNumResults());
  llvm::BitVector notAlways(function.getNumResults(),
                            mayReturnAnything(function));
  forEachReturned(function, [&](OpOperand &operand) {
    (handsOver(operand, plan) ? sometimes : notAlways)
        .set(operand.getOperandNumber());
  });
  return sometimes.reset(notAlways);
}

static void remarkUnowned(FunctionOpInterface function,
                          const DeallocationPlan &plan,
                          ArrayRef<ReturnedBuffer> results) {
  forEachReturned(function, [&](OpOperand &operand) {
    if (handsOver(operand, plan) && !results[operand.getOperandNumber()].owned)
      emitRemark(operand.getOwner()->getLoc())
          << "what is returned here is not freed by memref-deallocate: "
             "elsewhere the same result is not the caller's to free";
  });
}

/// Of what the caller does not own: is it one of the arguments?
static void findReturnedArguments(const Owners &owners, bool isUnknown,
                                  std::vector<ReturnedBuffer> &results) {
  std::vector<bool> isKnown(results.size(), true);
  for (OpOperand *operand : owners.returned) {
    unsigned number = operand->getOperandNumber();
    for (int root : owners.rootsOf(operand->get())) {
      auto argument = dyn_cast<BlockArgument>(owners.roots[root].value);
      if (owners.roots[root].kind == RootKind::Local && argument) {
        auto &found = results[number].arguments;
        if (!llvm::is_contained(found, argument.getArgNumber()))
          found.push_back(argument.getArgNumber());
      } else {
        isKnown[number] = false;
      }
    }
  }
  for (auto [known, result] : llvm::zip(isKnown, results))
    if (!known || result.owned || isUnknown)
      result.arguments.clear();
}

/// What the function gives its callers, by result.
static std::vector<ReturnedBuffer> findReturned(FunctionOpInterface function,
                                                const Owners &owners,
                                                const DeallocationPlan &plan) {
  std::vector<ReturnedBuffer> results;
  llvm::BitVector owned = handedOver(function, plan);
  for (unsigned i = 0; i < owned.size(); ++i)
    results.push_back({owned[i], {}});
  findReturnedArguments(owners, mayReturnAnything(function), results);
  return results;
}

/// `hopes`: what it returns to itself belongs to the caller. False, and nothing
/// done, when that turns out to be wrong.
bool Functions::deallocate(FunctionOpInterface function, bool hopes) {
  static const ReturnedBuffer owned = {true, {}};
  FlowGraph graph(function);
  Owners owners(function, graph, [&](OpResult result) {
    return hopes && calleeOf(cast<CallOpInterface>(result.getOwner())) ==
                        function.getOperation()
               ? &owned
               : returnedBy(result);
  });
  std::optional<bool> mayReturnCopies;
  auto askCallers = [&] {
    if (!mayReturnCopies)
      mayReturnCopies = callers.mayGetCopies(function);
    return *mayReturnCopies;
  };
  DeallocationPlan plan =
      Planner(graph, owners, askCallers, prefersFlags).plan();
  std::vector<ReturnedBuffer> results = findReturned(function, owners, plan);
  for (auto [type, result] : llvm::zip(function.getResultTypes(), results))
    if (hopes && isa<BaseMemRefType>(type) && !result.owned)
      return false;
  returned[function] = std::move(results);
  remarkUnowned(function, plan, returned[function]);
  applyPlan(function, graph, owners, plan);
  callers.setDone(function);
  remark(owners);
  return true;
}

namespace {

class DeallocateBuffersPass
    : public impl::DeallocateBuffersBase<DeallocateBuffersPass> {
public:
  using DeallocateBuffersBase::DeallocateBuffersBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    DeallocateBuffersBase::getDependentDialects(registry);
    registerBufferFlowModels(registry);
  }

  void runOnOperation() override {
    Functions(getOperation(), prefersFlags).run();
    remarkOthers(getOperation());
  }
};

} // namespace

} // namespace tpu_mlir
