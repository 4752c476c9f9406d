//===- PassPads.cpp - Places with room for what comes and goes ------------===//
//
// Threshold accepting as in PassPlaces.cpp. A pad makes a hole as large as some
// of what is alive where the total is decided:
//
//     slots, tracks  |aaaaaa__|pad|__bbbbb|   what a and b have not yet, or no
//                                             more, is one hole with the pad
//
// Tracks are for levels that are over before the next pass of their stack has
// them, innermost ones: at a step at which both are away the track is empty.
// Some rounds begin with all levels apart that are empty, or full, at a step
// that is among the fullest.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Woven/PassPads.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

constexpr int64_t kMovesOfRound = 8'000;
/// Moves that the rounds have more each time.
constexpr int64_t kTimesMore = 4;
/// Of the total: what a move may make worse at the begin and at the end.
constexpr int64_t kFirstShare = 100, kLastShare = 5'000;
/// One move in so many is about a pad.
constexpr size_t kPadEvery = 6;
/// Of the total: a pad is no larger.
constexpr int64_t kPadShare = 16;
/// Steps that are looked at in the time of a node.
constexpr int64_t kStepsOfNode = 48;
constexpr int64_t kNodesInARow = 16'384;
/// That rounds begin from.
constexpr size_t kFullSteps = 4;

} // namespace

struct PassPadsSearch::Move {
  std::array<size_t, 3> levels = {};
  size_t count = 0; ///< Of levels.
  HolePads pads;
};

PassPadsSearch::PassPadsSearch(const PassPeriod &period)
    : period(period), loads(period), choice(period),
      areTracksOfAll(loads.longLevels().empty()),
      holes(period.temporaries.size()) {
  nodesOfLook = 1 + int64_t(holes.size()) / kStepsOfNode;
}

int64_t PassPadsSearch::padBytes() const {
  return period.inFlight * pads.stack +
         padsOf(period.inFlight + 1) * pads.slot +
         padsOf(period.inFlight) * pads.track;
}

/// Of the state as it is; nothing at or above `below` is exact.
PassPlaces PassPadsSearch::total(int64_t below) {
  PassPlaces places;
  const int64_t stack = loads.stackBytes();
  const int64_t sum = period.inFlight * (stack + loads.trackBytes()) +
                      (period.inFlight + 1) * loads.slotBytes() + padBytes();
  if (sum >= below)
    return places;
  for (size_t step = 0; step < holes.size(); ++step)
    holes[step] = loads.holesAt(step, stack + pads.stack, pads);
  places.freeBytes = choice.bytesBeside(holes, below - sum);
  places.totalBytes = sum + places.freeBytes;
  places.pads = pads;
  return places;
}

void PassPadsSearch::offer(const PassPlaces &places) {
  if (places.totalBytes >= best.totalBytes)
    return;
  best = places;
  best.isApart = loads.isApart();
}

/// Bytes that are missing in a hole for some of what is alive; 0 often.
int64_t PassPadsSearch::drawPad(size_t hole) {
  if (deciding.empty() || below(4) == 0)
    return 0;
  const size_t step = size_t(deciding.begin) + below(size_t(deciding.length()));
  const int64_t stack = loads.stackBytes();
  int64_t missing = -loads.holesAt(step, stack, {})[hole];
  for (size_t id : choice.aliveAt(step))
    if (below(2) == 0)
      missing += choice.passing()[id].sizeBytes;
  return missing > 0 && missing < best.totalBytes / kPadShare ? missing : 0;
}

PassPadsSearch::Move PassPadsSearch::drawMove() {
  Move move;
  move.pads = pads;
  const size_t levels = period.levels.size();
  const bool isPad = below(kPadEvery) == 0;
  if (isPad) {
    const size_t hole = below(areTracksOfAll ? 5 : 4);
    (hole == 0   ? move.pads.stack
     : hole >= 3 ? move.pads.track
                 : move.pads.slot) = drawPad(hole);
  }
  move.count = isPad ? below(2) : 1 + below(3);
  for (size_t i = 0; i < move.count; ++i)
    move.levels[i] = below(levels);
  return move;
}

