//===- WovenPasses.cpp - Every pass of training at the places of another --===//
//
// Training with several micro-batches in flight weaves passes into each other:
// while one frees what it kept, innermost level first, another one keeps its
// own, outermost level first (PipeDream, SOSP 2019). All passes are alike, so a
// level can lie at the same place in every pass of the same *track*, and only
// one period has to be planned. A level has one of two kinds of place:
//
// * The stack of its track, of which there are as many as passes in flight. A
//   pass grows into it from one end while the one before is freed from the
//   other; in between is one hole. Then ends change.
//
//     bytes |aaaa______dddd     b grows up while a shrinks, b shrinks while
//       ^   |aaaaaa  ddddd      c grows down
//           |aaaaa  dddd
//           |___  bbbbbbb  d
//           |__ bbbbbbbbbb dd
//           |_bbbbbbbbbbbbb_ddd_> steps
//
// * A slot of its own, one more than there are stacks: for outermost levels,
//   which begin a pass before those of its track are over. Where they do not
//   pay, each stack would have to be higher.
//
// What comes and goes fills the hole of the stack, the slot that is not full,
// and bytes that are kept free for it. Which levels go where a search decides
// (PassPlaces.h), by the sizes of these holes at each step of a period. What
// stays for ever lies at the bottom. What comes and goes is packed by first
// fit, largest first, around it all, with the three kinds of place in any order
// from the bottom up.
//
// Where that is above the bound, a second search goes on from what the first
// one found (PassPads.h), with a node limit of its own. It minds that nothing
// can move while it lives, which the first one does not, and it has two more
// ways to make room: pads, and tracks for levels that would be in stacks.
//
// Passes need not be woven: where a forward pass ends before the oldest one
// goes backward, a period begins with the latter, and the next pass grows into
// the place that this one has left.
//
// It takes passes of equal shape, without pins, reserved bytes and forbidden
// pairs; else nothing is tried. O(n log n + search + first fits). A node is one
// of the search or of FirstFit.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Woven/WovenPasses.h"

#include "lib/Planning/Strategies/LifeBreaks.h"
#include "lib/Planning/Strategies/Woven/PassPads.h"
#include "lib/Planning/Strategies/Woven/Passes.h"
#include "lib/Planning/Strategies/Woven/Refit.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tpu_mlir::planning {
namespace {

/// In a period; beyond that a search would take too long.
constexpr size_t kMostSteps = 8'192;
/// At a step of a period: the smaller ones find room.
constexpr size_t kMostTemporaries = 6;
/// In a period, of steps and what is alive there.
constexpr size_t kMostAlive = 64;

/// Of the node limit, one in so many for each of the two searches.
constexpr int64_t kShareOfPlaces = 4, kShareOfPads = 2;
/// That are packed, of those that a search has found.
constexpr size_t kMostPlaces = 3;

/// Of sizes that are rounded up, and as often as places are counted.
constexpr int64_t kMostBytes = int64_t(1) << 56;

/// What is kept and what is not.
struct Kinds {
  Passes passes;
  std::vector<size_t> temporaries;
  int64_t alignment = 1;
};

class Layout {
public:
  Layout(const std::vector<Item> &items, Kinds &kinds)
      : items(items), kinds(kinds), passes(kinds.passes) {}

  /// nullopt: no period is like the others, or there are too many steps.
  std::optional<PassPeriod> period() const {
    // The first pass backward may make what stays.
    const size_t middle =
        std::max(std::min(passes.inFlight + 1, passes.list.size() - 2),
                 passes.list.size() / 2);
    if (middle + 1 >= passes.list.size())
      return std::nullopt;
    const Interval span = {beginOf(middle), beginOf(middle + 1)};
    const std::vector<int64_t> steps = stepsIn(span);
    if (steps.empty() || steps.size() > kMostSteps)
      return std::nullopt;
    PassPeriod result;
    result.inFlight = int64_t(passes.inFlight);
    const auto placeOf = [&](int64_t step) { return placeIn(steps, step); };
    for (size_t level = 0; level < levels(); ++level) {
      const Interval fresh = lifeOf(middle, level);
      const Interval old = lifeOf(middle - passes.inFlight, level);
      result.levels.push_back({sizeOf(passes.list.front()[level]),
                               {placeOf(fresh.begin), placeOf(fresh.end)},
                               {placeOf(old.begin), placeOf(old.end)},
                               passes.isLong[level]});
    }
    if (!addTemporaries(result, span, steps))
      return std::nullopt;
    return result;
  }

