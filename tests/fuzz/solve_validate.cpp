//===- solve_validate.cpp - All strategies on problems made of bytes ------===//

#include "tests/fuzz/Entries.h"

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMostBuffers = 12;
constexpr int64_t kMostSteps = 12;
constexpr int64_t kNodes = 300;

/// Reads numbers off the input; zeros when it is used up.
class Bytes {
public:
  explicit Bytes(std::string_view text) : text(text) {}
  /// From 0 to `count` - 1, count up to 256.
  int64_t below(int64_t count) {
    if (text.empty())
      return 0;
    const int64_t value = uint8_t(text.front()) % count;
    text.remove_prefix(1);
    return value;
  }
  bool empty() const { return text.empty(); }

private:
  std::string_view text;
};

class Maker {
public:
  explicit Maker(std::string_view text) : bytes(text) {}

  Problem make() {
    makePools();
    steps = 2 + bytes.below(kMostSteps - 1);
    if (bytes.below(4) == 3)
      problem.period = steps;
    for (int64_t left = 1 + bytes.below(kMostBuffers);
         left > 0 && !bytes.empty(); --left)
      makeBuffer();
    makeAliases();
    makePairs();
    makePins();
    makeOverlaps();
    return std::move(problem);
  }
  SolveOptions options() {
    SolveOptions result;
    result.nodeLimit = kNodes;
    result.seed = uint64_t(bytes.below(256));
    result.fitIsEnough = bytes.below(2) == 1;
    return result;
  }

private:
  int64_t alignment() {
    constexpr int64_t kAlignments[] = {1, 1, 2, 3, 4, 8, 12, 64};
    return kAlignments[bytes.below(8)];
  }
  void makePools() {
    for (int64_t left = 1 + bytes.below(3) / 2; left > 0; --left) {
      Pool pool;
      pool.alignment = alignment();
      pool.baseAddress = bytes.below(2) * 4096;
      if (const int64_t capacity = bytes.below(256))
        pool.capacityBytes = capacity;
      problem.pools.push_back(pool);
    }
  }
  void makeBuffer() {
    Buffer buffer;
    buffer.sizeBytes = bytes.below(64);
    buffer.alignment = alignment();
    for (int64_t left = 1 + bytes.below(3); left > 0; --left) {
      const int64_t begin = bytes.below(steps);
      const int64_t end = begin + 1 + bytes.below(steps - begin);
      buffer.lifespans.push_back({begin, end});
    }
    buffer.lifespans = normalize(std::move(buffer.lifespans));
    for (const Interval &span : buffer.lifespans)
      if (bytes.below(2))
        buffer.readSteps.push_back(span.begin + bytes.below(span.length()));
    if (const int64_t pools = int64_t(problem.pools.size()); pools > 1) {
      constexpr PoolId kChoices[][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
      const PoolId *choice = kChoices[bytes.below(4)];
      buffer.pools = {choice[0]};
      if (choice[1] != choice[0])
        buffer.pools.push_back(choice[1]);
    }
    problem.buffers.push_back(std::move(buffer));
  }
  void makeAliases() {
    const int64_t roots = int64_t(problem.buffers.size());
    for (int64_t left = roots > 0 ? bytes.below(4) : 0; left > 0; --left) {
      Alias alias;
      alias.root = bytes.below(roots);
      const Buffer &root = problem.buffers[alias.root];
      Buffer member;
      member.pools = root.pools;
      member.alignment = alignment();
      member.lifespans = {
          root.lifespans[bytes.below(int64_t(root.lifespans.size()))]};
      alias.offsetBytes =
          bytes.below(root.sizeBytes + 1) / member.alignment * member.alignment;
      member.sizeBytes = bytes.below(root.sizeBytes - alias.offsetBytes + 1);
      alias.member = BufferId(problem.buffers.size());
      problem.buffers.push_back(std::move(member));
      problem.aliases.push_back(alias);
    }
  }
  void makePairs() {
    const int64_t count = int64_t(problem.buffers.size());
    for (int64_t left = count > 1 ? bytes.below(4) : 0; left > 0; --left) {
      const BufferId a = bytes.below(count), b = bytes.below(count);
      if (a != b)
        problem.forbiddenSharing.emplace_back(a, b);
    }
  }
  /// What makes no sense is taken back.
  void makeOverlaps() {
    const int64_t count = int64_t(problem.buffers.size());
    for (int64_t left = count > 1 ? bytes.below(4) : 0; left > 0; --left) {
      problem.overlaps.push_back(
          {bytes.below(count), bytes.below(count), bytes.below(64)});
      if (!check(problem).empty())
        problem.overlaps.pop_back();
    }
  }
  /// A pin that makes no sense is taken back.
  void makePins() {
    for (Buffer &buffer : problem.buffers) {
      if (bytes.below(5) != 4)
        continue;
      buffer.pin = Pin{buffer.pools[bytes.below(int64_t(buffer.pools.size()))],
                       bytes.below(128)};
      if (!check(problem).empty())
        buffer.pin.reset();
    }
  }

  Bytes bytes;
  int64_t steps = 0;
  Problem problem;
};

/// With a choice of pools a proof for one pool says little about another plan.
bool isSimple(const Problem &problem) { return problem.pools.size() == 1; }

/// Collects answers and says when two of them contradict.
class Jury {
public:
  Jury(const Problem &problem) : problem(problem) {}

