//===- SmallProblems.cpp - Tight problems of a few bytes ------------------===//

#include "tests/property/planning/SmallProblems.h"

#include "tests/property/planning/RandomProblems.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

/// Life and size of the smallest problem found that misses its live sum without
/// any of the features: 5 at every step, but 6 is the least.
struct Life {
  int64_t begin, end, units;
};
constexpr Life kTangle[] = {{0, 1, 3}, {0, 2, 2}, {1, 3, 1}, {2, 3, 1},
                            {1, 4, 2}, {2, 4, 1}, {3, 5, 2}, {4, 5, 3}};

class Maker {
public:
  Maker(Features features, uint64_t seed, int64_t classes)
      : has(features), draw(seed * Features::kCombinations + features.bits()),
        classes(classes) {}

  Problem make() {
    problem.name = has.name();
    steps = draw.between(4, 9);
    if (has.alignment)
      alignments = draw.oneOf<std::vector<int64_t>>(
          {{1, 2, 4}, {2, 4, 8}, {3, 4, 6}, {6, 8}, {1, 3, 5}, {4}});
    sizeUnit = draw.oneOf<int64_t>({1, 1, 2, has.alignment ? 12 : 3});
    problem.pools = {{"pool", 0, std::nullopt, poolUnit(), 0}};
    if (classes == int64_t(std::size(kTangle)) && draw.chance(50))
      makeTangle();
    else if (draw.chance(50))
      makeFull();
    else
      for (int64_t i = 0; i < classes; ++i)
        addBuffer(draw.chance(3) ? 0 : size(), life());
    if (has.cyclic)
      problem.period = steps;
    for (int64_t i = draw.between(1, 2); has.aliases && i > 0; --i)
      addAlias();
    for (int64_t i = draw.between(1, 3); has.forbidden && i > 0; --i)
      addForbidden();
    for (int64_t i = draw.between(2, 5); has.pins && i > 0; --i)
      tryPin();
    return std::move(problem);
  }

private:
  int64_t poolUnit() {
    return has.alignment && draw.chance(30) ? draw.oneOf(alignments) : 1;
  }

  int64_t size() {
    return draw.between(1, sizeUnit == 1 ? 12 : sizeUnit == 12 ? 3 : 6);
  }
  void addBuffer(int64_t units, std::vector<Interval> lifespans) {
    Buffer buffer;
    buffer.name = "b" + std::to_string(problem.buffers.size());
    buffer.sizeBytes = sizeUnit * units;
    buffer.alignment = draw.oneOf(alignments);
    buffer.lifespans = std::move(lifespans);
    problem.buffers.push_back(std::move(buffer));
  }

  void makeTangle() {
    steps = 5;
    for (const Life &life : kTangle)
      addBuffer(life.units, decorated({life.begin, life.end}));
  }
  /// The same live sum at every step: what ends makes room for what begins, to
  /// the byte but seldom in one piece.
  void makeFull() {
    steps = 0;
    int64_t free = draw.between(4, sizeUnit == 12 ? 6 : 16);
    for (int64_t left = classes; left > 0; ++steps) {
      for (; free > 0 && left > 0; --left) {
        alive.push_back({left == 1 ? free : draw.between(1, free), steps});
        free -= alive.back().units;
      }
      if (left > 0)
        free = endSome();
    }
    for (const Begun &last : alive)
      addBuffer(last.units, decorated({last.begin, steps}));
  }
  int64_t endSome() {
    int64_t free = 0;
    const size_t certain = size_t(draw.between(0, int64_t(alive.size()) - 1));
    std::vector<Begun> others;
    for (size_t i = 0; i < alive.size(); ++i) {
      if (i != certain && draw.chance(50)) {
        others.push_back(alive[i]);
        continue;
      }
      free += alive[i].units;
      addBuffer(alive[i].units, decorated({alive[i].begin, steps + 1}));
    }
    alive = std::move(others);
    return free;
  }
  /// Gaps and wraps where they are wanted.
  std::vector<Interval> decorated(Interval life) {
    std::vector<Interval> spans = {life};
    if (has.gaps && life.length() > 2 && draw.chance(50))
      spans = {{life.begin, life.begin + 1}, {life.begin + 2, life.end}};
    if (has.cyclic && life.begin > 1 && draw.chance(50))
      spans.insert(spans.begin(), {0, draw.between(1, life.begin - 1)});
    return spans;
  }

