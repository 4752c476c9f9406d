//===- SolverFlags.cpp - The flags that say how to plan -------------------===//

#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/memplan/Command.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <tuple>

namespace tpu_mlir::memplan {

using planning::ExactOptions;
using planning::StrategyRegistry;

bool isStrategy(const llvm::cl::SubCommand &sub, const std::string &name) {
  if (StrategyRegistry::find(name))
    return true;
  usageError(sub, "unknown strategy '" + name +
                      "'; strategies: " + StrategyRegistry::names());
  return false;
}

bool SolverFlags::refuse(const std::string &message) const {
  usageError(sub, message);
  return false;
}

bool SolverFlags::readLimits() {
  if (capacity.getNumOccurrences()) {
    capacityBytes = parseBytes(capacity);
    if (!capacityBytes)
      return refuse("--capacity has to be a number of bytes, such as "
                    "1048576, 512KiB or 2GiB");
  }
  if (minimize && !capacityBytes)
    return refuse("--minimize is about --capacity, which is not "
                  "given; without it plans are minimized anyway");
  if (nodeLimit < 0)
    return refuse("--node-limit must not be negative");
  if (threads < 0)
    return refuse("--threads must not be negative");
  double seconds = 0;
  if (timeLimit.getNumOccurrences()) {
    if (llvm::StringRef(timeLimit).getAsDouble(seconds) ||
        !std::isfinite(seconds) || seconds <= 0)
      return refuse("--time-limit has to be a positive number of "
                    "seconds");
    solveOptions.timeLimitSeconds = seconds;
  }
  return true;
}

bool SolverFlags::readAblation() {
  const std::pair<const char *, bool ExactOptions::*> parts[] = {
      {"dominance", &ExactOptions::dominance},
      {"unplaced-floor", &ExactOptions::unplacedFloor},
      {"decomposition", &ExactOptions::decomposition},
      {"reranking", &ExactOptions::reranking},
      {"symmetry", &ExactOptions::symmetry},
      {"restarts", &ExactOptions::restarts}};
  for (const std::string &name : ablate) {
    const auto *part = std::find_if(std::begin(parts), std::end(parts),
                                    [&](auto &p) { return name == p.first; });
    if (part == std::end(parts))
      return refuse("--ablate does not know '" + name +
                    "'; parts: dominance, unplaced-floor, "
                    "decomposition, reranking, symmetry, "
                    "restarts");
    solveOptions.exact.*part->second = false;
  }
  return true;
}

bool SolverFlags::read() {
  if (!readLimits() || !readAblation())
    return false;
  solveOptions.seed = seed;
  solveOptions.nodeLimit = nodeLimit;
  if (solveOptions.timeLimitSeconds && !hasNodeLimit()) {
    const double most = 1e15, per = double(kNodesPerSecond);
    solveOptions.nodeLimit =
        std::max(kNodeLimit,
                 int64_t(std::min(*solveOptions.timeLimitSeconds * per, most)));
  }
  startClock();
  solveOptions.threads = threads;
  solveOptions.poolPolicy = poolPolicy;
  solveOptions.fitIsEnough = capacityBytes && !minimize;
  return true;
}

planning::SolveOptions
SolverFlags::startedOptions(const std::string &strategy) const {
  // Checking, printing and writing a million buffers takes about twice as long
  // as reading them.
  constexpr double kAfterwards = 2;
  planning::SolveOptions started = solveOptions;
  started.strategy = strategy;
  if (!started.timeLimitSeconds)
    return started;
  const std::chrono::duration<double> read =
      planning::Deadline::Clock::now() - start;
  started.deadline.endIn(*started.timeLimitSeconds -
                         (1 + kAfterwards) * read.count());
  return started;
}

std::string SolverFlags::oneAboutPlanning() const {
  const std::pair<const char *, int> given[] = {
      {"--minimize", minimize.getNumOccurrences()},
      {"--seed", seed.getNumOccurrences()},
      {"--threads", threads.getNumOccurrences()},
      {"--pool-policy", poolPolicy.getNumOccurrences()},
      {"--ablate", ablate.getNumOccurrences()}};
  for (const auto &[flag, occurrences] : given)
    if (occurrences)
      return flag;
  return "";
}

void SolverFlags::remarkUnused(
    const ProblemFile &file, const std::vector<std::string> &strategies) const {
  // With a choice of pools the choice is a search of its own.
  for (const planning::Buffer &buffer : file.problem.buffers)
    if (buffer.pools.size() > 1)
      return;
  const auto remark = [&](const char *flag, const std::string &why) {
    llvm::errs() << file.path << ": remark: " << flag
                 << " has no effect: " << why << "\n";
  };
  if (poolPolicy != planning::PoolPolicy::Auto)
    remark("--pool-policy", "no buffer has more than one candidate pool");
  planning::StrategyKnobs used;
  std::string names;
  for (const std::string &name : strategies) {
    used = used | StrategyRegistry::find(name)->knobs;
    names += (names.empty() ? "'" : ", '") + name + "'";
  }
  const std::tuple<const char *, int, bool> flags[] = {
      {"--seed", seed.getNumOccurrences(), used.seed},
      {"--node-limit", nodeLimit.getNumOccurrences(), used.limits},
      {"--time-limit", timeLimit.getNumOccurrences(), used.limits},
      {"--threads", threads.getNumOccurrences(), used.threads},
      {"--ablate", ablate.getNumOccurrences(), used.exactParts}};
  for (const auto &[flag, occurrences, isUsed] : flags)
    if (occurrences && !isUsed)
      remark(flag, "not used by " + names);
}

void SolverFlags::limit(planning::Problem &problem) const {
  if (capacityBytes && !problem.pools.empty())
    problem.pools.front().capacityBytes = capacityBytes;
}

} // namespace tpu_mlir::memplan
