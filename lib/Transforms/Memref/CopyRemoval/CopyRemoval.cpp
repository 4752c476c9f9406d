//===- CopyRemoval.cpp - Remove copies of buffers -------------------------===//
//
// The pass: tries for each copy to use the source for the target, then the
// target for the source.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/CopyRemoval.h"

#include "lib/Transforms/Memref/CopyRemoval/Reuse.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_COPYREMOVAL
#include "lib/Transforms/Memref/CopyRemoval/CopyRemoval.h.inc"

using namespace copies;

/// Where unregistered dialects are allowed, any op of one may be meant; of a
/// dialect that is known, only ops that it has.
static LogicalResult checkOpName(StringRef name, MLIRContext *context) {
  auto fail = [&](const Twine &why) {
    return emitCodedError(UnknownLoc::get(context), ErrorCode::BadOption,
                          "option 'copy-ops': '" + name + "' " + why);
  };
  auto [prefix, op] = name.split('.');
  if (prefix.empty() || op.empty())
    return fail("is no name of an op; write as in 'mydialect.copy'");
  Dialect *dialect = context->getOrLoadDialect(prefix);
  if (dialect ? RegisteredOperationName::lookup(name, context).has_value()
              : context->allowsUnregisteredDialects())
    return success();
  if (dialect)
    return fail("is no op of dialect '" + prefix + "'");
  return fail("is of a dialect that is not known, and unregistered ones are "
              "not allowed");
}

namespace {

class CopyRemovalPass
    : public BufferPass<impl::CopyRemovalBase<CopyRemovalPass>> {
public:
  using BufferPass::BufferPass;

  LogicalResult initialize(MLIRContext *context) override {
    others.clear();
    for (const std::string &name : copyOps) {
      if (failed(checkOpName(name, context)))
        return failure();
      others.insert(name);
    }
    return success();
  }

  void runOnOperation() override {
    const CallSummaries calls(getOperation());
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) {
          // All threads run a kernel, on the same arguments and shared memory.
          if (!function.isExternal() &&
              function->getName().getStringRef() != "gpu.func")
            runOn(function, calls);
          return WalkResult::skip();
        });
  }

private:
  SmallVector<Operation *> copiesOf(Operation *function) const;
  void runOn(Operation *function, const CallSummaries &calls);
  bool removeOnce(Operation *function, const CallSummaries &calls);
  bool removeCopy(BufferReuse &reuse, const BufferCopy &copy);
  void explain(Operation *function, const CallSummaries &calls);

  /// Ops that the user calls copies.
  llvm::StringSet<> others;
};

} // namespace

SmallVector<Operation *> CopyRemovalPass::copiesOf(Operation *function) const {
  SmallVector<Operation *> copies;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (asCopy(op, others))
      copies.push_back(op);
  });
  return copies;
}

bool CopyRemovalPass::removeCopy(BufferReuse &reuse, const BufferCopy &copy) {
  Location location = copy.op->getLoc();
  if (stripCasts(copy.source) == stripCasts(copy.target)) {
    reuse.dropCopy(copy);
    if (remarks)
      emitRemark(location) << "copy removed: it copies a buffer to itself";
    return true;
  }
  const char *kept = "source";
  if (reuse.reuseSource(copy)) {
    if (reuse.reuseTarget(copy))
      return false;
    kept = "target";
  }
  if (remarks)
    emitRemark(location) << "copy removed: its " << kept << " does for both";
  return true;
}

void CopyRemovalPass::runOn(Operation *function, const CallSummaries &calls) {
  bool changed = true;
  while (changed)
    changed = removeOnce(function, calls);
  if (remarks)
    explain(function, calls);
}

/// One pass over all copies, in the order of the text. A removal may make
/// another one possible, so the caller goes on until there is none.
bool CopyRemovalPass::removeOnce(Operation *function,
                                 const CallSummaries &calls) {
  SmallVector<Operation *> copies = copiesOf(function);
  if (copies.empty())
    return false;
  BufferReuse reuse(function, calls, assumeNoArgumentOverlap);
  bool changed = false;
  for (Operation *op : copies)
    changed |= removeCopy(reuse, *asCopy(op, others));
  if (changed)
    reuse.removeDeadAllocs();
  return changed;
}

static void note(InFlightDiagnostic &remark, const Obstacle &obstacle) {
  if (obstacle.op)
    remark.attachNote(obstacle.op->getLoc()) << "here";
}

/// Nothing can be removed any more: every attempt gives its obstacle.
void CopyRemovalPass::explain(Operation *function, const CallSummaries &calls) {
  SmallVector<Operation *> copies = copiesOf(function);
  if (copies.empty())
    return;
  BufferReuse reuse(function, calls, assumeNoArgumentOverlap);
  for (Operation *op : copies) {
    BufferCopy copy = *asCopy(op, others);
    auto source = reuse.reuseSource(copy);
    auto target = reuse.reuseTarget(copy);
    InFlightDiagnostic remark = emitRemark(op->getLoc());
    remark << "copy stays: no reuse of the source, " << source->text
           << "; no reuse of the target, " << target->text;
    note(remark, *source);
    note(remark, *target);
  }
}

} // namespace tpu_mlir
