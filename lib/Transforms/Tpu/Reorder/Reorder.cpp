//===- Reorder.cpp - Reorder ops for less memory --------------------------===//
//
// The pass: takes a new order only if the packed plan of the module is lower.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/Reorder/Reorder.h"

#include "lib/Transforms/Tpu/BlockProblem/BlockProblem.h"
#include "lib/Transforms/Tpu/Updates/Updates.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/PlanOptionsOf.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Ordering/FindOrder.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/ScopeExit.h"

#include <numeric>

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_REORDER
#include "lib/Transforms/Tpu/Reorder/Reorder.h.inc"

using namespace ordering;
using namespace updates;

/// Orders that are packed, besides the text.
static constexpr size_t kMostPacked = 4;

namespace {

class ReorderPass : public impl::ReorderBase<ReorderPass> {
public:
  using ReorderBase::ReorderBase;

  LogicalResult initialize(MLIRContext *context) override {
    const Location location = UnknownLoc::get(context);
    return success(
        succeeded(checkAtLeast(location, "alignment", alignment, 0)) &&
        succeeded(checkAtLeast(location, "max-sets", maxSets, 0)) &&
        succeeded(checkNetworkOptions(location, pools, pins)));
  }
  void runOnOperation() override {
    for (ModuleOp module : functionModules(getOperation()))
      if (failed(reorder(module)))
        return signalPassFailure();
  }

private:
  LogicalResult readOptions(ModuleOp module);
  LogicalResult findChip(ModuleOp module);
  reorder::TensorRules rulesOf(ModuleOp module, GlobalFacts facts) const;
  LogicalResult reorder(ModuleOp module);
  bool improve(ModuleOp module, func::FuncOp function, const GlobalFacts &facts,
               std::optional<Updates> &updates);
  MemoryNeed packed(const GlobalFacts &facts) const;
  MemoryNeed packedAnew(ModuleOp module) const;
  FailureOr<GlobalProblem> problemOf(ModuleOp module, GlobalFacts &facts) const;
  bool isFourN() const {
    return spec && spec->batchLayout == target::BatchLayout::FourN;
  }
  int64_t alignmentOf() const {
    return alignment > 0 ? alignment.getValue()
           : spec        ? spec->neuronAlignment
                         : 64;
  }

  /// None: a Top module may be for no chip yet.
  std::optional<target::ChipSpec> spec;
  /// For each try to assign addresses.
  GlobalPlanOptions asked;
};

} // namespace

LogicalResult ReorderPass::findChip(ModuleOp module) {
  auto name =
      dyn_cast_or_null<StringAttr>(findModuleAttr(module, "module.chip"));
  const bool isForAll = !name || name.getValue().equals_insensitive("ALL");
  spec.reset();
  if (chip.empty() && chipFile.empty() && isForAll)
    return success();
  FailureOr<target::ChipSpec> found = resolveChip(module, chip, chipFile);
  if (succeeded(found))
    spec = std::move(*found);
  return LogicalResult(found);
}

FailureOr<GlobalProblem> ReorderPass::problemOf(ModuleOp module,
                                                GlobalFacts &facts) const {
  return buildGlobalProblem(module, facts, *spec, {spec->weightBase, 0}, asked);
}

reorder::TensorRules ReorderPass::rulesOf(ModuleOp module,
                                          GlobalFacts facts) const {
  reorder::TensorRules rules{
      alignmentOf(), asked.ioMode == IoMode::InReuse, inPlace, {}};
  if (!spec)
    return rules;
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  const FailureOr<GlobalProblem> global = problemOf(module, facts);
  if (succeeded(global))
    rules.isElsewhere = reorder::outsideNeurons(*global);
  return rules;
}

/// Of all neuron tensors together, for no chip.
MemoryNeed ReorderPass::packed(const GlobalFacts &facts) const {
  planning::Problem problem;
  problem.pools.emplace_back();
  problem.pools.back().name = "neuron";
  const int64_t steps = std::max<int64_t>(facts.schedule.numSteps(), 1);
  llvm::DenseSet<int64_t> inputs;
  for (Value value : facts.inputs)
    inputs.insert(facts.aliases.lookup(value)->classId);
  for (auto [id, aliasClass] : llvm::enumerate(facts.aliases.classes())) {
    if (aliasClass.weight || aliasClass.values.empty())
      continue;
    planning::Buffer buffer;
    buffer.sizeBytes = aliasClass.sizeBytes;
    buffer.alignment = alignmentOf();
    buffer.pools = {0};
    const bool isWhole = asked.ioMode != IoMode::InReuse &&
                         inputs.contains(static_cast<int64_t>(id));
    buffer.lifespans = {isWhole ? Interval{0, steps} : facts.lives[id].steps};
    problem.buffers.push_back(std::move(buffer));
  }
  const planning::SolveResult result = planning::solve(problem);
  const auto *plan = std::get_if<planning::Plan>(&result);
  if (!plan)
    return {};
  const int64_t bytes = plan->pools.front().usedBytes;
  return MemoryNeed{bytes, bytes, 0};
}

