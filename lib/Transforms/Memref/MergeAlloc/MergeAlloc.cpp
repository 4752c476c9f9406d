#include "lib/Transforms/Memref/MergeAlloc/MergeAlloc.h"

#include "lib/Transforms/Memref/MergeAlloc/DeadAllocs.h"
#include "lib/Transforms/Memref/MergeAlloc/Options.h"
#include "lib/Transforms/Memref/MergeAlloc/Stages.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_MERGEALLOC
#include "lib/Transforms/Memref/MergeAlloc/MergeAlloc.h.inc"

using namespace merging;

namespace {

/// What can be said on a command line.
MergeAllocOptions textual(const MergeAllocationOptions &given) {
  MergeAllocOptions result;
  result.analysisOnly = given.checkOnly;
  result.planner = given.strategy;
  result.plannerOptions = given.plannerOptions;
  result.alignment = given.alignment;
  result.memorySpaces = llvm::join(given.memorySpaces, ",");
  result.capacity = llvm::join(given.capacity, ",");
  result.inPlace = given.inPlace;
  result.hoistThreads = given.hoistThreads;
  result.free = given.free;
  result.mergeAlways = given.mergeAlways;
  result.remarks = given.remarks;
  return result;
}

class MergeAllocPass : public impl::MergeAllocBase<MergeAllocPass> {
public:
  using MergeAllocBase::MergeAllocBase;
  explicit MergeAllocPass(const MergeAllocationOptions &given)
      : MergeAllocBase(textual(given)), base(given) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    MergeAllocBase::getDependentDialects(registry);
    registerBufferFlowModels(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    resolved = readOptions();
    return resolveOptions(context, resolved);
  }

  void runOnOperation() override {
    MergeAllocationOptions options = resolved;
    CallSummaries calls(getOperation());
    options.calls = &calls;
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) {
          return failed(merge(function, options)) ? WalkResult::interrupt()
                                                  : WalkResult::skip();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  MergeAllocationOptions readOptions() const;
  LogicalResult merge(Operation *function,
                      const MergeAllocationOptions &options);

  /// The stages, which have no textual form.
  MergeAllocationOptions base;
  /// All options, checked, and with the stages that run.
  MergeAllocationOptions resolved;
};

} // namespace

MergeAllocationOptions MergeAllocPass::readOptions() const {
  MergeAllocationOptions options;
  options.mergeAlways = mergeAlways;
  options.checkOnly = analysisOnly;
  options.strategy = planner;
  options.plannerOptions = plannerOptions;
  options.alignment = alignment;
  options.memorySpaces = splitItems(memorySpaces);
  options.capacity = splitItems(capacity);
  options.inPlace = inPlace;
  options.hoistThreads = hoistThreads;
  options.free = free;
  options.remarks = remarks;
  options.tracer = base.tracer ? base.tracer : collectTicks;
  options.planner = base.planner ? base.planner : planTicks;
  options.mutator = base.mutator ? base.mutator : mergeIntoViews;
  return options;
}

LogicalResult MergeAllocPass::merge(Operation *function,
                                    const MergeAllocationOptions &options) {
  if (options.remarks)
    remarkOtherAllocs(function, "buffer stays");
  if (!options.checkOnly)
    removeDeadAllocs(function, options);
  if (!options.checkOnly && options.hoistThreads &&
      failed(hoistThreadBuffers(function, options)))
    return failure();
  return mergeScopes(function, options, [](Block *) { return true; });
}

std::unique_ptr<Pass> createMergeAllocPass() {
  return std::make_unique<MergeAllocPass>();
}

std::unique_ptr<Pass>
createMergeAllocPass(const MergeAllocationOptions &options) {
  return std::make_unique<MergeAllocPass>(options);
}

void registerMergeAllocPass() {
  registerPass([] { return createMergeAllocPass(); });
}

} // namespace tpu_mlir
