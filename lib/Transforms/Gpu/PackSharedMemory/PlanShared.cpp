//===- PlanShared.cpp - Plan offsets for the buffers of a kernel ----------===//
//
// Solves the packing problem, then trades free bytes for fewer barriers.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Gpu/PackSharedMemory/PlanShared.h"

#include "lib/Transforms/Gpu/PackSharedMemory/Barriers.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Log/Decisions.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

#include <limits>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::shared_memory {

/// Plans to try for fewer barriers; kernels have few buffers. Large ones get
/// fewer attempts: nodes times barriers is what one costs.
static constexpr int64_t kAttempts = 64;
static constexpr int64_t kWork = 200'000;
static constexpr int64_t kNodesAnAttempt = 20'000;
static constexpr int64_t kTooMuch = std::numeric_limits<int64_t>::max();

int64_t separateBytes(const std::vector<SharedBuffer> &buffers) {
  int64_t sum = 0;
  for (const SharedBuffer &buffer : buffers)
    sum = saturatedAdd(
        sum,
        checkedAlignUp(buffer.sizeBytes, buffer.alignment).value_or(kTooMuch));
  return sum;
}

namespace {

class Planner {
public:
  Planner(const SharedBuffers &shared, const SharedPlanOptions &options)
      : shared(shared), options(options),
        stayingBytes(separateBytes(shared.staying())) {}

  FailureOr<SharedPlan> run();

private:
  Problem makeProblem() const;
  SharedPlan makePlan(const Plan &plan) const;
  void saveBarriers(Problem problem, SharedPlan &best) const;
  LogicalResult report(const Problem &problem, const SolveResult &result) const;
  void reportDoesNotFit(const Problem &problem,
                        const Infeasible &infeasible) const;

  const SharedBuffers &shared;
  const SharedPlanOptions &options;
  int64_t stayingBytes;
};

} // namespace

Problem Planner::makeProblem() const {
  Problem problem;
  problem.name = "gpu-pack-shared-memory";
  for (const SharedBuffer &source : shared.packable()) {
    Buffer buffer;
    buffer.name = valueName(source.memref);
    // What is not even viewed is dropped.
    buffer.sizeBytes = source.memref.use_empty() ? 0 : source.sizeBytes;
    buffer.alignment = source.alignment;
    buffer.lifespans = source.life;
    problem.buffers.push_back(std::move(buffer));
  }
  Pool pool;
  pool.name = "workgroup";
  if (options.capacityBytes)
    pool.capacityBytes =
        std::max<int64_t>(0, *options.capacityBytes - stayingBytes);
  problem.pools.push_back(std::move(pool));
  return problem;
}

static bool haveBytesInCommon(const Problem &problem, const Plan &plan,
                              size_t a, size_t b) {
  int64_t startA = plan.placements[a].offsetBytes;
  int64_t startB = plan.placements[b].offsetBytes;
  return Interval{startA, startA + problem.buffers[a].sizeBytes}.overlaps(
      {startB, startB + problem.buffers[b].sizeBytes});
}

SharedPlan Planner::makePlan(const Plan &plan) const {
  const std::vector<SharedBuffer> &buffers = shared.packable();
  Problem problem = makeProblem();
  SharedPlan result;
  result.totalBytes = plan.pools[0].usedBytes;
  result.lowerBoundBytes = plan.pools[0].lowerBoundBytes;
  SharingBuffers sharing(buffers.size(), llvm::BitVector(buffers.size()));
  for (size_t a = 0; a < buffers.size(); ++a) {
    result.offsets.push_back(plan.placements[a].offsetBytes);
    result.alignment = std::max(result.alignment, buffers[a].alignment);
    for (size_t b = 0; b < a; ++b)
      if (haveBytesInCommon(problem, plan, a, b)) {
        sharing[a].set(b);
        sharing[b].set(a);
      }
  }
  result.barriers = placeBarriers(shared, sharing);
  return result;
}

