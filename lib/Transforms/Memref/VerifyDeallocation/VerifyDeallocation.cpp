//===- VerifyDeallocation.cpp - Report faults of deallocation -------------===//
//
// The pass: runs the check on each function and turns its findings into
// diagnostics.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "lib/Analysis/Memref/Deallocation/FunctionCheck.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_VERIFYDEALLOCATION
#include "lib/Transforms/Memref/VerifyDeallocation/VerifyDeallocation.h.inc"

using namespace verify_deallocation;

namespace {

class VerifyDeallocationPass
    : public BufferPass<impl::VerifyDeallocationBase<VerifyDeallocationPass>> {
public:
  using BufferPass::BufferPass;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  void report(const Finding &finding);
};

} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static ErrorCode codeOf(Fault fault) {
  switch (fault) {
  case Fault::UseAfterFree:
    return ErrorCode::UseAfterFree;
  case Fault::FreedTwice:
  case Fault::NotOwned:
    return ErrorCode::FreedTwice;
  case Fault::Leak:
    break;
  }
  return ErrorCode::Leak;
}

static std::string sentence(const Finding &finding) {
  switch (finding.event.fault) {
  case Fault::UseAfterFree:
    return quoted(finding.event.op) +
           (finding.isCertain ? " uses" : " may use") +
           " a buffer that was freed";
  case Fault::FreedTwice:
    return finding.isCertain ? "a buffer is freed that is free already"
                             : "a buffer may be freed that is free already";
  case Fault::NotOwned:
    if (finding.buffers.front().getDefiningOp())
      return finding.isCertain
                 ? "a buffer is freed that was not allocated on the heap"
                 : "a buffer may be freed that was not allocated on the heap";
    return finding.isCertain
               ? "the caller's buffer is freed, but not on every path"
               : "the caller's buffer may be freed, which the caller frees, "
                 "too";
  case Fault::Leak:
    break;
  }
  if (!finding.isCertain)
    return "this buffer may not be freed on every path";
  return finding.isAlways ? "this buffer is never freed"
                          : "this buffer is not freed on every path";
}

void VerifyDeallocationPass::report(const Finding &finding) {
  bool isLeak = finding.event.fault == Fault::Leak;
  if (isLeak && leaks == "ignore")
    return;
  Operation *at =
      isLeak ? finding.buffers.front().getDefiningOp() : finding.event.op;
  bool isError =
      (finding.isCertain || strict) && !(isLeak && leaks == "remark");
  InFlightDiagnostic diagnostic =
      isError ? emitCodedError(at->getLoc(), codeOf(finding.event.fault),
                               sentence(finding))
              : emitRemark(at->getLoc()) << sentence(finding);
  if (isLeak && finding.event.op)
    diagnostic.attachNote(finding.event.op->getLoc())
        << "nothing holds it after this";
  if (finding.event.freedBy)
    diagnostic.attachNote(finding.event.freedBy->getLoc()) << "freed here";
  auto isNew = [&](Operation *op) {
    return op && finding.event.fault != Fault::NotOwned &&
           (allocatesBuffer(op) || isa<memref::ReallocOp, CallOpInterface>(op));
  };
  for (Value buffer : finding.buffers)
    if (!isLeak)
      diagnostic.attachNote(buffer.getLoc())
          << (isNew(buffer.getDefiningOp()) ? "allocated here"
                                            : "it is this one");
  if (isError)
    signalPassFailure();
}

/// Once, not for each function that the pass runs on.
LogicalResult VerifyDeallocationPass::initialize(MLIRContext *context) {
  Location location = UnknownLoc::get(context);
  if (leaks != "error" && leaks != "remark" && leaks != "ignore")
    return emitCodedError(location, ErrorCode::BadOption,
                          "leaks are 'error', 'remark' or 'ignore', not '" +
                              leaks + "'");
  return checkAtLeast(location, "max-worlds", maxWorlds, 1);
}

void VerifyDeallocationPass::runOnOperation() {
  Operation *root = getOperation();
  FreshResults fresh(root);
  FreedArguments freed(root, fresh);
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!function.isExternal()) {
      FunctionCheck check(function, fresh, freed,
                          {maxWorlds, /*leaks=*/leaks != "ignore"});
      for (const Finding &finding : check.findings())
        report(finding);
      for (Value buffer : check.loaded())
        emitRemark(buffer.getLoc())
            << "what is loaded here is followed under this name alone, not "
               "from where it was stored";
      for (Value buffer : check.undecided())
        emitRemark(buffer.getLoc())
            << "what becomes of this buffer is not decided: it has more than "
            << maxWorlds.getValue() << " worlds";
    }
    return WalkResult::skip();
  });
}

} // namespace tpu_mlir
