//===- HoleChoice.cpp - In which hole what comes and goes stays -----------===//
//
// A bottleneck path through the choices of all steps: a state says which hole
// each of those alive is in, and knows the least that any way to it has had
// beside the holes.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/Woven/HoleChoice.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

constexpr uint32_t kBits = 3, kMask = 7;
constexpr uint32_t kBeside = 1 + HoleChoice::kHoles;
/// States of one answer; beyond that none is better.
constexpr int64_t kMostStates = 65'536;

} // namespace

HoleChoice::HoleChoice(const PassPeriod &period) {
  const size_t steps = period.temporaries.size();
  alive.resize(steps);
  sums.resize(steps);
  std::vector<PassPeriod::Temporary> sorted = period.passing;
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto &a, const auto &b) { return a.sizeBytes > b.sizeBytes; });
  std::vector<uint32_t> taken(steps); // By step: lanes.
  for (const PassPeriod::Temporary &temporary : sorted) {
    const auto first = taken.begin() + temporary.steps.begin,
               last = taken.begin() + temporary.steps.end;
    size_t lane = 0;
    while (lane < kLanes &&
           std::any_of(
               first, last,
               [&](uint32_t lanes) { return (lanes >> lane & 1) != 0; }))
      ++lane;
    if (lane == kLanes)
      continue;
    std::for_each(first, last,
                  [&](uint32_t &lanes) { lanes |= uint32_t(1) << lane; });
    for (int64_t step = temporary.steps.begin; step < temporary.steps.end;
         ++step) {
      alive[size_t(step)].push_back(list.size());
      sums[size_t(step)] += temporary.sizeBytes;
    }
    list.push_back(temporary);
    laneOf.push_back(lane);
  }
  addChains(steps);
}

void HoleChoice::addChains(size_t steps) {
  for (size_t step = 0; step < steps; ++step) {
    const bool isConnected =
        std::any_of(alive[step].begin(), alive[step].end(), [&](size_t id) {
          return list[id].steps.begin < int64_t(step);
        });
    if (!isConnected)
      chains.push_back({{int64_t(step), int64_t(step)}, 0});
    Chain &chain = chains.back();
    chain.steps.end = int64_t(step) + 1;
    chain.mostBytes = std::max(chain.mostBytes, sums[step]);
  }
  std::stable_sort(
      chains.begin(), chains.end(),
      [](const Chain &a, const Chain &b) { return a.mostBytes > b.mostBytes; });
}

/// No hole has room for all.
bool HoleChoice::needsChoice(const Chain &chain,
                             const std::vector<Holes> &holes) const {
  for (size_t hole = 0; hole < kHoles; ++hole) {
    int64_t step = chain.steps.begin;
    while (step < chain.steps.end &&
           sums[size_t(step)] <= holes[size_t(step)][hole])
      ++step;
    if (step == chain.steps.end)
      return false;
  }
  return true;
}

/// In each of the holes or beside them.
void HoleChoice::enter(size_t id, const Holes &holes) {
  next.clear();
  for (const State &state : states)
    for (uint32_t place = 1; place <= kBeside; ++place)
      if (place == kBeside || holes[place - 1] >= list[id].sizeBytes)
        next.push_back(
            {state.code | place << kBits * uint32_t(laneOf[id]), state.bytes});
  states.swap(next);
}

void HoleChoice::leave(size_t step) {
  uint32_t left = 0;
  for (size_t id : alive[step])
    if (list[id].steps.end == int64_t(step) + 1)
      left |= kMask << kBits * uint32_t(laneOf[id]);
  if (left == 0)
    return;
  for (State &state : states)
    state.code &= ~left;
  join();
}

/// Of the same choice the best one.
void HoleChoice::join() {
  std::sort(states.begin(), states.end(), [](const State &a, const State &b) {
    return std::tie(a.code, a.bytes) < std::tie(b.code, b.bytes);
  });
  states.erase(std::unique(states.begin(), states.end(),
                           [](const auto &a, const auto &b) {
                             return a.code == b.code;
                           }),
               states.end());
}

/// Leaves those that have room, with less than `most` beside.
void HoleChoice::check(size_t step, const Holes &holes, int64_t most) {
  const auto isBad = [&](State &state) {
    std::array<int64_t, kBeside + 1> bytes = {};
    for (size_t id : alive[step])
      bytes[state.code >> kBits * uint32_t(laneOf[id]) & kMask] +=
          list[id].sizeBytes;
    state.bytes = std::max(state.bytes, bytes[kBeside]);
    for (size_t hole = 0; hole < kHoles; ++hole)
      if (bytes[1 + hole] > holes[hole])
        return true;
    return state.bytes >= most;
  };
  nodeCount += int64_t(states.size());
  states.erase(std::remove_if(states.begin(), states.end(), isBad),
               states.end());
}

int64_t HoleChoice::bytesOf(const Chain &chain, const std::vector<Holes> &holes,
                            int64_t least, int64_t most) {
  states.assign(1, {0, least});
  for (int64_t step = chain.steps.begin; step < chain.steps.end; ++step) {
    const size_t at = size_t(step);
    for (size_t id : alive[at])
      if (list[id].steps.begin == step)
        enter(id, holes[at]);
    check(at, holes[at], most);
    if (states.empty() || nodeCount > lastNode)
      return most;
    leave(at);
  }
  int64_t bytes = most;
  for (const State &state : states)
    bytes = std::min(bytes, state.bytes);
  return bytes;
}

int64_t HoleChoice::bytesBeside(const std::vector<Holes> &holes, int64_t most) {
  int64_t bytes = 0;
  lastDeciding = {0, 0};
  lastNode = nodeCount + kMostStates;
  for (const Chain &chain : chains) {
    if (chain.mostBytes <= bytes || bytes >= most)
      break;
    if (!needsChoice(chain, holes))
      continue;
    const int64_t more = bytesOf(chain, holes, bytes, most);
    if (more > bytes) {
      bytes = more;
      lastDeciding = chain.steps;
    }
  }
  return bytes;
}

} // namespace tpu_mlir::planning
