//===- FitMeasure.cpp - What a recipe makes of a module -------------------===//

#include "tpu_mlir/tools/model_deploy/fit/FitMeasure.h"

#include "lib/Transforms/Tpu/AssignGlobalAddress/RecordPlan.h"
#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;

namespace tpu_mlir::deploy {

/// The pool of the problem that is the neuron region, by both of its names.
static planning::PoolId neuronPool(const planning::Problem &problem) {
  for (auto [id, pool] : llvm::enumerate(problem.pools))
    if (pool.name == "neuron" || pool.name == "shared")
      return planning::PoolId(id);
  return -1;
}

namespace {

/// Live sums of one plan's neuron region.
class HotSteps {
public:
  HotSteps(const planning::Problem &problem, std::optional<int64_t> target)
      : problem(problem), pool(neuronPool(problem)) {
    sumUp();
    int64_t peak = 0;
    for (const auto &[step, bytes] : sums)
      peak = std::max(peak, bytes);
    limit = std::min(target.value_or(peak), peak - peak / 8);
  }

  int64_t excess() const {
    int64_t result = 0;
    for (auto it = sums.begin(); it != sums.end(); ++it) {
      const auto next = std::next(it);
      const int64_t steps = next == sums.end() ? 0 : next->first - it->first;
      const int64_t over = std::max<int64_t>(it->second - limit, 0);
      result = saturatedAdd(result, saturatedMul(steps, over));
    }
    return result;
  }

  std::vector<HotTensor> tensors() const {
    std::vector<HotTensor> hot;
    for (const planning::Buffer &buffer : problem.buffers)
      if (counts(buffer) && isActivation(buffer) &&
          isHot(buffer.lifespans.front()))
        hot.push_back({buffer.name, buffer.sizeBytes, waits(buffer)});
    llvm::stable_sort(hot, [](const HotTensor &a, const HotTensor &b) {
      return a.sizeBytes > b.sizeBytes;
    });
    return hot;
  }

private:
  bool counts(const planning::Buffer &buffer) const {
    return buffer.sizeBytes > 0 && buffer.lifespans.size() == 1 &&
           llvm::is_contained(buffer.pools, pool);
  }
  static bool isActivation(const planning::Buffer &buffer) {
    return buffer.kind == planning::BufferKind::Activation;
  }

  void sumUp() {
    std::map<int64_t, int64_t> changes;
    for (const planning::Buffer &buffer : problem.buffers)
      if (counts(buffer)) {
        const int64_t bytes = alignUp(buffer.sizeBytes, buffer.alignment);
        changes[buffer.lifespans.front().begin] += bytes;
        changes[buffer.lifespans.front().end] -= bytes;
      }
    int64_t sum = 0;
    for (const auto &[step, bytes] : changes)
      sums[step] = sum += bytes;
  }

  bool isHot(Interval steps) const {
    auto it = sums.upper_bound(steps.begin);
    for (it = it == sums.begin() ? it : std::prev(it);
         it != sums.end() && it->first < steps.end; ++it)
      if (it->second > limit)
        return true;
    return false;
  }

  /// From what made it to its first reader, too: other readers may be in the
  /// group that makes it.
  bool waits(const planning::Buffer &buffer) const {
    int64_t before = buffer.lifespans.front().begin;
    for (int64_t step : buffer.readSteps) {
      if (before + 1 < step && isHot({before + 1, step}))
        return true;
      before = step;
    }
    return false;
  }

