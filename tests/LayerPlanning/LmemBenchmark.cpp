//===- LmemBenchmark.cpp - How long placements take -----------------------===//
//
//   ./bazelw run --config=opt //tests/LayerPlanning:lmem_bench
//
// <wish>/<group> for the groups in $TPU_MEMORY_DATA/lmem_groups, <wish>/random
// without; next to the time the nodes, the conflicts and the high-water mark in
// multiples of the lower bound.
//
//===----------------------------------------------------------------------===//

#include "tests/LayerPlanning/LmemProblems.h"

#include <benchmark/benchmark.h>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

void measure(benchmark::State &state, const LmemProblem &problem,
             const LmemOptions &options) {
  LmemResult result;
  for (auto _ : state)
    benchmark::DoNotOptimize(result = placeLmem(problem, options));
  const auto *placement = std::get_if<LmemPlacement>(&result);
  if (!placement) {
    state.SkipWithError("does not fit");
    return;
  }
  state.counters["nodes"] = double(placement->nodes);
  state.counters["conflicts"] = double(placement->conflicts.count);
  state.counters["used/bound"] =
      double(placement->highWaterBytes) /
      double(std::max<int64_t>(1, placement->lowerBoundBytes));
}

void add(const LmemProblem &problem) {
  LmemOptions onePass, lowest;
  onePass.nodeLimit = 0;
  lowest.minimizePeak = true;
  for (const auto &[wish, options] :
       {std::pair<std::string, LmemOptions>{"one-pass", onePass},
        {"few-conflicts", {}},
        {"lowest", lowest}})
    benchmark::RegisterBenchmark(
        (wish + "/" + problem.name).c_str(),
        [problem, options = options](benchmark::State &state) {
          measure(state, problem, options);
        })
        ->Unit(benchmark::kMicrosecond);
}

LmemProblem randomFeasible() {
  RandomShape shape;
  shape.buffers = 45;
  shape.laneUnits = 4096;
  shape.euBytes = 16;
  shape.banks = 16;
  shape.period = 14;
  std::mt19937_64 random(1);
  LmemProblem problem;
  do {
    problem = randomProblem(shape, random);
  } while (!std::holds_alternative<LmemPlacement>(placeLmem(problem)));
  problem.name = "random";
  return problem;
}

const bool isRegistered = [] {
  const std::vector<RealGroup> groups = realGroups();
  for (const RealGroup &group : groups)
    add(group.problem);
  if (groups.empty())
    add(randomFeasible());
  return true;
}();

} // namespace
