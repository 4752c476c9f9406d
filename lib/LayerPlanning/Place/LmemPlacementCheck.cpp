//===- LmemPlacementCheck.cpp - Questions and answers, looked at ----------===//
//
// Shares nothing with the search: what it says of a placement holds for
// anybody's.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/LayerPlanning/LmemPlacement.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::layer {

namespace {

/// Sums of sizes and costs stay far below 2^63 with these, so the search adds
/// without checks.
constexpr int64_t kMaxLaneBytes = int64_t(1) << 40;
constexpr int64_t kMaxCostSum = int64_t(1) << 60;

class Checker {
public:
  explicit Checker(const LmemProblem &problem) : problem(problem) {}

  std::vector<std::string> run() {
    checkLane();
    checkBuffers();
    if (errors.empty())
      for (const planning::ProblemError &error : planning::check(problem))
        fail(error.message);
    checkPairs();
    return std::move(errors);
  }

private:
  int64_t numBuffers() const { return int64_t(problem.buffers.size()); }
  std::string nameOf(int64_t id) const {
    const std::string &name = problem.buffers[id].name;
    return name.empty() ? "#" + std::to_string(id) : "'" + name + "'";
  }
  void fail(std::string message) { errors.push_back(std::move(message)); }

  void checkLane() {
    if (problem.pools.size() != 1 || !problem.pools[0].capacityBytes)
      return fail("local memory is one pool of a known size");
    if (problem.laneBytes() <= 0 || problem.laneBytes() > kMaxLaneBytes)
      fail("a lane has between 1 byte and 1 TiB, not " +
           std::to_string(problem.laneBytes()));
    if (problem.euBytes() <= 0 || problem.euBytes() > kMaxLaneBytes)
      fail("addresses are multiples of at least 1 and at most 1 TiB, not of " +
           std::to_string(problem.euBytes()));
    if (problem.banks < 0 || problem.banks > problem.laneBytes())
      fail("a lane has between 0 and as many banks as bytes, not " +
           std::to_string(problem.banks));
    if (!problem.pools[0].reserved.empty() || !problem.forbiddenSharing.empty())
      fail("local memory has no reserved ranges and no forbidden pairs");
  }

  void checkBuffers() {
    for (int64_t id = 0; id < numBuffers(); ++id) {
      const planning::Buffer &buffer = problem.buffers[id];
      if (buffer.sizeBytes <= 0 || buffer.sizeBytes > kMaxLaneBytes)
        fail(nameOf(id) + " has " + std::to_string(buffer.sizeBytes) +
             " bytes; between 1 byte and 1 TiB are possible");
      if (buffer.pin || buffer.alignment != 1)
        fail(nameOf(id) + " has a pin or an alignment of its own");
    }
    for (const planning::Alias &alias : problem.aliases)
      if (alias.offsetBytes != 0)
        fail("an alias lies " + std::to_string(alias.offsetBytes) +
             " bytes into its root, not at its start");
  }

  void checkPairs() {
    int64_t sum = 0;
    for (const BankPair &pair : problem.bankPairs) {
      const std::string who = "bank pair (" + std::to_string(pair.first) +
                              ", " + std::to_string(pair.second) + ")";
      if (pair.first < 0 || pair.second < 0 || pair.first >= numBuffers() ||
          pair.second >= numBuffers())
        fail(who + " names a buffer that there is not");
      else if (pair.first == pair.second)
        fail(who + " is one buffer twice");
      if (pair.cost <= 0 || pair.cost > kMaxCostSum - sum)
        return fail(who + ": costs are above 0 and their sum at most 2^60");
      sum += pair.cost;
    }
  }

  const LmemProblem &problem;
  std::vector<std::string> errors;
};

} // namespace

std::vector<std::string> checkProblem(const LmemProblem &problem) {
  return Checker(problem).run();
}

BankConflicts countConflicts(const LmemProblem &problem,
                             const std::vector<int64_t> &addresses) {
  BankConflicts result;
  const int64_t bankBytes =
      problem.banks > 0 ? problem.laneBytes() / problem.banks : 0;
  if (bankBytes == 0)
    return result;
  const auto banksOf = [&](int64_t id) {
    return Interval{
        addresses[id] / bankBytes,
        (addresses[id] + problem.buffers[id].sizeBytes - 1) / bankBytes + 1};
  };
  for (const BankPair &pair : problem.bankPairs) {
    if (!banksOf(pair.first).overlaps(banksOf(pair.second)))
      continue;
    ++result.count;
    result.cost += pair.cost;
  }
  return result;
}

std::vector<std::string> checkAddresses(const LmemProblem &problem,
                                        const std::vector<int64_t> &addresses) {
  std::vector<std::string> errors = checkProblem(problem);
  if (!errors.empty())
    return errors;
  planning::Plan plan;
  plan.pools.resize(1);
  for (size_t i = 0; i < addresses.size(); ++i) {
    plan.placements.push_back({0, addresses[i]});
    // A sum that wraps round is refused for the address itself (P2).
    if (i < problem.buffers.size())
      plan.pools[0].usedBytes = std::max(
          plan.pools[0].usedBytes,
          checkedAdd(addresses[i], problem.buffers[i].sizeBytes).value_or(0));
  }
  for (const planning::Violation &violation : planning::validate(problem, plan))
    errors.push_back(violation.message);
  return errors;
}

} // namespace tpu_mlir::layer