void PassPadsSearch::make(const Move &move) {
  for (size_t i = 0; i < move.count; ++i)
    loads.flip(move.levels[i]);
  pads = move.pads;
}

bool PassPadsSearch::mustStop() {
  nodeCount += nodesOfLook;
  if (nodes() < nextLook)
    return isStopped;
  nextLook = nodes() + kNodesInARow;
  isStopped |= nodes() > lastNode || until->isOver();
  return isStopped;
}

void PassPadsSearch::anneal(const PassPlaces &from, uint64_t round,
                            int64_t moves) {
  random.seed(round + 1);
  loads.set(from.isApart);
  pads = from.pads;
  best = {};
  offer(total(kMaxOffset));
  deciding = choice.decidingSteps();
  int64_t now = best.totalBytes;
  const int64_t worst = now / kFirstShare, least = now / kLastShare;
  for (int64_t step = 0; step < moves && !mustStop(); ++step) {
    // Falls as the square of what is left.
    const int64_t left = moves - step;
    const int64_t slack =
        least + int64_t(double(worst) * double(left) * double(left) /
                        (double(moves) * double(moves)));
    const Move move = drawMove();
    Move back = move;
    back.pads = pads;
    make(move);
    const int64_t limit =
        now + 1 + int64_t(double(slack) * double(below(1024)) / 1024.0);
    const PassPlaces places = total(limit);
    if (places.totalBytes < limit) {
      now = places.totalBytes;
      deciding = choice.decidingSteps();
      offer(places);
    } else {
      make(back);
    }
  }
}

/// Apart are levels that only two passes have less, or more, at that step, or
/// all of them.
PassPlaces PassPadsSearch::apartAt(size_t step, bool areAll) {
  PassPlaces places;
  const auto has = [&](Interval life) {
    return life.begin <= int64_t(step) && int64_t(step) < life.end;
  };
  int64_t largest = 0, empty = 0;
  for (size_t id : choice.aliveAt(step))
    largest = std::max(largest, choice.passing()[id].sizeBytes);
  for (const PassPeriod::Level &level : period.levels) {
    const bool isFresh = has(level.fresh), isOld = has(level.old);
    places.isApart.push_back(
        areAll || (level.isLong ? isFresh && isOld : !isFresh && !isOld));
    if (!level.isLong && !isFresh && !isOld)
      empty += level.sizeBytes;
  }
  places.pads.track = std::max<int64_t>(largest - empty, 0);
  return places;
}

std::vector<PassPlaces> PassPadsSearch::run(const std::vector<PassPlaces> &from,
                                            int64_t nodeLimit,
                                            const Deadline &deadline) {
  until = &deadline;
  lastNode = nodeLimit;
  nextLook = nodes();
  std::vector<PassPlaces> begins = from;
  std::vector<size_t> order(holes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  const auto fullness = [&](size_t step) {
    int64_t bytes = loads.keptBytes(step);
    for (size_t id : choice.aliveAt(step))
      bytes += choice.passing()[id].sizeBytes;
    return bytes;
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return fullness(a) > fullness(b);
  });
  order.resize(std::min(order.size(), kFullSteps));
  for (size_t step : order)
    begins.push_back(apartAt(step, /*areAll=*/false));
  for (size_t step : order)
    if (areTracksOfAll)
      begins.push_back(apartAt(step, /*areAll=*/true));
  std::vector<PassPlaces> found;
  // Again with more moves, as long as that is worth it.
  int64_t lowest = kMaxOffset, moves = kMovesOfRound;
  for (int time = 0; !isStopped; ++time, moves *= kTimesMore) {
    const int64_t before = lowest;
    for (size_t i = 0; i < begins.size() && !isStopped; ++i) {
      anneal(begins[i], uint64_t(time) * begins.size() + i, moves);
      found.push_back(best);
      lowest = std::min(lowest, best.totalBytes);
    }
    if (time > 0 && lowest >= before)
      break;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const PassPlaces &a, const PassPlaces &b) {
                     return a.totalBytes < b.totalBytes;
                   });
  return found;
}

} // namespace tpu_mlir::planning
