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
        succeeded(checkAtLeast(location, "max-sets", maxSets, 0)));
  }
  void runOnOperation() override {
    for (ModuleOp module : functionModules(getOperation()))
      if (failed(reorder(module)))
        return signalPassFailure();
  }

private:
  LogicalResult findRules(ModuleOp module);
  LogicalResult reorder(ModuleOp module);
  bool improve(ModuleOp module, func::FuncOp function, const GlobalFacts &facts,
               std::optional<Updates> &updates);
  std::optional<int64_t> packed(const GlobalFacts &facts) const;
  std::optional<int64_t> packedAnew(ModuleOp module) const;

  reorder::TensorRules rules;
  /// The chip stores four images side by side.
  bool fourN = false;
};

} // namespace

/// A Top module may be for no chip yet.
LogicalResult ReorderPass::findRules(ModuleOp module) {
  auto name =
      dyn_cast_or_null<StringAttr>(findModuleAttr(module, "module.chip"));
  const bool isForAll = !name || name.getValue().equals_insensitive("ALL");
  rules = {64, inReuse, inPlace};
  fourN = false;
  if (!chip.empty() || !chipFile.empty() || !isForAll) {
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    rules.alignment = spec->neuronAlignment;
    fourN = spec->batchLayout == target::BatchLayout::FourN;
  }
  if (alignment > 0)
    rules.alignment = alignment;
  return success();
}

/// Bytes of all neuron tensors together; nullopt where they cannot be packed.
std::optional<int64_t> ReorderPass::packed(const GlobalFacts &facts) const {
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
    buffer.alignment = rules.alignment;
    buffer.pools = {0};
    const bool isWhole = !inReuse && inputs.contains(static_cast<int64_t>(id));
    buffer.lifespans = {isWhole ? Interval{0, steps} : facts.lives[id].steps};
    problem.buffers.push_back(std::move(buffer));
  }
  const planning::SolveResult result = planning::solve(problem);
  if (const auto *plan = std::get_if<planning::Plan>(&result))
    return plan->pools.front().usedBytes;
  return std::nullopt;
}

/// With the ops as they stand and are marked. What was right in the text may
/// not be in another order: then nobody hears of it.
std::optional<int64_t> ReorderPass::packedAnew(ModuleOp module) const {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<GlobalFacts> facts = analyzeModule(module, fourN);
  return succeeded(facts) ? packed(*facts) : std::nullopt;
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
      reorder::makeBlockProblem(function, facts, rules);
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
  std::optional<int64_t> least = isBetter ? packedAnew(module) : std::nullopt;
  const FoundOrder *best = nullptr;
  size_t tried = 0;
  for (const FoundOrder &order : found.orders) {
    if (!least || order.peak >= before)
      break;
    if (!reorder::keepsNeighbours(block, order.order))
      continue;
    if (++tried > kMostPacked)
      break;
    reorder::applyOrder(block, order.order);
    const std::optional<int64_t> bytes = packedAnew(module);
    if (bytes && *bytes < *least) {
      least = bytes;
      best = &order;
    }
  }
  if (tried > 0)
    reorder::applyOrder(block, best ? best->order : text);
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

LogicalResult ReorderPass::reorder(ModuleOp module) {
  if (failed(findRules(module)) || failed(forwardInnerInputs(module)))
    return failure();
  std::optional<Updates> updates;
  if (inPlace)
    updates.emplace(module);
  FailureOr<GlobalFacts> facts = analyzeModule(module, fourN);
  if (failed(facts))
    return failure();
  const SmallVector<func::FuncOp> functions(facts->schedule.functions());
  for (func::FuncOp function : functions) {
    if (!improve(module, function, *facts, updates))
      continue;
    facts = analyzeModule(module, fourN);
    if (failed(facts))
      return failure();
  }
  return success();
}

} // namespace tpu_mlir
