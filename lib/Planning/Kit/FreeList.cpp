//===- FreeList.cpp - Free bytes in address order -------------------------===//

#include "lib/Planning/Kit/FreeList.h"

#include "tpu_mlir/Support/Bytes.h"

namespace tpu_mlir::planning {

void FreeList::add(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  endOfBlock.emplace(begin, end);
  bySize.emplace(end - begin, begin);
}

void FreeList::remove(int64_t begin, int64_t end) {
  endOfBlock.erase(begin);
  bySize.erase({end - begin, begin});
}

std::optional<int64_t> FreeList::bestFit(int64_t size,
                                         int64_t alignment) const {
  for (auto it = bySize.lower_bound({size, 0}); it != bySize.end(); ++it) {
    const auto at = checkedAlignUp(it->second, alignment);
    if (at && *at - it->second <= it->first - size)
      return at;
  }
  return std::nullopt;
}

void FreeList::take(Interval bytes) {
  if (bytes.begin >= topOffset) {
    add(topOffset, bytes.begin);
    topOffset = bytes.end;
    return;
  }
  const auto block = std::prev(endOfBlock.upper_bound(bytes.begin));
  const auto [begin, end] = *block;
  remove(begin, end);
  add(begin, bytes.begin);
  add(bytes.end, end);
}

void FreeList::release(Interval bytes) {
  auto next = endOfBlock.lower_bound(bytes.begin);
  if (next != endOfBlock.end() && next->first == bytes.end) {
    const auto [begin, end] = *next;
    bytes.end = end;
    remove(begin, end);
  }
  next = endOfBlock.lower_bound(bytes.begin);
  if (next != endOfBlock.begin() && std::prev(next)->second == bytes.begin) {
    const auto [begin, end] = *std::prev(next);
    bytes.begin = begin;
    remove(begin, end);
  }
  if (bytes.end == topOffset)
    topOffset = bytes.begin;
  else
    add(bytes.begin, bytes.end);
}

} // namespace tpu_mlir::planning
