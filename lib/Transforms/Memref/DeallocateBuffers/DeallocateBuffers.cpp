//===- DeallocateBuffers.cpp - Insert deallocations -----------------------===//
//
// The pass: plans each function as a whole, then rewrites it.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/DeallocateBuffers.h"

#include "lib/Transforms/Memref/DeallocateBuffers/Callers.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Leftovers.h"
#include "lib/Transforms/Memref/DeallocateBuffers/OpenedSelects.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Spared.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_DEALLOCATEBUFFERS
#include "lib/Transforms/Memref/DeallocateBuffers/DeallocateBuffers.h.inc"

using namespace deallocation;

/// A function is looked at again after buffers of it were freed while others
/// are left; in the end at most so often.
static constexpr int kMostLooks = 8;

namespace {

/// Functions below one op, and who calls whom.
class Functions {
public:
  Functions(Operation *root, bool prefersFlags, bool remarks);
  void run();

private:
  bool deallocate(FunctionOpInterface function, bool hopes);
  std::vector<Operation *> calleesFirst() const;
  void addCallees(Operation *first, std::vector<Operation *> &order,
                  llvm::DenseSet<Operation *> &seen) const;
  bool callsItself(Operation *function) const;
  bool isForKnownCalls(Operation *op) const;
  void findNamed(Operation *op);

  Operation *root;
  bool prefersFlags;
  bool remarks;
  ModuleFacts module;
  KnownFunctions functions;
  Callers callers;
  Leftovers leftovers;
  std::vector<Operation *> order; ///< Callees first.
};

} // namespace

Functions::Functions(Operation *root, bool prefersFlags, bool remarks)
    : root(root), prefersFlags(prefersFlags), remarks(remarks), module(root),
      functions(root),
      callers([this](OpResult result) { return functions.returnedBy(result); },
              module),
      leftovers(functions) {
  root->walk([&](Operation *op) {
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      if (Operation *callee = functions.calleeOf(call))
        callers.add(callee, call);
    } else if (!isForKnownCalls(op)) {
      findNamed(op);
    }
  });
  order = calleesFirst();
  spareByFlags(module.calls, root, order);
}

/// A constant that only calls use, as what they call.
bool Functions::isForKnownCalls(Operation *op) const {
  return op->hasTrait<OpTrait::ConstantLike>() &&
         llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto call = dyn_cast<CallOpInterface>(use.getOwner());
           if (!call || !functions.called(call))
             return false;
           auto callee = dyn_cast<Value>(call.getCallableForCallee());
           return callee && callee == use.get() &&
                  llvm::count(call->getOperands(), callee) == 1;
         });
}

void Functions::findNamed(Operation *op) {
  op->getAttrDictionary().walk([&](SymbolRefAttr name) {
    if (Operation *named = functions.named(op, name))
      callers.setNamed(named);
  });
}

/// So that it is known what they return; in the order of their calls, so that
/// it is also known where their operands come from.
std::vector<Operation *> Functions::calleesFirst() const {
  std::vector<Operation *> result;
  llvm::DenseSet<Operation *> seen;
  for (Operation *function : functions.all())
    if (!callers.isCalled(function))
      addCallees(function, result, seen);
  for (Operation *function : functions.all())
    addCallees(function, result, seen);
  return result;
}

void Functions::addCallees(Operation *first, std::vector<Operation *> &order,
                           llvm::DenseSet<Operation *> &seen) const {
  SmallVector<std::pair<Operation *, bool>> open = {{first, false}};
  while (!open.empty()) {
    auto [function, calleesAreDone] = open.pop_back_val();
    if (calleesAreDone) {
      order.push_back(function);
      continue;
    }
    if (!seen.insert(function).second)
      continue;
    open.push_back({function, true});
    SmallVector<Operation *> callees;
    function->walk([&](CallOpInterface call) {
      if (Operation *callee = functions.calleeOf(call))
        callees.push_back(callee);
    });
    for (Operation *callee : llvm::reverse(callees))
      open.push_back({callee, false});
  }
}

