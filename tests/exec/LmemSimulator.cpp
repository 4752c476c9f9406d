//===- LmemSimulator.cpp - Runs layer groups byte by byte -----------------===//

#include "LmemSimulator.h"

#include "Kernels.h"
#include "Lmem.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::exec {

using Error = std::optional<std::string>;

namespace {

/// One item for one section.
struct Action {
  size_t group = 0;
  int item = 0;
  int64_t section = 0;
};

/// What a Store has written so far.
struct Stored {
  TensorPart part;
  std::vector<uint8_t> times;
};

/// What does not change while a group runs.
struct Plan {
  const GroupModel *model = nullptr;
  int64_t firstOwner = 0; ///< Two for each item: its result and its scratch.
  std::vector<int64_t> rowOf;
  /// Time of the last reader, relative to the section's first loop.
  std::vector<int64_t> lastUse;
  std::vector<bool> isHeld;
};

class Simulation {
public:
  Simulation(const std::vector<GroupModel> &chain, const target::ChipSpec &chip,
             const ChainReference &reference, EngineOrder order,
             KernelCache &cache)
      : chain(chain), chip(chip), reference(reference), order(order),
        cache(cache), lmem(chip) {}

  Error run() {
    int64_t owners = 0;
    for (const GroupModel &model : chain) {
      if (auto error = checkModel(model))
        return error;
      plans.push_back(planOf(model, owners));
      owners += 2 * static_cast<int64_t>(model.items.size());
    }
    if (owners > 0xfffe)
      return "more ops than the simulator has names for";
    for (size_t group = 0; group < chain.size(); ++group)
      if (auto error = runGroup(group))
        return chain.size() == 1 ? *error
                                 : "group " + std::to_string(group) +
                                       " of the chain: " + *error;
    return std::nullopt;
  }

private:
  //===--------------------------------------------------------------------===//
  // Schedule
  //===--------------------------------------------------------------------===//

  static Plan planOf(const GroupModel &model, int64_t firstOwner) {
    Plan plan;
    plan.model = &model;
    plan.firstOwner = firstOwner;
    plan.rowOf = model.rowOfItems();
    const int64_t rows = static_cast<int64_t>(model.rows.size());
    const auto timeOf = [&](size_t item) {
      return model.items[item].stage * rows + plan.rowOf[item];
    };
    for (size_t i = 0; i < model.items.size(); ++i) {
      plan.lastUse.push_back(timeOf(i));
      plan.isHeld.push_back(model.isHeld(model.items[i]));
    }
    for (size_t i = 0; i < model.items.size(); ++i)
      for (int operand : model.items[i].operands)
        if (operand >= 0)
          plan.lastUse[operand] = std::max(plan.lastUse[operand], timeOf(i));
    return plan;
  }

  Error runGroup(size_t group) {
    const GroupModel &model = chain[group];
    const int64_t loops = model.numSections() + 2;
    for (int64_t loop = 0; loop < loops; ++loop)
      for (size_t row = 0; row < model.rows.size(); ++row) {
        if (auto error = runRow(group, loop, row))
          return *error + " [loop " + std::to_string(loop) + ", timestep " +
                 std::to_string(row) + ", " + orderName() + "]";
        endRow(group, loop, static_cast<int64_t>(row));
      }
    return checkStored(group);
  }

  const char *orderName() const {
    return order == EngineOrder::ComputeFirst    ? "computation first"
           : order == EngineOrder::TransferFirst ? "transfers first"
                                                 : "in turns";
  }

  Error runRow(size_t group, int64_t loop, size_t row) {
    std::vector<Action> computes, transfers;
    const GroupModel &model = chain[group];
    for (int item : model.rows[row]) {
      const int64_t section = loop - model.items[item].stage;
      if (section < 0 || section >= model.numSections() ||
          (plans[group].isHeld[item] && section != 0) ||
          runsElsewhere(group, item, section))
        continue;
      (model.items[item].isTransfer() ? transfers : computes)
          .push_back({group, item, section});
    }
    addBorrowed(group, loop, static_cast<int64_t>(row), transfers);
    for (const Action &action : inOrder(computes, transfers))
      if (auto error = runAction(action))
        return describe(action) + ": " + *error;
    return std::nullopt;
  }

  std::vector<Action> inOrder(const std::vector<Action> &computes,
                              const std::vector<Action> &transfers) const {
    const auto &first =
        order == EngineOrder::ComputeFirst ? computes : transfers;
    const auto &second =
        order == EngineOrder::ComputeFirst ? transfers : computes;
    std::vector<Action> result;
    if (order != EngineOrder::Interleaved) {
      result = first;
      result.insert(result.end(), second.begin(), second.end());
      return result;
    }
    for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
      if (i < first.size())
        result.push_back(first[i]);
      if (i < second.size())
        result.push_back(second[i]);
    }
    return result;
  }

