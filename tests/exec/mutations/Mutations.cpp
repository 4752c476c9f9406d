//===- Mutations.cpp - Plans with one thing wrong -------------------------===//

#include "tests/exec/mutations/Mutations.h"

#include <algorithm>

namespace tpu_mlir::exec {

using Random = std::mt19937;
using Chip = target::ChipSpec;

// Distributions of the standard library differ between implementations.
static int64_t below(Random &random, int64_t limit) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
}

/// A random item for which `wanted` holds; null when there is none.
template <typename Fn>
static GroupItem *pick(GroupModel &model, Random &random, Fn wanted) {
  std::vector<GroupItem *> found;
  for (GroupItem &item : model.items)
    if (wanted(item))
      found.push_back(&item);
  return found.empty() ? nullptr : found[below(random, found.size())];
}

static bool hasResult(const GroupItem &item) {
  return item.kind != GroupItem::Kind::Store;
}
static bool isLoad(const GroupItem &item) {
  return item.kind == GroupItem::Kind::Load;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static bool swapAddresses(GroupModel &model, const Chip &chip, Random &random) {
  GroupItem *a = pick(model, random, hasResult);
  GroupItem *b = pick(model, random, [&](const GroupItem &item) {
    return hasResult(item) && item.address != a->address;
  });
  if (!b)
    return false;
  std::swap(a->address, b->address);
  return true;
}

/// Somewhere inside another buffer.
static bool overlapAddress(GroupModel &model, const Chip &chip,
                           Random &random) {
  GroupItem *a = pick(model, random, hasResult);
  GroupItem *b = pick(model, random, [&](const GroupItem &item) {
    return hasResult(item) && &item != a;
  });
  if (!b)
    return false;
  const int64_t units = std::max<int64_t>(1, b->bytes / chip.euBytes);
  a->address = b->address / chip.euBytes * chip.euBytes +
               below(random, units) * chip.euBytes;
  a->address = std::min(a->address, (chip.laneBytes - a->bytes) / chip.euBytes *
                                        chip.euBytes);
  return true;
}

static bool moveAnywhere(GroupModel &model, const Chip &chip, Random &random) {
  GroupItem *item = pick(model, random, hasResult);
  item->address =
      below(random, (chip.laneBytes - item->bytes) / chip.euBytes + 1) *
      chip.euBytes;
  return true;
}

static bool moveScratch(GroupModel &model, const Chip &chip, Random &random) {
  GroupItem *item = pick(model, random, [](const GroupItem &item) {
    return item.kind == GroupItem::Kind::Compute && item.scratchBytes > 0;
  });
  GroupItem *other = pick(model, random, hasResult);
  if (!item)
    return false;
  item->scratchAddress =
      std::min(other->address, chip.laneBytes - item->scratchBytes);
  return true;
}

static bool leaveLane(GroupModel &model, const Chip &chip, Random &random) {
  GroupItem *item = pick(model, random, hasResult);
  item->address =
      chip.laneBytes -
      below(random, (item->bytes - 1) / chip.euBytes + 1) * chip.euBytes;
  return true;
}

static bool misalign(GroupModel &model, const Chip &chip, Random &random) {
  GroupItem *item = pick(model, random, [&](const GroupItem &item) {
    return hasResult(item) && item.euAlign &&
           item.address + item.bytes + chip.euBytes <= chip.laneBytes;
  });
  if (!item)
    return false;
  item->address += 1 + below(random, chip.euBytes - 1);
  return true;
}

static bool shrinkBuffer(GroupModel &model, const Chip &chip, Random &random) {
  --pick(model, random, hasResult)->bytes;
  return true;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// A section's part in a dimension that is cut, or of which more than one
/// element is there.
struct Place {
  GroupItem *item = nullptr;
  int dim = 0;
  size_t part = 0;
};

template <typename Fn>
static Place pickPart(GroupModel &model, Random &random, Fn wanted) {
  std::vector<Place> places;
  for (GroupItem &item : model.items)
    for (int dim = 0; dim < kNumDims; ++dim)
      for (size_t part = 0; part < item.size[dim].size(); ++part)
        if (wanted(item, dim, part))
          places.push_back({&item, dim, part});
  return places.empty() ? Place() : places[below(random, places.size())];
}

static bool shrinkPart(GroupModel &model, const Chip &chip, Random &random) {
  const Place at =
      pickPart(model, random, [](const GroupItem &item, int dim, size_t part) {
        return item.size[dim][part] > 1 && dim == H;
      });
  if (!at.item)
    return false;
  if (below(random, 2))
    ++at.item->begin[at.dim][at.part];
  --at.item->size[at.dim][at.part];
  return true;
}

/// All rows of a section one further down, or up.
static bool shiftPart(GroupModel &model, const Chip &chip, Random &random) {
  const bool isDown = below(random, 2);
  const Place at =
      pickPart(model, random, [&](const GroupItem &item, int dim, size_t part) {
        const int64_t begin = item.begin[dim][part];
        return isDown ? begin + item.size[dim][part] < item.shape.whole[dim]
                      : begin > 0;
      });
  if (!at.item)
    return false;
  at.item->begin[at.dim][at.part] += isDown ? 1 : -1;
  return true;
}

/// One element more in one dimension moves all after it.
static bool growPart(GroupModel &model, const Chip &chip, Random &random) {
  const Place at =
      pickPart(model, random, [](const GroupItem &item, int dim, size_t part) {
        return item.begin[dim][part] + item.size[dim][part] <
               item.shape.whole[dim];
      });
  if (!at.item)
    return false;
  ++at.item->size[at.dim][at.part];
  return true;
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// To another timestep, at the end of its list; `by` counts on into the next
/// stage.
static bool moveInTime(GroupModel &model, GroupItem *item, int64_t by) {
  if (!item)
    return false;
  const int index = static_cast<int>(item - model.items.data());
  const int64_t rows = static_cast<int64_t>(model.rows.size());
  const int64_t time = item->stage * rows + model.rowOfItems()[index] + by;
  if (time < 0 || time >= 3 * rows)
    return false;
  for (auto &row : model.rows)
    row.erase(std::remove(row.begin(), row.end(), index), row.end());
  item->stage = time / rows;
  model.rows[time % rows].push_back(index);
  return true;
}

static bool loadLater(GroupModel &model, const Chip &chip, Random &random) {
  return moveInTime(model, pick(model, random, isLoad), 1);
}
static bool loadEarlier(GroupModel &model, const Chip &chip, Random &random) {
  return moveInTime(model, pick(model, random, isLoad),
                    -1 - below(random, model.rows.size()));
}
static bool storeEarlier(GroupModel &model, const Chip &chip, Random &random) {
  return moveInTime(model,
                    pick(model, random,
                         [](const GroupItem &item) {
                           return item.kind == GroupItem::Kind::Store;
                         }),
                    -1);
}
static bool storeLater(GroupModel &model, const Chip &chip, Random &random) {
  return moveInTime(model,
                    pick(model, random,
                         [](const GroupItem &item) {
                           return item.kind == GroupItem::Kind::Store;
                         }),
                    1 + below(random, model.rows.size()));
}
static bool computeElsewhere(GroupModel &model, const Chip &chip,
                             Random &random) {
  const int64_t by = 1 + below(random, model.rows.size());
  return moveInTime(
      model,
      pick(model, random,
           [](const GroupItem &item) { return !item.isTransfer(); }),
      below(random, 2) ? by : -by);
}

/// Loaded again for each section, at the place where it was loaded once.
static bool dropHold(GroupModel &model, const Chip &chip, Random &random) {
  GroupItem *item = pick(
      model, random, [&](const GroupItem &item) { return model.isHeld(item); });
  if (!item)
    return false;
  for (int dim = 0; dim < kNumDims; ++dim)
    if (model.sections[dim] > 1) {
      item->begin[dim].resize(model.sections[dim], item->begin[dim][0]);
      item->size[dim].resize(model.sections[dim], item->size[dim][0]);
    }
  return true;
}

/// Loaded again for each section, while the section before still needs it: in
/// the timestep of the first reader, one loop ahead.
static bool dropHoldTooEarly(GroupModel &model, const Chip &chip,
                             Random &random) {
  GroupModel dropped = model;
  if (!dropHold(dropped, chip, random))
    return false;
  for (size_t i = 0; i < model.items.size(); ++i) {
    if (!model.isHeld(model.items[i]) || dropped.isHeld(dropped.items[i]))
      continue;
    const auto rowOf = dropped.rowOfItems();
    for (size_t reader = 0; reader < model.items.size(); ++reader) {
      const auto &operands = dropped.items[reader].operands;
      if (std::find(operands.begin(), operands.end(), static_cast<int>(i)) ==
              operands.end() ||
          dropped.items[reader].stage == 0)
        continue;
      const int64_t rows = static_cast<int64_t>(model.rows.size());
      const int64_t from = dropped.items[i].stage * rows + rowOf[i];
      const int64_t to =
          (dropped.items[reader].stage - 1) * rows + rowOf[reader];
      if (!moveInTime(dropped, &dropped.items[i], to - from))
        return false;
      model = std::move(dropped);
      return true;
    }
  }
  return false;
}

/// The first section's part for all sections, loaded once.
static bool addHold(GroupModel &model, const Chip &chip, Random &random) {
  if (model.numSections() == 1)
    return false;
  GroupItem *item = pick(model, random, [&](const GroupItem &item) {
    return isLoad(item) && !model.isHeld(item);
  });
  if (!item)
    return false;
  for (int dim = 0; dim < kNumDims; ++dim) {
    item->begin[dim].resize(1);
    item->size[dim].resize(1);
  }
  return true;
}

const std::vector<Mutation> &allMutations() {
  static const std::vector<Mutation> all = {
      {"swapAddresses", swapAddresses},
      {"overlapAddress", overlapAddress},
      {"moveAnywhere", moveAnywhere},
      {"moveScratch", moveScratch},
      {"leaveLane", leaveLane},
      {"misalign", misalign},
      {"shrinkBuffer", shrinkBuffer},
      {"shrinkPart", shrinkPart},
      {"shiftPart", shiftPart},
      {"growPart", growPart},
      {"loadLater", loadLater},
      {"loadEarlier", loadEarlier},
      {"storeEarlier", storeEarlier},
      {"storeLater", storeLater},
      {"computeElsewhere", computeElsewhere},
      {"dropHold", dropHold},
      {"dropHoldTooEarly", dropHoldTooEarly},
      {"addHold", addHold},
  };
  return all;
}

} // namespace tpu_mlir::exec