  Interval span(int64_t low, int64_t high) {
    const int64_t begin = draw.between(low, high - 1);
    return {begin, draw.between(begin + 1, high)};
  }
  std::vector<Interval> life() {
    if (has.cyclic && draw.chance(35)) {
      const int64_t end = draw.between(1, steps - 2);
      return {{0, end}, {draw.between(end + 1, steps - 1), steps}};
    }
    std::vector<Interval> spans = {span(0, steps)};
    while (has.gaps && spans.size() < 3 && draw.chance(60))
      spans.push_back(span(0, steps));
    return normalize(std::move(spans));
  }

  void addAlias() {
    Alias alias;
    alias.root = draw.between(0, classes - 1);
    const Buffer &root = problem.buffers[size_t(alias.root)];
    Buffer member;
    member.name = "alias" + std::to_string(problem.aliases.size());
    member.alignment = draw.oneOf(alignments);
    alias.offsetBytes =
        draw.between(0, root.sizeBytes) / member.alignment * member.alignment;
    member.sizeBytes = draw.between(0, root.sizeBytes - alias.offsetBytes);
    const Interval within = draw.oneOf(root.lifespans);
    member.lifespans = {span(within.begin, within.end)};
    alias.member = BufferId(problem.buffers.size());
    problem.buffers.push_back(std::move(member));
    problem.aliases.push_back(alias);
  }

  /// An alias keeps its whole class away, which check() does not ask of pins:
  /// with pins there might be no packing.
  void addForbidden() {
    const BufferId last =
        has.pins ? classes - 1 : BufferId(problem.buffers.size()) - 1;
    const BufferId a = draw.between(0, last), b = draw.between(0, last);
    if (a != b)
      problem.forbiddenSharing.emplace_back(a, b);
  }

  /// Any buffer, aliases too; not when the pins cannot hold together.
  void tryPin() {
    Buffer &buffer = problem.buffers[size_t(
        draw.between(0, int64_t(problem.buffers.size()) - 1))];
    const int64_t unit = std::lcm(buffer.alignment, problem.pools[0].alignment);
    const std::optional<Pin> before = buffer.pin;
    buffer.pin = Pin{0, unit * draw.between(0, 20 * sizeUnit / unit)};
    if (!check(problem).empty())
      buffer.pin = before;
  }

  const Features has;
  Draw draw;
  const int64_t classes;
  int64_t steps = 0, sizeUnit = 1;
  struct Begun {
    int64_t units, begin;
  };
  std::vector<Begun> alive;
  std::vector<int64_t> alignments = {1};
  Problem problem;
};

} // namespace

Features Features::fromBits(unsigned bits) {
  return {(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
          (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0};
}

unsigned Features::bits() const {
  return unsigned(alignment) | unsigned(gaps) << 1 | unsigned(pins) << 2 |
         unsigned(aliases) << 3 | unsigned(forbidden) << 4 |
         unsigned(cyclic) << 5;
}

std::string Features::name() const {
  std::string text;
  for (const auto &[isOn, word] :
       {std::pair(alignment, "alignment"), std::pair(gaps, "gaps"),
        std::pair(pins, "pins"), std::pair(aliases, "aliases"),
        std::pair(forbidden, "forbidden"), std::pair(cyclic, "cyclic")})
    if (isOn)
      text += (text.empty() ? "" : "+") + std::string(word);
  return text.empty() ? "plain" : text;
}

Problem smallProblem(Features features, uint64_t seed, int64_t classes) {
  return Maker(features, seed, classes).make();
}

} // namespace tpu_mlir::planning
