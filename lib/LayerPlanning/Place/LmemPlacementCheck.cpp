//===- LmemPlacementCheck.cpp - Questions and answers, looked at ----------===//
//
// Shares nothing with the search: what it says of a placement holds for
// anybody's.
//
//===----------------------------------------------------------------------===//

#include "lib/LayerPlanning/Place/LmemPlacementProblem.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Overlaps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

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
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      checkBuffer(int64_t(i));
    // Chains are only followed when all of their links lead somewhere.
    if (errors.empty())
      checkChains();
    if (errors.empty())
      checkChainLives();
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
    if (problem.laneBytes <= 0 || problem.laneBytes > kMaxLaneBytes)
      fail("a lane has between 1 byte and 1 TiB, not " +
           std::to_string(problem.laneBytes));
    if (problem.euBytes <= 0 || problem.euBytes > kMaxLaneBytes)
      fail("addresses are multiples of at least 1 and at most 1 TiB, not of " +
           std::to_string(problem.euBytes));
    if (problem.banks < 0 || problem.banks > problem.laneBytes)
      fail("a lane has between 0 and as many banks as bytes, not " +
           std::to_string(problem.banks));
    if (problem.period <= 0)
      fail("a schedule has at least 1 row, not " +
           std::to_string(problem.period));
  }

  void checkBuffer(int64_t id) {
    const LmemBuffer &buffer = problem.buffers[id];
    if (buffer.sizeBytes <= 0 || buffer.sizeBytes > kMaxLaneBytes)
      fail(nameOf(id) + " has " + std::to_string(buffer.sizeBytes) +
           " bytes; between 1 byte and 1 TiB are possible");
    if (buffer.lifespans.empty())
      fail(nameOf(id) + " never lives");
    for (const Interval &life : buffer.lifespans) {
      if (life.empty() || life.begin < 0)
        fail(nameOf(id) + " lives in " + text(life) +
             ", which is empty or before step 0");
      else if (problem.isCyclic && life.end > problem.period)
        fail(nameOf(id) + " lives in " + text(life) + ", beyond the period " +
             std::to_string(problem.period));
    }
    if (buffer.inPlaceOf &&
        (*buffer.inPlaceOf < 0 || *buffer.inPlaceOf >= numBuffers()))
      fail(nameOf(id) + " is in place of buffer " +
           std::to_string(*buffer.inPlaceOf) + ", which there is not");
  }
  static std::string text(const Interval &life) {
    return "[" + std::to_string(life.begin) + ", " + std::to_string(life.end) +
           ")";
  }

  /// Every chain ends.
  void checkChains() {
    // Whose chain has come by each buffer first; what an earlier one came by
    // leads to an end.
    std::vector<int64_t> seenFrom(problem.buffers.size(), -1);
    for (int64_t id = 0; id < numBuffers(); ++id) {
      std::optional<int64_t> at = id;
      for (; at && seenFrom[*at] < 0; at = problem.buffers[*at].inPlaceOf)
        seenFrom[*at] = id;
      if (at && seenFrom[*at] == id)
        return fail(nameOf(id) + " is in place of itself, over a chain");
    }
  }

  /// Those of one chain live one after the other, but for the one step in which
  /// an op reads the one and writes the other.
  void checkChainLives() {
    const std::vector<int64_t> roots = inPlaceRoots(problem);
    std::map<int64_t, std::vector<OwnedInterval>> chains;
    for (int64_t id = 0; id < numBuffers(); ++id)
      for (const Interval &life : normalize(problem.buffers[id].lifespans))
        chains[roots[id]].push_back({life, size_t(id)});
    for (auto &chain : chains)
      checkChain(std::move(chain.second));
  }
  void checkChain(std::vector<OwnedInterval> lives) {
    std::set<std::pair<size_t, size_t>> together;
    forEachOverlap(std::move(lives), [&](size_t a, size_t b) {
      together.insert(std::minmax(a, b));
      return true;
    });
    for (const auto &[a, b] : together)
      checkTwo(int64_t(a), int64_t(b));
  }
  void checkTwo(int64_t a, int64_t b) {
    const bool areLinked =
        problem.buffers[a].inPlaceOf == b || problem.buffers[b].inPlaceOf == a;
    const int64_t steps = commonSteps(a, b);
    if (steps > (areLinked ? 1 : 0))
      fail(nameOf(a) + " and " + nameOf(b) +
           " have one address, but live together in " + std::to_string(steps) +
           (steps == 1 ? " step" : " steps"));
  }
  int64_t commonSteps(int64_t a, int64_t b) const {
    int64_t steps = 0;
    for (const Interval &x : normalize(problem.buffers[a].lifespans))
      for (const Interval &y : normalize(problem.buffers[b].lifespans))
        steps += Interval{std::max(x.begin, y.begin), std::min(x.end, y.end)}
                     .length();
    return steps;
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

bool LmemBuffer::operator==(const LmemBuffer &o) const {
  return name == o.name && sizeBytes == o.sizeBytes &&
         lifespans == o.lifespans && inPlaceOf == o.inPlaceOf;
}

bool BankPair::operator==(const BankPair &o) const {
  return first == o.first && second == o.second && cost == o.cost;
}

bool BankConflicts::operator==(const BankConflicts &o) const {
  return count == o.count && cost == o.cost;
}

bool LmemProblem::operator==(const LmemProblem &o) const {
  return name == o.name && laneBytes == o.laneBytes && banks == o.banks &&
         euBytes == o.euBytes && period == o.period && isCyclic == o.isCyclic &&
         buffers == o.buffers && bankPairs == o.bankPairs;
}

void LmemProblem::setChip(const target::ChipSpec &chip) {
  laneBytes = chip.laneBytes;
  banks = chip.banks;
  euBytes = chip.euBytes;
}

std::vector<std::string> checkProblem(const LmemProblem &problem) {
  return Checker(problem).run();
}

BankConflicts countConflicts(const LmemProblem &problem,
                             const std::vector<int64_t> &addresses) {
  BankConflicts result;
  const int64_t bankBytes =
      problem.banks > 0 ? problem.laneBytes / problem.banks : 0;
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

std::vector<int64_t> inPlaceRoots(const LmemProblem &problem) {
  std::vector<int64_t> roots(problem.buffers.size(), -1);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    int64_t root = int64_t(i);
    while (roots[root] < 0 && problem.buffers[root].inPlaceOf)
      root = *problem.buffers[root].inPlaceOf;
    if (roots[root] >= 0)
      root = roots[root];
    // All on the way have the same one.
    for (std::optional<int64_t> at = int64_t(i); at && roots[*at] < 0;
         at = problem.buffers[*at].inPlaceOf)
      roots[*at] = root;
  }
  return roots;
}

planning::Problem planningProblem(const LmemProblem &problem,
                                  int64_t limitBytes) {
  planning::Problem result;
  result.name = problem.name;
  result.pools.push_back({"lane", 0, limitBytes, problem.euBytes, 0});
  if (problem.isCyclic)
    result.period = problem.period;
  const std::vector<int64_t> roots = inPlaceRoots(problem);
  for (const LmemBuffer &buffer : problem.buffers) {
    planning::Buffer b;
    b.name = buffer.name;
    b.sizeBytes = buffer.sizeBytes;
    b.lifespans = buffer.lifespans;
    result.buffers.push_back(std::move(b));
  }
  for (size_t i = 0; i < roots.size(); ++i) {
    planning::Buffer &member = result.buffers[i];
    planning::Buffer &root = result.buffers[roots[i]];
    root.sizeBytes = std::max(root.sizeBytes, member.sizeBytes);
    if (roots[i] == int64_t(i))
      continue;
    root.lifespans.insert(root.lifespans.end(), member.lifespans.begin(),
                          member.lifespans.end());
    result.aliases.push_back({planning::BufferId(i), roots[i], 0});
  }
  for (planning::Buffer &buffer : result.buffers)
    buffer.lifespans = normalize(std::move(buffer.lifespans));
  return result;
}

std::vector<std::string> checkAddresses(const LmemProblem &problem,
                                        const std::vector<int64_t> &addresses) {
  std::vector<std::string> errors = checkProblem(problem);
  if (!errors.empty())
    return errors;
  const planning::Problem asked = planningProblem(problem, problem.laneBytes);
  planning::Plan plan;
  plan.pools.resize(1);
  for (size_t i = 0; i < addresses.size(); ++i) {
    plan.placements.push_back({0, addresses[i]});
    // A sum that wraps round is refused for the address itself (P2).
    if (i < asked.buffers.size())
      plan.pools[0].usedBytes = std::max(
          plan.pools[0].usedBytes,
          checkedAdd(addresses[i], asked.buffers[i].sizeBytes).value_or(0));
  }
  for (const planning::Violation &violation : planning::validate(asked, plan))
    errors.push_back(violation.message);
  return errors;
}

} // namespace tpu_mlir::layer
