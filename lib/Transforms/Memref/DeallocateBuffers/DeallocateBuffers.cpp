#include "tpu_mlir/Transforms/DeallocateBuffers.h"

#include "lib/Transforms/Memref/DeallocateBuffers/Callers.h"
#include "lib/Transforms/Memref/DeallocateBuffers/OpenedSelects.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Spared.h"
#include "lib/Transforms/Memref/VerifyDeallocation/FunctionCheck.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_DEALLOCATEBUFFERS
#include "lib/Transforms/Memref/DeallocateBuffers/DeallocateBuffers.h.inc"

using namespace deallocation;

using verify_deallocation::Fault;
using verify_deallocation::Finding;
using verify_deallocation::FreedArguments;
using verify_deallocation::FreshResults;
using verify_deallocation::FunctionCheck;

/// Worlds of a buffer that the program frees itself, above which it is taken
/// not to.
static constexpr int64_t kMostWorlds = 16384;

/// A function is looked at again after buffers of it were freed while others
/// are left; in the end at most so often.
static constexpr int kMostLooks = 8;

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

/// What a function leaves to the program, once it is done.
struct Left {
  /// Ops that make something that the program frees at times.
  std::vector<Operation *> made;
  /// What some of these make: new memory.
  std::vector<Value> isNew;
  /// Results of calls of which it is not known what they are: it may be new.
  std::vector<OpResult> unseen;
};

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
  const ReturnedBuffer *returnedBy(OpResult result) const;
  Operation *calleeOf(CallOpInterface call) const;
  bool isForKnownCalls(Operation *op) const;
  void findNamed(Operation *op);
  void remarkUnowned(FunctionOpInterface function, const DeallocationPlan &plan,
                     ArrayRef<ReturnedBuffer> results);
  void remark(Operation *function, const FlowGraph &graph,
              const Owners &owners);
  void findUnseen(Operation *function, const Owners &owners);
  void findLeaving();
  bool mayBeNew(OpResult unseen, FreshResults &fresh) const;
  void remarkLeft(FunctionCheck check, const Left &left);
  void remarkUnseen(OpResult result) const;
  bool givesToCaller(Operation *call) const;
  void remarkCircles();

  Operation *root;
  bool prefersFlags;
  bool remarks;
  ModuleFacts module;
  mutable SymbolTableCollection symbols;
  llvm::SetVector<Operation *> functions;
  Callers callers;
  std::vector<Operation *> order; ///< Callees first.
  llvm::MapVector<Operation *, Left> leftBy;
  /// Functions with something that is the program's to free, or may be: an
  /// allocation, or what a call gives of which nothing is known. Also those
  /// that call one.
  llvm::SetVector<Operation *> leaving;
  /// By function, those to which it gives what they do not own.
  llvm::DenseMap<Operation *, llvm::SmallVector<Operation *, 2>> givesTo;
  /// Calls of functions of which nothing was known when the caller was done.
  llvm::SetVector<Operation *> inCircles;
  /// By result, of functions that are done.
  llvm::DenseMap<Operation *, std::vector<ReturnedBuffer>> returned;
};

} // namespace

Functions::Functions(Operation *root, bool prefersFlags, bool remarks)
    : root(root), prefersFlags(prefersFlags), remarks(remarks), module(root),
      callers([this](OpResult result) { return returnedBy(result); }, module) {
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
    if (!op.isExternal())
      functions.insert(op);
    return WalkResult::skip();
  });
  root->walk([&](Operation *op) {
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      if (Operation *callee = calleeOf(call))
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
           if (!call || !calledFunction(call, symbols))
             return false;
           auto callee = dyn_cast<Value>(call.getCallableForCallee());
           return callee && callee == use.get() &&
                  llvm::count(call->getOperands(), callee) == 1;
         });
}

void Functions::findNamed(Operation *op) {
  op->getAttrDictionary().walk([&](SymbolRefAttr name) {
    Operation *named = symbols.lookupNearestSymbolFrom(op, name);
    if (named && functions.contains(named))
      callers.setNamed(named);
  });
}

Operation *Functions::calleeOf(CallOpInterface call) const {
  Operation *callee = calledFunction(call, symbols);
  return callee && functions.contains(callee) ? callee : nullptr;
}

