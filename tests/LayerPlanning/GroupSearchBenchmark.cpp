//===- GroupSearchBenchmark.cpp - How long the search for groups takes ----===//
//
//   ./bazelw run --config=opt //tests/LayerPlanning:group_search_bench
//
// Random networks of a given number of layers on a chip with small lanes
// (groups of tens of layers) and with large ones (hundreds).
//
//===----------------------------------------------------------------------===//

#include "tests/LayerPlanning/Networks.h"
#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include <benchmark/benchmark.h>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

void search(benchmark::State &state) {
  std::mt19937 random(3);
  const NetworkBuilder net =
      randomNetwork(random, static_cast<int>(state.range(0)));
  target::ChipSpec chip = smallChip();
  chip.laneBytes = state.range(1);
  SearchOptions options;
  options.group.objective = Objective::Cycles;
  Grouping grouping;
  for (auto _ : state)
    grouping = searchGroups(net.graph, net.order(), chip, options);
  size_t longest = 0;
  for (const GroupPlan &plan : grouping.groups)
    longest = std::max(longest, plan.draft.range.size());
  state.counters["groups"] = double(grouping.groups.size());
  state.counters["longest"] = double(longest);
  state.counters["drafts"] = double(grouping.numDrafts);
  state.counters["plans"] = double(grouping.numPlans);
  state.counters["cycles"] = double(grouping.cost.cycles);
  state.counters["traffic"] = double(grouping.cost.trafficBytes());
}

} // namespace

BENCHMARK(search)
    ->ArgsProduct({{100, 1000}, {4096, 65536}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
