//===- PassPlaces.cpp - Which levels of passes share a place --------------===//
//
// Threshold accepting (Dueck and Scheuer, 1990) from several beginnings: one to
// three levels move from the stack to the slots or back.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Woven/PassPlaces.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace tpu_mlir::planning {
namespace {

constexpr uint64_t kRounds = 6;
constexpr int64_t kMovesOfRound = 8'000;
/// Of the total: what a move may make worse at the begin and at the end.
constexpr int64_t kFirstShare = 100, kLastShare = 5'000;
/// Steps that are looked at in the time of a node.
constexpr int64_t kStepsOfNode = 48;
constexpr int64_t kNodesInARow = 16'384;

/// Sizes into holes; what finds none adds up.
class Holes {
public:
  Holes(HoleBytes bytes, const std::vector<int64_t> &sizes)
      : bytes(bytes), sizes(sizes) {}

  /// The least that is left over; from `most` on any number.
  int64_t leastLeft(int64_t most) {
    least = most;
    put(0, 0);
    return least;
  }

private:
  void put(size_t next, int64_t left) {
    if (left >= least)
      return;
    if (next == sizes.size()) {
      least = left;
      return;
    }
    const int64_t size = sizes[next];
    for (int64_t &hole : bytes)
      if (hole >= size) {
        hole -= size;
        put(next + 1, left);
        hole += size;
      }
    put(next + 1, left + size);
  }

  HoleBytes bytes;
  const std::vector<int64_t> &sizes;
  int64_t least = 0;
};

} // namespace

struct PassPlacesSearch::Draw {
  std::mt19937_64 random;
  size_t below(size_t end) { return size_t(random() % end); }
};

PassPlacesSearch::PassPlacesSearch(const PassPeriod &period)
    : period(period), loads(period) {
  const size_t steps = period.temporaries.size();
  for (const std::vector<int64_t> &sizes : period.temporaries)
    sums.push_back(std::accumulate(sizes.begin(), sizes.end(), int64_t(0)));
  order.resize(steps);
  std::iota(order.begin(), order.end(), size_t(0));
  const auto fullness = [&](size_t step) {
    return loads.keptBytes(step) + sums[step];
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return fullness(a) > fullness(b);
  });
  nodesOfLook = 1 + int64_t(steps) / kStepsOfNode;
}

int64_t PassPlacesSearch::freeBytes(int64_t stack, int64_t most) const {
  int64_t bytes = 0;
  for (size_t step : order) {
    if (bytes >= most)
      break;
    if (sums[step] <= bytes)
      continue;
    const HoleBytes holes = loads.holesAt(step, stack, {});
    if (sums[step] > *std::max_element(holes.begin(), holes.end()))
      bytes = std::max(
          bytes, Holes(holes, period.temporaries[step]).leastLeft(sums[step]));
  }
  return bytes;
}

PassPlaces PassPlacesSearch::total(int64_t below) const {
  PassPlaces places;
  const int64_t stack = loads.stackBytes();
  const int64_t sum =
      period.inFlight * stack + (period.inFlight + 1) * loads.slotBytes();
  if (sum < below) {
    places.freeBytes = freeBytes(stack, below - sum);
    places.totalBytes = sum + places.freeBytes;
  }
  return places;
}

void PassPlacesSearch::offer(const PassPlaces &places) {
  if (places.totalBytes >= best.totalBytes)
    return;
  best = places;
  best.isApart = loads.isApart();
}

bool PassPlacesSearch::mustStop() {
  nodeCount += nodesOfLook;
  if (nodeCount < nextLook)
    return isStopped;
  nextLook = nodeCount + kNodesInARow;
  isStopped |= nodeCount > lastNode || until->isOver();
  return isStopped;
}

/// The outermost levels in slots, so many as are best.
void PassPlacesSearch::startFromPrefixes() {
  loads.set(std::vector<bool>(period.levels.size()));
  offer(total(kMaxOffset));
  for (size_t level : loads.longLevels()) {
    if (mustStop())
      break;
    loads.flip(level);
    offer(total(best.totalBytes));
  }
  found.push_back(best);
}

void PassPlacesSearch::anneal(uint64_t round) {
  const std::vector<size_t> &longLevels = loads.longLevels();
  Draw draw{std::mt19937_64(round + 1)};
  // Every other round from anywhere.
  std::vector<bool> first = found.front().isApart;
  if (round % 2 == 1) {
    first.assign(first.size(), false);
    const size_t end = draw.below(longLevels.size() + 1);
    for (size_t i = draw.below(end + 1); i < end; ++i)
      first[longLevels[i]] = true;
  }
  loads.set(first);
  best = {};
  offer(total(kMaxOffset));
  int64_t now = best.totalBytes;
  const int64_t worst = now / kFirstShare, least = now / kLastShare;
  for (int64_t move = 0; move < kMovesOfRound && !mustStop(); ++move) {
    // Falls as the square of what is left.
    const int64_t left = kMovesOfRound - move;
    const int64_t slack =
        least + int64_t(double(worst) * double(left) * double(left) /
                        (double(kMovesOfRound) * double(kMovesOfRound)));
    std::array<size_t, 3> moved = {};
    const size_t count = 1 + draw.below(3);
    for (size_t i = 0; i < count; ++i) {
      moved[i] = longLevels[draw.below(longLevels.size())];
      loads.flip(moved[i]);
    }
    const int64_t below =
        now + 1 + int64_t(double(slack) * double(draw.below(1024)) / 1024.0);
    const PassPlaces places = total(below);
    if (places.totalBytes < below) {
      now = places.totalBytes;
      offer(places);
      continue;
    }
    for (size_t i = count; i-- > 0;)
      loads.flip(moved[i]);
  }
}

std::vector<PassPlaces> PassPlacesSearch::run(int64_t nodeLimit,
                                              const Deadline &deadline) {
  until = &deadline;
  lastNode = nodeLimit;
  nextLook = nodeCount;
  startFromPrefixes();
  for (uint64_t round = 0;
       round < kRounds && !loads.longLevels().empty() && !isStopped; ++round) {
    anneal(round);
    found.push_back(best);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const PassPlaces &a, const PassPlaces &b) {
                     return a.totalBytes < b.totalBytes;
                   });
  return std::move(found);
}

} // namespace tpu_mlir::planning