  const planning::Problem &problem;
  const planning::PoolId pool;
  /// From this step on.
  std::map<int64_t, int64_t> sums;
  int64_t limit = 0;
};

} // namespace

Measuring::Measuring(ModuleOp module, const Options &options)
    : module(module), options(options) {
  this->options.gmemBytes = 0;
}

static int64_t deviceOf(ModuleOp module) {
  return readInteger(module->getAttr("module.device_id")).value_or(0);
}

/// Regions that are no part of global memory count nothing.
static int64_t othersOf(const GlobalRecord &record) {
  int64_t bytes = 0;
  for (auto [pool, used] :
       llvm::zip_equal(record.problem.pools, record.plan.pools)) {
    const StringRef name = pool.name;
    if (name == "coeff" || name == "shared" || name == "private" ||
        name.starts_with("io"))
      bytes = saturatedAdd(bytes, used.usedBytes);
  }
  return bytes;
}

/// Multiply-adds and operations: those of groups with what they do twice.
static int64_t workOf(ModuleOp module, const report::LocalReport &local) {
  int64_t work = 0;
  for (const report::LocalGroupRow &group : local.groups)
    work = saturatedAdd(work, group.work);
  module.walk([&](LocalSliceOpInterface op) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (op->getParentOfType<tpu::GroupOp>() || !type || !type.hasStaticShape())
      return;
    int64_t own = op.getLocalWork().opsPerElement;
    for (int64_t extent : type.getShape())
      own = saturatedMul(own, extent);
    work = saturatedAdd(work, own);
  });
  return work;
}

/// All that a recipe says, in one line.
static std::string textOf(const Recipe &recipe) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const Again &again : recipe.again)
    stream << again.tensor << "\n" << again.depth << "\n";
  for (const Parts &parts : recipe.parts)
    stream << llvm::join(parts.tensors, "\n") << "\n\n"
           << parts.dim << "/" << parts.parts << "\n";
  stream << recipe.layerGroups << recipe.objective << "\n"
         << llvm::join(recipe.keepLocal, "\n") << "\n"
         << recipe.maxRecompute << "/" << recipe.reorders << recipe.shares;
  return text;
}

std::optional<Measure> Measuring::run(const Recipe &recipe, bool isLoud) {
  if (isLoud)
    return make(recipe, isLoud);
  const std::string key =
      (target ? std::to_string(*target) : "") + ":" + textOf(recipe);
  auto [found, isNew] = known.try_emplace(key);
  if (isNew)
    found->second = {make(recipe, false), reason};
  reason = found->second.reason;
  return found->second.measure;
}

std::optional<Measure> Measuring::make(const Recipe &recipe, bool isLoud) {
  OwningOpRef<ModuleOp> copy = module.clone();
  reason.clear();
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &said) {
    if (said.getSeverity() == DiagnosticSeverity::Error && reason.empty())
      reason = said.str();
    return success(!isLoud);
  });
  Measure result;
  result.row.recipe = recipe;
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  std::map<int64_t, int64_t> others;
  const RecordSink sink = [&](ModuleOp planned, const GlobalRecord &record) {
    const HotSteps steps(record.problem, target);
    result.excessBytes = saturatedAdd(result.excessBytes, steps.excess());
    llvm::append_range(result.hot, steps.tensors());
    const planning::PoolId pool = neuronPool(record.problem);
    if (pool >= 0)
      result.row.neuronBytes += record.plan.pools[size_t(pool)].usedBytes;
    int64_t &other = others[deviceOf(planned)];
    other = saturatedAdd(other, othersOf(record));
    // Of the device that needs most.
    result.row.otherBytes = std::max(result.row.otherBytes, other);
    result.row.totalBytes = std::max(result.row.totalBytes, record.boardBytes);
  };
  addPasses(options, recipe, sink, manager);
  if (failed(manager.run(*copy)))
    return std::nullopt;
  for (ModuleOp inner : functionModules(*copy)) {
    auto chip = resolveChip(inner, options.chip, options.chipFile);
    if (failed(chip))
      return std::nullopt;
    auto local = local_report::collectLocalReport(inner, *chip);
    if (failed(local))
      return std::nullopt;
    const report::LocalCost cost = local->totalCost();
    result.row.cycles = saturatedAdd(result.row.cycles, cost.cycles);
    result.row.movedBytes =
        saturatedAdd(result.row.movedBytes, cost.trafficBytes());
    result.row.work = saturatedAdd(result.row.work, workOf(inner, *local));
  }
  return result;
}

} // namespace tpu_mlir::deploy
