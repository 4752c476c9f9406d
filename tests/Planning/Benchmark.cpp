//===- Benchmark.cpp - Strategies on network-like problems ----------------===//
//
//   ./bazelw run -c opt //tests/Planning:bench
//
// Reports time, and the high-water mark as a multiple of the lower bound.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"

#include <benchmark/benchmark.h>

#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

/// One result an op, read by the next op, sometimes by one soon after, now and
/// then by one far away: the shape of residual networks and of U-Nets.
Problem network(int64_t ops) {
  std::mt19937_64 random{uint64_t(ops)};
  auto below = [&](int64_t limit) {
    return int64_t(random() % uint64_t(limit));
  };
  Problem problem;
  problem.pools = {{"ddr", 0, std::nullopt, 4096, 0}};
  for (int64_t op = 0; op < ops; ++op) {
    Buffer buffer;
    buffer.sizeBytes = (1 + below(64)) * (below(4) ? 1024 : 16 * 1024);
    const int64_t luck = below(100);
    int64_t last = op + 1 + (luck < 25 ? below(4) : 0);
    if (luck == 99)
      last = op + 1 + below(200);
    last = std::min(last, ops);
    for (int64_t reader = op + 1; reader < last; reader += 1 + below(60))
      buffer.readSteps.push_back(reader);
    buffer.readSteps.push_back(last);
    buffer.lifespans = {{op, last + 1}};
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

void solveNetwork(benchmark::State &state, const std::string &strategy) {
  const Problem problem = network(state.range(0));
  SolveOptions options;
  options.strategy = strategy;
  int64_t used = 0, bound = 1;
  for (auto _ : state) {
    const SolveResult result = solve(problem, options);
    const Plan *plan = std::get_if<Plan>(&result);
    if (!plan) {
      state.SkipWithError("no plan");
      break;
    }
    used = plan->pools[0].usedBytes;
    bound = plan->pools[0].lowerBoundBytes;
  }
  state.counters["used/bound"] = double(used) / double(bound);
}

void validateNetwork(benchmark::State &state) {
  const Problem problem = network(state.range(0));
  const SolveResult result = solve(problem);
  const Plan *plan = std::get_if<Plan>(&result);
  if (!plan) {
    state.SkipWithError("no plan");
    return;
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(validate(problem, *plan));
}
BENCHMARK(validateNetwork)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);

/// One benchmark for each strategy that registers itself.
const bool kRegistered = [] {
  for (const Strategy *strategy : StrategyRegistry::all()) {
    const std::string name(strategy->name());
    benchmark::RegisterBenchmark(
        name.c_str(),
        [name](benchmark::State &state) { solveNetwork(state, name); })
        ->Arg(1000)
        ->Arg(10000)
        ->Arg(100000)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

} // namespace
