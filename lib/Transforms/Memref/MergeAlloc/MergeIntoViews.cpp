//===- MergeIntoViews.cpp - One alloc, and views of it --------------------===//

#include "lib/Transforms/Memref/MergeAlloc/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;

namespace tpu_mlir {

using namespace merging;

static Value makeArena(Block *scope, const MemorySchedule &schedule,
                       const MergeAllocationOptions &options) {
  OpBuilder builder = OpBuilder::atBlockBegin(scope);
  auto type =
      MemRefType::get({int64_t(schedule.totalSize)}, builder.getI8Type(),
                      MemRefLayoutAttrInterface(), schedule.memorySpace);
  int64_t alignment =
      schedule.alignment ? schedule.alignment : options.alignment;
  return memref::AllocOp::create(builder, scope->getParentOp()->getLoc(), type,
                                 builder.getI64IntegerAttr(alignment));
}

void merging::markAsFreedByHand(Operation *op) {
  op->setAttr(bufferization::BufferizationDialect::kManualDeallocation,
              UnitAttr::get(op->getContext()));
}

/// Frees the arena at every way out of the scope.
static void freeArena(Block *scope, Value arena) {
  markAsFreedByHand(arena.getDefiningOp());
  for (Block &block : *scope->getParent()) {
    if (block.empty() || block.back().getNumSuccessors() > 0)
      continue;
    OpBuilder builder(&block.back());
    markAsFreedByHand(
        memref::DeallocOp::create(builder, arena.getLoc(), arena));
  }
}

LogicalResult mergeIntoViews(Operation *function, Block *scope,
                             const MemorySchedule &schedule,
                             const MergeAllocationOptions &options) {
  if (schedule.allocToOffset.empty())
    return success();
  Value arena = makeArena(scope, schedule, options);
  // Each change is at the place of its alloc: their order does not matter.
  for (auto [op, offset] : schedule.allocToOffset) {
    auto alloc = cast<memref::AllocOp>(op);
    OpBuilder builder(alloc);
    Value start =
        arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset);
    auto view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                       arena, start, ValueRange());
    alloc.replaceAllUsesWith(view.getResult());
    alloc.erase();
  }
  for (Operation *dealloc : schedule.deallocs)
    dealloc->erase();
  if (options.free || !schedule.deallocs.empty())
    freeArena(scope, arena);
  return success();
}

} // namespace tpu_mlir
