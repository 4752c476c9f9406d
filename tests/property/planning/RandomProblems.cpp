//===- RandomProblems.cpp - Legal problems of many kinds ------------------===//

#include "tests/property/planning/RandomProblems.h"

#include "tests/property/planning/Oracle.h"

#include <algorithm>
#include <set>

namespace tpu_mlir::planning {
namespace {

constexpr std::pair<Family, const char *> kFamilies[] = {
    {Family::Random, "Random"},
    {Family::Network, "Network"},
    {Family::Gaps, "Gaps"},
    {Family::Cyclic, "Cyclic"},
    {Family::Alignments, "Alignments"},
    {Family::Pins, "Pins"},
    {Family::Aliases, "Aliases"},
    {Family::Forbidden, "Forbidden"},
    {Family::ZeroSizes, "ZeroSizes"},
    {Family::Pools, "Pools"},
    {Family::Tight, "Tight"},
    {Family::Huge, "Huge"},
    {Family::Memories, "Memories"},
    {Family::Everything, "Everything"}};

class Maker {
public:
  Maker(Family family, uint64_t seed, int64_t count)
      : family(family), draw(seed * 1000003 + uint64_t(family)), count(count) {}

  Problem make() {
    problem.name = familyName(family) + " problem";
    if (family == Family::Memories)
      chooseParts();
    family == Family::Memories ? makeMemories() : makePools();
    if (family == Family::Network)
      makeNetwork();
    else
      makeBuffers();
    if (has(Family::Aliases))
      addAliases();
    if (has(Family::Forbidden))
      addForbidden();
    if (has(Family::Pins))
      addPins();
    if (family == Family::Tight)
      limitCapacity();
    return std::move(problem);
  }

private:
  /// Families that are parts of "Everything" mix there.
  bool has(Family part) {
    if (family == Family::Memories)
      return parts.count(part) > 0;
    return family == part || family == Family::Everything;
  }
  /// Few of them at a time, so that some problems are simple.
  void chooseParts() {
    for (Family part : {Family::Gaps, Family::Alignments, Family::Pins,
                        Family::Aliases, Family::Forbidden, Family::ZeroSizes})
      if (draw.chance(25))
        parts.insert(part);
  }

  void makePools() {
    const int64_t pools = has(Family::Pools) ? draw.between(2, 3) : 1;
    for (int64_t i = 0; i < pools; ++i) {
      Pool pool;
      pool.name = "pool" + std::to_string(i);
      pool.baseAddress = i << 40;
      pool.alignment = has(Family::Alignments) ? alignment() : 1;
      // The last pool has no limit, so a choice always leads somewhere.
      if (i + 1 < pools)
        pool.capacityBytes = draw.between(1, 2000);
      problem.pools.push_back(pool);
    }
  }

  void makeMemories() {
    const int64_t pools = draw.between(1, 4);
    for (int64_t i = 0; i < pools; ++i) {
      Pool pool;
      pool.name = "memory" + std::to_string(i);
      pool.baseAddress = i << 40;
      pool.alignment = has(Family::Alignments) ? alignment() : 1;
      if (draw.chance(i + 1 < pools ? 95 : 60))
        pool.capacityBytes = draw.between(1, 20 * count);
      pool.accessCost = draw.between(0, 4);
      if (i > 0 && draw.chance(25))
        pool.access = PoolAccess::ReadOnly;
      for (int64_t at = 0; draw.chance(35);) {
        const int64_t begin = at + draw.between(0, 10 * count);
        at = begin + draw.between(1, 40);
        pool.reserved.push_back({begin, at});
      }
      problem.pools.push_back(pool);
    }
  }
  /// Any of them in any order; what may not be there comes as an extra.
  void chooseMemories(Buffer &buffer) {
    if (draw.chance(60))
      buffer.accesses = draw.between(0, 9);
    buffer.pools.clear();
    for (PoolId pool = 0; pool < PoolId(problem.pools.size()); ++pool)
      if (draw.chance(60))
        buffer.pools.insert(buffer.pools.begin() +
                                draw.between(0, int64_t(buffer.pools.size())),
                            pool);
    if (std::none_of(buffer.pools.begin(), buffer.pools.end(), [&](PoolId p) {
          return mayHold(problem.pools[p], buffer);
        }))
      buffer.pools = {0};
  }

  int64_t alignment() {
    return draw.oneOf<int64_t>({1, 2, 3, 8, 12, 16, 64, 100, 4096});
  }

  int64_t size() {
    if (has(Family::ZeroSizes) && draw.chance(25))
      return 0;
    if (family == Family::Huge)
      return draw.between(1, int64_t(6) << 30);
    const int64_t percentSmall = family == Family::Memories ? 90 : 50;
    return draw.chance(percentSmall) ? draw.between(1, 40)
                                     : draw.between(1, 600);
  }

  void makeBuffers() {
    steps = draw.between(3, std::max<int64_t>(count, 4));
    if (family == Family::Cyclic)
      problem.period = steps;
    for (int64_t i = 0; i < count; ++i) {
      Buffer buffer;
      buffer.name = "b" + std::to_string(i);
      buffer.kind = BufferKind(draw.between(0, 4));
      buffer.sizeBytes = size();
      buffer.lifespans = life();
      if (has(Family::Alignments))
        buffer.alignment = alignment();
      if (draw.chance(50))
        buffer.readSteps = readsIn(buffer.lifespans);
      choosePools(buffer);
      problem.buffers.push_back(std::move(buffer));
    }
  }

