//===- Leftovers.cpp - What is left to the program ------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Leftovers.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

using verify_deallocation::Fault;
using verify_deallocation::Finding;
using verify_deallocation::FreedArguments;

/// Worlds of a buffer that the program frees itself, above which it is taken
/// not to.
static constexpr int64_t kMostWorlds = 16384;

KnownFunctions::KnownFunctions(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
    if (!op.isExternal())
      functions.insert(op);
    return WalkResult::skip();
  });
}

Operation *KnownFunctions::called(CallOpInterface call) const {
  return calledFunction(call, symbols);
}

Operation *KnownFunctions::calleeOf(CallOpInterface call) const {
  Operation *callee = called(call);
  return callee && functions.contains(callee) ? callee : nullptr;
}

Operation *KnownFunctions::named(Operation *op, SymbolRefAttr name) const {
  Operation *found = symbols.lookupNearestSymbolFrom(op, name);
  return found && functions.contains(found) ? found : nullptr;
}

const ReturnedBuffer *KnownFunctions::returnedBy(OpResult result) const {
  auto found =
      returned.find(calleeOf(cast<CallOpInterface>(result.getOwner())));
  return found != returned.end() ? &found->second[result.getResultNumber()]
                                 : nullptr;
}

void Leftovers::add(Operation *function, const FlowGraph &graph,
                    const Owners &owners) {
  for (const Root &root : owners.roots) {
    if (root.kind != RootKind::Alloc || root.managed ||
        !root.value.getDefiningOp() || !graph.isReachable(root.definition.node))
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

void Leftovers::addUnseen(Operation *function, const Owners &owners) {
  for (const Root &root : owners.roots) {
    Left &left = leftBy[function];
    if (root.value.getDefiningOp<memref::ReallocOp>())
      left.made.push_back(root.value.getDefiningOp());
    auto call = root.value.getDefiningOp<CallOpInterface>();
    if (!call || root.kind != RootKind::Other)
      continue;
    Operation *callee = functions.calleeOf(call);
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
void Leftovers::findLeaving() {
  for (size_t i = 0; i < leaving.size(); ++i)
    leaving.insert_range(givesTo.lookup(leaving[i]));
}

/// The check follows by itself what is new on every path, and what is an
/// argument. Of what the function that is called could not free a remark is
/// there already.
bool Leftovers::mayBeNew(OpResult unseen, FreshResults &fresh) const {
  Operation *callee =
      functions.calleeOf(cast<CallOpInterface>(unseen.getOwner()));
  return !callee || (leaving.contains(callee) && fresh.mayBeFresh(unseen) &&
                     !fresh.isFresh(unseen));
}

void Leftovers::remarkUnseen(OpResult result) const {
  auto call = cast<CallOpInterface>(result.getOwner());
  emitRemark(call->getLoc())
      << "what is returned here is not freed by memref-deallocate: "
      << (functions.calleeOf(call)
              ? "it may be new, or a buffer of something else"
          : functions.called(call)
              ? "the function that is called is declared only"
              : "it is not known which function is called");
}

/// Ops that make what is not freed on every path, and where nothing holds it
/// any more, if that is known.
llvm::DenseMap<Operation *, Operation *>
Leftovers::unfreed(FunctionCheck &check, const Left &left) {
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
void Leftovers::remarkLeft(FunctionCheck check, const Left &left) const {
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

bool Leftovers::givesToCaller(Operation *call) const {
  return llvm::any_of(call->getResults(), [&](OpResult result) {
    const ReturnedBuffer *found = functions.returnedBy(result);
    return isa<BaseMemRefType>(result.getType()) && found && found->owned;
  });
}

/// What is handed over where nothing expected it.
void Leftovers::remarkCircles() const {
  for (Operation *call : inCircles)
    if (givesToCaller(call))
      emitRemark(call->getLoc())
          << "what is returned here is not freed by memref-deallocate: the "
             "functions call each other in a circle";
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

void Leftovers::tell(Operation *root) {
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
  remarkOthers(root);
}

} // namespace tpu_mlir::deallocation