const ReturnedBuffer *Functions::returnedBy(OpResult result) const {
  auto found =
      returned.find(calleeOf(cast<CallOpInterface>(result.getOwner())));
  return found != returned.end() ? &found->second[result.getResultNumber()]
                                 : nullptr;
}

/// So that it is known what they return; in the order of their calls, so that
/// it is also known where their operands come from.
std::vector<Operation *> Functions::calleesFirst() const {
  std::vector<Operation *> result;
  llvm::DenseSet<Operation *> seen;
  for (Operation *function : functions)
    if (!callers.isCalled(function))
      addCallees(function, result, seen);
  for (Operation *function : functions)
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
      if (Operation *callee = calleeOf(call))
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
  if (!remarks)
    return;
  for (Operation *call : inCircles)
    if (!givesToCaller(call))
      leftBy[call->getParentOfType<FunctionOpInterface>()].made.push_back(call);
  findLeaving();
  FreshResults fresh(root);
  FreedArguments freedArguments(root, fresh);
  for (auto &[function, left] : leftBy) {
    llvm::erase_if(left.unseen,
                   [&](OpResult result) { return !mayBeNew(result, fresh); });
    if (left.made.empty() && left.unseen.empty())
      continue;
    SmallVector<Value> taken(left.unseen.begin(), left.unseen.end());
    SmallVector<Operation *> only(left.made.begin(), left.made.end());
    for (Value result : taken)
      only.push_back(result.getDefiningOp());
    remarkLeft(FunctionCheck(function, fresh, freedArguments,
                             {kMostWorlds, /*leaks=*/true, taken, only}),
               left);
  }
  remarkCircles();
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

void Functions::remarkUnowned(FunctionOpInterface function,
                              const DeallocationPlan &plan,
                              ArrayRef<ReturnedBuffer> results) {
  forEachReturned(function, [&](OpOperand &operand) {
    if (handsOver(operand, plan) && !results[operand.getOperandNumber()].owned)
      emitRemark(operand.getOwner()->getLoc())
          << "what is returned here is not freed by memref-deallocate: "
             "elsewhere the same result is not the caller's to free";
  });
}

/// What is allocated and stays so is said once for each allocation, if control
/// can get there.
void Functions::remark(Operation *function, const FlowGraph &graph,
                       const Owners &owners) {
  for (const Root &root : owners.roots) {
    if (root.kind != RootKind::Alloc || root.managed ||
        !root.value.getDefiningOp() ||
        !graph.node(root.definition.node).reachable)
      continue;
    if (root.reason.empty()) {
      leaving.insert(function);
      leftBy[function].made.push_back(root.value.getDefiningOp());
      leftBy[function].isNew.push_back(root.value);
      continue;
    }
    InFlightDiagnostic diagnostic = emitRemark(root.value.getLoc())
                                    << "is not freed by memref-deallocate: "
                                    << root.reason;
    if (root.blame)
      diagnostic.attachNote(root.blame->getLoc()) << "here";
  }
}

/// What functions that nothing sees return may be the caller's to free; what
/// memref.realloc gives is.
void Functions::findUnseen(Operation *function, const Owners &owners) {
  for (const Root &root : owners.roots) {
    Left &left = leftBy[function];
    if (root.value.getDefiningOp<memref::ReallocOp>())
      left.made.push_back(root.value.getDefiningOp());
    auto call = root.value.getDefiningOp<CallOpInterface>();
    if (!call || root.kind != RootKind::Other)
      continue;
    Operation *callee = calleeOf(call);
    if (!callee) {
      // They may hand it on to their callers.
      leaving.insert(function);
      left.unseen.push_back(cast<OpResult>(root.value));
      continue;
    }
    givesTo[callee].push_back(function);
    if (inCircles.contains(call))
      continue;
    // The program's, if it is new.
    left.made.push_back(call);
    left.unseen.push_back(cast<OpResult>(root.value));
  }
}

/// Once all functions are done: some call each other in a circle.
void Functions::findLeaving() {
  for (size_t i = 0; i < leaving.size(); ++i)
    leaving.insert_range(givesTo.lookup(leaving[i]));
}

/// The check follows by itself what is new on every path, and what is an
/// argument. Of what the function that is called could not free a remark is
/// there already.
bool Functions::mayBeNew(OpResult unseen, FreshResults &fresh) const {
  Operation *callee = calleeOf(cast<CallOpInterface>(unseen.getOwner()));
  return !callee || (leaving.contains(callee) && fresh.mayBeFresh(unseen) &&
                     !fresh.isFresh(unseen));
}

void Functions::remarkUnseen(OpResult result) const {
  auto call = cast<CallOpInterface>(result.getOwner());
  emitRemark(call->getLoc())
      << "what is returned here is not freed by memref-deallocate: "
      << (calleeOf(call) ? "it may be new, or a buffer of something else"
          : calledFunction(call, symbols)
              ? "the function that is called is declared only"
              : "it is not known which function is called");
}

/// Ops that make what is not freed on every path, and where nothing holds it
/// any more, if that is known.
static llvm::DenseMap<Operation *, Operation *> unfreed(FunctionCheck &check,
                                                        const Left &left) {
  llvm::DenseMap<Operation *, Operation *> result;
  for (const Finding &finding : check.findings())
    if (finding.event.fault == Fault::Leak)
      result[finding.buffers.front().getDefiningOp()] = finding.event.op;
  for (ArrayRef<Value> others : {check.undecided(), check.left()})
    for (Value buffer : others)
      if (Operation *op = buffer.getDefiningOp())
        result.try_emplace(op, nullptr);
  llvm::DenseSet<Value> followed(check.followed().begin(),
                                 check.followed().end());
  for (Value buffer : left.isNew)
    if (!followed.contains(buffer))
      result.try_emplace(buffer.getDefiningOp(), nullptr);
  return result;
}

/// The program frees these at times: not on every path, perhaps.
void Functions::remarkLeft(FunctionCheck check, const Left &left) {
  llvm::DenseMap<Operation *, Operation *> found = unfreed(check, left);
  llvm::SmallPtrSet<Operation *, 8> done;
  for (OpResult result : left.unseen)
    if (found.contains(result.getOwner()) &&
        done.insert(result.getOwner()).second)
      remarkUnseen(result);
  for (Operation *op : left.made) {
    if (!found.contains(op) || !done.insert(op).second)
      continue;
    InFlightDiagnostic diagnostic =
        emitRemark(op->getLoc())
        << (isa<CallOpInterface>(op) ? "what is returned here " : "")
        << "is not freed by memref-deallocate: the program frees it itself, "
           "but not on every path";
    if (Operation *last = found.lookup(op))
      diagnostic.attachNote(last->getLoc()) << "nothing holds it after this";
  }
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

bool Functions::givesToCaller(Operation *call) const {
  return llvm::any_of(call->getResults(), [&](OpResult result) {
    const ReturnedBuffer *found = returnedBy(result);
    return isa<BaseMemRefType>(result.getType()) && found && found->owned;
  });
}

/// What is handed over where nothing expected it.
void Functions::remarkCircles() {
  for (Operation *call : inCircles)
    if (givesToCaller(call))
      emitRemark(call->getLoc())
          << "what is returned here is not freed by memref-deallocate: the "
             "functions call each other in a circle";
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
    Operation *callee = calleeOf(cast<CallOpInterface>(result.getOwner()));
    if (hopes && callee == function.getOperation())
      return &owned;
    if (callee && !returned.contains(callee))
      inCircles.insert(result.getOwner());
    return returnedBy(result);
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
    returned[function] = std::move(results);
    if (remarks) {
      remarkUnowned(function, plan, returned[function]);
      findUnseen(function, owners);
    }
    applyPlan(function, graph, owners, plan);
    callers.setDone(function);
    if (remarks)
      remark(function, graph, owners);
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
    : public impl::DeallocateBuffersBase<DeallocateBuffersPass> {
public:
  using DeallocateBuffersBase::DeallocateBuffersBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    DeallocateBuffersBase::getDependentDialects(registry);
    registerBufferFlowModels(registry);
  }

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
    if (remarks)
      remarkOthers(root);
  }
};

} // namespace

} // namespace tpu_mlir