  Interval span(int64_t low, int64_t high) {
    const int64_t begin = draw.between(low, high - 1);
    const int64_t longest = draw.chance(70) ? 4 : high;
    return {begin, draw.between(begin + 1, std::min(high, begin + longest))};
  }

  std::vector<Interval> life() {
    if (family == Family::Cyclic && draw.chance(40)) {
      const int64_t end = draw.between(1, steps - 1);
      const int64_t begin = draw.between(end, steps - 1);
      return {{0, end}, {begin, steps}};
    }
    if (!has(Family::Gaps))
      return {span(0, steps)};
    std::vector<Interval> spans;
    for (int64_t i = draw.between(1, 4); i > 0; --i)
      spans.push_back(span(0, steps));
    return normalize(spans);
  }

  std::vector<int64_t> readsIn(const std::vector<Interval> &spans) {
    std::vector<int64_t> reads;
    for (int64_t i = draw.between(1, 3); i > 0; --i) {
      const Interval &span = draw.oneOf(spans);
      reads.push_back(draw.between(span.begin, span.end - 1));
    }
    std::sort(reads.begin(), reads.end());
    return reads;
  }

  void choosePools(Buffer &buffer) {
    if (family == Family::Memories)
      return chooseMemories(buffer);
    const PoolId last = PoolId(problem.pools.size()) - 1;
    buffer.pools = {last};
    if (last > 0 && draw.chance(60))
      buffer.pools = {draw.between(0, last - 1), last};
  }

  /// Step t runs op t: it reads results of earlier ops and makes result t.
  void makeNetwork() {
    for (int64_t t = 0; t < count; ++t) {
      Buffer buffer;
      buffer.name = "v" + std::to_string(t);
      buffer.sizeBytes = 64 * draw.between(1, 64);
      buffer.alignment = 64;
      for (int64_t reader = t + 1; reader < count; ++reader)
        if (reader == t + 1 ? draw.chance(90) : draw.chance(4))
          buffer.readSteps.push_back(reader);
      const int64_t last =
          buffer.readSteps.empty() ? t : buffer.readSteps.back();
      buffer.lifespans = {{t, last + 1}};
      problem.buffers.push_back(std::move(buffer));
    }
  }

  void addAliases() {
    const int64_t roots = BufferId(problem.buffers.size());
    for (int64_t i = roots / 3; i > 0; --i) {
      Alias alias;
      alias.root = draw.between(0, roots - 1);
      const Buffer &root = problem.buffers[alias.root];
      Buffer member;
      member.name = "alias" + std::to_string(i);
      member.kind = family == Family::Memories ? root.kind : member.kind;
      member.pools = root.pools;
      member.alignment = draw.chance(50) ? 1 : root.alignment;
      alias.offsetBytes =
          draw.between(0, root.sizeBytes) / member.alignment * member.alignment;
      member.sizeBytes = draw.between(0, root.sizeBytes - alias.offsetBytes);
      const Interval within = draw.oneOf(root.lifespans);
      member.lifespans = {span(within.begin, within.end)};
      alias.member = BufferId(problem.buffers.size());
      problem.buffers.push_back(std::move(member));
      problem.aliases.push_back(alias);
    }
  }

  void addForbidden() {
    const BufferId last = BufferId(problem.buffers.size()) - 1;
    for (int64_t i = last / 2; i > 0; --i) {
      const BufferId a = draw.between(0, last), b = draw.between(0, last);
      if (a != b)
        problem.forbiddenSharing.emplace_back(a, b);
    }
  }

  /// Pins some buffers where no pinned one alive at the same time has bytes;
  /// the oracle says so for a plan of the pinned buffers alone.
  void addPins() {
    for (size_t id = 0; id < problem.buffers.size(); ++id) {
      const bool isMember =
          std::any_of(problem.aliases.begin(), problem.aliases.end(),
                      [&](const Alias &a) { return a.member == BufferId(id); });
      if (isMember || !draw.chance(25))
        continue;
      Buffer &buffer = problem.buffers[id];
      const PoolId pool = buffer.pools.back();
      const int64_t unit = buffer.alignment * problem.pools[pool].alignment;
      buffer.pin = Pin{pool, unit * draw.between(0, 1 + 1500 / unit)};
      for (const Alias &alias : problem.aliases)
        if (alias.root == BufferId(id) &&
            buffer.alignment % problem.buffers[alias.member].alignment)
          buffer.pin.reset();
      if (buffer.pin && !check(problem).empty())
        buffer.pin.reset();
    }
  }

  void limitCapacity() {
    const int64_t sum = plainLiveSum(problem, 0);
    problem.pools[0].capacityBytes = draw.between(sum * 8 / 10, sum * 13 / 10);
  }

  Family family;
  std::set<Family> parts; ///< Of "Memories".
  Draw draw;
  int64_t count;
  int64_t steps = 0;
  Problem problem;
};

} // namespace

std::vector<Family> allFamilies() {
  std::vector<Family> families;
  for (const auto &[family, name] : kFamilies)
    families.push_back(family);
  return families;
}

std::string familyName(Family family) {
  for (const auto &[known, name] : kFamilies)
    if (known == family)
      return name;
  return "unknown";
}

Problem randomProblem(Family family, uint64_t seed, int64_t buffers) {
  return Maker(family, seed, buffers).make();
}

} // namespace tpu_mlir::planning
