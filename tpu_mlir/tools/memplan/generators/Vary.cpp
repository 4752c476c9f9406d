//===- Vary.cpp - Problems like a given one -------------------------------===//

#include "tpu_mlir/tools/memplan/generators/Vary.h"

#include "lib/Planning/Kit/FirstFit.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/tools/memplan/generators/Generators.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMostBytes = int64_t(1) << 62;
constexpr int64_t kMostPercent = 90;
/// Larger sizes would take long to find a prime near.
constexpr int64_t kMostForPrimes = int64_t(1) << 40;

using Change = int64_t (*)(int64_t sizeBytes, const VaryOptions &options,
                           SeededDraw &draw);

int64_t jitter(int64_t size, const VaryOptions &options, SeededDraw &draw) {
  const int64_t most = 10 * options.percent;
  const int64_t thousandths = draw.below(2 * most + 1) - most;
  return std::max<int64_t>(
      size + size / 1000 * thousandths + size % 1000 * thousandths / 1000, 1);
}

int64_t toGrid(int64_t size, const VaryOptions &options, SeededDraw &draw) {
  const int64_t jittered = jitter(size, options, draw);
  return checkedAlignUp(jittered, options.gridBytes).value_or(kMostBytes);
}

bool isPrime(int64_t n) {
  for (int64_t d = 2; d <= n / d; ++d)
    if (n % d == 0)
      return false;
  return n > 1;
}

int64_t toPrime(int64_t size, const VaryOptions & /*options*/,
                SeededDraw & /*draw*/) {
  while (size > 2 && !isPrime(size))
    --size;
  return size;
}

struct Variation {
  const char *name;
  Change change; ///< Of sizes; nullptr: they stay.
  bool isOfTwo = false;
};
constexpr Variation kVariations[] = {
    {"alignment", nullptr},
    {"concat", nullptr, true},
    {"drop", nullptr},
    {"grid", toGrid},
    {"lives", nullptr},
    {"minus-byte",
     [](int64_t size, const VaryOptions &, SeededDraw &draw) {
       return std::max<int64_t>(size - draw.below(2), 1);
     }},
    {"plus-byte", [](int64_t size, const VaryOptions &,
                     SeededDraw &draw) { return size + draw.below(2); }},
    {"primes", toPrime},
    {"side-by-side", nullptr, true},
    {"sizes", jitter},
};

const Variation *findVariation(const std::string &name) {
  const auto *found = std::find_if(
      std::begin(kVariations), std::end(kVariations),
      [&](const Variation &variation) { return variation.name == name; });
  return found == std::end(kVariations) ? nullptr : found;
}

/// Empty when the problem can be changed.
std::string whatIsWrong(const Problem &problem, const VaryOptions &options) {
  const bool hasPins =
      std::any_of(problem.buffers.begin(), problem.buffers.end(),
                  [](const Buffer &buffer) { return buffer.pin.has_value(); });
  if (problem.pools.size() != 1 || !problem.pools.front().reserved.empty() ||
      !problem.aliases.empty() || !problem.overlaps.empty() || problem.period ||
      hasPins)
    return "only problems of one pool can be varied, without reserved bytes, "
           "aliases, overlaps, pins and period";
  for (const Buffer &buffer : problem.buffers)
    if (buffer.sizeBytes > kMostBytes / 2 ||
        buffer.lifespans.back().end > (int64_t(1) << 31))
      return "sizes beyond 61 bits and steps beyond 31 cannot be varied";
    else if (options.kind == "primes" && buffer.sizeBytes > kMostForPrimes)
      return "no primes are looked for beyond 1 TiB";
  return "";
}

/// Buffers and where a plan has them; -1: there is none.
struct Placed {
  Problem problem;
  std::vector<int64_t> offsets;
};

int64_t lengthOf(const Problem &problem) {
  int64_t end = 1;
  for (const Buffer &buffer : problem.buffers)
    end = std::max(end, buffer.lifespans.back().end);
  return end;
}

