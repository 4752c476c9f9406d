//===- Benchmark.cpp - Strategies on problems of many sizes
//----------------===//
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

/// Sizes and lifespans without any pattern, a third of all alive at once: much
/// denser than any network.
Problem tangle(int64_t count) {
  std::mt19937_64 random{uint64_t(count)};
  auto below = [&](int64_t limit) {
    return int64_t(random() % uint64_t(limit));
  };
  Problem problem;
  problem.pools = {{"ddr", 0, std::nullopt, 64, 0}};
  for (int64_t i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.sizeBytes = 1 + below(200 * 1024);
    const int64_t a = below(count), b = below(count);
    buffer.lifespans = {{std::min(a, b), std::max(a, b) + 1}};
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

void solveProblem(benchmark::State &state, const Problem &problem,
                  const std::string &strategy) {
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
void registerStrategies() {
  for (const Strategy *strategy : StrategyRegistry::all()) {
    const std::string name(strategy->name());
    for (int64_t count : {1000, 10000, 100000}) {
      const std::string size = "/" + std::to_string(count);
      benchmark::RegisterBenchmark((name + "/network" + size).c_str(),
                                   [=](benchmark::State &state) {
                                     solveProblem(state, network(count), name);
                                   })
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark((name + "/tangle" + size).c_str(),
                                   [=](benchmark::State &state) {
                                     solveProblem(state, tangle(count), name);
                                   })
          ->Unit(benchmark::kMillisecond);
    }
  }
}

} // namespace

// Not benchmark_main's: the registry is complete only when main() runs.
int main(int argc, char **argv) {
  registerStrategies();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