  /// Levels in slots, stacks and free bytes, from the bottom up.
  using Arrangement = std::array<int, 3>;

  /// Offsets of what is kept, -1 of the others; and where all places end.
  std::pair<std::vector<int64_t>, int64_t>
  placed(const PassPlaces &places, const Arrangement &arrangement) const {
    std::vector<int64_t> offsets(items.size(), -1);
    int64_t top = 0;
    for (size_t id : passes.rest) {
      offsets[id] = top;
      top += sizeOf(id);
    }
    const std::vector<int64_t> below = bytesBelow(places);
    const int64_t stack = stackBytes(places, below) + places.pads.stack;
    for (int kind : arrangement)
      if (kind == 0) {
        top = placeApart(places, Place::Slot, below, top, offsets);
        top = placeApart(places, Place::Track, below, top, offsets);
      } else if (kind == 1)
        top = placeStacks(places, below, stack, top, offsets);
      else
        top += places.freeBytes;
    return {std::move(offsets), top};
  }

private:
  enum class Place { Stack, Slot, Track };

  size_t levels() const { return passes.list.front().size(); }
  Place placeOf(const PassPlaces &places, size_t level) const {
    return !places.isApart[level] ? Place::Stack
           : passes.isLong[level] ? Place::Slot
                                  : Place::Track;
  }
  Interval lifeOf(size_t pass, size_t level) const {
    return items[passes.list[pass][level]].lifespans.front();
  }
  int64_t sizeOf(size_t id) const {
    return *checkedAlignUp(items[id].sizeBytes, kinds.alignment);
  }

  /// When the place of the pass begins to change: it begins, or the one before
  /// it there begins to be freed.
  int64_t beginOf(size_t pass) const {
    return std::min(lifeOf(pass, 0).begin,
                    lifeOf(pass - passes.inFlight, levels() - 1).end);
  }

  static int64_t placeIn(const std::vector<int64_t> &steps, int64_t step) {
    return std::lower_bound(steps.begin(), steps.end(), step) - steps.begin();
  }

  std::vector<int64_t> stepsIn(Interval span) const {
    std::vector<int64_t> steps;
    for (const Item &item : items)
      for (const Interval &life : item.lifespans)
        for (int64_t step : {life.begin, life.end})
          if (span.begin <= step && step < span.end)
            steps.push_back(step);
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
  }

  bool addTemporaries(PassPeriod &period, Interval span,
                      const std::vector<int64_t> &steps) const {
    period.temporaries.resize(steps.size());
    size_t left = steps.size() * kMostAlive;
    for (size_t id : kinds.temporaries)
      for (const Interval &life : items[id].lifespans) {
        if (items[id].sizeBytes == 0 || life.end <= span.begin ||
            life.begin >= span.end)
          continue;
        const Interval places = {placeIn(steps, life.begin),
                                 placeIn(steps, life.end)};
        if (left < size_t(places.length()))
          return false;
        left -= size_t(places.length());
        period.passing.push_back({sizeOf(id), places});
        for (int64_t place = places.begin; place < places.end; ++place)
          period.temporaries[size_t(place)].push_back(sizeOf(id));
      }
    for (std::vector<int64_t> &sizes : period.temporaries) {
      std::sort(sizes.begin(), sizes.end(), std::greater<int64_t>());
      sizes.resize(std::min(sizes.size(), kMostTemporaries));
    }
    return true;
  }

  /// By level, and at the end of all: of the levels before it of its kind.
  std::vector<int64_t> bytesBelow(const PassPlaces &places) const {
    std::vector<int64_t> below;
    std::array<int64_t, 3> sums = {};
    for (size_t level = 0; level < levels(); ++level) {
      int64_t &sum = sums[size_t(placeOf(places, level))];
      below.push_back(sum);
      sum += sizeOf(passes.list.front()[level]);
    }
    return below;
  }

