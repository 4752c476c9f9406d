#include "lib/Transforms/VerifyAddresses/MemoryMap.h"

#include <algorithm>
#include <iterator>

namespace tpu_mlir {

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

void MemoryMap::write(int64_t address, const Piece &piece) {
  if (piece.length <= 0)
    return;
  int64_t end = address + piece.length;
  cutAt(address);
  cutAt(end);
  segments.erase(segments.lower_bound(address), segments.lower_bound(end));
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

bool MemoryMap::keepCommon(const MemoryMap &other) {
  MemoryMap common;
  int64_t before = 0, after = 0;
  for (const auto &[begin, segment] : segments)
    before += segment.end - begin;
  auto a = segments.begin();
  auto b = other.segments.begin();
  while (a != segments.end() && b != other.segments.end()) {
    int64_t begin = std::max(a->first, b->first);
    int64_t end = std::min(a->second.end, b->second.end);
    if (begin < end) {
      int64_t offsetA = a->second.ownerOffset + (begin - a->first);
      int64_t offsetB = b->second.ownerOffset + (begin - b->first);
      if (a->second.owner == b->second.owner && offsetA == offsetB) {
        common.write(begin, {a->second.owner, offsetA, end - begin});
        after += end - begin;
      }
    }
    if (a->second.end <= b->second.end)
      ++a;
    else
      ++b;
  }
  *this = std::move(common);
  return after != before;
}

} // namespace tpu_mlir
