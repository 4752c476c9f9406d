//===- PlannedGroups.cpp - Checks what tpu-layer-group made ---------------===//

#include "tests/exec/networks/PlannedGroups.h"

#include "tests/exec/groups/Mixing.h"

#include "lib/Analysis/Local/Check/Recount.h"
#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Transforms/Tpu/CoreParallel/CoreParallel.h"
#include "lib/Transforms/Tpu/GroupOverlap/GroupOverlap.h"
#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"
#include "lib/Transforms/Tpu/VerifyLocal/VerifyLocal.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>

using namespace mlir;

namespace tpu_mlir::exec {

namespace {

bool overlaps(const GroupItem &load, int dim) {
  for (size_t i = 1; i < load.begin[dim].size(); ++i)
    if (load.begin[dim][i] < load.begin[dim][i - 1] + load.size[dim][i - 1] &&
        load.begin[dim][i] != load.begin[dim][i - 1])
      return true;
  return false;
}

bool isSame(const std::vector<int64_t> &list) {
  return std::all_of(list.begin(), list.end(),
                     [&](int64_t entry) { return entry == list.front(); });
}

bool isReloaded(const GroupModel &group, const GroupItem &load) {
  bool isAlike = true;
  for (int dim = 0; dim < kNumDims; ++dim)
    isAlike &= isSame(load.begin[dim]) && isSame(load.size[dim]);
  return isAlike && !group.isHeld(load);
}

void countItem(const GroupModel &group, const GroupItem &item,
               PlanCounts &counts) {
  if (item.kind == GroupItem::Kind::Load) {
    counts.halos += overlaps(item, H) || overlaps(item, W);
    counts.held += group.isHeld(item);
    counts.reloaded += isReloaded(group, item);
    counts.arranged += item.globalShape.dims != item.shape.dims;
  }
  counts.wrapped += item.isTransfer() && item.stage != 1;
  if (item.kind != GroupItem::Kind::Compute)
    return;
  counts.scratch += item.scratchBytes > 0;
  counts.lines += item.isLineBuffer && item.scratchBytes > 0;
  ++counts.opsInLoops[item.op->getName().stripDialect().str()];
  for (int operand : item.operands)
    counts.inPlace += operand != GroupItem::kNone &&
                      group.items[operand].address == item.address;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// Runs a pass; "" or its errors.
std::string run(ModuleOp module, std::unique_ptr<Pass> pass) {
  std::string errors;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          errors += diagnostic.str() + "\n";
        return success();
      });
  PassManager manager(module.getContext());
  manager.addPass(std::move(pass));
  if (failed(manager.run(module)) && errors.empty())
    errors = "a pass fails without an error";
  return errors;
}

/// What the search says about the functions of a module.
layer::Cost searchedCost(ModuleOp module, const LayerGroupOptions &plan,
                         const target::ChipSpec &chip) {
  using Method = layer::SearchOptions::Method;
  layer::SearchOptions options;
  options.method = plan.search == "greedy" ? Method::Greedy : Method::Optimal;
  options.maxLayers = static_cast<int>(plan.maxLayers);
  options.group.objective = *layer::findObjective(plan.objective);
  options.group.maxParts = plan.maxParts;
  options.group.maxRecomputePercent = plan.maxRecompute;
  options.group.cutChannels = plan.cutChannels;
  options.group.nodeLimit = plan.nodeLimit;
  options.group.lineBuffers = plan.lineBuffers;
  options.reorder = plan.reorder;
  layer::Cost cost;
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody()) {
      grouping::BlockLayers layers = grouping::buildLayers(block, chip);
      if (plan.l2)
        grouping::expectL2(layers, openL2Bytes(module, chip).value_or(0));
      if (options.group.objective == layer::Objective::Traffic)
        layer::readEachOperandOnce(layers.graph);
      std::vector<layer::LayerId> order;
      for (size_t i = 0; i < layers.graph.layers.size(); ++i)
        order.push_back(static_cast<layer::LayerId>(i));
      cost += layer::searchGroups(layers.graph, order, chip, options).cost;
    }
  return cost;
}

/// What the verifier's count of all groups says that is loaded.
int64_t recountedLoads(ModuleOp module, const target::ChipSpec &chip) {
  int64_t bytes = 0;
  module.walk([&](tpu::GroupOp op) {
    local::Violations violations;
    if (const auto group = local::readGroup(op, chip, violations))
      if (const auto figures = local::recountGroup(*group))
        bytes += figures->loadedBytes;
  });
  return bytes;
}

/// What the report counts; nullopt: it cannot be made, or the verifier counts
/// otherwise.
std::optional<report::LocalCost> costOf(ModuleOp module,
                                        const target::ChipSpec &chip) {
  report::LocalCost cost, grouped;
  for (ModuleOp inner : functionModules(module)) {
    FailureOr<report::LocalReport> collected =
        local_report::collectLocalReport(inner, chip);
    if (failed(collected))
      return std::nullopt;
    cost += collected->totalCost();
    grouped += collected->groupCost();
  }
  if (grouped.loadBytes != recountedLoads(module, chip))
    return std::nullopt;
  return cost;
}