  /// The most that a pass and the next one of its track have on their stack.
  int64_t stackBytes(const PassPlaces &places,
                     const std::vector<int64_t> &below) const {
    int64_t most = 0;
    for (size_t pass = 0; pass < passes.list.size(); ++pass) {
      // The levels of the pass before that are still there.
      const bool isFirst = pass < passes.inFlight;
      size_t alive = isFirst ? 0 : levels();
      for (size_t level = 0; level < levels(); ++level) {
        if (places.isApart[level])
          continue;
        while (alive > 0 && (places.isApart[alive - 1] ||
                             lifeOf(pass - passes.inFlight, alive - 1).end <=
                                 lifeOf(pass, level).begin))
          --alive;
        most = std::max(most, topOf(level, below) +
                                  (alive > 0 ? topOf(alive - 1, below) : 0));
      }
    }
    return most;
  }
  int64_t topOf(size_t level, const std::vector<int64_t> &below) const {
    return below[level] + sizeOf(passes.list.front()[level]);
  }

  /// Slots or tracks. With a pad two of them face each other.
  int64_t placeApart(const PassPlaces &places, Place kind,
                     const std::vector<int64_t> &below, int64_t base,
                     std::vector<int64_t> &offsets) const {
    int64_t bytes = 0;
    for (size_t level = 0; level < levels(); ++level)
      if (placeOf(places, level) == kind)
        bytes = topOf(level, below);
    const size_t count = passes.inFlight + (kind == Place::Slot ? 1 : 0);
    const int64_t pad =
        kind == Place::Slot ? places.pads.slot : places.pads.track;
    for (size_t pass = 0; pass < passes.list.size(); ++pass) {
      const size_t place = pass % count;
      const int64_t begin =
          base + int64_t(place) * bytes + padsOf(int64_t(place)) * pad;
      const bool isUpward = pad == 0 || place % 2 == 0;
      for (size_t level = 0; level < levels(); ++level)
        if (placeOf(places, level) == kind)
          offsets[passes.list[pass][level]] =
              isUpward ? begin + below[level]
                       : begin + bytes - topOf(level, below);
    }
    return base + int64_t(count) * bytes + padsOf(int64_t(count)) * pad;
  }

  int64_t placeStacks(const PassPlaces &places,
                      const std::vector<int64_t> &below, int64_t stack,
                      int64_t base, std::vector<int64_t> &offsets) const {
    for (size_t pass = 0; pass < passes.list.size(); ++pass) {
      const int64_t begin = base + int64_t(pass % passes.inFlight) * stack;
      const bool isUpward = pass / passes.inFlight % 2 == 0;
      for (size_t level = 0; level < levels(); ++level)
        if (!places.isApart[level])
          offsets[passes.list[pass][level]] =
              isUpward ? begin + below[level]
                       : begin + stack - topOf(level, below);
    }
    return base + int64_t(passes.inFlight) * stack;
  }

  const std::vector<Item> &items;
  const Kinds &kinds;
  const Passes &passes;
};

/// Lives of [from, below) steps that end before `end` are those of passes, the
/// other ones that are not short stay.
std::optional<Kinds> kindsOf(const std::vector<Item> &items, int64_t from,
                             int64_t below, int64_t end) {
  Kinds kinds;
  std::vector<size_t> kept, staying;
  double bytes = 0;
  for (size_t id = 0; id < items.size(); ++id) {
    const int64_t life = items[id].sizeBytes > 0 ? totalLife(items[id]) : 0;
    bytes += life >= from ? double(items[id].sizeBytes) : 0;
    (life < from                                   ? kinds.temporaries
     : life < below && hullOf(items[id]).end < end ? kept
                                                   : staying)
        .push_back(id);
    kinds.alignment = std::max(kinds.alignment, items[id].alignment);
  }
  for (const Item &item : items)
    if (kinds.alignment % item.alignment != 0)
      return std::nullopt;
  if (bytes + double(kinds.alignment) * double(items.size()) >
      double(kMostBytes))
    return std::nullopt;
  std::optional<Passes> passes = passesOf(items, std::move(kept));
  if (!passes)
    return std::nullopt;
  kinds.passes = std::move(*passes);
  kinds.passes.rest.insert(kinds.passes.rest.end(), staying.begin(),
                           staying.end());
  return kinds;
}

std::optional<Kinds> kindsOf(const PackingProblem &problem) {
  if (!problem.forbiddenSharing.empty())
    return std::nullopt;
  for (const Item &item : problem.items)
    if (item.pinOffset)
      return std::nullopt;
  const std::vector<int64_t> breaks = lifeBreaks(problem.items);
  // What is there until the end of all may be no longer than few passes.
  int64_t last = 0;
  for (const Item &item : problem.items)
    last = std::max(last, hullOf(item).end);
  for (int64_t end : {kMaxOffset, last})
    for (int64_t from : breaks) {
      int64_t below = kMaxOffset;
      for (int64_t other : breaks)
        if (other > from)
          below = std::min(below, other);
      if (auto kinds = kindsOf(problem.items, from, below, end))
        return kinds;
    }
  return std::nullopt;
}

/// First fits of what comes and goes, around what is kept.
class Filling {
public:
  Filling(const PackingProblem &problem, const SolveOptions &options,
          BestOrder &orders, Kinds &kinds)
      : problem(problem), options(options), orders(orders), kinds(kinds),
        priority(problem.items.size()) {}

