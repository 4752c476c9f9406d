//===- PlanTicks.cpp - An offset for every buffer of a scope --------------===//

#include "lib/Analysis/Memref/Sharing/Joiner.h"
#include "lib/Transforms/Memref/MergeAlloc/Options.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Log/Decisions.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include <limits>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

using namespace merging;
using namespace sharing;

namespace {

/// A sum that leaves 63 bits.
constexpr int64_t kTooMuch = std::numeric_limits<int64_t>::max();

class Planner {
public:
  Planner(Operation *function, const TickTrace &trace,
          const MergeAllocationOptions &options)
      : function(function), trace(trace), options(options),
        space(spaceName(trace.getMemorySpace())),
        capacity(capacityOf(options, space)) {}

  FailureOr<MemorySchedule> run();

private:
  Problem makeProblem(const Storages &storages) const;
  bool attempt(const Storages &storages, StringRef strategy);
  LogicalResult reportFailure();
  void reportDoesNotFit(const Infeasible &infeasible);
  void remark(StringRef outcome) const;
  int64_t separateBytes() const;

  Operation *function;
  const TickTrace &trace;
  const MergeAllocationOptions &options;
  std::string space;
  std::optional<int64_t> capacity;

  /// The best so far.
  std::optional<Plan> best;
  std::vector<int64_t> storageOf;
  /// While there is no plan: what went wrong where least is needed.
  std::optional<SolveResult> failed;
  Storages failedStorages;
};

} // namespace

Problem Planner::makeProblem(const Storages &storages) const {
  Problem problem;
  problem.name = "merge-alloc";
  problem.buffers = storages.buffers;
  Pool pool;
  pool.name = space;
  pool.capacityBytes = capacity;
  problem.pools.push_back(std::move(pool));
  return problem;
}

/// Of two that do not fit: what is joined may need less than one buffer each.
static bool needsLess(const SolveResult &result, const SolveResult &other) {
  const auto *over = std::get_if<Infeasible>(&result);
  const auto *most = std::get_if<Infeasible>(&other);
  return over && most && over->needBytes < most->needBytes;
}

/// Keeps the plan when it is lower than what there is. True when there is none
/// lower for these storages.
bool Planner::attempt(const Storages &storages, StringRef strategy) {
  SolveOptions solveOptions;
  solveOptions.strategy = strategy.str();
  const Problem problem = makeProblem(storages);
  SolveResult result = solve(problem, solveOptions);
  log::decision("arena of " + space, problem, result);
  auto *plan = std::get_if<Plan>(&result);
  if (!plan) {
    if (!failed || needsLess(result, *failed)) {
      failed = std::move(result);
      failedStorages = storages;
    }
    return false;
  }
  bool isLowest =
      plan->proof == Proof::LowerBound || plan->proof == Proof::Optimal;
  if (!best || plan->pools[0].usedBytes < best->pools[0].usedBytes) {
    best = std::move(*plan);
    storageOf = storages.of;
  }
  return isLowest;
}

int64_t Planner::separateBytes() const {
  int64_t sum = 0;
  for (const TickBuffer &buffer : trace.buffers)
    sum = saturatedAdd(
        sum,
        checkedAlignUp(buffer.sizeBytes, options.alignment).value_or(kTooMuch));
  return sum;
}

void Planner::remark(StringRef outcome) const {
  if (!options.remarks)
    return;
  int64_t plain = 0;
  for (const TickBuffer &buffer : trace.buffers)
    plain = checkedAdd(plain, buffer.sizeBytes)
                .value_or(std::numeric_limits<int64_t>::max());
  Operation *scopeOp = trace.getAllocScope()->getParentOp();
  emitRemark(scopeOp->getLoc())
      << "memory space '" << space << "': " << trace.buffers.size()
      << (trace.buffers.size() == 1 ? " buffer of " : " buffers of ") << plain
      << " bytes " << outcome;
}