  //===--------------------------------------------------------------------===//
  // Transfers that neighbours run for each other: loads of the next group in
  // the last loop in which this one computes, stores of the previous one in the
  // first.
  //===--------------------------------------------------------------------===//

  bool runsElsewhere(size_t group, int item, int64_t section) const {
    const GroupModel &model = chain[group];
    const int64_t id = model.items[item].id;
    return (section == 0 && llvm::is_contained(model.lentToPrevious, id)) ||
           (section == model.numSections() - 1 &&
            llvm::is_contained(model.lentToNext, id));
  }

  void addBorrowed(size_t group, int64_t loop, int64_t row,
                   std::vector<Action> &transfers) const {
    const GroupModel &model = chain[group];
    if (loop == model.numSections())
      for (const Borrowed &one : model.fromNext)
        if (one.row == row)
          transfers.push_back(
              {group + 1, chain[group + 1].itemWithId(one.id), 0});
    if (loop == 1)
      for (const Borrowed &one : model.fromPrevious)
        if (one.row == row)
          transfers.push_back({group - 1, chain[group - 1].itemWithId(one.id),
                               chain[group - 1].numSections() - 1});
  }

  /// Its reader runs in the next group's rows.
  bool isReadElsewhere(size_t group, size_t item, int64_t section) const {
    const GroupModel &model = chain[group];
    if (section != model.numSections() - 1)
      return false;
    for (int64_t id : model.lentToNext)
      if (llvm::is_contained(model.items[model.itemWithId(id)].operands,
                             static_cast<int>(item)))
        return true;
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  const GroupItem &itemOf(const Action &action) const {
    return chain[action.group].items[action.item];
  }

  std::string describe(const Action &action) const {
    return nameOf(itemOf(action)) + ", section " +
           std::to_string(action.section) + " of " +
           std::to_string(chain[action.group].numSections());
  }

  Tag resultTag(const Action &action) const {
    const bool isHeld = plans[action.group].isHeld[action.item];
    return tagOf(plans[action.group].firstOwner + 2 * action.item,
                 isHeld ? 0 : action.section);
  }
  Tag scratchTag(const Action &action) const {
    return tagOf(plans[action.group].firstOwner + 2 * action.item + 1,
                 action.section);
  }

  std::string nameOfTag(Tag tag) const {
    if (tag == 0)
      return "nobody's";
    int64_t owner = ownerOf(tag);
    for (const GroupModel &model : chain) {
      const int64_t count = 2 * static_cast<int64_t>(model.items.size());
      if (owner < count)
        return (owner % 2 ? "scratch of " : "the result of ") +
               nameOf(model.items[owner / 2]) + ", section " +
               std::to_string(generationOf(tag));
      owner -= count;
    }
    return "unknown";
  }

  //===--------------------------------------------------------------------===//
  // Access to local memory
  //===--------------------------------------------------------------------===//

  LaneLayout layoutOf(const Action &action) const {
    const GroupItem &item = itemOf(action);
    const Box box = chain[action.group].boxOf(item, action.section);
    return LaneLayout(chip, box.size, item.shape.bits, item.euAlign);
  }

  /// The result's bytes are in the lane, where they may be, and as many as the
  /// plan says at most.
  Error checkPlace(const Action &action, const LaneLayout &layout) const {
    const GroupItem &item = itemOf(action);
    const int64_t bytes = layout.bytes();
    if (bytes > item.bytes)
      return "takes " + std::to_string(bytes) + " bytes, but out_size is " +
             std::to_string(item.bytes);
    if (!lmem.contains(item.address, bytes))
      return "bytes [" + std::to_string(item.address) + ", " +
             std::to_string(item.address + bytes) + ") leave the lane";
    if (item.euAlign && item.address % chip.euBytes != 0)
      return "address " + std::to_string(item.address) +
             " is not a multiple of the execution unit's " +
             std::to_string(chip.euBytes) + " bytes";
    return std::nullopt;
  }

  Error checkOwned(int64_t address, int64_t bytes, Tag tag) const {
    const auto stranger = lmem.findStranger(address, bytes, tag);
    if (!stranger)
      return std::nullopt;
    return "byte " + std::to_string(stranger->address) + " of lane " +
           std::to_string(stranger->lane) + " is " + nameOfTag(stranger->tag) +
           ", not " + nameOfTag(tag);
  }

  /// Reads what `producer` left for the section of `reader`.
  Error readOperand(const Action &reader, int producer, TensorPart &part) {
    const Action made{reader.group, producer, reader.section};
    const GroupItem &item = itemOf(made);
    const LaneLayout layout = layoutOf(made);
    if (!lmem.contains(item.address, layout.bytes()))
      return "reads bytes that leave the lane";
    if (auto error = checkOwned(item.address, layout.bytes(), resultTag(made)))
      return "reads " + nameOf(item) + ": " + *error;
    part =
        TensorPart(item.shape, chain[reader.group].boxOf(item, reader.section));
    lmem.read(part, layout, item.address);
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Actions
  //===--------------------------------------------------------------------===//

  Error runAction(const Action &action) {
    switch (itemOf(action).kind) {
    case GroupItem::Kind::Load:
      return load(action);
    case GroupItem::Kind::Store:
      return store(action);
    case GroupItem::Kind::Compute:
      return compute(action);
    }
    return std::nullopt;
  }

  Error load(const Action &action) {
    const GroupItem &item = itemOf(action);
    const LaneLayout layout = layoutOf(action);
    if (auto error = checkPlace(action, layout))
      return error;
    TensorPart part(item.shape,
                    chain[action.group].boxOf(item, action.section));
    auto made = stored.find(item.global);
    const TensorPart &source =
        made == stored.end() ? reference.results[action.group][action.item]
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
    lmem.write(part, layout, item.address, item.toAllLanes, resultTag(action));
    return std::nullopt;
  }

  Error store(const Action &action) {
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
    const Box box = chain[action.group].boxOf(item, action.section);
    for (const Run &run : runsOf(item.shape, box))
      for (int64_t i = run.flat; i < run.flat + run.length; ++i) {
        if (target.times[i]++)
          return "stores element " + std::to_string(i) + " a second time";
        target.part.values[i] = wrapped(reader.at(i), item.shape.bits);
      }
    if (auto complaint = reader.complaint())
      return "stores what it has not: " + *complaint;
    return std::nullopt;
  }

  Error compute(const Action &action) {
    const GroupItem &item = itemOf(action);
    const LaneLayout layout = layoutOf(action);
    if (auto error = checkPlace(action, layout))
      return error;
    if (auto error = checkOverlaps(action, layout))
      return error;
    if (!lmem.contains(item.scratchAddress, item.scratchBytes))
      return "scratch leaves the lane";
    // Scratch is written at any time while the op runs: what is in it before
    // that is lost, and what others write into it is lost, too.
    lmem.claim(item.scratchAddress, item.scratchBytes, scratchTag(action));

    std::vector<TensorPart> operands(item.operands.size());
    for (size_t i = 0; i < operands.size(); ++i)
      if (item.operands[i] >= 0)
        if (auto error = readOperand(action, item.operands[i], operands[i]))
          return error;
    TensorPart result(item.shape,
                      chain[action.group].boxOf(item, action.section));
    if (auto error = runCached(action, operands, result))
      return error;
    lmem.write(result, layout, item.address, false, resultTag(action));
    return checkOwned(item.scratchAddress, item.scratchBytes,
                      scratchTag(action));
  }

  /// The result may lie over operand 0 when the op is elementwise and both are
  /// laid out alike, and over no other bytes of an operand.
  Error checkOverlaps(const Action &action, const LaneLayout &layout) const {
    const GroupItem &item = itemOf(action);
    for (int operand : item.operands) {
      if (operand < 0)
        continue;
      const Action made{action.group, operand, action.section};
      const GroupItem &other = itemOf(made);
      const LaneLayout otherLayout = layoutOf(made);
      if (item.address >= other.address + otherLayout.bytes() ||
          other.address >= item.address + layout.bytes())
        continue;
      const std::string what = "writes over its operand " + nameOf(other);
      if (!isElementwise(item.op) || operand != item.operands[0])
        return what;
      if (!chip.localInPlace)
        return what + ", which this chip cannot do";
      if (item.address != other.address || layout.size != otherLayout.size ||
          layout.bits != otherLayout.bits ||
          layout.euAlign != otherLayout.euAlign)
        return what + ", which is laid out otherwise";
    }
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  static void mix(uint64_t &hash, uint64_t value) {
    hash = (hash ^ value) * 0x9fb21c651e98df25u;
    hash ^= hash >> 29;
  }
  static void mix(uint64_t &hash, const TensorPart &part) {
    for (int dim = 0; dim < kNumDims; ++dim) {
      mix(hash, part.box.lo[dim]);
      mix(hash, part.box.size[dim]);
    }
    for (int32_t value : part.values)
      mix(hash, static_cast<uint32_t>(value));
  }

  Error runCached(const Action &action, const std::vector<TensorPart> &operands,
                  TensorPart &result) {
    uint64_t hash = action.group * 100003 + action.item + 1;
    KernelCall call{itemOf(action).op, {}, &result};
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool isThere = itemOf(action).operands[i] >= 0;
      call.operands.push_back(isThere ? &operands[i] : nullptr);
      mix(hash, i);
      if (isThere)
        mix(hash, operands[i]);
    }
    mix(hash, result); // Its box; the values are all 0.
    auto [found, isNew] = cache.try_emplace(hash);
    if (!isNew) {
      result.values = found->second;
      return std::nullopt;
    }
    auto error = runKernel(call);
    if (!error)
      error = compare(action, result);
    if (error)
      cache.erase(found);
    else
      found->second = result.values;
    return error;
  }

  /// Against the reference: the first op that goes wrong is the one to name.
  Error compare(const Action &action, const TensorPart &result) const {
    const TensorPart &whole = reference.results[action.group][action.item];
    for (const Run &run : runsOf(result.shape, result.box))
      if (!std::equal(&whole.values[run.flat],
                      &whole.values[run.flat] + run.length,
                      &result.values[run.position]))
        return "computes other numbers than on whole tensors, in " +
               text(result.box, result.shape.whole);
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Ends
  //===--------------------------------------------------------------------===//

  /// Buffers whose last reader has run are filled with rubbish.
  void endRow(size_t group, int64_t loop, int64_t row) {
    const GroupModel &model = chain[group];
    const Plan &plan = plans[group];
    const int64_t rows = static_cast<int64_t>(model.rows.size());
    const int64_t now = loop * rows + row;
    for (size_t i = 0; i < model.items.size(); ++i) {
      const GroupItem &item = model.items[i];
      if (item.kind == GroupItem::Kind::Store)
        continue;
      const int64_t ran = loop - item.stage;
      if (item.scratchBytes > 0 && plan.rowOf[i] == row && ran >= 0 &&
          ran < model.numSections())
        lmem.release(item.scratchAddress, item.scratchBytes,
                     scratchTag({group, static_cast<int>(i), ran}));
      const int64_t since = now - plan.lastUse[i];
      if (plan.isHeld[i] || since < 0 || since % rows != 0 ||
          since / rows >= model.numSections() ||
          isReadElsewhere(group, i, since / rows))
        continue;
      const Action action{group, static_cast<int>(i), since / rows};
      lmem.release(item.address, layoutOf(action).bytes(), resultTag(action));
    }
  }

  Error checkStored(size_t group) const {
    for (size_t i = 0; i < chain[group].items.size(); ++i) {
      const GroupItem &item = chain[group].items[i];
      if (item.kind != GroupItem::Kind::Store ||
          llvm::is_contained(chain[group].lentToNext, item.id))
        continue;
      if (auto error = checkTarget(group, i))
        return nameOf(item) + ": " + *error;
    }
    if (group > 0)
      for (int64_t id : chain[group - 1].lentToNext)
        if (auto error =
                checkTarget(group - 1, chain[group - 1].itemWithId(id)))
          return *error;
    return std::nullopt;
  }

  Error checkTarget(size_t group, size_t item) const {
    auto found = stored.find(chain[group].items[item].global);
    if (found == stored.end())
      return "stores nothing";
    const auto &times = found->second.times;
    const auto never = std::find(times.begin(), times.end(), 0);
    if (never != times.end())
      return "never stores element " + std::to_string(never - times.begin());
    if (found->second.part.values != reference.results[group][item].values)
      return "stores other numbers than those computed on whole tensors";
    return std::nullopt;
  }

  const std::vector<GroupModel> &chain;
  const target::ChipSpec &chip;
  const ChainReference &reference;
  const EngineOrder order;
  KernelCache &cache;
  Lmem lmem;
  std::vector<Plan> plans;
  llvm::DenseMap<Value, Stored> stored; ///< Looked up, never walked.
};

} // namespace

Error simulate(const std::vector<GroupModel> &chain,
               const target::ChipSpec &chip, const ChainReference &reference,
               EngineOrder order, KernelCache &cache) {
  return Simulation(chain, chip, reference, order, cache).run();
}

Error simulateAllOrders(const std::vector<GroupModel> &chain,
                        const target::ChipSpec &chip,
                        const ChainReference &reference, KernelCache &cache) {
  for (EngineOrder order :
       {EngineOrder::ComputeFirst, EngineOrder::TransferFirst,
        EngineOrder::Interleaved})
    if (auto error = simulate(chain, chip, reference, order, cache))
      return error;
  return std::nullopt;
}

} // namespace tpu_mlir::exec