  /// What ends above `top` is put elsewhere, and comes earlier next time.
  void offer(const std::vector<int64_t> &known, int64_t top) {
    std::fill(priority.begin(), priority.end(), 0);
    for (int time = 0; time < kTimes && mayGoOn(top); ++time) {
      sort();
      auto offsets = orders.offerAround(known, kinds.temporaries);
      if (!offsets)
        return;
      const std::vector<size_t> high = highOnes(*offsets, top);
      for (size_t id : high)
        ++priority[id];
      if (high.size() <= kMostHigh)
        putElsewhere(high, *offsets, top);
    }
  }
  bool mayGoOn(int64_t top) const {
    return orders.canGoOn() && top < orders.knownBytes();
  }

private:
  std::vector<size_t> highOnes(const std::vector<int64_t> &offsets,
                               int64_t top) const {
    std::vector<size_t> high;
    for (size_t id : kinds.temporaries)
      if (offsets[id] + problem.items[id].sizeBytes > top)
        high.push_back(id);
    return high;
  }

  /// Ends with the first one that finds no place.
  void putElsewhere(const std::vector<size_t> &high,
                    std::vector<int64_t> &offsets, int64_t top) {
    Refit refit(problem.items, kinds.temporaries, offsets, top);
    int64_t nodes = 0;
    for (size_t id : high) {
      if (options.deadline.isOver() ||
          (offsets[id] + problem.items[id].sizeBytes > top && !refit.run(id)))
        break;
      nodes += int64_t(problem.items.size()) / kItemsOfNode;
    }
    orders.count(nodes + refit.nodes());
    orders.offerPacked(offsets);
  }

  void sort() {
    const auto keyOf = [&](size_t id) {
      const Item &item = problem.items[id];
      return std::make_tuple(-priority[id], -item.sizeBytes, hullOf(item).begin,
                             id);
    };
    std::sort(kinds.temporaries.begin(), kinds.temporaries.end(),
              [&](size_t a, size_t b) { return keyOf(a) < keyOf(b); });
  }

  static constexpr int kTimes = 3;
  /// More are not worth the time.
  static constexpr size_t kMostHigh = 1'000;
  static constexpr int64_t kItemsOfNode = 16;

  const PackingProblem &problem;
  const SolveOptions &options;
  BestOrder &orders;
  Kinds &kinds;
  std::vector<int> priority; ///< By item.
};

} // namespace

void offerWovenPasses(const PackingProblem &problem,
                      const SolveOptions &options, BestOrder &orders) {
  std::optional<Kinds> kinds = kindsOf(problem);
  if (!kinds)
    return;
  const Layout layout(problem.items, *kinds);
  const std::optional<PassPeriod> period = layout.period();
  if (!period)
    return;
  Filling filling(problem, options, orders, *kinds);
  const auto offer = [&](const std::vector<PassPlaces> &found) {
    for (size_t i = 0; i < std::min(found.size(), kMostPlaces); ++i) {
      Layout::Arrangement arrangement = {0, 1, 2};
      do {
        const auto [offsets, top] = layout.placed(found[i], arrangement);
        filling.offer(offsets, top);
        if (!filling.mayGoOn(top))
          break;
      } while (std::next_permutation(arrangement.begin(), arrangement.end()));
    }
  };
  PassPlacesSearch search(*period);
  const std::vector<PassPlaces> found =
      search.run(options.nodeLimit / kShareOfPlaces, options.deadline);
  orders.count(search.nodes());
  offer(found);
  orders.startLimit();
  if (!orders.canGoOn())
    return;
  PassPadsSearch pads(*period);
  const std::vector<PassPlaces> padded =
      pads.run(found, options.nodeLimit / kShareOfPads, options.deadline);
  orders.count(pads.nodes());
  offer(padded);
}

} // namespace tpu_mlir::planning
