//===- Generate.cpp - Problems to measure planners with -------------------===//
//
// A family makes pieces; here they are shuffled, named and, where options ask
// for it, made a little imperfect. Each option draws from a stream of its own,
// so switching one on leaves what the others do as it was.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/tools/memplan/generators/Generators.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kWheelPercent = 35;
constexpr int64_t kMaxDeletePercent = 90;

struct Family {
  const char *name;
  bool isPacked;
  RawBuffers (*make)(int64_t count, SeededDraw &draw);
};

constexpr Family kFamilies[] = {
    {"guillotine", true,
     [](int64_t count, SeededDraw &draw) { return cutStrip(count, 0, draw); }},
    {"interleaved", false,
     [](int64_t count, SeededDraw &draw) {
       return training(count, {4, /*isWoven=*/true, false}, draw);
     }},
    {"micro-batches", false,
     [](int64_t count, SeededDraw &draw) {
       return training(count, {4, /*isWoven=*/false, false}, draw);
     }},
    {"pinwheel", true,
     [](int64_t count, SeededDraw &draw) {
       return cutStrip(count, kWheelPercent, draw);
     }},
    {"random", false, randomTraffic},
    {"training", false,
     [](int64_t count, SeededDraw &draw) {
       return training(count, {1, false, /*hasEqualLayers=*/true}, draw);
     }},
};

const Family *findFamily(const std::string &name) {
  for (const Family &family : kFamilies)
    if (family.name == name)
      return &family;
  return nullptr;
}

/// So many that the number of buffers is left after the deletion.
int64_t piecesToCut(const GenerateOptions &options) {
  const int64_t kept = 100 - options.deletePercent;
  return (options.buffers * 100 + kept - 1) / kept;
}

std::string outside(const std::string &what, int64_t value, int64_t low,
                    int64_t high) {
  if (low <= value && value <= high)
    return "";
  return what + " must be from " + std::to_string(low) + " to " +
         std::to_string(high) + ", not " + std::to_string(value);
}

/// Empty when the options make sense.
std::string whatIsWrong(const GenerateOptions &options, const Family *family) {
  if (!family) {
    std::string names;
    for (const Family &known : kFamilies)
      names += (names.empty() ? "" : ", ") + std::string(known.name);
    return "unknown family '" + options.family + "'; there are " + names;
  }
  for (const std::string &error :
       {outside("the number of buffers", options.buffers, 1,
                kMaxGeneratedBuffers),
        outside("the percentage of deleted pieces", options.deletePercent, 0,
                kMaxDeletePercent),
        outside("the percentage of gaps", options.gapPercent, 0, 100),
        outside("the percentage of pins", options.pinPercent, 0, 100)})
    if (!error.empty())
      return error;
  if (piecesToCut(options) > kMaxGeneratedBuffers)
    return "too many pieces to cut: at most " +
           std::to_string(kMaxGeneratedBuffers) +
           " with those that are deleted";
  for (int64_t alignment : options.alignments)
    if (alignment < 1)
      return "an alignment must be at least 1, not " +
             std::to_string(alignment);
  if (options.pinPercent > 0 && !family->isPacked)
    return "the family '" + options.family + "' has no places to pin to";
  return "";
}

class Generator {
public:
  Generator(const GenerateOptions &options, const Family &family)
      : options(options), family(family) {}

  Generated run() {
    makePieces();
    Generated result;
    makeProblem(result.problem);
    makeGaps(result.problem);
    if (family.isPacked && isPackingSound)
      addPlan(result);
    return result;
  }

private:
  enum Stream : uint64_t { Make, Shuffle, Jitter, Align, Gap, Pins };
  SeededDraw stream(Stream which) const { return {options.seed, which}; }

  /// As many pieces as asked for, in an order that says nothing.
  void makePieces() {
    SeededDraw make = stream(Make), mix = stream(Shuffle);
    pieces = family.make(piecesToCut(options), make);
    shuffleWith(pieces.list, mix);
    pieces.list.resize(size_t(options.buffers));
  }