Placed placedOf(const GivenProblem &given) {
  Placed placed{*given.problem, {}};
  for (size_t id = 0; id < placed.problem.buffers.size(); ++id)
    placed.offsets.push_back(given.plan ? given.plan->placements[id].offsetBytes
                                        : 0);
  return placed;
}

template <typename ToStep> void moveLives(Problem &problem, ToStep toStep) {
  for (Buffer &buffer : problem.buffers) {
    for (Interval &span : buffer.lifespans)
      span = toStep(span);
    for (int64_t &step : buffer.readSteps)
      step = toStep(Interval{step, step + 1}).begin;
    std::sort(buffer.lifespans.begin(), buffer.lifespans.end());
    std::sort(buffer.readSteps.begin(), buffer.readSteps.end());
  }
}

class Varier {
public:
  Varier(const VaryOptions &options, const Variation &variation)
      : options(options), variation(variation), draw(options.seed, 100) {}

  std::variant<Generated, std::string> run(const GivenProblem &first,
                                           const GivenProblem &second) {
    Placed made = placedOf(first);
    const bool isPlanned =
        first.plan && (!variation.isOfTwo || !second.problem || second.plan);
    if (variation.isOfTwo)
      putTogether(made, second.problem ? placedOf(second) : mirrored(made));
    if (variation.change)
      for (Buffer &buffer : made.problem.buffers)
        buffer.sizeBytes = variation.change(buffer.sizeBytes, options, draw);
    if (options.kind == "alignment")
      for (Buffer &buffer : made.problem.buffers)
        buffer.alignment = options.gridBytes;
    if (options.kind == "lives")
      changeLives(made.problem);
    if (options.kind == "drop")
      dropSome(made);
    made.problem.name = first.problem->name + "-" + options.kind + "-" +
                        std::to_string(options.seed);
    made.problem.pools.front().capacityBytes.reset();
    if (const auto errors = check(made.problem); !errors.empty())
      return "the variation makes no sense: " + errors.front().message;
    Generated result{std::move(made.problem), std::nullopt, std::nullopt};
    if (isPlanned)
      addPlan(result, made.offsets);
    return result;
  }

private:
  static Placed mirrored(Placed placed) {
    const int64_t end = lengthOf(placed.problem);
    moveLives(placed.problem, [&](const Interval &span) {
      return Interval{end - span.end, end - span.begin};
    });
    // What was read at the end is written there.
    for (Buffer &buffer : placed.problem.buffers)
      buffer.readSteps.clear();
    return placed;
  }

  void putTogether(Placed &made, Placed second) const {
    const int64_t here = lengthOf(made.problem);
    const int64_t there = lengthOf(second.problem);
    int64_t height = 0;
    if (options.kind == "concat") {
      moveLives(second.problem, [&](const Interval &span) {
        return Interval{span.begin + here, span.end + here};
      });
    } else {
      stretch(made.problem, there / std::gcd(here, there));
      stretch(second.problem, here / std::gcd(here, there));
      for (size_t id = 0; id < made.offsets.size(); ++id)
        height = std::max(height, made.offsets[id] +
                                      made.problem.buffers[id].sizeBytes);
    }
    const int64_t count = int64_t(made.problem.buffers.size());
    for (Buffer &buffer : made.problem.buffers)
      buffer.name = "1." + buffer.name;
    for (Buffer &buffer : second.problem.buffers) {
      buffer.name = "2." + buffer.name;
      made.problem.buffers.push_back(std::move(buffer));
    }
    for (int64_t offset : second.offsets)
      made.offsets.push_back(saturatedAdd(offset, height));
    for (const auto &[a, b] : second.problem.forbiddenSharing)
      made.problem.forbiddenSharing.emplace_back(BufferId(a + count),
                                                 BufferId(b + count));
  }
  /// A longer step, not more of them.
  static void stretch(Problem &problem, int64_t times) {
    moveLives(problem, [&](const Interval &span) {
      return Interval{span.begin * times, span.end * times};
    });
    for (Buffer &buffer : problem.buffers)
      buffer.readSteps.clear();
  }

