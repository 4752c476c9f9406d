//===- ExplainPeak.cpp - Why memory is as large as it is ------------------===//

#include "lib/Transforms/Tpu/MemoryReport/ExplainPeak.h"

#include "lib/Transforms/Tpu/BlockProblem/BlockProblem.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Ordering/FindOrder.h"
#include "tpu_mlir/Planning/PeakReasons.h"
#include "tpu_mlir/Support/Bytes.h"

#include <numeric>

using namespace mlir;

namespace tpu_mlir::memory_report {

using namespace planning;

/// Larger functions keep their order here: a report is no search.
static constexpr size_t kMostOpsToOrder = 2000;
static constexpr int64_t kSetsToLookAt = 20'000;

std::string describeOp(Operation *op) {
  if (!op)
    return "";
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  if (op->getNumResults() > 0)
    text += " (" + valueName(op->getResult(0)) + ")";
  return text;
}

namespace {

class PeakExplainer {
public:
  PeakExplainer(const PoolOfModule &where, report::RegionRow &row)
      : where(where), row(row) {}

  void run() {
    const Problem problem = withMembers();
    const PeakReasons reasons = explainPeak(problem, where.pool, row.peakStep);
    for (const PeakPart &part : reasons.parts)
      row.peakSet.push_back(describe(part));
    for (const PeakChange &change : reasons.changes)
      row.changes.push_back(
          {describe(change), reasons.peakBytes - change.peakBytes});
    addOrder();
    llvm::stable_sort(row.changes, [](const auto &a, const auto &b) {
      return a.savedBytes > b.savedBytes;
    });
  }

private:
  Problem withMembers() const;
  report::PeakTensor describe(const PeakPart &part) const;
  std::string describe(const PeakChange &change) const;
  std::string describeUse(const PeakPart &part) const;
  void addOrder();
  Operation *opAt(int64_t step) const {
    return where.facts.schedule.opAt(step);
  }
  const std::string &nameOf(BufferId id) const {
    return where.global.problem.buffers[size_t(id)].name;
  }

  const PoolOfModule &where;
  report::RegionRow &row;
};

} // namespace

/// The problem, with the values of classes alive at the peak as members.
Problem PeakExplainer::withMembers() const {
  Problem problem = where.global.problem;
  const size_t numClasses = problem.buffers.size();
  for (size_t id = 0; id < numClasses; ++id) {
    const Buffer root = problem.buffers[id];
    const AliasClass &storage =
        where.facts.aliases.classes()[where.global.classOf[id]];
    if (storage.values.size() < 2 || root.sizeBytes == 0 ||
        root.pools != std::vector{where.pool} || root.lifespans.size() != 1 ||
        !root.lifespans.front().contains(row.peakStep))
      continue;
    for (Value value : storage.values) {
      const ValueStorage &at = *where.facts.aliases.lookup(value);
      const Interval life = valueLife(where.facts.schedule, value);
      const std::vector<Interval> inside =
          intersect({life}, {root.lifespans.front()});
      if (inside.empty() || at.sizeBytes == 0)
        continue;
      Buffer member;
      member.sizeBytes = at.sizeBytes;
      member.lifespans = inside;
      member.pools = root.pools;
      problem.aliases.push_back(
          {BufferId(problem.buffers.size()), BufferId(id), at.offsetBytes});
      problem.buffers.push_back(std::move(member));
    }
  }
  return problem;
}

std::string PeakExplainer::describeUse(const PeakPart &part) const {
  std::string text = "in use up to step " + std::to_string(part.lastUse);
  if (part.nextUse)
    text += ", next read in step " + std::to_string(*part.nextUse) + " by " +
            describeOp(opAt(*part.nextUse));
  return text;
}

report::PeakTensor PeakExplainer::describe(const PeakPart &part) const {
  const Buffer &buffer = where.global.problem.buffers[size_t(part.root)];
  report::PeakTensor row = {buffer.name, part.sizeBytes, part.paddingBytes, "",
                            ""};
  const bool isGroup = isa_and_nonnull<tpu::GroupOp>(opAt(this->row.peakStep));
  switch (part.why) {
  case WhyAlive::Made:
  case WhyAlive::Read:
    row.reason = isGroup ? "group" : "op";
    row.why =
        part.why == WhyAlive::Made ? "made in this step" : "read in this step";
    if (isGroup)
      row.why += ", by a layer group that ends there";
    if (isGroup && part.why == WhyAlive::Read)
      row.why = "read in this step, by a layer group that begins there";
    break;
  case WhyAlive::Pinned:
    row.reason = "pinned";
    row.why = buffer.kind == BufferKind::Input
                  ? "an input, kept in this I/O mode"
                  : "an output, kept to the end";
    break;
  case WhyAlive::Alias:
    row.reason = "alias";
    row.why = formatExactBytes(part.idleBytes) +
              " of it are not in use; the rest shares its storage; " +
              describeUse(part);
    break;
  case WhyAlive::Waits:
    row.reason = "order";
    row.why = describeUse(part);
    break;
  }
  return row;
}

std::string PeakExplainer::describe(const PeakChange &change) const {
  const std::string name = change.root ? "'" + nameOf(*change.root) + "'" : "";
  switch (change.remedy) {
  case PeakRemedy::FreeInputs:
    return "inputs go after their last reader (I/O mode in_reuse)";
  case PeakRemedy::Recompute:
    return name + " is computed again for its later readers";
  case PeakRemedy::KeepLocal:
    return name + " stays in local memory";
  case PeakRemedy::SplitAlias:
    return "the pieces of " + name + " get storage of their own";
  case PeakRemedy::NoPadding:
    return "no padding between tensors (alignment 1)";
  }
  return "";
}

/// Of the function in which the peak is.
void PeakExplainer::addOrder() {
  Operation *op = opAt(row.peakStep);
  if (!op || where.global.regions[where.pool].role != RegionRole::Neuron)
    return;
  while (op->getParentOp() && !isa<func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  auto function = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
  if (!function || !function.getBody().hasOneBlock())
    return;
  const reorder::BlockProblem block = reorder::makeBlockProblem(
      function, where.facts,
      {where.global.alignment, where.global.ioMode == IoMode::InReuse,
       /*inPlace=*/false, reorder::outsideNeurons(where.global)});
  if (block.ops.empty() || block.ops.size() > kMostOpsToOrder ||
      !ordering::checkProblem(block.problem).empty())
    return;
  ordering::OrderOptions options;
  options.maxSets = kSetsToLookAt;
  const auto found = ordering::findOrder(block.problem, options);
  ordering::Order text(block.ops.size());
  std::iota(text.begin(), text.end(), 0);
  const auto best = llvm::find_if(found.orders, [&](const auto &order) {
    return reorder::keepsNeighbours(block, order.order);
  });
  const int64_t saved =
      best == found.orders.end() ? 0 : peakOf(block.problem, text) - best->peak;
  if (saved > 0)
    row.changes.push_back({"another order of the ops (tpu-reorder)", saved});
}

void explainPeak(const PoolOfModule &where, report::RegionRow &row) {
  PeakExplainer(where, row).run();
}

} // namespace tpu_mlir::memory_report
