//===- LmemProblem.cpp - What is asked of a lane --------------------------===//

#include "tpu_mlir/LayerPlanning/LmemPlacement.h"

namespace tpu_mlir::layer {

bool BankPair::operator==(const BankPair &o) const {
  return first == o.first && second == o.second && cost == o.cost;
}

bool BankConflicts::operator==(const BankConflicts &o) const {
  return count == o.count && cost == o.cost;
}

bool LmemProblem::operator==(const LmemProblem &o) const {
  return planning::Problem::operator==(o) && banks == o.banks &&
         bankPairs == o.bankPairs;
}

void LmemProblem::setLane(int64_t laneBytes, int64_t numBanks,
                          int64_t euBytes) {
  pools = {{"lane", 0, laneBytes, euBytes}};
  banks = numBanks;
}

void LmemProblem::setChip(const target::ChipSpec &chip) {
  setLane(chip.laneBytes, chip.banks, chip.euBytes);
}

planning::BufferId LmemProblem::add(std::string name, int64_t sizeBytes,
                                    std::vector<Interval> lifespans) {
  planning::Buffer &buffer = buffers.emplace_back();
  buffer.name = std::move(name);
  buffer.sizeBytes = sizeBytes;
  buffer.lifespans = std::move(lifespans);
  return planning::BufferId(buffers.size()) - 1;
}

std::vector<Interval> circularLife(int64_t start, int64_t rows,
                                   int64_t period) {
  if (rows >= period)
    return {{0, period}};
  const int64_t begin = start % period, end = begin + rows;
  if (end <= period)
    return {{begin, end}};
  return {{0, end - period}, {begin, period}};
}

void putInPlace(LmemProblem &problem,
                const std::vector<planning::BufferId> &below) {
  // Of each buffer the first of its chain, once that is known.
  std::vector<planning::BufferId> roots(below.size(), -1);
  for (size_t id = 0; id < below.size(); ++id) {
    planning::BufferId root = planning::BufferId(id);
    while (roots[root] < 0 && below[root] >= 0)
      root = below[root];
    if (roots[root] >= 0)
      root = roots[root];
    // All on the way have the same one.
    for (planning::BufferId at = planning::BufferId(id);
         at >= 0 && roots[at] < 0; at = below[at])
      roots[at] = root;
    if (root == planning::BufferId(id))
      continue;
    problem.aliases.push_back({planning::BufferId(id), root, 0});
    std::vector<Interval> &lives = problem.buffers[root].lifespans;
    const std::vector<Interval> &own = problem.buffers[id].lifespans;
    lives.insert(lives.end(), own.begin(), own.end());
  }
  for (const planning::Alias &alias : problem.aliases) {
    std::vector<Interval> &lives = problem.buffers[alias.root].lifespans;
    lives = normalize(std::move(lives));
  }
}

} // namespace tpu_mlir::layer
