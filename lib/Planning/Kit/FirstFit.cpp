//===- FirstFit.cpp - Items in any order, each as low as it goes ----------===//

#include "lib/Planning/Kit/FirstFit.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {

FirstFit::FirstFit(const PackingProblem &problem)
    : problem(problem), partners(forbiddenPartners(problem)),
      taken(problem.items) {
  for (const Item &item : problem.items)
    granule = std::gcd(granule, item.alignment);
}

std::vector<size_t> FirstFit::unpinnedItems() const {
  std::vector<size_t> ids;
  for (size_t id = 0; id < problem.items.size(); ++id)
    if (!problem.items[id].pinOffset)
      ids.push_back(id);
  return ids;
}

/// Between two looks at the clock; an item counts as so many nodes, as also
/// what overlaps nothing takes its time.
static constexpr int64_t kNodesInARow = 16'384, kNodesOfItem = 16;

int64_t FirstFit::work() const { return nodeCount + itemCount * kNodesOfItem; }

bool FirstFit::isLate() {
  if (!deadline || work() < nextLook)
    return false;
  nextLook = work() + kNodesInARow;
  return deadline->isOver();
}

void FirstFit::start(const Deadline *until) {
  placePinned();
  deadline = until;
  nextLook = work() + kNodesInARow;
}

void FirstFit::placePinned() {
  taken.clear();
  offsets.assign(problem.items.size(), -1);
  for (size_t id = 0; id < offsets.size(); ++id)
    if (problem.items[id].pinOffset)
      put(id, *problem.items[id].pinOffset);
}

bool FirstFit::placeLowest(size_t id, int64_t limitBytes) {
  ++itemCount;
  const std::optional<int64_t> at = lowestOffset(id, limitBytes);
  if (at)
    put(id, *at);
  return at.has_value();
}

std::optional<std::vector<int64_t>>
FirstFit::pack(const std::vector<size_t> &order, const Deadline *until,
               bool hasToPack, int64_t limitBytes) {
  start(until);
  isCut = false;
  if (hasToPack)
    nextLook = work() + kNodesBeforeFirstLook;
  for (size_t i = 0; i < order.size(); ++i) {
    if (!isLate() && placeLowest(order[i], limitBytes))
      continue;
    if (!hasToPack || !deadline || !deadline->isOver())
      return std::nullopt;
    isCut = stackOnTop(offsets, {order.begin() + ptrdiff_t(i), order.end()},
                       [&](size_t id) -> Extent {
                         return {problem.items[id].sizeBytes,
                                 problem.items[id].alignment};
                       });
    if (isCut)
      return offsets;
    // Nothing goes on top: however late it is, a place has to be looked for.
    deadline = nullptr;
    if (!placeLowest(order[i]))
      return std::nullopt;
  }
  return offsets;
}

void FirstFit::placeKnown(const std::vector<int64_t> &known) {
  taken.clear();
  offsets.assign(problem.items.size(), -1);
  for (size_t id = 0; id < offsets.size(); ++id)
    if (known[id] >= 0)
      put(id, known[id]);
}

std::optional<std::vector<int64_t>>
FirstFit::packAround(const std::vector<int64_t> &known, const Deadline &until,
                     const std::vector<size_t> &order) {
  placeKnown(known);
  deadline = &until;
  nextLook = work() + kNodesInARow;
  isCut = false;
  for (size_t id : order)
    if (isLate() || !placeLowest(id))
      return std::nullopt;
  return offsets;
}

void FirstFit::fill(std::vector<int64_t> &known,
                    const std::vector<size_t> &order, int64_t limitBytes) {
  placeKnown(known);
  deadline = nullptr;
  for (size_t id : order)
    if (const auto at = lowestOffset(id, limitBytes))
      put(id, *at);
  known = offsets;
}

void FirstFit::put(size_t id, int64_t offset) {
  offsets[id] = offset;
  const Item &item = problem.items[id];
  if (item.sizeBytes == 0)
    return;
  Interval bytes = bytesAt(offset, item);
  bytes.end = checkedAlignUp(bytes.end, granule).value_or(bytes.end);
  taken.insert(item, bytes);
}

std::optional<int64_t> FirstFit::lowestOffset(size_t id, int64_t limitBytes) {
  const Item &item = problem.items[id];
  if (item.sizeBytes == 0)
    return 0;
  ByteSet ofPartners;
  for (int64_t partner : partners[id])
    if (offsets[partner] >= 0)
      ofPartners.insert(bytesAt(offsets[partner], problem.items[partner]));
  std::vector<GapFinder> sets = {GapFinder(ofPartners)};
  for (const ByteSet *set : taken.query(item))
    sets.emplace_back(*set);
  return lowestFree(std::move(sets), item, limitBytes);
}

/// The lowest aligned offset that all sets accept. A set that objects moves to
/// the front: it is likely to be the next to object.
std::optional<int64_t> FirstFit::lowestFree(std::vector<GapFinder> sets,
                                            const Item &item,
                                            int64_t limitBytes) {
  int64_t at = 0;
  for (size_t i = 0; i < sets.size();) {
    if (at > limitBytes - item.sizeBytes || isLate())
      return std::nullopt;
    ++nodeCount;
    const int64_t next = sets[i].firstGap(at, item.sizeBytes);
    if (next == at) {
      ++i;
      continue;
    }
    const auto aligned = checkedAlignUp(next, item.alignment);
    if (!aligned)
      return std::nullopt;
    at = *aligned;
    // Aligning may have moved it out of its gap, so it is asked again too.
    std::swap(sets[0], sets[i]);
    i = 0;
  }
  if (at > limitBytes - item.sizeBytes)
    return std::nullopt;
  return at;
}

} // namespace tpu_mlir::planning