/// Two loads of one value, for readers far apart.
bool loadsOneTwice(tpu::GroupOp group) {
  llvm::SmallPtrSet<Value, 8> loaded;
  for (auto load : group.getOps<tpu::LoadOp>())
    if (!loaded.insert(load.getInput()).second)
      return true;
  return false;
}

} // namespace

void PlanCounts::add(ModuleOp module, const target::ChipSpec &chip) {
  module.walk([&](tpu::GroupOp op) {
    auto read = readGroup(op, chip);
    if (read.index() != 0)
      return;
    const GroupModel &group = std::get<0>(read);
    ++groups;
    hoisted += int(group.lentToPrevious.size());
    sunk += int(group.lentToNext.size());
    manyOutputs += op->getNumResults() > 1;
    if (group.numSections() == 1)
      return;
    ++loops;
    onCores += chip.usedCores > 1;
    images += group.sections[N] > 1;
    loadedTwice += loadsOneTwice(op);
    channels += group.sections[C] > 1;
    rows += group.sections[H] > 1;
    columns += group.sections[W] > 1;
    for (const GroupItem &item : group.items)
      countItem(group, item, *this);
  });
}

/// Whether the module is right and moves and computes what is expected. Sets
/// its cycles, waits included.
static std::string verifyAndCount(ModuleOp module,
                                  const LayerGroupOptions &plan,
                                  const target::ChipSpec &chip,
                                  const layer::Cost &expected,
                                  int64_t &cycles) {
  VerifyLocalOptions verify;
  verify.chip = plan.chip;
  verify.chipFile = plan.chipFile;
  if (std::string errors = run(module, createVerifyLocal(verify));
      !errors.empty())
    return "tpu-verify-local: " + errors;
  const auto counted = costOf(module, chip);
  if (!counted)
    return "the report cannot be made, or the verifier counts otherwise";
  cycles = counted->cycles + counted->waitCycles;
  if (counted->loadBytes != expected.loadBytes ||
      counted->storeBytes != expected.storeBytes ||
      counted->computeCycles != expected.computeCycles)
    return "the search says " + std::to_string(expected.loadBytes) + " + " +
           std::to_string(expected.storeBytes) + " bytes, there are " +
           std::to_string(counted->loadBytes) + " + " +
           std::to_string(counted->storeBytes) + "; cycles of computing " +
           std::to_string(expected.computeCycles) + " and " +
           std::to_string(counted->computeCycles);
  return "";
}

/// Groups run transfers of their neighbours: nothing but cycles may change, and
/// these get fewer, where anything moves.
static std::string overlapAndVerify(ModuleOp module, ModuleOp twin,
                                    const LayerGroupOptions &plan,
                                    const target::ChipSpec &chip,
                                    const layer::Cost &expected) {
  int64_t before = 0, after = 0;
  if (std::string error = verifyAndCount(module, plan, chip, expected, before);
      !error.empty())
    return error;
  const std::string text = print(module);
  GroupOverlapOptions options;
  options.chip = plan.chip;
  options.chipFile = plan.chipFile;
  for (ModuleOp each : {module, twin})
    if (std::string errors = run(each, createGroupOverlap(options));
        !errors.empty())
      return "tpu-group-overlap: " + errors;
  if (print(module) != print(twin))
    return "two runs of tpu-group-overlap differ";
  if (std::string error = verifyAndCount(module, plan, chip, expected, after);
      !error.empty())
    return "with overlap: " + error;
  if (text == print(module) ? before != after : after >= before)
    return "with overlap there are " + std::to_string(after) +
           " cycles, without " + std::to_string(before);
  return "";
}

std::string planAndVerify(ModuleOp module, const LayerGroupOptions &plan,
                          const target::ChipSpec &chip) {
  OwningOpRef<ModuleOp> twin = module.clone();
  layer::Cost expected;
  for (ModuleOp inner : functionModules(*twin))
    expected += searchedCost(inner, plan, chip);
  CoreParallelOptions divide;
  divide.chip = plan.chip;
  divide.chipFile = plan.chipFile;
  divide.objective = plan.objective;
  for (ModuleOp each : {module, *twin}) {
    if (std::string errors = run(each, createLayerGroup(plan)); !errors.empty())
      return "tpu-layer-group: " + errors;
    if (std::string errors = run(each, createCoreParallel(divide));
        !errors.empty())
      return "core-parallel: " + errors;
  }
  const std::string text = print(module);
  if (text != print(*twin))
    return "two runs differ";
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(text, module.getContext());
  if (!parsed || print(*parsed) != text)
    return "the text changes when it is parsed";
  return overlapAndVerify(module, *twin, plan, chip, expected);
}

} // namespace tpu_mlir::exec