  void makeProblem(Problem &problem) {
    SeededDraw align = stream(Align), pin = stream(Pins),
               shake = stream(Jitter);
    problem.name = options.family + "-" + std::to_string(options.buffers) +
                   "-" + std::to_string(options.seed);
    problem.pools.push_back({"memory", 0, std::nullopt, 1, 0});
    problem.buffers.resize(pieces.list.size());
    for (size_t id = 0; id < pieces.list.size(); ++id) {
      const RawBuffer &piece = pieces.list[id];
      Buffer &buffer = problem.buffers[id];
      buffer.name = "b" + std::to_string(id);
      buffer.sizeBytes = piece.sizeBytes;
      if (pin.chance(options.pinPercent))
        buffer.pin = Pin{0, piece.offsetBytes};
      buffer.alignment = alignmentOf(buffer, align);
      isPackingSound &= piece.offsetBytes % buffer.alignment == 0;
      buffer.lifespans = {options.jitter ? jittered(piece, buffer, shake)
                                         : piece.life};
    }
  }

  int64_t alignmentOf(const Buffer &buffer, SeededDraw &draw) const {
    if (options.alignments.empty())
      return 1;
    const int64_t alignment =
        options
            .alignments[size_t(draw.below(int64_t(options.alignments.size())))];
    const bool holds = !buffer.pin || buffer.pin->offsetBytes % alignment == 0;
    return holds ? alignment : 1;
  }

  Interval jittered(const RawBuffer &piece, const Buffer &buffer,
                    SeededDraw &draw) {
    Interval life = piece.life;
    const int64_t change = draw.below(3) - 1;
    if (change < 0 && life.length() > 1)
      --life.end;
    if (change > 0 && !buffer.pin && life.end < pieces.steps) {
      ++life.end;
      isPackingSound = false;
    }
    return life;
  }

  void makeGaps(Problem &problem) {
    SeededDraw draw = stream(Gap);
    for (Buffer &buffer : problem.buffers) {
      const Interval life = buffer.lifespans.front();
      if (!draw.chance(options.gapPercent) || life.length() < 3)
        continue;
      const int64_t inner = life.length() - 2;
      const int64_t begin = life.begin + 1 + draw.below(inner);
      const int64_t end = begin + 1 + draw.below(life.end - 1 - begin);
      buffer.lifespans = {{life.begin, begin}, {end, life.end}};
    }
  }

  bool isPerfect() const {
    return options.deletePercent == 0 && !options.jitter &&
           options.gapPercent == 0;
  }

  void addPlan(Generated &result) const {
    Plan plan;
    plan.strategy = "construction";
    plan.placements.reserve(pieces.list.size());
    PoolUse use;
    for (const RawBuffer &piece : pieces.list) {
      plan.placements.push_back({0, piece.offsetBytes});
      use.usedBytes =
          std::max(use.usedBytes, piece.offsetBytes + piece.sizeBytes);
    }
    // A strip without a free byte needs no proof.
    use.lowerBoundBytes =
        isPerfect() ? pieces.packedBytes : liveBound(result.problem, 0).bytes;
    if (use.lowerBoundBytes == use.usedBytes) {
      plan.proof = Proof::LowerBound;
      result.optimumBytes = use.usedBytes;
    }
    plan.pools.push_back(use);
    result.plan = std::move(plan);
  }

  const GenerateOptions &options;
  const Family &family;
  RawBuffers pieces;
  /// Where the cuts put the pieces is still a plan.
  bool isPackingSound = true;
};

} // namespace

std::variant<Generated, std::string> generate(const GenerateOptions &options) {
  const Family *family = findFamily(options.family);
  if (std::string wrong = whatIsWrong(options, family); !wrong.empty())
    return wrong;
  return Generator(options, *family).run();
}

std::vector<std::string> generateFamilies() {
  std::vector<std::string> names;
  for (const Family &family : kFamilies)
    names.push_back(family.name);
  return names;
}

} // namespace tpu_mlir::planning
