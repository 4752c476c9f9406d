#include "tpu_mlir/Transforms/VerifyDeallocation.h"

#include "lib/Transforms/VerifyDeallocation/Certainty.h"
#include "lib/Transforms/VerifyDeallocation/FreshResults.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/MemrefAliases.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_VERIFYDEALLOCATION
#include "lib/Transforms/VerifyDeallocation/VerifyDeallocation.h.inc"

using namespace verify_deallocation;

namespace {

/// So many that no function gets there, and 16 times it is an int64_t.
constexpr int64_t kMostWorlds = int64_t(1) << 48;

/// A fault at one op, for all buffers that it may hit there.
struct Finding {
  Event event;
  bool isCertain = false;
  std::vector<Operation *> buffers;
};

/// Allocations of one function, and what becomes of them.
class FunctionCheck {
public:
  FunctionCheck(Operation *function, FreshResults &fresh, int64_t maxWorlds);

  std::vector<Finding> findings();
  const std::vector<Operation *> &undecided() const { return undecidedBuffers; }

private:
  void collectBuffers(Operation *function);
  void add(Operation *buffer, const Event &event, bool isCertain);

  FreshResults &fresh;
  Flow flow;
  Names names;
  int64_t maxWorlds;
  std::vector<OpResult> buffers;
  std::vector<Operation *> undecidedBuffers;
  OpTicks ticks;
  /// By position, kind and, for a leak, the position of its buffer.
  std::map<std::tuple<int64_t, Fault>, Finding> found;
};

class VerifyDeallocationPass
    : public impl::VerifyDeallocationBase<VerifyDeallocationPass> {
public:
  using VerifyDeallocationBase::VerifyDeallocationBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    VerifyDeallocationBase::getDependentDialects(registry);
    registerBufferFlowModels(registry);
  }

  void runOnOperation() override;

private:
  void report(const Finding &finding);
};

} // namespace

FunctionCheck::FunctionCheck(Operation *function, FreshResults &fresh,
                             int64_t maxWorlds)
    : fresh(fresh), flow(function), names(flow, function), maxWorlds(maxWorlds),
      ticks(function) {
  collectBuffers(function);
}

void FunctionCheck::collectBuffers(Operation *function) {
  function->walk([&](Operation *op) {
    if (op->getNumResults() == 0 || op == function ||
        !names.dominators().isReachableFromEntry(op->getBlock()))
      return;
    for (OpResult result : op->getResults())
      if (allocatesBuffer(op) || fresh.isFresh(result))
        buffers.push_back(result);
  });
}

void FunctionCheck::add(Operation *buffer, const Event &event, bool isCertain) {
  // A leak is said where the buffer comes from, once.
  Operation *at = event.fault == Fault::Leak ? buffer : event.op;
  Finding &finding = found[{ticks.of(at), event.fault}];
  auto position = [&](const Event &event) {
    return std::pair(event.op ? ticks.of(event.op) : 0,
                     event.freedBy ? ticks.of(event.freedBy) : 0);
  };
  if (finding.buffers.empty() || (isCertain && !finding.isCertain) ||
      (isCertain == finding.isCertain &&
       position(event) < position(finding.event)))
    finding.event = event;
  finding.isCertain |= isCertain;
  if (!llvm::is_contained(finding.buffers, buffer))
    finding.buffers.push_back(buffer);
}

std::vector<Finding> FunctionCheck::findings() {
  auto isFresh = [&](OpResult result) { return fresh.isFresh(result); };
  Worlds worlds(flow, names, isFresh);
  int64_t budget =
      16 * (std::min(maxWorlds, kMostWorlds) + int64_t(buffers.size()));
  std::vector<int> starts;
  for (OpResult buffer : buffers) {
    int64_t left = std::max<int64_t>(budget - worlds.size(), 0);
    starts.push_back(worlds.explore(buffer, std::min(maxWorlds, left)));
  }
  Certainty certainty(flow, worlds, names.dominators());
  for (auto [buffer, start] : llvm::zip_equal(buffers, starts)) {
    Operation *op = buffer.getOwner();
    Verdict verdict = certainty.judge(op, start);
    for (const Event &event : verdict.certain)
      add(op, event, true);
    for (const Event &event : verdict.possible)
      add(op, event, false);
    if (!verdict.isComplete)
      undecidedBuffers.push_back(op);
  }
  std::vector<Finding> result;
  for (auto &[key, finding] : found)
    result.push_back(std::move(finding));
  return result;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static ErrorCode codeOf(Fault fault) {
  switch (fault) {
  case Fault::UseAfterFree:
    return ErrorCode::UseAfterFree;
  case Fault::FreedTwice:
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
  case Fault::Leak:
    break;
  }
  return finding.isCertain ? "this buffer is never freed"
                           : "this buffer may not be freed on every path";
}

void VerifyDeallocationPass::report(const Finding &finding) {
  bool isLeak = finding.event.fault == Fault::Leak;
  if (isLeak && leaks == "ignore")
    return;
  Operation *at = isLeak ? finding.buffers.front() : finding.event.op;
  bool isError =
      (finding.isCertain || strict) && !(isLeak && leaks == "remark");
  InFlightDiagnostic diagnostic =
      isError ? emitCodedError(at->getLoc(), codeOf(finding.event.fault),
                               sentence(finding))
              : emitRemark(at->getLoc()) << sentence(finding);
  if (isLeak && finding.event.op)
    diagnostic.attachNote(finding.event.op->getLoc())
        << "nobody holds it behind this";
  if (finding.event.freedBy)
    diagnostic.attachNote(finding.event.freedBy->getLoc()) << "freed here";
  for (Operation *buffer : finding.buffers)
    if (!isLeak)
      diagnostic.attachNote(buffer->getLoc()) << "allocated here";
  if (isError)
    signalPassFailure();
}

void VerifyDeallocationPass::runOnOperation() {
  Operation *root = getOperation();
  if (leaks != "error" && leaks != "remark" && leaks != "ignore") {
    emitCodedError(root->getLoc(), ErrorCode::BadOption,
                   "leaks are 'error', 'remark' or 'ignore', not '" + leaks +
                       "'");
    return signalPassFailure();
  }
  if (failed(checkAtLeast(root->getLoc(), "max-worlds", maxWorlds, 1)))
    return signalPassFailure();
  FreshResults fresh(root);
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!function.isExternal()) {
      FunctionCheck check(function, fresh, maxWorlds);
      for (const Finding &finding : check.findings())
        report(finding);
      for (Operation *buffer : check.undecided())
        emitRemark(buffer->getLoc())
            << "what becomes of this buffer is not decided: it has more than "
            << maxWorlds.getValue() << " worlds";
    }
    return WalkResult::skip();
  });
}

} // namespace tpu_mlir
