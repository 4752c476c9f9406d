//===- SectionRunner.cpp - One op for one section, byte by byte -----------===//

#include "SectionRunner.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tpu_mlir::execution {

SectionRunner::SectionRunner(const std::vector<GroupModel> &chain,
                             int64_t cores, const LocalMachine &machine,
                             const ChainReference &reference,
                             KernelCache &cache)
    : chain(chain), chip(machine.chip), kernels(machine.kernels),
      reference(reference), cache(cache),
      memories(cores, LocalMemory(lanesOf(machine.chip))) {
  int64_t owners = 0;
  for (const GroupModel &model : chain) {
    firstOwner.push_back(owners);
    owners += 2 * static_cast<int64_t>(model.items.size());
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string SectionRunner::describe(const Action &action) const {
  return nameOf(itemOf(action)) + ", section " +
         std::to_string(action.section) + " of " +
         std::to_string(chain[action.group].numSections());
}

Tag SectionRunner::resultTag(const Action &action) const {
  const bool isHeld = chain[action.group].isHeld(itemOf(action));
  return tagOf(firstOwner[action.group] + int64_t(2) * action.item,
               isHeld ? 0 : action.section);
}
Tag SectionRunner::scratchTag(const Action &action) const {
  return tagOf(firstOwner[action.group] + int64_t(2) * action.item + 1,
               action.section);
}

std::string SectionRunner::nameOfTag(Tag tag) const {
  if (tag == 0)
    return "nobody's";
  size_t group = chain.size() - 1;
  while (ownerOf(tag) < firstOwner[group])
    --group;
  const int64_t owner = ownerOf(tag) - firstOwner[group];
  return (owner % 2 ? "scratch of " : "the result of ") +
         nameOf(chain[group].items[owner / 2]) + ", section " +
         std::to_string(generationOf(tag)) +
         (chain.size() > 1 ? " of group " + std::to_string(group) : "");
}

//===----------------------------------------------------------------------===//
// Access to local memory
//===----------------------------------------------------------------------===//

LaneLayout SectionRunner::layoutOf(const Action &action) const {
  const GroupItem &item = itemOf(action);
  const Box box = boxOf(action);
  return LaneLayout(lanesOf(chip), box.size, item.shape.bits, item.euAlign);
}

/// The result's bytes are in the lane, where they may be, and as many as the
/// plan says at most.
Error SectionRunner::checkPlace(const Action &action,
                                const LaneLayout &layout) const {
  const GroupItem &item = itemOf(action);
  const int64_t bytes = layout.bytes();
  if (bytes > item.bytes)
    return "takes " + std::to_string(bytes) + " bytes, but out_size is " +
           std::to_string(item.bytes);
  if (!memories[action.core].contains(item.address, bytes))
    return std::to_string(bytes) + " bytes at " + std::to_string(item.address) +
           " leave the lane";
  if (item.euAlign && item.address % chip.euBytes != 0)
    return "address " + std::to_string(item.address) +
           " is not a multiple of the execution unit's " +
           std::to_string(chip.euBytes) + " bytes";
  return std::nullopt;
}

Error SectionRunner::checkOwned(size_t core, int64_t address, int64_t bytes,
                                Tag tag) const {
  const auto stranger = memories[core].findStranger(address, bytes, tag);
  if (!stranger)
    return std::nullopt;
  return "byte " + std::to_string(stranger->address) + " is " +
         nameOfTag(stranger->tag) + ", not " + nameOfTag(tag);
}

/// Reads what `producer` left for the section of `reader`.
Error SectionRunner::readOperand(const Action &reader, int producer,
                                 TensorPart &part) {
  const Action made{reader.group, producer, reader.section, reader.core};
  const GroupItem &item = itemOf(made);
  const LaneLayout layout = layoutOf(made);
  if (!memoryOf(made).contains(item.address, layout.bytes()))
    return "reads bytes that leave the lane";
  if (auto error =
          checkOwned(made.core, item.address, layout.bytes(), resultTag(made)))
    return "reads " + nameOf(item) + ": " + *error;
  part = TensorPart(item.shape, boxOf(made));
  memoryOf(made).read(part, layout, item.address);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

Error SectionRunner::run(const Action &action) {
  const GroupItem::Kind kind = itemOf(action).kind;
  if (kind == GroupItem::Kind::Store)
    return store(action);
  const LaneLayout layout = layoutOf(action);
  if (auto error = checkPlace(action, layout))
    return error;
  if (kind == GroupItem::Kind::Load)
    return load(action, layout);
  return itemOf(action).isLineBuffer ? keepRows(action, layout)
                                     : compute(action, layout);
}

Error SectionRunner::load(const Action &action, const LaneLayout &layout) {
  const GroupItem &item = itemOf(action);
  TensorPart part(item.shape, boxOf(action));
  auto made = stored.find(item.global);
  const TensorPart &source = made == stored.end()
                                 ? reference.results[action.group][action.item]
                                 : made->second.part;
  if (source.values.size() != static_cast<size_t>(item.shape.elements()))
    return "loads another group's result in another layout";
  for (const Run &run : runsOf(part.shape, part.box)) {
    if (made != stored.end())
      for (int64_t i = run.flat; i < run.flat + run.length; ++i)
        if (made->second.times[i] == 0)
          return "loads element " + std::to_string(i) +
                 ", which is not stored yet";
    std::copy_n(&source.values[run.flat], run.length,
                &part.values[run.position]);
  }
  memoryOf(action).write(part, layout, item.address, item.toAllLanes,
                         resultTag(action));
  return std::nullopt;
}

/// Whether something that computes reads what the store stores.
bool SectionRunner::hasOtherReader(const Action &store) const {
  const std::vector<GroupItem> &items = chain[store.group].items;
  const int stored = itemOf(store).operands[0];
  return std::any_of(items.begin(), items.end(), [&](const GroupItem &item) {
    return item.kind == GroupItem::Kind::Compute &&
           std::count(item.operands.begin(), item.operands.end(), stored) > 0;
  });
}

Error SectionRunner::store(const Action &action) {
  const GroupItem &item = itemOf(action);
  TensorPart part;
  if (auto error = readOperand(action, item.operands[0], part))
    return error;
  auto [found, isNew] = stored.try_emplace(item.global);
  Stored &target = found->second;
  if (isNew) {
    target.part = TensorPart::whole(item.shape);
    target.times.assign(item.shape.elements(), 0);
  }
  Reader reader(&part, item.shape.bits);
  const Box box = boxOf(action);
  for (const Run &run : runsOf(item.shape, box))
    for (int64_t i = run.flat; i < run.flat + run.length; ++i) {
      const int32_t value = wrapped(reader.at(i), item.shape.bits);
      // Where other ops need more of the tensor than this section's share,
      // rows are computed twice, and stored twice.
      if (target.times[i]++ &&
          !(hasOtherReader(action) && target.part.values[i] == value))
        return "stores element " + std::to_string(i) + " a second time";
      target.part.values[i] = value;
    }
  if (auto complaint = reader.complaint())
    return "stores what it has not: " + *complaint;
  return std::nullopt;
}

Error SectionRunner::compute(const Action &action, const LaneLayout &layout) {
  const GroupItem &item = itemOf(action);
  const bool hasScratch = item.scratchBytes != 0;
  if (hasScratch &&
      !memoryOf(action).contains(item.scratchAddress, item.scratchBytes))
    return "scratch leaves the lane";
  // Scratch is written at any time while the op runs: what is in it before
  // that is lost, and what others write into it is lost, too.
  if (hasScratch)
    memoryOf(action).claim(item.scratchAddress, item.scratchBytes,
                           scratchTag(action));

  std::vector<TensorPart> operands(item.operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (item.operands[i] >= 0)
      if (auto error = readOperand(action, item.operands[i], operands[i]))
        return error;
  if (auto error = checkOverlaps(action, layout))
    return error;
  TensorPart result(item.shape, boxOf(action));
  if (auto error = runCached(action, operands, result))
    return error;
  memoryOf(action).write(result, layout, item.address, false,
                         resultTag(action));
  return hasScratch ? checkOwned(action.core, item.scratchAddress,
                                 item.scratchBytes, scratchTag(action))
                    : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Line buffers
//===----------------------------------------------------------------------===//

Box SectionRunner::keptBox(const Action &action) const {
  const GroupModel &model = chain[action.group];
  Box box = boxOf(action);
  const Box fresh =
      model.boxOf(model.items[itemOf(action).operands[0]], action.section);
  box.size[H] = std::max<int64_t>(0, fresh.lo[H] - box.lo[H]);
  return box;
}

Error SectionRunner::checkRoom(const Action &action,
                               const LaneLayout &kept) const {
  const GroupItem &item = itemOf(action);
  if (kept.bytes() <= item.scratchBytes &&
      memories[action.core].contains(item.scratchAddress, kept.bytes()))
    return std::nullopt;
  return "keeps " + std::to_string(kept.bytes()) + " bytes, but has room for " +
         std::to_string(item.scratchBytes);
}

Error SectionRunner::readKept(const Action &action, TensorPart &part) {
  const GroupItem &item = itemOf(action);
  const LaneLayout layout(lanesOf(chip), part.box.size, item.shape.bits,
                          item.euAlign);
  Action before = action;
  --before.section;
  if (auto error = checkRoom(action, layout))
    return error;
  if (auto error = checkOwned(action.core, item.scratchAddress, layout.bytes(),
                              scratchTag(before)))
    return "reads the rows that it kept: " + *error;
  memoryOf(action).read(part, layout, item.scratchAddress);
  return std::nullopt;
}

/// The rows that the next section of the same image wants.
Error SectionRunner::writeKept(const Action &action, const TensorPart &result) {
  const GroupItem &item = itemOf(action);
  const GroupModel &model = chain[action.group];
  Action next = action;
  ++next.section;
  if (next.section == model.numSections() ||
      model.sectionIndex(next.section)[H] == 0)
    return std::nullopt;
  TensorPart kept(item.shape, keptBox(next));
  if (kept.box.size[H] == 0)
    return std::nullopt;
  Reader reader(&result, item.shape.bits);
  for (const Run &run : runsOf(item.shape, kept.box))
    for (int64_t i = 0; i < run.length; ++i)
      kept.values[run.position + i] = reader.at(run.flat + i);
  if (auto complaint = reader.complaint())
    return "keeps what it has not: " + *complaint;
  const LaneLayout layout(lanesOf(chip), kept.box.size, item.shape.bits,
                          item.euAlign);
  if (auto error = checkRoom(action, layout))
    return error;
  memoryOf(action).write(kept, layout, item.scratchAddress, false,
                         scratchTag(action));
  return std::nullopt;
}

Error SectionRunner::keepRows(const Action &action, const LaneLayout &layout) {
  const GroupItem &item = itemOf(action);
  const GroupModel &model = chain[action.group];
  if (item.operands.size() != 1 || item.operands[0] < 0)
    return "keeps rows of nothing";
  if (model.sections[W] > 1 || model.sections[C] > 1)
    return "keeps rows, but they are cut";
  TensorPart fresh;
  if (auto error = readOperand(action, item.operands[0], fresh))
    return error;
  TensorPart kept(item.shape, keptBox(action));
  if (kept.box.size[H] > 0) {
    if (model.sectionIndex(action.section)[H] == 0)
      return "needs rows of a section before the first one";
    if (auto error = readKept(action, kept))
      return error;
  }
  if (auto error = checkOverlaps(action, layout))
    return error;
  TensorPart result(item.shape, boxOf(action));
  Reader reader(&fresh, item.shape.bits), keptReader;
  int64_t firstFresh = 0;
  if (!kept.values.empty()) {
    keptReader = Reader(&kept, item.shape.bits);
    firstFresh = kept.box.lo[H] + kept.box.size[H];
  }
  for (const Run &run : runsOf(item.shape, result.box))
    for (int64_t i = 0; i < run.length; ++i) {
      const bool isKept = item.shape.indexOf(run.flat + i)[H] < firstFresh;
      result.values[run.position + i] =
          (isKept ? keptReader : reader).at(run.flat + i);
    }
  if (auto complaint = reader.complaint())
    return "results in what it has not: " + *complaint;
  if (auto error = compare(action, result))
    return error;
  memoryOf(action).write(result, layout, item.address, false,
                         resultTag(action));
  return writeKept(action, result);
}

/// The result may lie over operand 0 when the op is elementwise and both are
/// laid out alike, and over no other bytes of an operand.
Error SectionRunner::checkOverlaps(const Action &action,
                                   const LaneLayout &layout) const {
  const GroupItem &item = itemOf(action);
  for (int operand : item.operands) {
    if (operand < 0)
      continue;
    const Action made{action.group, operand, action.section, action.core};
    const GroupItem &other = itemOf(made);
    const LaneLayout otherLayout = layoutOf(made);
    if (item.address >= other.address + otherLayout.bytes() ||
        other.address >= item.address + layout.bytes())
      continue;
    std::string what = "writes over its operand " + nameOf(other);
    if (!kernels.isElementwise(item.op) || operand != item.operands[0])
      return what;
    if (!chip.localInPlace)
      return what + ", which this chip cannot do";
    if (item.address != other.address || !layout.isLike(otherLayout))
      return what + ", which is laid out otherwise";
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static void mix(uint64_t &hash, uint64_t value) {
  hash = (hash ^ value) * 0x9fb21c651e98df25u;
  hash ^= hash >> 29;
}
static void mix(uint64_t &hash, const Box &box) {
  for (int dim = 0; dim < kNumDims; ++dim) {
    mix(hash, box.lo[dim]);
    mix(hash, box.size[dim]);
  }
}
/// Most of the time goes here: four independent chains of two values each.
static void mix(uint64_t &hash, const std::vector<int32_t> &values) {
  std::array<uint64_t, 4> chains{hash, ~hash, hash * 3, hash * 5};
  size_t i = 0;
  for (; i + 8 <= values.size(); i += 8)
    for (size_t chain = 0; chain < 4; ++chain) {
      uint64_t pair;
      std::memcpy(&pair, &values[i + 2 * chain], sizeof(pair));
      mix(chains[chain], pair);
    }
  for (; i < values.size(); ++i)
    mix(chains[0], static_cast<uint32_t>(values[i]));
  for (uint64_t chain : chains)
    mix(hash, chain);
}

Error SectionRunner::runCached(const Action &action,
                               const std::vector<TensorPart> &operands,
                               TensorPart &result) {
  uint64_t hash = action.group * 100003 + action.item + 1;
  KernelCall call{itemOf(action).op, {}, &result};
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool isThere = itemOf(action).operands[i] >= 0;
    call.operands.push_back(isThere ? &operands[i] : nullptr);
    mix(hash, i);
    if (!isThere)
      continue;
    mix(hash, operands[i].box);
    mix(hash, operands[i].values);
  }
  mix(hash, result.box);
  auto [found, isNew] = cache.try_emplace(hash);
  if (!isNew) {
    result.values = found->second;
    return std::nullopt;
  }
  auto error = kernels.run(call);
  if (!error)
    error = compare(action, result);
  if (error)
    cache.erase(found);
  else
    found->second = result.values;
  return error;
}

/// Against the reference: the first op that goes wrong is the one to name.
Error SectionRunner::compare(const Action &action,
                             const TensorPart &result) const {
  const TensorPart &whole = reference.results[action.group][action.item];
  for (const Run &run : runsOf(result.shape, result.box))
    if (!std::equal(&whole.values[run.flat],
                    &whole.values[run.flat] + run.length,
                    &result.values[run.position]))
      return "computes other numbers than on whole tensors, in " +
             text(result.box, result.shape.whole);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void SectionRunner::releaseResult(const Action &action) {
  memoryOf(action).release(itemOf(action).address, layoutOf(action).bytes(),
                           resultTag(action));
}

void SectionRunner::releaseScratch(const Action &action) {
  const GroupItem &item = itemOf(action);
  const int64_t next = action.section + 1;
  const bool isKept = item.isLineBuffer &&
                      next < chain[action.group].numSections() &&
                      chain[action.group].sectionIndex(next)[H] > 0;
  if (item.scratchBytes > 0 && !isKept)
    memoryOf(action).release(item.scratchAddress, item.scratchBytes,
                             scratchTag(action));
}

Error SectionRunner::checkTarget(size_t group, int item) const {
  const GroupItem &store = chain[group].items[item];
  auto found = stored.find(store.global);
  if (found == stored.end())
    return nameOf(store) + ": stores nothing";
  const auto &times = found->second.times;
  const auto never = std::find(times.begin(), times.end(), 0);
  if (never != times.end())
    return nameOf(store) + ": never stores element " +
           std::to_string(never - times.begin());
  if (found->second.part.values != reference.results[group][item].values)
    return nameOf(store) +
           ": stores other numbers than those computed on whole tensors";
  return std::nullopt;
}

} // namespace tpu_mlir::execution
