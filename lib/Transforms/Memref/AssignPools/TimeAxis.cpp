//===- TimeAxis.cpp - Lay the ticks of all calls on one axis --------------===//
//
// Expands the call tree; where the axis would get too long, calls are folded
// into one tick.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/TimeAxis.h"

#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;

namespace tpu_mlir::pools {

namespace {

/// One function on an axis of its own, with all that it calls.
struct Stretch {
  const FunctionFacts *facts = nullptr;
  /// By call: it counts as one tick.
  std::vector<bool> isFolded;
  /// By call, and one more: the ticks of callees before it.
  std::vector<int64_t> extra = {0};
  int64_t length = 0;
  /// Ticks and, of folded calls, the buffers that live in them.
  int64_t cost = 0;
  /// This function or one that it may call has allocs.
  bool hasAllocs = false;
  std::vector<std::vector<Interval>> allocs;
  struct Argument {
    std::vector<Interval> life[2][2];
  };
  std::vector<Argument> arguments;

  /// Where a tick of the function begins.
  int64_t position(int64_t tick) const {
    auto after = llvm::partition_point(
        facts->calls, [&](const CallAt &call) { return call.tick < tick; });
    return tick - 1 + extra[after - facts->calls.begin()];
  }
};

class AxisBuilder {
public:
  AxisBuilder(const CallTree &tree, const AllFacts &facts, int64_t maxTicks)
      : tree(tree), facts(facts), maxTicks(maxTicks) {}

  AxisLives run();

private:
  void layOutAll(int64_t mostTicks);
  void layOut(Stretch &stretch);
  int64_t costUnfolded(const CallAt &call) {
    return stretches[call.callee].cost;
  }
  /// Allocs of the callee and of all that it may call.
  int64_t costFolded(const CallAt &call);
  void foldCalls(Stretch &stretch);
  std::vector<Interval> expand(const Stretch &stretch, const Life &life);
  void addRun(func::FuncOp entry, int64_t base);
  void addFolded(func::FuncOp callee, int64_t tick);
  const std::vector<func::FuncOp> &allCalledBy(func::FuncOp function);

