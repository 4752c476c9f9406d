//===- PlanOracle.cpp - What must go wrong, told without running ----------===//

#include "tests/exec/mutations/PlanOracle.h"

#include "tests/exec/kernels/Kernels.h"

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/LayerPlanning/LmemLayout.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace mlir;

namespace tpu_mlir::exec {

namespace {

struct Range {
  int64_t begin = 0, end = 0;
  bool overlaps(const Range &o) const { return begin < o.end && o.begin < end; }
};

/// An op for a section, in the order in which it happens.
struct Event {
  size_t group = 0;
  int item = 0;
  int64_t section = 0;

  bool operator<(const Event &o) const {
    return std::tie(group, item, section) <
           std::tie(o.group, o.item, o.section);
  }
};

bool hasResult(const GroupItem &item) {
  return item.kind != GroupItem::Kind::Store;
}

Range scratchRange(const GroupItem &item) {
  return {item.scratchAddress, item.scratchAddress + item.scratchBytes};
}

Range resultRange(const GroupModel &model, const GroupItem &item,
                  int64_t section, const target::ChipSpec &chip) {
  const auto bytes = layer::laneBytes(chip, model.boxOf(item, section).size,
                                      item.shape.bits, item.euAlign);
  return {item.address, item.address + bytes.value_or(0)};
}

class LifeOracle {
public:
  LifeOracle(llvm::ArrayRef<GroupModel> chain, const target::ChipSpec &chip)
      : chain(chain), chip(chip) {}

  /// 0: computation first, 1: transfers first, 2: in turns, a transfer first.
  std::optional<std::string> findIn(int order) {
    events.clear();
    position.clear();
    for (size_t group = 0; group < chain.size(); ++group)
      listEvents(group, order);
    for (size_t at = 0; at < events.size(); ++at)
      if (auto conflict = checkResult(at))
        return conflict;
    return std::nullopt;
  }

private:
  const GroupItem &itemOf(const Event &event) const {
    return chain[event.group].items[event.item];
  }
  Range rangeOf(const Event &event) const {
    return resultRange(chain[event.group], itemOf(event), event.section, chip);
  }

