//===- ShareStorage.cpp - Who shares, by the peak -----------------------===//

#include "lib/Transforms/Tpu/AssignGlobalAddress/ShareStorage.h"

#include "lib/Transforms/Tpu/Updates/InOrder.h"
#include "lib/Transforms/Tpu/Updates/Updates.h"
#include "tpu_mlir/Analysis/Tensor/Merges.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::global_addresses {

using namespace updates;

static constexpr StringLiteral kOnlyMerge = "only_merge";

/// Values that all looks at live ranges together may go through.
static constexpr int64_t kMostLooks = 4'000'000;

/// Merges that are planned with by themselves, to save their copies alone.
static constexpr size_t kMostSaved = 4;

/// How often it is looked again after merges.
static constexpr int kMostRounds = 8;

namespace {

class Sharing {
public:
  explicit Sharing(const PlanningCase &planning)
      : planning(planning), module(planning.module), updates(module),
        sweeps(module, isFourN(), planning.inOrder) {}
  void run();

private:
  /// A concat that may be merged, and what it says of that now.
  struct Merge {
    Operation *op;
    Attribute before;
    bool isOn = false;
  };

  void findMerges();
  void set(Merge &merge, bool isOn);
  void turnOver(Merge &merge,
                bool (MemoryNeed::*isGood)(const MemoryNeed &) const,
                MemoryNeed &least);
  void setMerges(bool isOn);
  std::vector<bool> mergesOn() const;
  void restore(const std::vector<bool> &isOn);
  FailureOr<GlobalProblem> problem();
  MemoryNeed packed();
  MemoryNeed alive();
  void addMerges();
  void dropMerges();
  void chooseMerges();
  MemoryNeed choosePlaces(const MemoryNeed &before);
  MemoryNeed chooseSweeps(MemoryNeed best);
  void saveCopies(const MemoryNeed &best);
  bool chooseAll();
  void setUpdates(bool isOn) {
    areUpdatesOn = isOn;
    updates.mark(isOn);
  }
  bool isFourN() const {
    return planning.chip.batchLayout == target::BatchLayout::FourN;
  }

  const PlanningCase &planning;
  ModuleOp module;
  Updates updates;
  InOrder sweeps;
  std::vector<Merge> merges;
  bool areUpdatesOn = false;
  int64_t looks = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// What may be marked
//===----------------------------------------------------------------------===//

void Sharing::set(Merge &merge, bool isOn) {
  merge.isOn = isOn;
  if (isOn)
    merge.op->setAttr(kOnlyMerge, BoolAttr::get(module.getContext(), true));
  else if (merge.before)
    merge.op->setAttr(kOnlyMerge, merge.before);
  else
    merge.op->removeAttr(kOnlyMerge);
}

void Sharing::findMerges() {
  merges.clear();
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tpu::GroupOp>(op) || (isa<ModuleOp>(op) && op != module))
      return WalkResult::skip();
    auto concat = dyn_cast<tpu::ConcatOp>(op);
    auto function = op->getParentOfType<func::FuncOp>();
    if (!concat || !function || isDynamicFunction(function) ||
        !mayBeMerged(concat))
      return WalkResult::advance();
    merges.push_back({op, op->getAttr(kOnlyMerge)});
    return WalkResult::advance();
  });
}

void Sharing::setMerges(bool isOn) {
  for (Merge &merge : merges)
    set(merge, isOn);
}

std::vector<bool> Sharing::mergesOn() const {
  std::vector<bool> isOn;
  for (const Merge &merge : merges)
    isOn.push_back(merge.isOn);
  return isOn;
}

void Sharing::restore(const std::vector<bool> &isOn) {
  for (auto [merge, one] : llvm::zip_equal(merges, isOn))
    set(merge, one);
}

//===----------------------------------------------------------------------===//
// What the module needs as it is marked
//===----------------------------------------------------------------------===//

/// Failure: the marks cannot all hold.
FailureOr<GlobalProblem> Sharing::problem() {
  // What is tried and does not work is nobody's business.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<GlobalFacts> facts = analyzeModule(module, isFourN());
  if (failed(facts))
    return failure();
  looks += static_cast<int64_t>(facts->aliases.values().size());
  return buildGlobalProblem(module, *facts, planning.chip, planning.weights,
                            planning.options);
}

MemoryNeed Sharing::packed() {
  FailureOr<GlobalProblem> global = problem();
  if (failed(global))
    return {};
  SolveOptions options;
  options.strategy = planning.strategy;
  return needOf(*global, solveCached(global->problem, options, planning.plans),
                planning.chip);
}

/// By live ranges alone. Only a plan says what is in which of several memories:
/// here tensors with a choice are in the neuron region.
MemoryNeed Sharing::alive() {
  FailureOr<GlobalProblem> global = problem();
  if (failed(global))
    return {};
  for (Buffer &buffer : global->problem.buffers)
    buffer.pools = {buffer.pools.back()};
  return needOf(*global, 1, [&](PoolId pool) {
    return liveBound(global->problem, pool).bytes;
  });
}