  const CallTree &tree;
  const AllFacts &facts;
  int64_t maxTicks;
  /// For one function.
  int64_t limit = 0;
  llvm::DenseMap<Operation *, Stretch> stretches;
  llvm::DenseMap<Operation *, std::vector<func::FuncOp>> calledBy;
  AxisLives result;
};

} // namespace

int64_t AxisBuilder::costFolded(const CallAt &call) {
  int64_t count = facts.find(call.callee)->second.allocs.size();
  for (func::FuncOp function : allCalledBy(call.callee))
    count += facts.find(function)->second.allocs.size();
  return count;
}

/// Calls that cost most become one tick, until the rest is short enough.
void AxisBuilder::foldCalls(Stretch &stretch) {
  const std::vector<CallAt> &calls = stretch.facts->calls;
  stretch.isFolded.assign(calls.size(), false);
  stretch.cost = stretch.facts->numTicks;
  for (const CallAt &call : calls)
    stretch.cost += costUnfolded(call);
  std::vector<size_t> byCost(calls.size());
  std::iota(byCost.begin(), byCost.end(), 0);
  llvm::stable_sort(byCost, [&](size_t a, size_t b) {
    return costUnfolded(calls[a]) > costUnfolded(calls[b]);
  });
  for (size_t index : byCost) {
    if (stretch.cost <= limit)
      break;
    if (costUnfolded(calls[index]) <= costFolded(calls[index]))
      continue;
    stretch.isFolded[index] = true;
    stretch.cost += costFolded(calls[index]) - costUnfolded(calls[index]);
  }
}

void AxisBuilder::layOut(Stretch &stretch) {
  const FunctionFacts &own = *stretch.facts;
  foldCalls(stretch);
  for (auto [index, call] : llvm::enumerate(own.calls))
    stretch.extra.push_back(
        stretch.extra.back() +
        (stretch.isFolded[index] ? 0 : stretches[call.callee].length));
  stretch.length = stretch.position(own.numTicks + 1);
  for (const PoolAlloc &alloc : own.allocs) {
    stretch.allocs.push_back(expand(stretch, alloc.life));
    // A callee may never touch what is its caller's only access.
    if (stretch.allocs.back().empty()) {
      int64_t begin = stretch.position(alloc.life.ticks.front().begin);
      stretch.allocs.back() = {{begin, begin + 1}};
    }
  }
  for (const ArgumentFacts &argument : own.arguments) {
    Stretch::Argument &lives = stretch.arguments.emplace_back();
    if (argument.isTraced)
      for (bool liveIn : {false, true})
        for (bool liveOut : {false, true})
          lives.life[liveIn][liveOut] =
              expand(stretch, argument.life[liveIn][liveOut]);
  }
  stretch.hasAllocs = !own.allocs.empty();
  for (const CallAt &call : own.calls)
    stretch.hasAllocs |= stretches[call.callee].hasAllocs;
}

std::vector<Interval> AxisBuilder::expand(const Stretch &stretch,
                                          const Life &life) {
  std::vector<Interval> placed;
  auto part = life.calls.begin();
  for (Interval ticks : life.ticks) {
    int64_t from = ticks.begin;
    for (; part != life.calls.end() && part->tick < ticks.end; ++part) {
      auto call =
          llvm::partition_point(stretch.facts->calls, [&](const CallAt &at) {
            return at.tick < part->tick;
          });
      if (stretch.isFolded[call - stretch.facts->calls.begin()])
        continue;
      int64_t begin = stretch.position(part->tick);
      placed.push_back({stretch.position(from), begin});
      const Stretch &callee = stretches[part->callee];
      for (Interval inside :
           callee.arguments[part->argument].life[part->liveIn][part->liveOut])
        placed.push_back({begin + 1 + inside.begin, begin + 1 + inside.end});
      from = part->tick + 1;
    }
    placed.push_back({stretch.position(from), stretch.position(ticks.end)});
  }
  return normalize(std::move(placed));
}

/// Without the function itself.
const std::vector<func::FuncOp> &
AxisBuilder::allCalledBy(func::FuncOp function) {
  auto [slot, isNew] = calledBy.try_emplace(function);
  if (!isNew)
    return slot->second;
  llvm::SetVector<Operation *> found;
  SmallVector<Operation *> work = {function};
  while (!work.empty())
    for (const CallAt &call : facts.find(work.pop_back_val())->second.calls)
      if (found.insert(call.callee))
        work.push_back(call.callee);
  std::vector<func::FuncOp> list;
  for (Operation *callee : found)
    list.push_back(cast<func::FuncOp>(callee));
  return calledBy[function] = std::move(list);
}

void AxisBuilder::addFolded(func::FuncOp callee, int64_t tick) {
  auto add = [&](func::FuncOp function) {
    for (std::vector<Interval> &lives : result.of[function])
      lives.push_back({tick, tick + 1});
  };
  add(callee);
  for (func::FuncOp function : allCalledBy(callee))
    add(function);
}

void AxisBuilder::addRun(func::FuncOp entry, int64_t base) {
  SmallVector<std::pair<func::FuncOp, int64_t>> work = {{entry, base}};
  while (!work.empty()) {
    auto [function, begin] = work.pop_back_val();
    const Stretch &stretch = stretches[function];
    std::vector<std::vector<Interval>> &lives = result.of[function];
    for (auto [alloc, own] : llvm::zip(lives, stretch.allocs))
      for (Interval life : own)
        alloc.push_back({begin + life.begin, begin + life.end});
    for (auto [index, call] : llvm::enumerate(stretch.facts->calls)) {
      int64_t tick = begin + stretch.position(call.tick);
      if (stretch.isFolded[index])
        addFolded(call.callee, tick);
      else if (stretches[call.callee].hasAllocs)
        work.push_back({call.callee, tick + 1});
    }
  }
}

void AxisBuilder::layOutAll(int64_t mostTicks) {
  limit = mostTicks;
  stretches.clear();
  for (auto &[function, own] : facts) {
    Stretch stretch;
    stretch.facts = &own;
    layOut(stretch);
    stretches[function] = std::move(stretch);
  }
}

/// The entries share the axis: the longest ones are cut first.
AxisLives AxisBuilder::run() {
  std::vector<func::FuncOp> entries;
  for (auto &[function, node] : tree.nodes())
    if (node.isEntry && !node.barrier)
      entries.push_back(node.function);
  int64_t fairShare = maxTicks / std::max<int64_t>(entries.size(), 1);
  for (int64_t most = maxTicks;; most /= 2) {
    layOutAll(std::max(most, fairShare));
    int64_t total = 0;
    for (func::FuncOp entry : entries)
      total += stretches[entry].cost;
    if (total <= maxTicks || most <= fairShare)
      break;
  }
  for (auto &[function, own] : facts) {
    result.of[function].resize(own.allocs.size());
    result.foldedCalls += llvm::count(stretches[function].isFolded, true);
  }
  for (func::FuncOp entry : entries) {
    addRun(entry, result.numTicks);
    result.numTicks += stretches[entry].length;
  }
  for (auto &[function, own] : facts)
    for (std::vector<Interval> &lives : result.of[function])
      lives = normalize(std::move(lives));
  return std::move(result);
}

AxisLives placeOnAxis(const CallTree &tree, const AllFacts &facts,
                      int64_t maxTicks) {
  return AxisBuilder(tree, facts, maxTicks).run();
}

} // namespace tpu_mlir::pools
