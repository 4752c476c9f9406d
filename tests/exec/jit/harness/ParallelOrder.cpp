//===- ParallelOrder.cpp - Parallel loops, one iteration at a time --------===//

#include "tests/exec/jit/harness/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tpu_mlir::jit {

namespace {

constexpr int64_t kMaxLockstep = 64;

/// One dimension of a parallel loop.
struct Dimension {
  OpFoldResult lower, upper, step;

  /// Number of iterations if all bounds are constants.
  std::optional<int64_t> trips() const {
    auto from = getConstantIntValue(lower), to = getConstantIntValue(upper),
         by = getConstantIntValue(step);
    if (!from || !to || !by || *by <= 0)
      return std::nullopt;
    return *to <= *from ? 0 : (*to - *from + *by - 1) / *by;
  }
};

struct ParallelLoop {
  Operation *op;
  Block *body;
  SmallVector<Dimension> dimensions;
};

std::optional<ParallelLoop> asParallelLoop(Operation *op) {
  ParallelLoop loop{op, nullptr, {}};
  if (op->getNumResults())
    return std::nullopt;
  if (auto forall = dyn_cast<scf::ForallOp>(op)) {
    loop.body = forall.getBody();
    for (auto [lower, upper, step] :
         llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                   forall.getMixedStep()))
      loop.dimensions.push_back({lower, upper, step});
    return loop;
  }
  auto parallel = dyn_cast<scf::ParallelOp>(op);
  if (!parallel)
    return std::nullopt;
  loop.body = parallel.getBody();
  for (auto [lower, upper, step] :
       llvm::zip(parallel.getLowerBound(), parallel.getUpperBound(),
                 parallel.getStep()))
    loop.dimensions.push_back({lower, upper, step});
  return loop;
}

/// Turns the loop into a nest of sequential ones that count down.
void reverse(ParallelLoop &loop) {
  OpBuilder builder(loop.op);
  Location loc = loop.op->getLoc();
  auto value = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(builder, loc, bound);
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> ivs;
  for (Dimension &dimension : loop.dimensions) {
    Value lower = value(dimension.lower), step = value(dimension.step);
    Value length =
        arith::SubIOp::create(builder, loc, value(dimension.upper), lower);
    Value trips = arith::CeilDivSIOp::create(builder, loc, length, step);
    auto nest = scf::ForOp::create(builder, loc, zero, trips, one);
    builder.setInsertionPointToStart(nest.getBody());
    Value last = arith::SubIOp::create(builder, loc, trips, one);
    Value left =
        arith::SubIOp::create(builder, loc, last, nest.getInductionVar());
    Value offset = arith::MulIOp::create(builder, loc, left, step);
    ivs.push_back(arith::AddIOp::create(builder, loc, lower, offset));
  }
  IRMapping mapping;
  mapping.map(loop.body->getArguments(), ivs);
  for (Operation &op : loop.body->without_terminator())
    builder.clone(op, mapping);
  loop.op->erase();
}

/// The number of iterations, if the loop can run in lockstep.
std::optional<int64_t> lockstepTrips(const ParallelLoop &loop) {
  int64_t total = 1;
  for (const Dimension &dimension : loop.dimensions) {
    std::optional<int64_t> trips = dimension.trips();
    if (!trips || *trips > kMaxLockstep)
      return std::nullopt;
    total *= *trips;
    if (total > kMaxLockstep)
      return std::nullopt;
  }
  return total;
}

/// Writes out every op of the body once for each iteration.
void unroll(ParallelLoop &loop, int64_t total) {
  OpBuilder builder(loop.op);
  std::vector<IRMapping> threads(total);
  for (int64_t thread = 0; thread < total; ++thread) {
    int64_t rest = thread;
    for (int64_t d = loop.dimensions.size() - 1; d >= 0; --d) {
      Dimension &dimension = loop.dimensions[d];
      int64_t trips = *dimension.trips();
      int64_t iv = *getConstantIntValue(dimension.lower) +
                   rest % trips * *getConstantIntValue(dimension.step);
      rest /= trips;
      threads[thread].map(
          loop.body->getArgument(d),
          arith::ConstantIndexOp::create(builder, loop.op->getLoc(), iv)
              .getResult());
    }
  }
  for (Operation &op : loop.body->without_terminator())
    for (IRMapping &thread : threads)
      builder.clone(op, thread);
  loop.op->erase();
}

} // namespace

void sequentialize(ModuleOp module, ParallelOrder order) {
  if (order == ParallelOrder::Forward)
    return;
  SmallVector<Operation *> loops;
  // Inner loops first: the bodies of outer ones are then sequential.
  module.walk([&](Operation *op) {
    if (isa<scf::ForallOp, scf::ParallelOp>(op))
      loops.push_back(op);
  });
  for (Operation *op : loops) {
    std::optional<ParallelLoop> loop = asParallelLoop(op);
    if (!loop)
      continue;
    std::optional<int64_t> total = lockstepTrips(*loop);
    if (order == ParallelOrder::Lockstep && total)
      unroll(*loop, *total);
    else
      reverse(*loop);
  }
}

} // namespace tpu_mlir::jit
