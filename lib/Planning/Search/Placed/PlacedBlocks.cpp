//===- PlacedBlocks.cpp - Blocks that cannot lie anywhere -----------------===//

#include "lib/Planning/Search/Placed/PlacedBlocks.h"

#include <algorithm>
#include <unordered_set>

namespace tpu_mlir::planning {

int32_t PlacedForest::add(PlacedBlock block) {
  block.places.clip(block.bytes, height);
  blocks.push_back(std::move(block));
  return int32_t(blocks.size()) - 1;
}

/// f(s), where a stack of the subset s may begin, is known from what its
/// topmost block may be.
Places PlacedForest::placesOfPile(const std::vector<int32_t> &members) {
  const auto isFree = [&](int32_t id) { return (*this)[id].places.isAll(); };
  if (std::all_of(members.begin(), members.end(), isFree))
    return {};
  const size_t count = size_t(1) << members.size();
  std::vector<Places> found(count, Places::none());
  std::vector<int64_t> bytes(count, 0);
  found[0] = Places();
  for (size_t set = 1; set < count; ++set)
    for (size_t top = 0; top < members.size(); ++top) {
      const size_t below = set & ~(size_t(1) << top);
      if (below == set)
        continue;
      const PlacedBlock &block = (*this)[members[top]];
      bytes[set] = bytes[below] + block.bytes;
      if (!found[below].isEmpty())
        found[set] = Places::either(
            found[set],
            Places::both(found[below], block.places.moved(bytes[below])));
    }
  nodeCount += int64_t(count * members.size());
  return found.back();
}

std::optional<int32_t> PlacedForest::pile(int32_t a, int32_t b) {
  PlacedBlock block;
  const auto countOf = [&](int32_t id) {
    return (*this)[id].isPile() ? (*this)[id].parts.size() : size_t(1);
  };
  const bool isFlat = countOf(a) + countOf(b) <= kMostInPile;
  for (int32_t id : {a, b}) {
    const PlacedBlock &part = (*this)[id];
    block.bytes += part.bytes;
    block.isMissing = part.isMissing && (id == a || block.isMissing);
    if (isFlat && part.isPile())
      block.parts.insert(block.parts.end(), part.parts.begin(),
                         part.parts.end());
    else
      block.parts.push_back(id);
  }
  block.spans = (*this)[a].spans;
  if (block.bytes > height)
    return std::nullopt;
  block.places = placesOfPile(block.parts);
  block.places.clip(block.bytes, height);
  if (block.places.isEmpty())
    return std::nullopt;
  return add(std::move(block));
}

bool PlacedForest::canJoin(int32_t a, int32_t b) const {
  const PlacedBlock &first = (*this)[a], &second = (*this)[b];
  return a != b && first.bytes == second.bytes &&
         !anyOverlap(first.spans, second.spans) &&
         !Places::both(first.places, second.places).isEmpty();
}

std::optional<int32_t> PlacedForest::join(int32_t a, int32_t b) {
  if (!canJoin(a, b))
    return std::nullopt;
  const PlacedBlock &first = (*this)[a], &second = (*this)[b];
  PlacedBlock block;
  block.spans = first.spans;
  block.spans.insert(block.spans.end(), second.spans.begin(),
                     second.spans.end());
  block.spans = normalize(std::move(block.spans));
  block.bytes = first.bytes;
  block.isMissing = first.isMissing && second.isMissing;
  block.pin = first.pin == second.pin ? first.pin : -1;
  block.places = Places::both(first.places, second.places);
  block.parts = {a, b};
  block.layouts = {{0, 0}};
  return add(std::move(block));
}

Places PlacedForest::placesOf(const PlacedBlock &block) const {
  Places all = Places::none();
  for (const std::vector<int64_t> &layout : block.layouts) {
    Places places;
    for (size_t i = 0; i < block.parts.size(); ++i)
      places =
          Places::both(places, (*this)[block.parts[i]].places.moved(layout[i]));
    places.clip(block.bytes, height);
    all = Places::either(all, places);
  }
  return all;
}

std::optional<int32_t> PlacedForest::wheel(const std::vector<int32_t> &parts) {
  const PlacedBlock &a = (*this)[parts[0]], &b = (*this)[parts[1]],
                    &c = (*this)[parts[2]], &d = (*this)[parts[3]];
  PlacedBlock block;
  block.spans = {{d.hull().begin, c.hull().end}};
  block.bytes = a.bytes + d.bytes;
  if (block.bytes > height)
    return std::nullopt;
  block.parts = parts;
  block.layouts = {{0, 0, b.bytes, a.bytes, a.bytes}};
  std::vector<int64_t> mirrored;
  for (size_t i = 0; i < parts.size(); ++i) {
    const PlacedBlock &part = (*this)[parts[i]];
    mirrored.push_back(block.bytes - block.layouts[0][i] - part.bytes);
  }
  block.layouts.push_back(std::move(mirrored));
  block.places = placesOf(block);
  if (block.places.isEmpty())
    return std::nullopt;
  return add(std::move(block));
}

namespace {

/// Depth first, the ones with the fewest places first. Where a stack of some of
/// them ends depends on which they are alone, so that what has failed once
/// fails always.
class Stacking {
public:
  Stacking(const PlacedForest &forest, std::vector<int32_t> members)
      : forest(forest), members(std::move(members)) {
    std::stable_sort(this->members.begin(), this->members.end(),
                     [&](int32_t a, int32_t b) {
                       return forest[a].places.isRarerThan(forest[b].places);
                     });
  }
  bool run(uint64_t left, int64_t offset) {
    if (left == 0)
      return true;
    if (steps >= kMostSteps || failed.count(left) != 0)
      return false;
    ++steps;
    for (size_t i = 0; i < members.size(); ++i) {
      const PlacedBlock &block = forest[members[i]];
      if ((left >> i & 1) == 0 || !block.places.contains(offset))
        continue;
      order.push_back(members[i]);
      if (run(left & ~(uint64_t(1) << i), offset + block.bytes))
        return true;
      order.pop_back();
    }
    failed.insert(left);
    return false;
  }
  std::vector<int32_t> order;

private:
  static constexpr int64_t kMostSteps = 20'000;
  const PlacedForest &forest;
  std::vector<int32_t> members;
  std::unordered_set<uint64_t> failed;
  int64_t steps = 0;
};

} // namespace

std::vector<int32_t> PlacedForest::orderOf(const std::vector<int32_t> &members,
                                           int64_t offset) const {
  if (members.size() > 64)
    return {};
  Stacking stacking(*this, members);
  return stacking.run(~uint64_t(0) >> (64 - members.size()), offset)
             ? std::move(stacking.order)
             : std::vector<int32_t>();
}

bool PlacedForest::expand(int32_t id, int64_t offset,
                          std::vector<int64_t> &offsets) const {
  const PlacedBlock &block = (*this)[id];
  offsets[size_t(id)] = offset;
  if (block.parts.empty())
    return block.places.contains(offset);
  if (block.isPile()) {
    const std::vector<int32_t> order = orderOf(block.parts, offset);
    for (int32_t part : order) {
      if (!expand(part, offset, offsets))
        return false;
      offset += (*this)[part].bytes;
    }
    return !order.empty();
  }
  for (const std::vector<int64_t> &layout : block.layouts) {
    bool fits = true;
    for (size_t i = 0; i < block.parts.size() && fits; ++i)
      fits = (*this)[block.parts[i]].places.contains(offset + layout[i]);
    for (size_t i = 0; i < block.parts.size() && fits; ++i)
      fits = expand(block.parts[i], offset + layout[i], offsets);
    if (fits)
      return true;
  }
  return false;
}

void PlacedForest::collect(std::vector<int32_t> &roots, int32_t kept) {
  std::vector<int32_t> newIds(blocks.size(), -1);
  for (int32_t root : roots)
    newIds[size_t(root)] = 0;
  for (size_t id = blocks.size(); id-- > 0;)
    if (newIds[id] >= 0)
      for (int32_t part : blocks[id].parts)
        newIds[size_t(part)] = 0;
  size_t count = 0;
  for (size_t id = 0; id < blocks.size(); ++id) {
    if (int32_t(id) >= kept && newIds[id] < 0)
      continue;
    newIds[id] = int32_t(count);
    if (count != id)
      blocks[count] = std::move(blocks[id]);
    for (int32_t &part : blocks[count].parts)
      part = newIds[size_t(part)];
    ++count;
  }
  blocks.resize(count);
  for (int32_t &root : roots)
    root = newIds[size_t(root)];
}

} // namespace tpu_mlir::planning
