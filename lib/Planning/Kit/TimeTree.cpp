//===- TimeTree.cpp - Which bytes are taken at which time -----------------===//

#include "lib/Planning/Kit/TimeTree.h"

#include "lib/Planning/Kit/Placing.h"

#include <algorithm>

namespace tpu_mlir::planning {

void ByteSet::insert(Interval added) {
  if (added.empty())
    return;
  // The ranges that touch or overlap the new one are a run: [first, last).
  auto first = std::lower_bound(
      bytes.begin(), bytes.end(), added.begin,
      [](const Interval &range, int64_t begin) { return range.end < begin; });
  auto last = first;
  while (last != bytes.end() && last->begin <= added.end) {
    added.begin = std::min(added.begin, last->begin);
    added.end = std::max(added.end, last->end);
    ++last;
  }
  if (first == last) {
    bytes.insert(first, added);
    return;
  }
  *first = added;
  bytes.erase(first + 1, last);
}

TimeTree::TimeTree(const std::vector<Item> &items) : steps(stepsOf(items)) {
  leafCount = 1;
  while (leafCount + 1 < int64_t(steps.size()))
    leafCount *= 2;
  nodes.resize(size_t(2 * leafCount));
}

Interval TimeTree::leavesOf(const Interval &span) const {
  // The span need not begin or end at a step of the tree: any leaf of which it
  // covers a part counts.
  const auto after = std::upper_bound(steps.begin(), steps.end(), span.begin);
  const auto end = std::lower_bound(steps.begin(), steps.end(), span.end);
  return {std::max<int64_t>(after - steps.begin() - 1, 0), end - steps.begin()};
}

void TimeTree::insert(const Item &item, Interval bytes) {
  for (const Interval &span : item.lifespans)
    insert(0, {0, leafCount}, leavesOf(span), bytes);
}

void TimeTree::insert(size_t node, Interval stretch, Interval leaves,
                      Interval bytes) {
  if (!stretch.overlaps(leaves))
    return;
  nodes[node].touching.insert(bytes);
  if (leaves.contains(stretch)) {
    nodes[node].covering.insert(bytes);
    return;
  }
  const int64_t middle = stretch.begin + stretch.length() / 2;
  insert(2 * node + 1, {stretch.begin, middle}, leaves, bytes);
  insert(2 * node + 2, {middle, stretch.end}, leaves, bytes);
}

void TimeTree::clear() {
  for (Node &node : nodes) {
    node.covering.clear();
    node.touching.clear();
  }
}

std::vector<const ByteSet *> TimeTree::query(const Item &item) const {
  std::vector<const ByteSet *> sets;
  for (const Interval &span : item.lifespans)
    query(0, {0, leafCount}, leavesOf(span), sets);
  return sets;
}

void TimeTree::query(size_t node, Interval stretch, Interval leaves,
                     std::vector<const ByteSet *> &sets) const {
  if (!stretch.overlaps(leaves))
    return;
  const bool isInside = leaves.contains(stretch);
  const ByteSet &set = isInside ? nodes[node].touching : nodes[node].covering;
  if (!set.ranges().empty())
    sets.push_back(&set);
  if (isInside)
    return;
  const int64_t middle = stretch.begin + stretch.length() / 2;
  query(2 * node + 1, {stretch.begin, middle}, leaves, sets);
  query(2 * node + 2, {middle, stretch.end}, leaves, sets);
}

} // namespace tpu_mlir::planning
