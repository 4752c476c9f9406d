//===- Refit.cpp - Other places for a few that came out too high ----------===//

#include "lib/Planning/Strategies/Woven/Refit.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

constexpr int kTries = 200;
constexpr size_t kMostMembers = 12;

bool overlap(Interval a, Interval b) {
  return a.begin < b.end && b.begin < a.end;
}

} // namespace

Refit::Refit(const std::vector<Item> &items, const std::vector<size_t> &movable,
             std::vector<int64_t> &offsets, int64_t limitBytes)
    : items(items), movable(movable), offsets(offsets), limitBytes(limitBytes),
      random(1) {}

/// What can move and is alive in a life around that of the item, the largest
/// ones, after the item itself.
void Refit::gather(size_t id) {
  const Interval life = lifeOf(id);
  const Interval around = {life.begin - life.length(),
                           life.end + life.length()};
  std::vector<size_t> near;
  for (size_t other : movable)
    if (other != id && items[other].sizeBytes > 0 &&
        overlap(lifeOf(other), around))
      near.push_back(other);
  const size_t count = std::min(near.size(), kMostMembers - 1);
  std::partial_sort(near.begin(), near.begin() + ptrdiff_t(count), near.end(),
                    [&](size_t a, size_t b) {
                      return items[a].sizeBytes != items[b].sizeBytes
                                 ? items[a].sizeBytes > items[b].sizeBytes
                                 : a < b;
                    });
  near.resize(count);
  members.clear();
  members.push_back({id, {}});
  for (size_t other : near)
    members.push_back({other, {}});
  Interval span = life;
  for (const Member &member : members)
    span = {std::min(span.begin, lifeOf(member.id).begin),
            std::max(span.end, lifeOf(member.id).end)};
  findGaps(span);
}

void Refit::findGaps(Interval span) {
  std::vector<std::pair<Interval, Interval>> staying; ///< Bytes, life.
  for (size_t id = 0; id < items.size(); ++id)
    if (items[id].sizeBytes > 0 && overlap(lifeOf(id), span) &&
        std::none_of(members.begin(), members.end(),
                     [&](const Member &member) { return member.id == id; }))
      staying.emplace_back(bytesAt(offsets[id], items[id]), lifeOf(id));
  std::sort(staying.begin(), staying.end(), [](const auto &a, const auto &b) {
    return a.first.begin < b.first.begin;
  });
  for (Member &member : members) {
    const int64_t size = items[member.id].sizeBytes;
    int64_t at = 0;
    const auto add = [&](int64_t end) {
      if (end - at >= size)
        member.gaps.push_back({at, end});
    };
    for (const auto &[bytes, life] : staying)
      if (overlap(life, lifeOf(member.id))) {
        add(std::min(bytes.begin, limitBytes));
        at = std::max(at, bytes.end);
      }
    add(limitBytes);
  }
}

/// Among the members that have a place.
bool Refit::isFree(const Member &member, int64_t offset) const {
  const Interval bytes = bytesAt(offset, items[member.id]);
  return std::none_of(members.begin(), members.end(), [&](const Member &other) {
    return other.offset >= 0 && overlap(lifeOf(other.id), lifeOf(member.id)) &&
           overlap(bytesAt(other.offset, items[other.id]), bytes);
  });
}

/// Beside what stays or beside a member.
bool Refit::place(size_t index, bool isHigh) {
  Member &member = members[index];
  const int64_t size = items[member.id].sizeBytes,
                alignment = items[member.id].alignment;
  int64_t best = -1;
  for (const Interval &gap : member.gaps) {
    const auto look = [&](int64_t at) {
      if (at >= gap.begin && at + size <= gap.end &&
          (best < 0 || (isHigh ? at > best : at < best)) && isFree(member, at))
        best = at;
    };
    const auto up = [&](int64_t at) {
      return checkedAlignUp(at, alignment).value_or(-1);
    };
    const auto down = [&](int64_t at) { return at - at % alignment; };
    look(isHigh ? down(gap.end - size) : up(gap.begin));
    for (const Member &other : members)
      if (other.offset >= 0)
        look(isHigh ? down(std::max<int64_t>(other.offset - size, 0))
                    : up(other.offset + items[other.id].sizeBytes));
  }
  member.offset = best;
  return best >= 0;
}

bool Refit::run(size_t id) {
  gather(id);
  for (int time = 0; time < kTries; ++time) {
    for (Member &member : members)
      member.offset = -1;
    size_t placed = 0;
    for (; placed < members.size(); ++placed) {
      ++nodeCount;
      if (!place(placed, time > 0 && random() % 2 == 1))
        break;
    }
    if (placed == members.size()) {
      for (const Member &member : members)
        offsets[member.id] = member.offset;
      return true;
    }
    // What finds no place comes earlier, and two others change places.
    std::rotate(members.begin(), members.begin() + ptrdiff_t(placed),
                members.begin() + ptrdiff_t(placed) + 1);
    std::swap(members[random() % members.size()],
              members[random() % members.size()]);
  }
  return false;
}

} // namespace tpu_mlir::planning
