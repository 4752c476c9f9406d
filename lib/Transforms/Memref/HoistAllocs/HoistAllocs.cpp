//===- HoistAllocs.cpp - Hoist allocations --------------------------------===//
//
// The pass: plans the moves of all allocations of a function, then applies
// them.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Transforms/HoistAllocs.h"

#include "lib/Transforms/Memref/HoistAllocs/PlanMoves.h"
#include "tpu_mlir/Analysis/Memref/BufferPass.h"

#include "mlir/IR/Iterators.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_HOISTALLOCS
#include "lib/Transforms/Memref/HoistAllocs/HoistAllocs.h.inc"

using namespace hoisting;

static void hoist(func::FuncOp function, const CallSummaries &calls,
                  const HoistAllocsOptions &options, bool programFrees) {
  SmallVector<memref::AllocOp> allocs;
  function.walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>(
      [&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  if (allocs.empty())
    return;
  MovePlanner planner(function, calls, options, programFrees);
  for (memref::AllocOp alloc : allocs)
    planner.plan(alloc);
  planner.apply();
}

namespace {

class HoistAllocsPass
    : public BufferPass<impl::HoistAllocsBase<HoistAllocsPass>> {
public:
  using BufferPass::BufferPass;

  void runOnOperation() override {
    HoistAllocsOptions options;
    options.mode = mode;
    options.assumeLoopsRun = assumeLoopsRun;
    options.remarks = remarks;
    CallSummaries calls(getOperation());
    const bool frees = freesSomething(getOperation(), calls);
    getOperation()->walk<WalkOrder::PreOrder>([&](func::FuncOp function) {
      hoist(function, calls, options, frees);
      return WalkResult::skip();
    });
  }
};

} // namespace

} // namespace tpu_mlir
