//===- GroupOrder.cpp - Whether groups want another order -----------------===//

#include "tpu_mlir/tools/model_deploy/GroupOrder.h"

#include "lib/Pipelines/HandOn.h"
#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/LayerPlanning/CostModel.h"
#include "tpu_mlir/Planning/Deadline.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/StopToken.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tpu_mlir::deploy {

namespace {

/// Of a module that is planned.
struct Figures {
  int64_t cost = 0; ///< What groups minimise.
  int64_t neuronBytes = 0;
};

} // namespace

static LogicalResult run(ModuleOp module,
                         llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  build(manager);
  return manager.run(module);
}

static std::optional<Figures> measure(ModuleOp module,
                                      const GroupTrial &trial) {
  Figures figures;
  for (ModuleOp inner : functionModules(module)) {
    auto chip = resolveChip(inner, trial.reorder.chip, trial.reorder.chipFile);
    if (failed(chip))
      return std::nullopt;
    auto report = local_report::collectLocalReport(inner, *chip);
    auto bytes = moduleInteger(inner, "module.neuron_size");
    if (failed(report) || failed(bytes) || !*bytes)
      return std::nullopt;
    const auto total = report->totalCost();
    figures.cost =
        saturatedAdd(figures.cost,
                     layer::objectiveCost(
                         total.trafficBytes(), total.cycles + total.waitCycles,
                         *layer::findObjective(trial.groups.objective), *chip));
    figures.neuronBytes += **bytes;
  }
  return figures;
}

/// Of the module with groups and addresses; nullopt where it gets none.
static std::optional<Figures> plan(OwningOpRef<ModuleOp> module,
                                   const GroupTrial &trial) {
  GlobalMemoryOptions memory;
  handOn(memory, trial.reorder);
  memory.ioMode = trial.ioMode;
  memory.share = trial.reorder.inPlace;
  memory.l2 = trial.groups.l2.getValue();
  memory.verify = false;
  if (failed(run(*module, [&](OpPassManager &manager) {
        buildCachedLocalMemoryPipeline(manager, trial.groups, trial.cache);
        manager.addPass(createReorder(trial.reorder));
        if (trial.overlaps)
          addGroupOverlap(manager, trial.groups);
        buildRecordedGlobalMemoryPipeline(manager, memory, nullptr,
                                          trial.cache);
      })))
    return std::nullopt;
  return measure(*module, trial);
}

/// Whether the search for groups ends by itself within half of the time. Then
/// they are known from now on, whatever becomes of the rest.
static bool isTimeEnough(ModuleOp module, const GroupTrial &trial) {
  StopToken &token = StopToken::ofProcess();
  const auto left = token.secondsLeft();
  if (!left)
    return true;
  const auto end = planning::Deadline::in(*left);
  token.expectIn(*left / 2);
  OwningOpRef<ModuleOp> grouped = module.clone();
  const LogicalResult done = run(*grouped, [&](OpPassManager &manager) {
    buildCachedLocalMemoryPipeline(manager, trial.groups, trial.cache);
  });
  const bool isLate = token.secondsLeft() == 0.0;
  token.expectIn(*end.secondsLeft());
  return succeeded(done) && !isLate;
}

bool wantsOrderFirst(ModuleOp module, const GroupTrial &trial) {
  // What is wrong with the module is said when it is planned.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> ordered = module.clone();
  if (failed(run(*ordered,
                 [&](OpPassManager &manager) {
                   manager.addPass(createReorder(trial.reorder));
                 })) ||
      OperationEquivalence::isEquivalentTo(module, *ordered,
                                           OperationEquivalence::Flags::None) ||
      !isTimeEnough(module, trial))
    return false;
  const auto after = plan(std::move(ordered), trial);
  const auto text = plan(OwningOpRef<ModuleOp>(module.clone()), trial);
  return after && text && !StopToken::ofProcess().isRequested() &&
         after->neuronBytes <= text->neuronBytes &&
         std::pair(after->cost, after->neuronBytes) <
             std::pair(text->cost, text->neuronBytes);
}

} // namespace tpu_mlir::deploy
