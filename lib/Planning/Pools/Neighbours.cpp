//===- Neighbours.cpp - Who is alive at the same time ---------------------===//

#include "lib/Planning/Pools/Neighbours.h"

#include <algorithm>

namespace tpu_mlir::planning {

Neighbours::Neighbours(const Problem &problem,
                       const std::vector<StorageClass> &classes)
    : classes(classes) {
  for (size_t id = 0; id < classes.size(); ++id)
    if (classes[id].sizeBytes > 0)
      byBegin.push_back(id);
  std::sort(byBegin.begin(), byBegin.end(), [&](size_t a, size_t b) {
    return std::pair(hullOf(a).begin, a) < std::pair(hullOf(b).begin, b);
  });
  while (leafCount < byBegin.size())
    leafCount *= 2;
  lastEnd.assign(2 * leafCount, 0);
  for (size_t i = 0; i < byBegin.size(); ++i)
    lastEnd[leafCount + i] = hullOf(byBegin[i]).end;
  for (size_t node = leafCount - 1; node > 0; --node)
    lastEnd[node] = std::max(lastEnd[2 * node], lastEnd[2 * node + 1]);

  if (problem.forbiddenSharing.empty())
    return;
  std::vector<size_t> classOf(problem.buffers.size());
  for (size_t id = 0; id < classes.size(); ++id) {
    classOf[size_t(classes[id].root)] = id;
    for (BufferId member : classes[id].members)
      classOf[size_t(member)] = id;
  }
  partners.resize(classes.size());
  for (const auto &[first, second] : problem.forbiddenSharing) {
    const size_t a = classOf[size_t(first)], b = classOf[size_t(second)];
    if (a == b || classes[a].sizeBytes == 0 || classes[b].sizeBytes == 0)
      continue;
    partners[a].push_back(b);
    partners[b].push_back(a);
  }
}

std::vector<size_t> Neighbours::of(size_t id, int64_t &nodes) const {
  std::vector<size_t> found;
  if (classes[id].sizeBytes == 0)
    return found;
  collect(1, 0, leafCount, id, found, nodes);
  if (!partners.empty())
    found.insert(found.end(), partners[id].begin(), partners[id].end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Neighbours::collect(size_t node, size_t from, size_t to, size_t id,
                         std::vector<size_t> &found, int64_t &nodes) const {
  const Interval life = hullOf(id);
  if (lastEnd[node] <= life.begin || from >= byBegin.size() ||
      hullOf(byBegin[from]).begin >= life.end)
    return;
  if (to - from == 1) {
    ++nodes;
    const size_t other = byBegin[from];
    if (other != id &&
        anyOverlap(classes[id].lifespans, classes[other].lifespans))
      found.push_back(other);
    return;
  }
  const size_t middle = from + (to - from) / 2;
  collect(2 * node, from, middle, id, found, nodes);
  collect(2 * node + 1, middle, to, id, found, nodes);
}

} // namespace tpu_mlir::planning