  std::string hear(const std::string &name, const SolveResult &result) {
    if (std::holds_alternative<InvalidProblem>(result))
      return name + " was refused: " +
             std::get<InvalidProblem>(result).errors.front().message;
    if (const auto *invalid = std::get_if<InvalidPlan>(&result))
      return name + " made a bad plan: " + invalid->violations.front();
    if (const auto *failure = std::get_if<Infeasible>(&result))
      return hearFailure(name, *failure);
    return hearPlan(name, std::get<Plan>(result));
  }

private:
  std::string hearFailure(const std::string &name, const Infeasible &failure) {
    if (isSimple(problem) && (failure.boundExceeds || failure.isProved))
      provedOver = name;
    return contradiction();
  }
  std::string hearPlan(const std::string &name, const Plan &plan) {
    const auto violations = validate(problem, plan);
    if (!violations.empty())
      return name + ": " + violations.front().message;
    for (const PoolUse &use : plan.pools)
      if (isSimple(problem) && use.usedBytes < use.lowerBoundBytes)
        return name + " is below the lower bound";
    const int64_t used = plan.pools.front().usedBytes;
    if (used < leastBytes) {
      leastBytes = used;
      least = name;
    }
    const bool isBest =
        plan.proof == Proof::Optimal || plan.proof == Proof::LowerBound;
    if (isSimple(problem) && isBest && used > provedBytes) {
      provedBytes = used;
      proved = name;
    }
    return contradiction();
  }
  std::string contradiction() const {
    if (!least.empty() && !provedOver.empty())
      return provedOver + " says that nothing fits, but " + least + " does";
    if (!least.empty() && !proved.empty() && leastBytes < provedBytes)
      return proved + " says that " + std::to_string(provedBytes) +
             " is optimal, but " + least + " uses " +
             std::to_string(leastBytes);
    return "";
  }

  const Problem &problem;
  int64_t leastBytes = INT64_MAX, provedBytes = -1;
  std::string least, proved, provedOver;
};

} // namespace

FuzzOutcome fuzzSolveValidate(std::string_view bytes) {
  FuzzOutcome outcome;
  Maker maker(bytes);
  const Problem problem = maker.make();
  // The making leaves out what would be illegal, except for alignments without
  // a common multiple, which are far smaller than that.
  if (const auto errors = check(problem); !errors.empty()) {
    outcome.broken = "the maker made no legal problem: " + errors[0].message;
    return outcome;
  }
  outcome.isProblem = !problem.buffers.empty();
  SolveOptions options = maker.options();
  Jury jury(problem);
  for (const Strategy *strategy : StrategyRegistry::all()) {
    options.strategy = strategy->name;
    const SolveResult result = solve(problem, options);
    outcome.broken = jury.hear(options.strategy, result);
    if (!outcome.broken.empty())
      return outcome;
  }
  return outcome;
}

} // namespace tpu_mlir::planning