FailureOr<MemorySchedule> Planner::run() {
  std::string strategy = strategyOf(options);
  Joiner joiner(trace);
  joiner.joinNeverAccessed();
  bool isLowest = attempt(joiner.storages(), strategy);
  // Never above the planner that follows the order of time, nor above the same
  // one told of whole loops and branches.
  if (!isLowest && strategy == "auto")
    for (Lives lives : {Lives::Exact, Lives::Hull})
      for (StringRef online : {"static-chunks", "static-chunks-size-first"})
        attempt(oneEach(trace, lives), online);
  int64_t boundBytes = best ? best->pools[0].lowerBoundBytes : 0;
  joiner.join(trace.exclusivePairs);
  if (!trace.exclusivePairs.empty())
    attempt(joiner.storages(), strategy);
  joiner.join(trace.inPlacePairs);
  if (!trace.inPlacePairs.empty())
    attempt(joiner.storages(), strategy);
  MemorySchedule schedule;
  schedule.memorySpace = trace.getMemorySpace();
  // Without a limit of the user's they may well be too many for one buffer.
  if (!best && std::holds_alternative<Infeasible>(*failed) &&
      !capacityOf(options, space)) {
    if (options.remarks)
      emitRemark(trace.getAllocScope()->getParentOp()->getLoc())
          << "memory space '" << space << "': " << trace.buffers.size()
          << " buffers stay apart: together they have more bytes than any "
             "memory has";
    return schedule;
  }
  if (!best)
    return reportFailure();

  int64_t totalBytes = best->pools[0].usedBytes;
  if (!options.mergeAlways &&
      checkedAlignUp(totalBytes, options.alignment).value_or(kTooMuch) >=
          separateBytes()) {
    remark(trace.buffers.size() == 1 ? "stays apart: nothing to save"
                                     : "stay apart: nothing to save");
    return schedule;
  }
  schedule.totalSize = totalBytes;
  schedule.alignment = options.alignment;
  for (auto [index, buffer] : llvm::enumerate(trace.buffers)) {
    schedule.allocToOffset[buffer.alloc] =
        best->placements[storageOf[index]].offsetBytes;
    schedule.alignment = std::max(schedule.alignment, buffer.alignment);
  }
  remark(("share " + Twine(totalBytes) + " bytes, lower bound " +
          Twine(std::min(boundBytes, best->pools[0].lowerBoundBytes)))
             .str());
  return schedule;
}

LogicalResult Planner::reportFailure() {
  if (auto *over = std::get_if<Infeasible>(&*failed)) {
    reportDoesNotFit(*over);
    return failure();
  }
  return emitNoPlan(trace.getAllocScope()->getParentOp()->getLoc(), *failed,
                    strategyOf(options));
}

void Planner::reportDoesNotFit(const Infeasible &infeasible) {
  Operation *scopeOp = trace.getAllocScope()->getParentOp();
  const Problem problem = makeProblem(failedStorages);
  ShortageWords words;
  words.subject = ("'" + scopeOp->getName().getStringRef() + "' op").str();
  words.memory = "its buffers in memory space '" + space + "'";
  words.isMemoryPlural = true;
  words.peak = "most is alive here, at tick " +
               std::to_string(infeasible.peakStep) + ": ";
  words.planner = "planner";
  words.buffer = [&](BufferId id) {
    const std::vector<Interval> &lives = problem.buffers[id].lifespans;
    return " in use for ticks [" + std::to_string(lives.front().begin) + "," +
           std::to_string(lives.back().end) + ")";
  };
  const auto placeOf = [&](BufferId id) {
    const auto first = llvm::find(failedStorages.of, id);
    memref::AllocOp alloc =
        trace.buffers[first - failedStorages.of.begin()].alloc;
    return alloc.getLoc();
  };
  Operation *peakOp = OpTicks(function).at(infeasible.peakStep);
  emitShortage(
      describeShortage(problem, infeasible, words),
      {scopeOp->getLoc(), peakOp->getLoc(), placeOf, scopeOp->getLoc()});
}

FailureOr<MemorySchedule> planTicks(Operation *function,
                                    const LifetimeTrace &trace,
                                    const MergeAllocationOptions &options) {
  auto *ticks = dynamic_cast<const TickTrace *>(&trace);
  if (!ticks)
    return emitCodedError(function->getLoc(), ErrorCode::BadOption,
                          "the default planner of 'merge-alloc' needs the "
                          "traces of the default collector");
  return Planner(function, *ticks, options).run();
}

} // namespace tpu_mlir