  void listEvents(size_t group, int order) {
    const GroupModel &model = chain[group];
    for (int64_t loop = 0; loop < model.numSections() + 2; ++loop)
      for (size_t row = 0; row < model.rows.size(); ++row) {
        std::vector<std::pair<double, Event>> keyed;
        double computes = 0, transfers = 0;
        for (const Event &event : eventsOf(group, loop, row)) {
          const bool isTransfer = itemOf(event).isTransfer();
          const double turn = isTransfer ? transfers++ : computes++;
          const bool isSecond = isTransfer == (order == 0);
          keyed.push_back({order == 2 ? turn + (isTransfer ? 0 : 0.5)
                                      : turn + (isSecond ? 1e6 : 0),
                           event});
        }
        std::stable_sort(
            keyed.begin(), keyed.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
        for (const auto &[key, event] : keyed) {
          position[event] = events.size();
          events.push_back(event);
        }
      }
  }

  /// Own ones but for those lent, then those borrowed.
  std::vector<Event> eventsOf(size_t group, int64_t loop, size_t row) const {
    const GroupModel &model = chain[group];
    const int64_t last = model.numSections() - 1;
    std::vector<Event> result;
    for (int item : model.rows[row]) {
      const int64_t section = loop - model.items[item].stage;
      const int64_t id = model.items[item].id;
      const bool isHeld = model.isHeld(model.items[item]);
      if (section >= 0 && section <= (isHeld ? 0 : last) &&
          !(section == 0 && llvm::is_contained(model.lentToPrevious, id)) &&
          !(section == last && llvm::is_contained(model.lentToNext, id)))
        result.push_back({group, item, section});
    }
    for (const Borrowed &one : model.fromNext)
      if (loop == last + 1 && one.row == static_cast<int64_t>(row))
        result.push_back({group + 1, chain[group + 1].itemWithId(one.id), 0});
    for (const Borrowed &one : model.fromPrevious)
      if (loop == 1 && one.row == static_cast<int64_t>(row))
        result.push_back({group - 1, chain[group - 1].itemWithId(one.id),
                          chain[group - 1].numSections() - 1});
    return result;
  }

  std::optional<std::string> checkResult(size_t at) {
    const Event made = events[at];
    const GroupItem &item = itemOf(made);
    if (!hasResult(item))
      return std::nullopt;
    if (rangeOf(made).overlaps(scratchRange(item)))
      return nameOf(item) + " and its scratch share bytes";
    const GroupModel &model = chain[made.group];
    const bool isHeld = model.isHeld(item);
    const int64_t lastSection = isHeld ? model.numSections() - 1 : made.section;
    size_t last = at;
    for (size_t reader = 0; reader < model.items.size(); ++reader) {
      if (!llvm::is_contained(model.items[reader].operands, made.item))
        continue;
      for (int64_t s = made.section; s <= lastSection; ++s) {
        const size_t when =
            position.at({made.group, static_cast<int>(reader), s});
        if (when < at)
          return nameOf(model.items[reader]) + " reads " + nameOf(item) +
                 " before it is there";
        last = std::max(last, when);
      }
    }
    return checkSpan(made, at, last);
  }

  std::optional<std::string> checkSpan(const Event &made, size_t first,
                                       size_t last) const {
    const Range range = rangeOf(made);
    for (size_t at = first + 1; at <= last; ++at) {
      const GroupItem &writer = itemOf(events[at]);
      if (range.overlaps(scratchRange(writer)))
        return "scratch of " + nameOf(writer) + " destroys " +
               nameOf(itemOf(made));
      if (!hasResult(writer) || !range.overlaps(rangeOf(events[at])) ||
          (at == last && isInPlace(made, events[at])))
        continue;
      return nameOf(writer) + " destroys " + nameOf(itemOf(made));
    }
    return std::nullopt;
  }

  LaneLayout layoutOf(const Event &event) const {
    const GroupItem &item = itemOf(event);
    return {lanesOf(chip), chain[event.group].boxOf(item, event.section).size,
            item.shape.bits, item.euAlign};
  }

  bool isInPlace(const Event &made, const Event &reader) const {
    const GroupItem &from = itemOf(made), &to = itemOf(reader);
    return chip.localInPlace && made.group == reader.group &&
           isElementwise(to.op) && to.operands[0] == made.item &&
           from.address == to.address &&
           layoutOf(made).isLike(layoutOf(reader));
  }

  llvm::ArrayRef<GroupModel> chain;
  const target::ChipSpec &chip;
  std::vector<Event> events;
  std::map<Event, size_t> position;
};

} // namespace

std::optional<std::string> findPlaceConflict(const GroupModel &model,
                                             const target::ChipSpec &chip) {
  for (const GroupItem &item : model.items) {
    if (!hasResult(item))
      continue;
    const Range scratch = scratchRange(item);
    if (item.scratchBytes > 0 &&
        (scratch.begin < 0 || scratch.end > chip.laneBytes))
      return "scratch of " + nameOf(item) + " leaves the lane";
    if (item.euAlign && item.address % chip.euBytes != 0)
      return nameOf(item) + " is not aligned";
    for (int64_t s = 0; s < model.numSections(); ++s) {
      const Range range = resultRange(model, item, s, chip);
      if (range.begin < 0 || range.end > chip.laneBytes)
        return nameOf(item) + " leaves the lane";
      if (range.end - range.begin > item.bytes)
        return nameOf(item) + " is larger than it says";
    }
  }
  return std::nullopt;
}

std::optional<std::string> findLifeConflict(llvm::ArrayRef<GroupModel> chain,
                                            const target::ChipSpec &chip) {
  LifeOracle oracle(chain, chip);
  for (int order = 0; order < 3; ++order)
    if (auto conflict = oracle.findIn(order))
      return conflict;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

static bool isInside(const Box &inner, const Box &outer) {
  for (int dim = 0; dim < kNumDims; ++dim)
    if (inner.lo[dim] < outer.lo[dim] ||
        inner.lo[dim] + inner.size[dim] > outer.lo[dim] + outer.size[dim])
      return false;
  return true;
}

static bool meet(const Box &a, const Box &b) {
  for (int dim = 0; dim < kNumDims; ++dim)
    if (a.lo[dim] >= b.lo[dim] + b.size[dim] ||
        b.lo[dim] >= a.lo[dim] + a.size[dim])
      return false;
  return true;
}

/// What op `item` reads of its operand `number` for a section is stored, by
/// the op's own rules.
static bool hasNeed(const GroupModel &model, const GroupItem &item,
                    unsigned number, int64_t section) {
  const GroupItem &from = model.items[item.operands[number]];
  auto rules = dyn_cast<LocalSliceOpInterface>(item.op);
  const auto result = tensorBoxOf(item.shape, model.boxOf(item, section));
  const auto stored = tensorBoxOf(from.shape, model.boxOf(from, section));
  if (!rules || !result || !stored)
    return false;
  SmallVector<Interval> part;
  for (auto [lo, size] : llvm::zip_equal(result->lo, result->size))
    part.push_back({lo, lo + size});
  auto needed = rules.getOperandSlice(number, part);
  if (failed(needed))
    return false;
  for (const Interval &interval : *needed)
    if (interval.empty())
      return true;
  for (auto [interval, lo, size] :
       llvm::zip_equal(*needed, stored->lo, stored->size))
    if (!Interval{lo, lo + size}.contains(interval))
      return false;
  return true;
}

static std::optional<std::string> checkStores(const GroupModel &model,
                                              const GroupItem &store) {
  const GroupItem &from = model.items[store.operands[0]];
  std::vector<Box> boxes;
  int64_t covered = 0;
  for (int64_t s = 0; s < model.numSections(); ++s) {
    boxes.push_back(model.boxOf(store, s));
    covered += boxes.back().elements();
    if (!isInside(boxes.back(), model.boxOf(from, s)))
      return nameOf(store) + " stores what is not there";
    for (size_t i = 0; i + 1 < boxes.size(); ++i)
      if (meet(boxes[i], boxes.back()))
        return nameOf(store) + " stores something twice";
  }
  if (covered != store.shape.elements())
    return nameOf(store) + " leaves something out";
  return std::nullopt;
}

std::optional<std::string> findNeedConflict(const GroupModel &model) {
  for (const GroupItem &item : model.items) {
    if (item.kind == GroupItem::Kind::Store)
      if (auto conflict = checkStores(model, item))
        return conflict;
    if (item.kind != GroupItem::Kind::Compute)
      continue;
    for (unsigned i = 0; i < item.operands.size(); ++i)
      for (int64_t s = 0; item.operands[i] >= 0 && s < model.numSections(); ++s)
        if (!hasNeed(model, item, i, s))
          return nameOf(item) + ", section " + std::to_string(s) +
                 ": operand " + std::to_string(i) + " is not all there";
  }
  return std::nullopt;
}

std::optional<std::string> findConflict(llvm::ArrayRef<GroupModel> chain,
                                        const target::ChipSpec &chip) {
  for (const GroupModel &model : chain) {
    if (auto error = checkModel(model))
      return error;
    if (auto conflict = findPlaceConflict(model, chip))
      return conflict;
    if (auto conflict = findNeedConflict(model))
      return conflict;
  }
  return findLifeConflict(chain, chip);
}

} // namespace tpu_mlir::exec