//===----------------------------------------------------------------------===//
// What is marked
//===----------------------------------------------------------------------===//

/// Turns it over, and back where what is alive then is not as good as `least`.
void Sharing::turnOver(Merge &merge,
                       bool (MemoryNeed::*isGood)(const MemoryNeed &) const,
                       MemoryNeed &least) {
  const bool wasOn = merge.isOn;
  set(merge, !wasOn);
  const MemoryNeed now = alive();
  if ((now.*isGood)(least))
    least = now;
  else
    set(merge, wasOn);
}

/// In the order of the text those that need less memory by themselves.
void Sharing::addMerges() {
  MemoryNeed least = alive();
  for (Merge &merge : merges)
    if (looks <= kMostLooks)
      turnOver(merge, &MemoryNeed::isBetterThan, least);
}

/// The last first: those without which no more is needed.
void Sharing::dropMerges() {
  MemoryNeed least = alive();
  for (Merge &merge : llvm::reverse(merges))
    if (merge.isOn && looks <= kMostLooks)
      turnOver(merge, &MemoryNeed::isWithin, least);
}

/// Merges by which less is alive: one after the other, or all that are of use
/// together, as several may need less where none does by itself.
void Sharing::chooseMerges() {
  addMerges();
  const std::vector<bool> added = mergesOn();
  const MemoryNeed byAdding = alive();
  setMerges(true);
  dropMerges();
  if (alive().isBetterThan(byAdding))
    return;
  restore(added);
  dropMerges();
}

/// Updates and merges; what the plan takes with them.
MemoryNeed Sharing::choosePlaces(const MemoryNeed &before) {
  setUpdates(true);
  if (!merges.empty())
    chooseMerges();
  MemoryNeed best = packed();
  if (const std::vector<bool> chosen = mergesOn();
      llvm::is_contained(chosen, true)) {
    setMerges(false);
    if (const MemoryNeed without = packed(); best.isBetterThan(without)) {
      restore(chosen);
      setUpdates(false);
      if (const MemoryNeed merged = packed(); best.isBetterThan(merged))
        setUpdates(true);
      else
        best = merged;
    } else {
      best = without;
    }
  }
  if (best.isBetterThan(before))
    return best;
  setUpdates(false);
  setMerges(false);
  return before;
}

/// A result that begins where its operand does is an update that ties the two
/// to nothing: so also without updates, which goes first of two that are alike.
MemoryNeed Sharing::chooseSweeps(MemoryNeed best) {
  const bool wereUpdatesOn = areUpdatesOn;
  bool isChosen = false, areUpdatesChosen = wereUpdatesOn;
  sweeps.mark(true);
  for (const bool isOn : {true, false}) {
    if (isOn && updates.empty())
      continue;
    setUpdates(isOn);
    const MemoryNeed now = packed();
    if (!now.isBetterThan(best) && !(isChosen && now.isWithin(best)))
      continue;
    best = now;
    isChosen = true;
    areUpdatesChosen = isOn;
  }
  sweeps.mark(isChosen);
  setUpdates(areUpdatesChosen);
  return best;
}

/// A concat that is merged copies nothing: those without which the plan needs
/// no less are merged, too, all that live ranges allow, or one by one.
void Sharing::saveCopies(const MemoryNeed &best) {
  const std::vector<bool> chosen = mergesOn();
  if (!llvm::is_contained(chosen, false))
    return;
  MemoryNeed least = alive();
  std::vector<Merge *> added;
  for (Merge &merge : merges)
    if (!merge.isOn && looks <= kMostLooks) {
      turnOver(merge, &MemoryNeed::isWithin, least);
      if (merge.isOn)
        added.push_back(&merge);
    }
  if (added.empty() || packed().isWithin(best))
    return;
  restore(chosen);
  if (added.size() == 1)
    return;
  added.resize(std::min(added.size(), kMostSaved));
  for (Merge *merge : added) {
    set(*merge, true);
    if (!packed().isWithin(best))
      set(*merge, false);
  }
}

/// From the merges that stay alone; true if there are more of them afterwards.
bool Sharing::chooseAll() {
  findMerges();
  setUpdates(false);
  sweeps.mark(false);
  if (updates.empty() && merges.empty() && sweeps.empty())
    return false;
  const MemoryNeed before = packed();
  // Whoever plans it then says why.
  if (!before.isKnown())
    return false;
  const bool isAny = !updates.empty() || !merges.empty();
  MemoryNeed best = isAny ? choosePlaces(before) : before;
  if (!sweeps.empty())
    best = chooseSweeps(best);
  saveCopies(best);
  return llvm::is_contained(mergesOn(), true);
}

/// What is merged for its copy alone may do for what updates were marked for,
/// or leave room for more merges. So it is looked again as the next run of the
/// pass would, until that would find nothing new.
void Sharing::run() {
  for (int round = 0; round < kMostRounds && looks <= kMostLooks; ++round)
    if (!chooseAll())
      return;
}

void shareStorage(const PlanningCase &planning) { Sharing(planning).run(); }

} // namespace tpu_mlir::global_addresses
