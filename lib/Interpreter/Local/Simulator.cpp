//===- Simulator.cpp - Runs layer groups byte by byte ---------------------===//

#include "tpu_mlir/Interpreter/Local/Simulator.h"

#include "SectionRunner.h"

#include "tpu_mlir/Target/Dealing.h"

#include <algorithm>
#include <random>

using namespace mlir;

namespace tpu_mlir::execution {

namespace {

/// What does not change while a group runs.
struct Plan {
  std::vector<int64_t> rowOf;
  /// Time of the last reader, relative to the section's first loop.
  std::vector<int64_t> lastUse;
  std::vector<bool> isHeld;
};

int64_t mostCores(const std::vector<GroupModel> &chain, int64_t numCores) {
  int64_t most = 1;
  for (const GroupModel &model : chain)
    most = std::max(
        most, target::Dealing(model.numSections(), numCores).activeCores());
  return most;
}

Plan planOf(const GroupModel &model) {
  Plan plan;
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

/// How far one core is with its sections of a group.
struct Core {
  size_t number = 0;
  Interval sections;
  int64_t loop = 0; ///< Counted over all sections.
  size_t row = 0;

  bool isDone() const { return loop == sections.end + 2; }
};

class Simulation {
public:
  Simulation(const std::vector<GroupModel> &chain, const LocalMachine &machine,
             const ChainReference &reference, EngineOrder order,
             KernelCache &cache)
      : chain(chain), numCores(machine.chip.usedCores), order(order),
        runner(chain, mostCores(chain, numCores), machine, reference, cache) {}

  std::optional<LocalFault> run() {
    if (auto fault = checkBarriers())
      return fault;
    int64_t owners = 0;
    for (const GroupModel &model : chain) {
      if (auto error = checkModel(model))
        return LocalFault{model.op, *error};
      plans.push_back(planOf(model));
      owners += 2 * static_cast<int64_t>(model.items.size());
    }
    if (owners > 0xfffe)
      return LocalFault{chain.front().op,
                        "more ops than the simulator has names for"};
    for (size_t group = 0; group < chain.size(); ++group)
      if (auto fault = runGroup(group)) {
        if (chain.size() > 1)
          fault->message = "group " + std::to_string(group) +
                           " of the chain: " + fault->message;
        return fault;
      }
    return std::nullopt;
  }

private:
  //===--------------------------------------------------------------------===//
  // Cores
  //===--------------------------------------------------------------------===//

  /// Transfers that neighbours run for each other pass a barrier.
  std::optional<LocalFault> checkBarriers() const {
    const int64_t cores = mostCores(chain, numCores);
    if (chain.size() == 1 || cores == 1)
      return std::nullopt;
    return LocalFault{chain.front().op,
                      "it shares transfers with its neighbour, but " +
                          std::to_string(cores) +
                          " cores run sections, and there is a barrier "
                          "between groups"};
  }

  /// The core that goes on: nothing orders them, so one after the other, the
  /// last one first, or any.
  size_t nextCore(const std::vector<Core> &cores) {
    switch (order) {
    case EngineOrder::ComputeFirst:
      return 0;
    case EngineOrder::TransferFirst:
      return cores.size() - 1;
    case EngineOrder::Interleaved:
      return random() % cores.size();
    }
    return 0;
  }

  //===--------------------------------------------------------------------===//
  // Schedule
  //===--------------------------------------------------------------------===//

  std::optional<LocalFault> runGroup(size_t group) {
    const target::Dealing dealing(chain[group].numSections(), numCores);
    std::vector<Core> cores;
    for (int64_t core = 0; core < dealing.activeCores(); ++core) {
      const Interval sections = dealing.sectionsOf(core);
      cores.push_back({size_t(core), sections, sections.begin, 0});
    }
    const bool isAlone = cores.size() == 1;
    while (!cores.empty()) {
      const size_t next = nextCore(cores);
      Core &core = cores[next];
      if (auto fault = runRow(group, core)) {
        fault->message +=
            " [loop " + std::to_string(core.loop) + ", timestep " +
            std::to_string(core.row) + ", " + orderName() +
            (isAlone ? "" : ", core " + std::to_string(core.number)) + "]";
        return fault;
      }
      endRow(group, core);
      if (++core.row == chain[group].rows.size()) {
        core.row = 0;
        ++core.loop;
      }
      if (core.isDone())
        cores.erase(cores.begin() + next);
    }
    return checkStored(group);
  }

  const char *orderName() const {
    return order == EngineOrder::ComputeFirst    ? "computation first"
           : order == EngineOrder::TransferFirst ? "transfers first"
                                                 : "in turns";
  }

  std::optional<LocalFault> runRow(size_t group, const Core &core) {
    std::vector<Action> computes, transfers;
    const GroupModel &model = chain[group];
    for (int item : model.rows[core.row]) {
      const int64_t section = core.loop - model.items[item].stage;
      if (section < core.sections.begin || section >= core.sections.end ||
          (plans[group].isHeld[item] && section != core.sections.begin) ||
          runsElsewhere(group, item, section))
        continue;
      (model.items[item].isTransfer() ? transfers : computes)
          .push_back({group, item, section, core.number});
    }
    addBorrowed(group, core.loop, static_cast<int64_t>(core.row), transfers);
    for (const Action &action : inOrder(computes, transfers))
      if (auto error = runner.run(action))
        return LocalFault{chain[action.group].items[action.item].op,
                          runner.describe(action) + ": " + *error};
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
  // Ends
  //===--------------------------------------------------------------------===//

  /// Buffers whose last reader has run are filled with rubbish.
  void endRow(size_t group, const Core &core) {
    const GroupModel &model = chain[group];
    const Plan &plan = plans[group];
    const int64_t rows = static_cast<int64_t>(model.rows.size());
    const int64_t row = static_cast<int64_t>(core.row);
    const int64_t now = core.loop * rows + row;
    const auto isOfCore = [&](int64_t section) {
      return section >= core.sections.begin && section < core.sections.end;
    };
    for (size_t i = 0; i < model.items.size(); ++i) {
      const GroupItem &item = model.items[i];
      if (item.kind == GroupItem::Kind::Store)
        continue;
      const auto action = [&](int64_t section) {
        return Action{group, static_cast<int>(i), section, core.number};
      };
      const int64_t ran = core.loop - item.stage;
      if (plan.rowOf[i] == row && isOfCore(ran))
        runner.releaseScratch(action(ran));
      const int64_t since = now - plan.lastUse[i];
      if (plan.isHeld[i] || since < 0 || since % rows != 0 ||
          !isOfCore(since / rows) || isReadElsewhere(group, i, since / rows))
        continue;
      runner.releaseResult(action(since / rows));
    }
  }

  /// All that this group was to store, and what it did for the previous one.
  std::optional<LocalFault> checkStored(size_t group) const {
    for (size_t i = 0; i < chain[group].items.size(); ++i)
      if (chain[group].items[i].kind == GroupItem::Kind::Store &&
          !llvm::is_contained(chain[group].lentToNext,
                              chain[group].items[i].id))
        if (auto fault = checkTarget(group, static_cast<int>(i)))
          return fault;
    if (group > 0)
      for (int64_t id : chain[group - 1].lentToNext)
        if (auto fault =
                checkTarget(group - 1, chain[group - 1].itemWithId(id)))
          return fault;
    return std::nullopt;
  }

  std::optional<LocalFault> checkTarget(size_t group, int item) const {
    if (auto error = runner.checkTarget(group, item))
      return LocalFault{chain[group].items[item].op, *error};
    return std::nullopt;
  }

  const std::vector<GroupModel> &chain;
  const int64_t numCores;
  const EngineOrder order;
  /// Which core goes on: the same in each run.
  std::mt19937 random;
  SectionRunner runner;
  std::vector<Plan> plans;
};

} // namespace

std::optional<LocalFault> simulate(const std::vector<GroupModel> &chain,
                                   const LocalMachine &machine,
                                   const ChainReference &reference,
                                   EngineOrder order, KernelCache &cache) {
  return Simulation(chain, machine, reference, order, cache).run();
}

std::optional<LocalFault>
simulateAllOrders(const std::vector<GroupModel> &chain,
                  const LocalMachine &machine, const ChainReference &reference,
                  KernelCache &cache) {
  for (EngineOrder order :
       {EngineOrder::ComputeFirst, EngineOrder::TransferFirst,
        EngineOrder::Interleaved})
    if (auto fault = simulate(chain, machine, reference, order, cache))
      return fault;
  return std::nullopt;
}

} // namespace tpu_mlir::execution