void Functions::run() {
  for (Operation *op : order) {
    auto function = cast<FunctionOpInterface>(op);
    if (!callsItself(op) || !deallocate(function, /*hopes=*/true))
      deallocate(function, /*hopes=*/false);
  }
  if (remarks)
    leftovers.tell(root);
}

bool Functions::callsItself(Operation *function) const {
  return function
      ->walk([&](CallOpInterface call) {
        return functions.calleeOf(call) == function ? WalkResult::interrupt()
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

/// Result numbers that every return hands over. Where only some do, nothing
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

/// Something is left to the program, and the plan changes what surrounds it:
/// what was given up in between may be freed now.
static bool needsAnotherLook(const Owners &owners,
                             const DeallocationPlan &plan) {
  auto isLeft = [](const Root &root) {
    return root.kind == RootKind::Alloc && !root.managed;
  };
  auto changes = [](HandOver handOver) {
    return handOver == HandOver::Copy || handOver == HandOver::Keep ||
           handOver == HandOver::MoveWithLender;
  };
  return llvm::any_of(owners.roots, isLeft) &&
         (!plan.frees.empty() || !plan.returnedCopies.empty() ||
          !plan.returnedUnlessLent.empty() ||
          llvm::any_of(plan.handOvers, changes));
}

/// `hopes`: what it returns to itself belongs to the caller. False, and nothing
/// freed, when that turns out to be wrong.
bool Functions::deallocate(FunctionOpInterface function, bool hopes) {
  static const ReturnedBuffer owned = {true, {}};
  auto returnedHere = [&](OpResult result) {
    Operation *callee =
        functions.calleeOf(cast<CallOpInterface>(result.getOwner()));
    if (hopes && callee == function.getOperation())
      return &owned;
    if (callee && !functions.returned.contains(callee))
      leftovers.addCircle(result.getOwner());
    return functions.returnedBy(result);
  };
  std::optional<bool> mayReturnCopies;
  auto askCallers = [&] {
    if (!mayReturnCopies)
      mayReturnCopies = callers.mayGetCopies(function);
    return *mayReturnCopies;
  };
  OpenedSelects selects;
  for (int looks = 1;;) {
    FlowGraph graph(function);
    Owners owners(function, graph, {returnedHere, module}, selects.critical);
    Planner planner(graph, owners, askCallers, prefersFlags);
    DeallocationPlan plan = planner.plan();
    if (selects.open(owners.joins(planner.joined())))
      continue;
    std::vector<ReturnedBuffer> results = findReturned(function, owners, plan);
    for (auto [type, result] : llvm::zip(function.getResultTypes(), results))
      if (hopes && isa<BaseMemRefType>(type) && !result.owned) {
        selects.close();
        return false;
      }
    selects.keep(owners);
    if (!hopes && looks < kMostLooks && needsAnotherLook(owners, plan)) {
      applyPlan(function, graph, owners, plan);
      selects.close();
      ++looks;
      continue;
    }
    if (remarks) {
      remarkUnowned(function, plan, results);
      leftovers.addUnseen(function, owners);
    }
    functions.returned[function] = std::move(results);
    applyPlan(function, graph, owners, plan);
    callers.setDone(function);
    if (remarks)
      leftovers.add(function, graph, owners);
    selects.close();
    return true;
  }
}

/// Of the ops of one kind in a block: a pass on these runs on each of them.
static bool isFirstOfItsKind(Operation *op) {
  for (Operation *other = op->getPrevNode(); other;
       other = other->getPrevNode())
    if (other->getName() == op->getName())
      return false;
  return true;
}

namespace {

class DeallocateBuffersPass
    : public BufferPass<impl::DeallocateBuffersBase<DeallocateBuffersPass>> {
public:
  using BufferPass::BufferPass;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (!root->hasTrait<OpTrait::SymbolTable>()) {
      if (isFirstOfItsKind(root))
        emitCodedError(root->getLoc(), ErrorCode::BadOption,
                       "memref-deallocate has to see who calls whom: run it on "
                       "the module, not on each of its functions");
      return signalPassFailure();
    }
    Functions(root, prefersFlags, remarks).run();
  }
};

} // namespace

} // namespace tpu_mlir
