//===- Benchmark.cpp - All strategies on problems of many sizes -----------===//
//
//   ./bazelw run --config=opt //tests/Planning:bench -- <flags>
//
// All of it takes hours; --benchmark_filter='^auto/random' is a part of it. A
// benchmark is called <strategy>/<family>/<buffers>, or
// <strategy>/file:<name> for the files in $TPU_MEMORY_DATA/problems. Next to
// the time it tells
//
//   used/bound    high-water mark in multiples of the lower bound
//   nodes         steps of the search: the same on every machine
//   instructions  of one run; left out where the kernel has no counter for them
//   resident      most bytes that a run takes at a time, without the problem
//
// and after the last size, how the time grows with the number of buffers.
//
//===----------------------------------------------------------------------===//

#include "tests/Planning/bench/Measures.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
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

/// The last problem is kept: a benchmark is run several times until its number
/// of iterations is settled, and a million buffers take seconds to make.
const Problem &problemOf(const std::string &family, int64_t buffers) {
  static std::string keptName;
  static Problem kept;
  const std::string name = family + "/" + std::to_string(buffers);
  if (name == keptName)
    return kept;
  keptName = name;
  kept = {};
  if (family == "network") {
    kept = network(buffers);
    return kept;
  }
  GenerateOptions options;
  options.family = family;
  options.buffers = buffers;
  auto made = generate(options);
  if (auto *generated = std::get_if<Generated>(&made))
    kept = std::move(generated->problem);
  return kept;
}

std::vector<std::string> families() {
  std::vector<std::string> names = generateFamilies();
  names.push_back("network");
  return names;
}

void solveProblem(benchmark::State &state, const Problem &problem,
                  const std::string &strategy) {
  SolveOptions options;
  options.strategy = strategy;
  Plan plan;
  const PeakMemory memory;
  const InstructionCounter instructions;
  for (auto _ : state) {
    SolveResult result = solve(problem, options);
    if (!std::holds_alternative<Plan>(result)) {
      state.SkipWithError("no plan");
      return;
    }
    plan = std::move(std::get<Plan>(result));
  }
  const std::optional<int64_t> executed = instructions.count();
  const double bound = double(plan.pools[0].lowerBoundBytes);
  state.counters["used/bound"] =
      bound > 0 ? double(plan.pools[0].usedBytes) / bound : 1;
  state.counters["nodes"] = double(plan.nodes);
  if (executed)
    state.counters["instructions"] = benchmark::Counter(
        double(*executed), benchmark::Counter::kAvgIterations);
  if (const auto peak = memory.bytes())
    state.counters["resident"] =
        benchmark::Counter(double(*peak), benchmark::Counter::kDefaults,
                           benchmark::Counter::kIs1024);
  state.SetComplexityN(int64_t(problem.buffers.size()));
}

void validatePlan(benchmark::State &state, const std::string &family) {
  const Problem &problem = problemOf(family, state.range(0));
  SolveOptions options;
  options.strategy = "best-fit";
  const SolveResult result = solve(problem, options);
  const Plan *plan = std::get_if<Plan>(&result);
  if (!plan) {
    state.SkipWithError("no plan");
    return;
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(validate(problem, *plan));
  state.SetComplexityN(state.range(0));
}

/// Beyond so many buffers a strategy is left out: it would take minutes. First
/// fit looks at all that lives at the same time, and in a perfect packing that
/// grows with the number of buffers.
int64_t mostBuffers(const std::string &strategy, const std::string &family) {
  const bool isPerfect = family == "guillotine" || family == "pinwheel";
  const std::array slow = {"exact",          "first-fit-decreasing",
                           "greedy-by-size", "greedy-by-conflicts",
                           "hill-climb",     "squeaky-wheel"};
  const bool isSlow =
      std::find(slow.begin(), slow.end(), strategy) != slow.end();
  return isPerfect && isSlow ? 100'000 : 1'000'000;
}

constexpr int64_t kSizes[] = {1'000, 10'000, 100'000, 1'000'000};

void registerFamily(const std::string &strategy, const std::string &family) {
  auto *added = benchmark::RegisterBenchmark(
      (strategy + "/" + family).c_str(), [=](benchmark::State &state) {
        solveProblem(state, problemOf(family, state.range(0)), strategy);
      });
  added->Unit(benchmark::kMillisecond)->Complexity();
  for (int64_t size : kSizes)
    if (size <= mostBuffers(strategy, family))
      added->Arg(size);
}

void registerValidation(const std::string &family) {
  auto *added = benchmark::RegisterBenchmark(
      ("validate/" + family).c_str(),
      [=](benchmark::State &state) { validatePlan(state, family); });
  added->Unit(benchmark::kMillisecond)->Complexity();
  for (int64_t size : kSizes)
    added->Arg(size);
}

/// The problems of a folder by the names of their files, without extensions.
std::map<std::string, Problem> problemsIn(const std::filesystem::path &folder) {
  std::map<std::string, Problem> problems;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".csv")
      continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto parsed = parseProblemCsv(text);
    if (auto *problem = std::get_if<Problem>(&parsed))
      problems[entry.path().stem()] = std::move(*problem);
  }
  return problems;
}

void registerFiles(const std::string &strategy,
                   const std::map<std::string, Problem> &problems) {
  for (const auto &entry : problems) {
    const Problem *problem = &entry.second;
    benchmark::RegisterBenchmark((strategy + "/file:" + entry.first).c_str(),
                                 [=](benchmark::State &state) {
                                   solveProblem(state, *problem, strategy);
                                 })
        ->Unit(benchmark::kMillisecond);
  }
}

} // namespace

// Not benchmark_main's: the registry is complete only when main() runs.
int main(int argc, char **argv) {
  const char *data = std::getenv("TPU_MEMORY_DATA");
  const std::map<std::string, Problem> problems =
      data ? problemsIn(std::filesystem::path(data) / "problems")
           : std::map<std::string, Problem>();
  for (const Strategy *strategy : StrategyRegistry::all()) {
    const std::string name(strategy->name);
    for (const std::string &family : families())
      registerFamily(name, family);
    registerFiles(name, problems);
  }
  for (const std::string &family : families())
    registerValidation(family);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
