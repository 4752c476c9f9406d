//===- HoistThreads.cpp - One allocation for all threads of a loop --------===//

#include "lib/Transforms/Memref/MergeAlloc/Stages.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::merging {

namespace {

/// One induction variable of a parallel loop.
struct Axis {
  Value variable;
  int64_t lower = 0;
  int64_t step = 1;
  int64_t trips = 0;
};

/// The threads of one loop, numbered along its axes, the last one fastest.
struct Threads {
  SmallVector<Axis, 3> axes;
  int64_t count = 1;
};

} // namespace

/// nullopt: not such a loop, no threads, or their number is not known.
static std::optional<Threads> threadsOf(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop || !op->hasTrait<OpTrait::HasParallelRegion>())
    return std::nullopt;
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  auto variables = loop.getLoopInductionVars();
  if (!lower || !upper || !step || !variables)
    return std::nullopt;
  Threads threads;
  for (auto [from, to, by, variable] :
       llvm::zip_equal(*lower, *upper, *step, *variables)) {
    auto first = getConstantIntValue(from), last = getConstantIntValue(to),
         stride = getConstantIntValue(by);
    if (!first || !last || !stride || *stride < 1 || *first >= *last ||
        !variable.getType().isIndex())
      return std::nullopt;
    auto distance = checkedAdd(*last, -*first);
    if (!distance)
      return std::nullopt;
    int64_t trips = ceilDiv(*distance, *stride);
    auto count = checkedMul(threads.count, trips);
    if (!count)
      return std::nullopt;
    threads.count = *count;
    threads.axes.push_back({variable, *first, *stride, trips});
  }
  return threads;
}

/// The number of the thread that runs the body.
static Value threadNumber(OpBuilder &builder, Location loc,
                          const Threads &threads) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value number;
  for (const Axis &axis : threads.axes) {
    Value at = axis.variable;
    if (axis.lower != 0)
      at = arith::SubIOp::create(builder, loc, at, constant(axis.lower));
    if (axis.step != 1)
      at = arith::DivUIOp::create(builder, loc, at, constant(axis.step));
    if (number) {
      Value before =
          arith::MulIOp::create(builder, loc, number, constant(axis.trips));
      at = arith::AddIOp::create(builder, loc, before, at);
    }
    number = at;
  }
  return number;
}

/// Moves one allocation of bytes out of `loop`.
static void hoist(Operation *loop, memref::AllocOp arena,
                  const Threads &threads, int64_t alignment) {
  MemRefType type = arena.getType();
  auto stride = checkedAlignUp(type.getNumElements(), alignment);
  auto total = stride ? checkedMul(*stride, threads.count) : std::nullopt;
  if (!total)
    return;
  Location loc = arena.getLoc();
  OpBuilder outside(loop);
  auto allType =
      MemRefType::get({*total}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value all = memref::AllocOp::create(outside, loc, allType,
                                      outside.getI64IntegerAttr(alignment));
  OpBuilder inside(arena);
  Value number = threadNumber(inside, loc, threads);
  Value start = arith::MulIOp::create(
      inside, loc, number,
      arith::ConstantIndexOp::create(inside, loc, *stride));
  bool isFreed = false;
  for (Operation *user : llvm::make_early_inc_range(arena->getUsers()))
    if (isa<memref::DeallocOp>(user)) {
      user->erase();
      isFreed = true;
    }
  Value slice =
      memref::ViewOp::create(inside, loc, type, all, start, ValueRange());
  arena.replaceAllUsesWith(slice);
  arena.erase();
  if (isFreed) {
    outside.setInsertionPointAfter(loop);
    markAsFreedByHand(all.getDefiningOp());
    markAsFreedByHand(memref::DeallocOp::create(outside, loc, all));
  }
}

static int64_t depthOf(Operation *op) {
  int64_t depth = 0;
  while ((op = op->getParentOp()))
    ++depth;
  return depth;
}

LogicalResult hoistThreadBuffers(Operation *function,
                                 const MergeAllocationOptions &options) {
  SmallVector<std::pair<int64_t, Operation *>> loops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (threadsOf(op))
      loops.push_back({-depthOf(op), op});
  });
  llvm::stable_sort(loops, llvm::less_first());
  MergeAllocationOptions always = options;
  always.mergeAlways = true;
  always.remarks = false;
  // Loops of one depth together: each of them needs a new analysis only when
  // something has been moved into it.
  for (size_t next = 0; next < loops.size();) {
    int64_t depth = loops[next].first;
    SmallVector<memref::AllocOp> arenas;
    always.mutator = [&](Operation *toplevel, Block *scope,
                         const MemorySchedule &schedule,
                         const MergeAllocationOptions &given) {
      if (failed(options.mutator(toplevel, scope, schedule, given)))
        return failure();
      if (!schedule.allocToOffset.empty())
        if (auto arena = dyn_cast<memref::AllocOp>(scope->front()))
          arenas.push_back(arena);
      return success();
    };
    auto isOfDepth = [&](Block *scope) {
      Operation *op = scope->getParentOp();
      return -depthOf(op) == depth && threadsOf(op).has_value();
    };
    if (failed(mergeScopes(function, always, isOfDepth)))
      return failure();
    for (memref::AllocOp arena : arenas) {
      Operation *loop = arena->getParentOp();
      hoist(loop, arena, *threadsOf(loop),
            arena.getAlignment().value_or(options.alignment));
    }
    while (next < loops.size() && loops[next].first == depth)
      ++next;
  }
  return success();
}

} // namespace tpu_mlir::merging