/// Forbids sharing pair by pair, as long as the plan stays as small and gets by
/// with fewer barriers.
void Planner::saveBarriers(Problem problem, SharedPlan &best) const {
  int64_t lowerBoundBytes = best.lowerBoundBytes;
  problem.pools[0].capacityBytes = best.totalBytes;
  SolveOptions solveOptions;
  solveOptions.strategy = options.strategy;
  solveOptions.nodeLimit = kNodesAnAttempt;
  solveOptions.fitIsEnough = true;
  if (best.barriers.empty())
    return;
  int64_t size = shared.graph()->nodes().size() * best.barriers.size();
  int64_t attempts = std::min(kAttempts, kWork / size);
  for (int64_t b = 0; b < int64_t(problem.buffers.size()); ++b)
    for (int64_t a = 0; a < b; ++a) {
      auto bytes = [&](int64_t id) {
        return Interval{best.offsets[id],
                        best.offsets[id] + problem.buffers[id].sizeBytes};
      };
      if (best.barriers.empty() || attempts == 0 ||
          !bytes(a).overlaps(bytes(b)))
        continue;
      --attempts;
      problem.forbiddenSharing.emplace_back(a, b);
      SolveResult result = solve(problem, solveOptions);
      if (auto *plan = std::get_if<Plan>(&result)) {
        SharedPlan other = makePlan(*plan);
        if (other.barriers.size() < best.barriers.size()) {
          best = std::move(other);
          best.lowerBoundBytes = lowerBoundBytes;
          continue;
        }
      }
      problem.forbiddenSharing.pop_back();
    }
}

FailureOr<SharedPlan> Planner::run() {
  Problem problem = makeProblem();
  SolveOptions solveOptions;
  solveOptions.strategy = options.strategy;
  SolveResult result = solve(problem, solveOptions);
  log::decision("shared memory", problem, result);
  auto *plan = std::get_if<Plan>(&result);
  if (!plan)
    return report(problem, result);
  if (options.capacityBytes && *options.capacityBytes < stayingBytes) {
    Infeasible over;
    over.boundExceeds = true;
    over.needBytes = plan->pools[0].usedBytes;
    LiveBound bound = liveBound(problem, 0);
    over.peakStep = bound.peakStep;
    over.witness = bound.peakSet;
    return report(problem, over);
  }
  SharedPlan best = makePlan(*plan);
  saveBarriers(problem, best);
  return best;
}

LogicalResult Planner::report(const Problem &problem,
                              const SolveResult &result) const {
  if (auto *over = std::get_if<Infeasible>(&result)) {
    reportDoesNotFit(problem, *over);
    return failure();
  }
  return emitNoPlan(shared.kernel()->getLoc(), result, options.strategy);
}

void Planner::reportDoesNotFit(const Problem &problem,
                               const Infeasible &infeasible) const {
  Operation *kernel = shared.kernel();
  // What cannot be packed is needed, too.
  Infeasible over = infeasible;
  over.haveBytes = *options.capacityBytes;
  over.needBytes = saturatedAdd(infeasible.needBytes, stayingBytes);
  ShortageWords words;
  words.subject = ("'" + kernel->getName().getStringRef() + "' op").str();
  words.memory = "its workgroup memory";
  Location peak = kernel->getLoc();
  if (!infeasible.witness.empty()) {
    peak = shared.time().at(infeasible.peakStep)->getLoc();
    words.peak = "most is in use here: ";
  }
  words.buffer = [](BufferId) { return " in use there"; };
  const auto placeOf = [&](BufferId id) {
    return shared.packable()[id].memref.getLoc();
  };
  InFlightDiagnostic diagnostic =
      emitShortage(describeShortage(problem, over, words),
                   {kernel->getLoc(), peak, placeOf, kernel->getLoc()});
  for (const SharedBuffer &buffer : shared.staying()) {
    diagnostic.attachNote(buffer.memref.getLoc())
        << formatBytes(buffer.sizeBytes)
        << " that cannot be packed: " << buffer.stays;
  }
}

FailureOr<SharedPlan> planShared(const SharedBuffers &buffers,
                                 const SharedPlanOptions &options) {
  return Planner(buffers, options).run();
}

} // namespace tpu_mlir::shared_memory
