//===- SolverFlags.cpp - The flags that say how to plan -------------------===//

#include "tpu_mlir/tools/memplan/SolverFlags.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/memplan/Command.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

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
  if (!capacity.empty()) {
    capacityBytes = parseBytes(capacity);
    if (!capacityBytes)
      return refuse("--capacity has to be a number of bytes, such as "
                    "1048576, 512KiB or 2GiB");
  } else if (capacity.getNumOccurrences()) {
    return refuse("--capacity is empty");
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
  solveOptions.threads = threads;
  solveOptions.poolPolicy = poolPolicy;
  solveOptions.fitIsEnough = capacityBytes && !minimize;
  return true;
}

void SolverFlags::limit(planning::Problem &problem) const {
  if (capacityBytes && !problem.pools.empty())
    problem.pools.front().capacityBytes = capacityBytes;
}

} // namespace tpu_mlir::memplan
