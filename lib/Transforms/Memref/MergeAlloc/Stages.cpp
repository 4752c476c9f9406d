//===- Stages.cpp - Run the stages of merge-alloc -------------------------===//
//
// Calls the tracer, planner and mutator that the options name, or the default
// ones.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/MergeAlloc/Stages.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tpu_mlir::merging {

/// What frees the buffers that a schedule merges, each op once, all names being
/// looked at once. They are only erased: their order does not matter.
static void collectDeallocs(const BufferViewFlowAnalysis &flow,
                            MemorySchedule &schedule) {
  llvm::SetVector<Value> names;
  for (auto [op, offset] : schedule.allocToOffset)
    names.insert(cast<memref::AllocOp>(op).getResult());
  for (size_t at = 0; at < names.size(); ++at)
    if (auto found = flow.find(names[at]); found != flow.end())
      names.insert(found->second.begin(), found->second.end());
  for (Value name : names)
    for (Operation *user : name.getUsers())
      if (isa<memref::DeallocOp>(user))
        schedule.deallocs.push_back(user);
}

LogicalResult mergeScopes(Operation *function,
                          const MergeAllocationOptions &options,
                          llvm::function_ref<bool(Block *scope)> wants) {
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
    if (!wants(trace->getAllocScope()))
      continue;
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

} // namespace tpu_mlir::merging
