//===- PackSharedMemory.cpp - Pack the workgroup memory of kernels --------===//
//
// The pass: checks options, then collects, plans and rewrites one kernel after
// the other.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/PackSharedMemory.h"

#include "lib/Transforms/Gpu/PackSharedMemory/Rewrite.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_PACKSHAREDMEMORY
#include "lib/Transforms/Gpu/PackSharedMemory/PackSharedMemory.h.inc"

using namespace shared_memory;

namespace {

class PackSharedMemoryPass
    : public BufferPass<impl::PackSharedMemoryBase<PackSharedMemoryPass>> {
public:
  using BufferPass::BufferPass;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(UnknownLoc::get(context));
  }

  void runOnOperation() override {
    SmallVector<Operation *> kernels;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::GPUFuncOp, gpu::LaunchOp>(op))
        kernels.push_back(op);
    });
    CallSummaries calls(getOperation());
    for (Operation *kernel : kernels)
      if (failed(pack(kernel, calls)))
        return signalPassFailure();
  }

private:
  LogicalResult checkOptions(Location location);
  LogicalResult pack(Operation *kernel, const CallSummaries &calls);
  bool isPackable(Operation *kernel);
  void remarkStaying(const SharedBuffers &buffers);
  void remark(const SharedBuffers &buffers, const Twine &outcome);
};

} // namespace

LogicalResult PackSharedMemoryPass::checkOptions(Location location) {
  if (failed(checkAlignment(location, "option 'alignment'", alignment)))
    return failure();
  if (capacity < -1)
    return emitCodedError(location, ErrorCode::BadOption,
                          "option 'capacity': " + Twine(capacity) +
                              " is no number of bytes");
  if (!planning::StrategyRegistry::find(strategy))
    return emitCodedError(
        location, ErrorCode::BadStrategy,
        "unknown strategy '" + Twine(strategy) +
            "'; strategies: " + planning::StrategyRegistry::names());
  return success();
}

/// A function that kernels call may be called by some of the threads only, and
/// again before the others have left it.
bool PackSharedMemoryPass::isPackable(Operation *kernel) {
  auto function = dyn_cast<gpu::GPUFuncOp>(kernel);
  if (!function || function.isKernel())
    return true;
  if (remarks && function.getNumWorkgroupAttributions() > 0)
    emitRemark(function.getLoc())
        << "workgroup memory stays: the function is no kernel, so it is not "
           "known "
           "whether all threads of a workgroup call it";
  return false;
}

void PackSharedMemoryPass::remarkStaying(const SharedBuffers &buffers) {
  if (!remarks)
    return;
  for (const SharedBuffer &buffer : buffers.staying()) {
    InFlightDiagnostic remark = emitRemark(buffer.memref.getLoc());
    remark << "buffer stays: " << buffer.stays;
    if (buffer.blame)
      remark.attachNote(buffer.blame->getLoc()) << "here";
  }
}

void PackSharedMemoryPass::remark(const SharedBuffers &buffers,
                                  const Twine &outcome) {
  if (!remarks)
    return;
  int64_t plain = 0;
  for (const SharedBuffer &buffer : buffers.packable())
    plain = checkedAdd(plain, buffer.sizeBytes)
                .value_or(std::numeric_limits<int64_t>::max());
  size_t count = buffers.packable().size();
  emitRemark(buffers.kernel()->getLoc())
      << "workgroup memory: " << count
      << (count == 1 ? " buffer of " : " buffers of ") << plain << " bytes "
      << outcome;
}

LogicalResult PackSharedMemoryPass::pack(Operation *kernel,
                                         const CallSummaries &calls) {
  if (!isPackable(kernel))
    return success();
  SharedBuffers buffers(kernel, calls, alignment);
  remarkStaying(buffers);
  if (buffers.packable().empty() && buffers.staying().empty())
    return success();
  SharedPlanOptions options;
  options.strategy = strategy;
  if (capacity >= 0)
    options.capacityBytes = capacity;
  FailureOr<SharedPlan> plan = planShared(buffers, options);
  bool isWorthIt =
      succeeded(plan) && plan->totalBytes < separateBytes(buffers.packable());
  if (!isWorthIt) {
    if (succeeded(plan))
      remark(buffers, "stay apart: nothing to save");
    return plan;
  }
  remark(buffers, "share " + Twine(plan->totalBytes) + " bytes, lower bound " +
                      Twine(plan->lowerBoundBytes) +
                      "; barriers added: " + Twine(plan->barriers.size()));
  applyPlan(buffers, *plan);
  return success();
}

} // namespace tpu_mlir
