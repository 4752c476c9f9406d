//===- MemoryMap.cpp - Maintain who owns which bytes ----------------------===//
//
// An ordered map of segments; writing splits and merges them.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/MemoryMap.h"

#include <algorithm>
#include <iterator>

namespace tpu_mlir::verify_addresses {

/// Makes `address` the border of two segments when it lies inside one.
void MemoryMap::cutAt(int64_t address) {
  auto next = segments.upper_bound(address);
  if (next == segments.begin())
    return;
  auto holder = std::prev(next);
  Segment &left = holder->second;
  if (holder->first == address || left.end <= address)
    return;
  Segment right{left.end, left.owner,
                left.ownerOffset + (address - holder->first)};
  left.end = address;
  segments.emplace_hint(next, address, right);
}

void MemoryMap::forget(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  cutAt(begin);
  cutAt(end);
  segments.erase(segments.lower_bound(begin), segments.lower_bound(end));
}

void MemoryMap::write(int64_t address, const Piece &piece) {
  if (piece.length <= 0)
    return;
  int64_t end = address + piece.length;
  forget(address, end);
  segments[address] = {end, piece.owner, piece.ownerOffset};
}

std::optional<MemoryMap::Mismatch>
MemoryMap::findForeign(int64_t address, const Piece &piece) const {
  int64_t end = address + piece.length;
  auto it = segments.upper_bound(address);
  if (it != segments.begin() && std::prev(it)->second.end > address)
    --it;
  int64_t next = address;
  for (; next < end; ++it) {
    if (it == segments.end() || it->first > next)
      return Mismatch{next, kNobody};
    const Segment &segment = it->second;
    int64_t expected = piece.ownerOffset + (next - address);
    int64_t found = segment.ownerOffset + (next - it->first);
    if (segment.owner != piece.owner || found != expected)
      return Mismatch{next, segment.owner};
    next = segment.end;
  }
  return std::nullopt;
}

MemoryMap MemoryMap::untouched() {
  MemoryMap map;
  map.segments[0] = {INT64_MAX, kAsBefore, 0};
  return map;
}

std::vector<Interval> MemoryMap::findUntouched(int64_t begin,
                                               int64_t end) const {
  std::vector<Interval> found;
  auto it = segments.upper_bound(begin);
  if (it != segments.begin())
    --it;
  for (; it != segments.end() && it->first < end; ++it) {
    const Interval bytes{std::max(begin, it->first),
                         std::min(end, it->second.end)};
    if (it->second.owner == kAsBefore && bytes.begin < bytes.end)
      found.push_back(bytes);
  }
  return found;
}

void MemoryMap::apply(const MemoryMap &change,
                      const std::function<int64_t(int64_t)> &nameOf) {
  int64_t next = 0;
  for (const auto &[begin, segment] : change.segments) {
    forget(next, begin);
    next = segment.end;
    if (segment.owner != kAsBefore)
      write(begin,
            {nameOf(segment.owner), segment.ownerOffset, segment.end - begin});
  }
  forget(next, INT64_MAX);
}

std::vector<Interval> MemoryMap::keepCommon(const MemoryMap &other) {
  std::vector<Interval> lost;
  auto lose = [&](int64_t begin, int64_t end) {
    if (begin < end)
      lost.push_back({begin, end});
  };
  auto b = other.segments.begin();
  for (const auto &[begin, segment] : segments) {
    int64_t kept = begin; // What is before is known to be kept or lost.
    while (b != other.segments.end() && b->second.end <= begin)
      ++b;
    for (auto it = b; it != other.segments.end() && it->first < segment.end;
         ++it) {
      int64_t from = std::max(begin, it->first);
      int64_t to = std::min(segment.end, it->second.end);
      if (segment.owner != it->second.owner ||
          segment.ownerOffset + (from - begin) !=
              it->second.ownerOffset + (from - it->first))
        continue;
      lose(kept, from);
      kept = to;
    }
    lose(kept, segment.end);
  }
  for (const Interval &bytes : lost)
    forget(bytes.begin, bytes.end);
  return lost;
}

} // namespace tpu_mlir::verify_addresses
