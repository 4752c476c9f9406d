//===- PlanTicks.cpp - An offset for every buffer of a scope --------------===//

#include "lib/Transforms/MergeAlloc/Options.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/MemrefAliases.h"
#include "tpu_mlir/Analysis/PlanErrors.h"
#include "tpu_mlir/Log/Decisions.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {

namespace {

/// A sum that leaves 63 bits.
constexpr int64_t kTooMuch = std::numeric_limits<int64_t>::max();

/// Which planning buffer each buffer of a trace is stored in: with in-place
/// reuse several are stored in one.
struct Storages {
  std::vector<int64_t> of;
  std::vector<Buffer> buffers;
};

enum class Lives { Exact, Hull };

Storages oneEach(const TickTrace &trace, Lives lives) {
  Storages result;
  for (const TickBuffer &source : trace.buffers) {
    Buffer buffer;
    memref::AllocOp alloc = source.alloc;
    buffer.name = valueName(alloc.getResult());
    buffer.sizeBytes = source.sizeBytes;
    buffer.alignment = source.alignment;
    buffer.lifespans = lives == Lives::Exact
                           ? source.life
                           : std::vector<Interval>{source.hull};
    result.of.push_back(result.buffers.size());
    result.buffers.push_back(std::move(buffer));
  }
  return result;
}

/// Joins pairs one after the other, as long as nothing that is stored together
/// is in use together, but for an op that reads the one and writes the other.
class Joiner {
public:
  explicit Joiner(const TickTrace &trace)
      : trace(trace), result(oneEach(trace, Lives::Exact)),
        into(trace.buffers.size()), members(into.size()), heirOf(into.size()),
        isHeir(into.size()) {
    std::iota(into.begin(), into.end(), 0);
    for (size_t id = 0; id < members.size(); ++id)
      members[id] = {int64_t(id)};
  }

  /// What nobody accesses is in nobody's way.
  void joinNeverAccessed() {
    std::optional<int64_t> first;
    for (size_t id = 0; id < into.size(); ++id) {
      if (!trace.buffers[id].isNeverAccessed())
        continue;
      if (first)
        store(*first, id);
      else
        first = id;
    }
  }

  void join(const std::vector<SharingPair> &pairs) {
    for (const SharingPair &pair : pairs) {
      bool inPlace = !pair.at.empty();
      if (inPlace && (heirOf[pair.first] || isHeir[pair.second]))
        continue;
      if (!unite(root(pair.first), root(pair.second), pair))
        continue;
      if (inPlace) {
        heirOf[pair.first] = pair;
        isHeir[pair.second] = true;
      }
    }
  }

  /// What there is after all that was joined so far.
  Storages storages() {
    Storages kept;
    std::vector<int64_t> place(into.size(), -1);
    for (size_t id = 0; id < into.size(); ++id)
      if (root(id) == int64_t(id)) {
        place[id] = kept.buffers.size();
        kept.buffers.push_back(result.buffers[id]);
      }
    for (size_t id = 0; id < into.size(); ++id)
      kept.of.push_back(place[root(id)]);
    return kept;
  }

private:
  /// Above it members are not compared one by one.
  static constexpr size_t kManyMembers = 32;

  int64_t root(int64_t id) {
    while (into[id] != id)
      id = into[id] = into[into[id]];
    return id;
  }

  bool mayShare(int64_t a, int64_t b, const SharingPair &pair) const {
    const TickBuffer &first = trace.buffers[a], &second = trace.buffers[b];
    if (!anyOverlap(first.life, second.life))
      return true;
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      if (pair.first == from && pair.second == to && !pair.at.empty())
        return intersect(first.life, second.life) ==
               std::vector<Interval>{pair.at};
      if (heirOf[from] && heirOf[from]->second == to)
        return true;
    }
    return insideMutuallyExclusiveRegions(first.alloc, second.alloc);
  }

  bool unite(int64_t a, int64_t b, const SharingPair &pair) {
    if (a == b)
      return false;
    Buffer &first = result.buffers[a], &second = result.buffers[b];
    if (pair.at.empty() || intersect(first.lifespans, second.lifespans) !=
                               std::vector<Interval>{pair.at}) {
      if (members[a].size() + members[b].size() > kManyMembers)
        return false;
      for (int64_t x : members[a])
        for (int64_t y : members[b])
          if (!mayShare(x, y, pair))
            return false;
    }
    store(a, b);
    return true;
  }

  /// Puts storage `b` into `a`.
  void store(int64_t a, int64_t b) {
    Buffer &first = result.buffers[a], &second = result.buffers[b];
    first.sizeBytes = std::max(first.sizeBytes, second.sizeBytes);
    first.alignment = std::max(first.alignment, second.alignment);
    first.lifespans.insert(first.lifespans.end(), second.lifespans.begin(),
                           second.lifespans.end());
    first.lifespans = normalize(std::move(first.lifespans));
    members[a].insert(members[a].end(), members[b].begin(), members[b].end());
    members[b].clear();
    into[b] = a;
  }

  const TickTrace &trace;
  Storages result;
  std::vector<int64_t> into;
  std::vector<std::vector<int64_t>> members;
  std::vector<std::optional<SharingPair>> heirOf;
  std::vector<bool> isHeir;
};

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
  /// What went wrong first, while there is no plan.
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
    if (!failed) {
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
  for (const TickBuffer &buffer : trace.buffers) {
    auto padded = checkedAlignUp(buffer.sizeBytes, options.alignment);
    auto next = padded ? checkedAdd(sum, *padded) : std::nullopt;
    if (!next)
      return kTooMuch;
    sum = *next;
  }
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