/// With the ops as they stand and are marked. What was right in the text may
/// not be in another order: then nobody hears of it.
MemoryNeed ReorderPass::packedAnew(ModuleOp module) const {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<GlobalFacts> facts = analyzeModule(module, isFourN());
  if (failed(facts) || !spec)
    return succeeded(facts) ? packed(*facts) : MemoryNeed();
  const FailureOr<GlobalProblem> global = problemOf(module, *facts);
  if (failed(global))
    return {};
  return needOf(*global, planning::solve(global->problem), *spec);
}

/// True if ops were moved.
bool ReorderPass::improve(ModuleOp module, func::FuncOp function,
                          const GlobalFacts &facts,
                          std::optional<Updates> &updates) {
  const auto mark = [&](bool isOn) {
    if (updates)
      updates->mark(isOn);
  };
  mark(true);
  const llvm::scope_exit unmark([&] { mark(false); });
  const reorder::BlockProblem block =
      reorder::makeBlockProblem(function, facts, rulesOf(module, facts));
  // More bytes than there are addresses: planning says so.
  if (!checkProblem(block.problem).empty())
    return false;
  OrderOptions options;
  options.maxSets = maxSets;
  const OrderResult found = findOrder(block.problem, options);
  Order text(block.ops.size());
  std::iota(text.begin(), text.end(), 0);
  const int64_t before = peakOf(block.problem, text);
  const bool isBetter = found.orders.front().peak < before;
  MemoryNeed least = isBetter ? packedAnew(module) : MemoryNeed();
  std::vector<Operation *> asItWas;
  for (Operation &op : function.getBody().front().without_terminator())
    asItWas.push_back(&op);
  const FoundOrder *best = nullptr;
  size_t tried = 0;
  for (const FoundOrder &order : found.orders) {
    if (!least.isKnown() || order.peak >= before)
      break;
    if (!reorder::keepsNeighbours(block, order.order))
      continue;
    if (++tried > kMostPacked)
      break;
    reorder::applyOrder(block, order.order);
    const MemoryNeed need = packedAnew(module);
    if (need.isBetterThan(least)) {
      least = need;
      best = &order;
    }
  }
  if (best)
    reorder::applyOrder(block, best->order);
  else if (tried > 0)
    for (Operation *op : asItWas)
      op->moveBefore(function.getBody().front().getTerminator());
  if (!remarks || block.ops.empty())
    return best;
  const int64_t peak = best ? best->peak : before;
  emitRemark(function.getLoc())
      << "'" << function.getName() << "' needs " << formatExactBytes(peak)
      << " at its peak in the order of "
      << (best ? "'" + best->method + "'" : "the text") << ", "
      << formatExactBytes(before) << " in that of the text; "
      << (peak == found.bound
              ? "no order needs less"
              : "no order needs less than " + formatExactBytes(found.bound));
  return best;
}

LogicalResult ReorderPass::readOptions(ModuleOp module) {
  // Who assigns addresses says what becomes of another toolchain's mode.
  const FailureOr<IoMode> mode = ioModeOf(module, ioMode, /*remarks=*/false);
  auto pairs = sameAddressOf(module, sameAddr);
  if (failed(mode) || failed(pairs))
    return failure();
  asked = {};
  asked.ioMode = *mode;
  asked.sameAddress = std::move(*pairs);
  asked.poolIo = poolIo;
  asked.l2 = l2;
  if (alignment > 0)
    asked.alignment = alignment;
  recordUserPools(module, pools, pins);
  return success();
}

LogicalResult ReorderPass::reorder(ModuleOp module) {
  if (failed(readOptions(module)) || failed(findChip(module)) ||
      failed(forwardInnerInputs(module)))
    return failure();
  std::optional<Updates> updates;
  if (inPlace)
    updates.emplace(module);
  FailureOr<GlobalFacts> facts = analyzeModule(module, isFourN());
  if (failed(facts))
    return failure();
  // What is asked for has to be right as the ops stand.
  GlobalFacts text = *facts;
  if (spec &&
      (failed(checkPinNames(module)) || failed(problemOf(module, text))))
    return failure();
  const SmallVector<func::FuncOp> functions(facts->schedule.functions());
  for (func::FuncOp function : functions) {
    if (!improve(module, function, *facts, updates))
      continue;
    facts = analyzeModule(module, isFourN());
    if (failed(facts))
      return failure();
  }
  return success();
}

} // namespace tpu_mlir
