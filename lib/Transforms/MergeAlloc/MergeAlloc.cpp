#include "lib/Transforms/MergeAlloc/MergeAlloc.h"

#include "lib/Transforms/MergeAlloc/DeadAllocs.h"
#include "lib/Transforms/MergeAlloc/Options.h"
#include "tpu_mlir/Analysis/MemrefAliases.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_MERGEALLOC
#include "lib/Transforms/MergeAlloc/MergeAlloc.h.inc"

namespace {

/// What can be said on a command line.
MergeAllocOptions textual(const MergeAllocationOptions &given) {
  MergeAllocOptions result;
  result.analysisOnly = given.checkOnly;
  result.planner = given.strategy;
  result.plannerOptions = given.plannerOptions;
  result.alignment = given.alignment;
  result.memorySpaces = given.memorySpaces;
  result.capacity = given.capacity;
  result.inPlace = given.inPlace;
  result.hoistThreads = given.hoistThreads;
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

  void runOnOperation() override {
    MergeAllocationOptions options = readOptions();
    if (failed(checkOptions(getOperation(), options)))
      return signalPassFailure();
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
};

} // namespace

MergeAllocationOptions MergeAllocPass::readOptions() const {
  MergeAllocationOptions options;
  options.checkOnly = analysisOnly;
  options.strategy = planner;
  options.plannerOptions = plannerOptions;
  options.alignment = alignment;
  options.memorySpaces.assign(memorySpaces.begin(), memorySpaces.end());
  options.capacity.assign(capacity.begin(), capacity.end());
  options.inPlace = inPlace;
  options.hoistThreads = hoistThreads;
  options.remarks = remarks;
  options.tracer = base.tracer ? base.tracer : collectTicks;
  options.planner = base.planner ? base.planner : planTicks;
  options.mutator = base.mutator ? base.mutator : mergeIntoViews;
  return options;
}

/// What frees the buffers that a schedule merges, each op once. They are only
/// erased: their order does not matter.
static void collectDeallocs(const BufferViewFlowAnalysis &flow,
                            MemorySchedule &schedule) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (auto [op, offset] : schedule.allocToOffset)
    for (Value name : flow.resolve(cast<memref::AllocOp>(op).getResult()))
      for (Operation *user : name.getUsers())
        if (isa<memref::DeallocOp>(user) && seen.insert(user).second)
          schedule.deallocs.push_back(user);
}

LogicalResult MergeAllocPass::merge(Operation *function,
                                    const MergeAllocationOptions &options) {
  if (!options.checkOnly)
    removeDeadAllocs(function, options);
  if (!function->walk([](memref::AllocOp) { return WalkResult::interrupt(); })
           .wasInterrupted())
    return success();
  BufferViewFlowAnalysis flow(function);
  FailureOr<MemoryTraceScopes> traces = options.tracer(function, flow, options);
  if (failed(traces))
    return failure();
  if (options.checkOnly)
    return success();
  SmallVector<std::pair<Block *, MemorySchedule>> schedules;
  for (const std::unique_ptr<LifetimeTrace> &trace : traces->scopeTraces) {
    FailureOr<MemorySchedule> schedule =
        options.planner(function, *trace, options);
    if (failed(schedule))
      return failure();
    collectDeallocs(flow, *schedule);
    schedules.emplace_back(trace->getAllocScope(), std::move(*schedule));
  }
  // Each allocation goes to the start of its scope: the first one last.
  for (auto &[scope, schedule] : llvm::reverse(schedules))
    if (failed(options.mutator(function, scope, schedule, options)))
      return failure();
  return success();
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
