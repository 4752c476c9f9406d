//===- Placing.cpp - What the strategies share ----------------------------===//

#include "lib/Planning/Kit/Placing.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {

int64_t totalLife(const Item &item) {
  int64_t steps = 0;
  for (const Interval &span : item.lifespans)
    steps += span.length();
  return steps;
}

std::vector<int64_t> stepsOf(const std::vector<Item> &items) {
  std::vector<int64_t> steps;
  for (const Item &item : items)
    for (const Interval &span : item.lifespans) {
      steps.push_back(span.begin);
      steps.push_back(span.end);
    }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::vector<std::vector<int64_t>> forbiddenPartners(const PackingProblem &p) {
  std::vector<std::vector<int64_t>> partners(p.items.size());
  for (const auto &[a, b] : p.forbiddenSharing) {
    partners[a].push_back(b);
    partners[b].push_back(a);
  }
  for (std::vector<int64_t> &list : partners)
    std::sort(list.begin(), list.end());
  return partners;
}

std::optional<int64_t> lowestFit(int64_t from, int64_t size, int64_t alignment,
                                 const std::vector<Interval> &blocked,
                                 int64_t limit) {
  std::optional<int64_t> at = checkedAlignUp(from, alignment);
  for (const Interval &range : blocked) {
    if (!at || *at > limit - size)
      return std::nullopt;
    if (range.overlaps({*at, *at + size}))
      at = checkedAlignUp(range.end, alignment);
  }
  if (!at || *at > limit - size)
    return std::nullopt;
  return at;
}

std::vector<Interval> pinnedBytes(const PackingProblem &problem) {
  std::vector<Interval> ranges;
  for (const Item &item : problem.items)
    if (item.pinOffset)
      ranges.push_back(bytesAt(*item.pinOffset, item));
  return normalize(std::move(ranges));
}

std::optional<int64_t> Bump::allocate(int64_t size, int64_t alignment) {
  size_t next = nextPinned;
  std::optional<int64_t> at = checkedAlignUp(top, alignment);
  while (at && checkedAdd(*at, size) && next < pinned.size() &&
         pinned[next].begin < *at + size) {
    if (pinned[next].end > *at)
      at = checkedAlignUp(pinned[next].end, alignment);
    ++next;
  }
  if (!at || !checkedAdd(*at, size))
    return std::nullopt;
  nextPinned = next;
  top = *at + size;
  return at;
}

bool stackOnTop(std::vector<int64_t> &offsets, const std::vector<size_t> &order,
                llvm::function_ref<Extent(size_t)> extentOf) {
  int64_t top = 0;
  for (size_t id = 0; id < offsets.size(); ++id)
    if (offsets[id] >= 0)
      top = std::max(top, offsets[id] + extentOf(id).sizeBytes);
  std::vector<int64_t> stacked;
  for (size_t id : order) {
    const Extent extent = extentOf(id);
    const auto at = checkedAlignUp(top, extent.alignment);
    if (!at || *at > kMaxOffset - extent.sizeBytes)
      return false;
    stacked.push_back(*at);
    top = *at + extent.sizeBytes;
  }
  for (size_t i = 0; i < order.size(); ++i)
    offsets[order[i]] = stacked[i];
  return true;
}

} // namespace tpu_mlir::planning