  void changeLives(Problem &problem) {
    const int64_t end = lengthOf(problem);
    for (Buffer &buffer : problem.buffers) {
      Interval &last = buffer.lifespans.back();
      const int64_t change = draw.below(3) - 1;
      if (change < 0 ? last.length() > 1 : last.end < end)
        last.end += change;
      buffer.readSteps.clear();
    }
  }

  void dropSome(Placed &made) {
    std::vector<BufferId> now(made.problem.buffers.size(), -1);
    Placed kept{made.problem, {}};
    kept.problem.buffers.clear();
    kept.problem.forbiddenSharing.clear();
    for (size_t id = 0; id < now.size(); ++id) {
      if (draw.chance(options.percent))
        continue;
      now[id] = BufferId(kept.problem.buffers.size());
      kept.problem.buffers.push_back(std::move(made.problem.buffers[id]));
      kept.offsets.push_back(made.offsets[id]);
    }
    for (const auto &[a, b] : made.problem.forbiddenSharing)
      if (now[size_t(a)] >= 0 && now[size_t(b)] >= 0)
        kept.problem.forbiddenSharing.emplace_back(now[size_t(a)],
                                                   now[size_t(b)]);
    made = std::move(kept);
  }

  /// The order of the known plan from the bottom up, each as low as it goes.
  static void addPlan(Generated &result, const std::vector<int64_t> &offsets) {
    PackingProblem packing;
    for (const Buffer &buffer : result.problem.buffers) {
      Item item;
      item.sizeBytes = buffer.sizeBytes;
      item.alignment =
          std::lcm(buffer.alignment, result.problem.pools.front().alignment);
      item.lifespans = buffer.lifespans;
      packing.items.push_back(std::move(item));
    }
    for (const auto &[a, b] : result.problem.forbiddenSharing)
      packing.forbiddenSharing.push_back(
          std::minmax<int64_t>(int64_t(a), int64_t(b)));
    FirstFit firstFit(packing);
    std::vector<size_t> order = firstFit.unpinnedItems();
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return offsets[a] < offsets[b];
    });
    const auto placed = firstFit.pack(order);
    if (!placed)
      return;
    Plan plan;
    plan.strategy = "construction";
    for (int64_t offset : *placed)
      plan.placements.push_back({0, offset});
    plan.pools.push_back(
        {packing.highWater(*placed), liveBound(result.problem, 0).bytes});
    if (plan.pools[0].usedBytes == plan.pools[0].lowerBoundBytes) {
      plan.proof = Proof::LowerBound;
      result.optimumBytes = plan.pools[0].usedBytes;
    }
    result.plan = std::move(plan);
  }

  const VaryOptions &options;
  const Variation &variation;
  SeededDraw draw;
};

} // namespace

std::vector<std::string> variations() {
  std::vector<std::string> names;
  for (const Variation &variation : kVariations)
    names.push_back(variation.name);
  return names;
}

bool isOfTwo(const std::string &variation) {
  const Variation *found = findVariation(variation);
  return found && found->isOfTwo;
}

std::string whatIsWrong(const VaryOptions &options) {
  if (!findVariation(options.kind))
    return "unknown variation '" + options.kind + "'";
  if (options.percent < 1 || options.percent > kMostPercent)
    return "the percentage must be from 1 to " + std::to_string(kMostPercent) +
           ", not " + std::to_string(options.percent);
  if (options.gridBytes < 1 || options.gridBytes > kMostBytes)
    return "the grid must be from 1 to " + std::to_string(kMostBytes) +
           " bytes, not " + std::to_string(options.gridBytes);
  return "";
}

std::variant<Generated, std::string> vary(const GivenProblem &first,
                                          const GivenProblem &second,
                                          const VaryOptions &options) {
  if (std::string wrong = whatIsWrong(options); !wrong.empty())
    return wrong;
  const Variation *variation = findVariation(options.kind);
  if (second.problem && !variation->isOfTwo)
    return "'" + options.kind + "' takes one problem";
  for (const Problem *problem : {first.problem, second.problem})
    if (std::string wrong = problem ? whatIsWrong(*problem, options) : "";
        !wrong.empty())
      return wrong;
  return Varier(options, *variation).run(first, second);
}

} // namespace tpu_mlir::planning
