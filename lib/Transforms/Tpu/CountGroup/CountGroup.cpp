//===- CountGroup.cpp - What a layer group moves and computes -------------===//
//
// The recount of what a planner says that its groups cost (I11): reads the IR
// and shares with the planner only what a computation and a transfer of given
// extents take.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/CountGroup/CountGroup.h"

#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Transforms/Tpu/CountGroup/BankWaits.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/LayerPlanning/CostModel.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/Dealing.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace tpu_mlir::local_report {

namespace {

using layer::kNumDims;
using layer::Shape5;

/// Real groups have some hundreds.
constexpr int64_t kMaxSections = int64_t(1) << 22;
/// Of one dimension; rounding up to lanes stays below 2^63.
constexpr int64_t kMaxLength = int64_t(1) << 40;
constexpr int kNumStages = 3;
constexpr const char *kAxes[] = {"n", "c", "d", "h", "w"};
/// The loops from the outermost to the innermost.
constexpr layer::Dim kLoops[] = {layer::N, layer::D, layer::H, layer::W,
                                 layer::C};

/// One op as the cost model wants it.
struct CountedOp {
  LocalOp::Kind kind = LocalOp::Kind::Compute;
  int64_t stage = 0, row = 0;
  bool isHeld = false;
  bool isWeight = false; ///< Of a load.
  bool isInL2 = false;   ///< Of a load or store: the other end.
  /// Extents of the parts of each dimension: one for all, or one each.
  std::array<std::vector<int64_t>, kNumDims> lengths;
  int64_t elementBits = 8;
  /// Index into the graph's layers, of one that computes.
  layer::LayerId layer = 0;

  Shape5 extents(const std::array<int64_t, kNumDims> &index) const {
    Shape5 part;
    for (int dim = 0; dim < kNumDims; ++dim)
      part[dim] =
          lengths[dim].size() == 1 ? lengths[dim][0] : lengths[dim][index[dim]];
    return part;
  }
};

/// What one section does: cycles by stage and row, and sums.
struct SectionWork {
  std::array<std::vector<int64_t>, kNumStages> compute, transfers;
  /// Cycles of each op, without set-up of a computation; 0: it does not act.
  std::vector<int64_t> ofOp;
  GroupCount sums;
};

/// One core from its first section to its last.
struct CoreRun {
  int64_t cycles = 0, waits = 0;
  report::LocalTimeline timeline;
};

class GroupCounter {
public:
  GroupCounter(tpu::GroupOp group, const LocalSchedule &schedule,
               const target::ChipSpec &chip)
      : group(group), schedule(schedule), chip(chip),
        dealing(schedule.numSections, chip.usedCores),
        operations(localOps(group)), waits(findBankWaits(schedule, chip)) {}

  std::variant<GroupCount, LocalScheduleError> run() {
    if (!readSections() || !readOps())
      return std::move(error);
    findKinds();
    countSections();
    countCores();
    return count;
  }

private:
  bool fail(Operation *op, ErrorCode code, const Twine &message) {
    error = {op, code, message.str()};
    return false;
  }

  bool readSections();
  bool readOps();
  bool readLengths(size_t index, CountedOp &op);
  bool readCompute(size_t index, CountedOp &op);
  bool readTransfer(size_t index, CountedOp &op);
  void findKinds();
  void countSections();
  int kindOf(int64_t section, const std::array<int64_t, kNumDims> &index);
  SectionWork workOf(int64_t section,
                     const std::array<int64_t, kNumDims> &index) const;
  int64_t addCompute(const CountedOp &op, const Shape5 &part,
                     SectionWork &work) const;
  int64_t addTransfer(const CountedOp &op, const Shape5 &part,
                      SectionWork &work) const;
  void countCores();
  CoreRun runCore(Interval sections) const;
  std::vector<report::LocalRowCycles>
  loopRows(const std::array<int, kNumStages> &kinds) const;
  int64_t loopWaits(const std::array<int, kNumStages> &kinds) const;

  tpu::GroupOp group;
  const LocalSchedule &schedule;
  const target::ChipSpec &chip;
  const target::Dealing dealing;
  const std::vector<Operation *> operations;
  const std::vector<BankWait> waits;
  std::vector<CountedOp> ops;
  layer::LayerGraph graph;
  /// Loaded activations whose whole bytes are counted already.
  llvm::DenseSet<Value> loaded;
  /// For each dimension and part: equal numbers where all ops have equal
  /// extents.
  std::array<std::vector<int>, kNumDims> kindsOfDim;
  std::map<std::array<int, kNumDims + 1>, int> knownKinds;
  std::vector<SectionWork> works; ///< One a kind of section.
  std::vector<int> kinds;         ///< Of each section.
  GroupCount count;
  LocalScheduleError error;
};

} // namespace

/// The schedule's reader has looked at the numbers already.
bool GroupCounter::readSections() {
  count.sections = schedule.sections;
  return schedule.numSections <= kMaxSections ||
         fail(group, ErrorCode::LocalForm,
              "the group has " + Twine(schedule.numSections) +
                  " sections, more than can be counted");
}

bool GroupCounter::readOps() {
  for (size_t i = 0; i < operations.size(); ++i) {
    const LocalOp &from = schedule.ops[i];
    CountedOp &op = ops.emplace_back();
    op.kind = from.kind;
    op.stage = from.stage;
    op.row = from.row;
    op.isHeld = from.isHeld;
    if (!readLengths(i, op) ||
        !(op.kind == LocalOp::Kind::Compute ? readCompute(i, op)
                                            : readTransfer(i, op)))
      return false;
  }
  return true;
}

bool GroupCounter::readLengths(size_t index, CountedOp &op) {
  const auto parts = tpu::GroupOp::infoOf(operations[index]).parts();
  for (int dim = 0; dim < kNumDims; ++dim) {
    op.lengths[dim] = parts[dim].second.vec();
    // Some writers leave out dimensions that a tensor does not have.
    if (op.lengths[dim].empty())
      op.lengths[dim] = {1};
    const int64_t size = int64_t(op.lengths[dim].size());
    if (size != 1 && size != count.sections[dim])
      return fail(operations[index], ErrorCode::LocalCoverage,
                  "'" + schedule.ops[index].name + "' has " + Twine(size) +
                      " parts on axis " + kAxes[dim] + ", but the group has " +
                      Twine(count.sections[dim]));
    for (int64_t length : op.lengths[dim])
      if (length < 1 || length > kMaxLength)
        return fail(operations[index], ErrorCode::LocalCoverage,
                    "'" + schedule.ops[index].name + "' has a part of " +
                        Twine(length) + " elements on axis " + kAxes[dim]);
  }
  return true;
}

/// What one element takes.
static LocalWork workOfElement(Operation *operation) {
  LocalWork work;
  grouping::callAsOutside(operation, [&](Operation *op) {
    if (auto local = dyn_cast<LocalSliceOpInterface>(op))
      work = local.getLocalWork();
  });
  return work;
}

/// A layer with the two tensors that the cost of a computation depends on.
bool GroupCounter::readCompute(size_t index, CountedOp &op) {
  Operation *operation = operations[index];
  const auto addTensor = [&](Value value) {
    layer::Tensor tensor;
    if (auto type = dyn_cast<ShapedType>(value.getType()))
      tensor.elementBits = elementBits(type.getElementType()).value_or(8);
    return graph.addTensor(std::move(tensor));
  };
  layer::Layer result;
  for (Value operand : operation->getOperands())
    if (result.operands.empty() && !isa<NoneType>(operand.getType()))
      result.operands.push_back({addTensor(operand), {}});
  result.result = addTensor(operation->getResult(0));
  const LocalWork work = workOfElement(operation);
  result.macsPerElement = work.opsPerElement;
  result.isMatrix = work.onArray;
  op.layer = graph.addLayer(std::move(result));

  auto type = dyn_cast<RankedTensorType>(operation->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return fail(operation, ErrorCode::LocalForm,
                "'" + schedule.ops[index].name + "' has no static size");
  int64_t whole = work.opsPerElement;
  for (int64_t extent : type.getShape())
    whole = saturatedMul(whole, extent);
  count.wholeWork = saturatedAdd(count.wholeWork, whole);
  return true;
}

bool GroupCounter::readTransfer(size_t index, CountedOp &op) {
  Operation *operation = operations[index];
  const Value moved = operation->getResult(0),
              outside = operation->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(moved.getType());
  const auto bits = type ? elementBits(type.getElementType()) : std::nullopt;
  const auto whole = typeBytes(moved.getType());
  if (!bits || !whole)
    return fail(operation, ErrorCode::LocalForm,
                "'" + schedule.ops[index].name + "' has no static size");
  op.elementBits = *bits;
  op.isWeight = outside.getDefiningOp<top::WeightOp>() != nullptr;
  op.isInL2 = isInL2(op.kind == LocalOp::Kind::Load ? outside : moved, chip);
  if (op.kind == LocalOp::Kind::Load && !op.isWeight &&
      loaded.insert(outside).second)
    count.wholeActivationBytes =
        saturatedAdd(count.wholeActivationBytes, *whole);
  return true;
}

void GroupCounter::findKinds() {
  for (int dim = 0; dim < kNumDims; ++dim) {
    std::map<std::vector<int64_t>, int> known;
    for (int64_t part = 0; part < count.sections[dim]; ++part) {
      std::vector<int64_t> lengths;
      for (const CountedOp &op : ops)
        if (op.lengths[dim].size() > 1)
          lengths.push_back(op.lengths[dim][part]);
      kindsOfDim[dim].push_back(
          known.emplace(std::move(lengths), int(known.size())).first->second);
    }
  }
}

void GroupCounter::countSections() {
  std::array<int64_t, kNumDims> index{};
  for (int64_t section = 0; section < schedule.numSections; ++section) {
    int64_t rest = section;
    for (layer::Dim dim : llvm::reverse(kLoops)) {
      index[dim] = rest % count.sections[dim];
      rest /= count.sections[dim];
    }
    kinds.push_back(kindOf(section, index));
    const GroupCount &sums = works[kinds.back()].sums;
    count.loadBytes = saturatedAdd(count.loadBytes, sums.loadBytes);
    count.storeBytes = saturatedAdd(count.storeBytes, sums.storeBytes);
    count.byMemory += sums.byMemory;
    count.activationBytes =
        saturatedAdd(count.activationBytes, sums.activationBytes);
    count.computeCycles = saturatedAdd(count.computeCycles, sums.computeCycles);
    count.work = saturatedAdd(count.work, sums.work);
  }
  count.firstCycles = works[kinds.front()].ofOp;
  count.lastCycles = works[kinds.back()].ofOp;
}

/// The first section of a core is of a kind of its own: it also loads what is
/// held.
int GroupCounter::kindOf(int64_t section,
                         const std::array<int64_t, kNumDims> &index) {
  std::array<int, kNumDims + 1> key{};
  for (int dim = 0; dim < kNumDims; ++dim)
    key[dim] = kindsOfDim[dim][index[dim]];
  key[kNumDims] = dealing.isFirstOfCore(section);
  const auto [it, isNew] = knownKinds.emplace(key, int(works.size()));
  if (isNew)
    works.push_back(workOf(section, index));
  return it->second;
}

SectionWork
GroupCounter::workOf(int64_t section,
                     const std::array<int64_t, kNumDims> &index) const {
  SectionWork work;
  for (int stage = 0; stage < kNumStages; ++stage) {
    work.compute[stage].resize(schedule.numRows);
    work.transfers[stage].resize(schedule.numRows);
  }
  for (const CountedOp &op : ops) {
    if (op.isHeld && !dealing.isFirstOfCore(section))
      work.ofOp.push_back(0);
    else if (op.kind == LocalOp::Kind::Compute)
      work.ofOp.push_back(addCompute(op, op.extents(index), work));
    else
      work.ofOp.push_back(addTransfer(op, op.extents(index), work));
  }
  return work;
}

int64_t GroupCounter::addCompute(const CountedOp &op, const Shape5 &part,
                                 SectionWork &work) const {
  const layer::Layer &layer = graph.layers[op.layer];
  const int64_t cycles = layer::computeCycles(graph, layer, part, chip);
  int64_t &row = work.compute[op.stage][op.row];
  row = saturatedAdd(row, saturatedAdd(chip.computeSetupCycles, cycles));
  work.sums.computeCycles = saturatedAdd(work.sums.computeCycles, cycles);
  int64_t operations = layer.macsPerElement;
  for (int64_t extent : part)
    operations = saturatedMul(operations, extent);
  work.sums.work = saturatedAdd(work.sums.work, operations);
  return cycles;
}

int64_t GroupCounter::addTransfer(const CountedOp &op, const Shape5 &part,
                                  SectionWork &work) const {
  int64_t bits = op.elementBits;
  for (int64_t extent : part)
    bits = saturatedMul(bits, extent);
  const int64_t bytes = bits / 8 + (bits % 8 != 0);
  GroupCount &sums = work.sums;
  const bool isLoad = op.kind == LocalOp::Kind::Load;
  int64_t &sum = isLoad ? sums.loadBytes : sums.storeBytes;
  sum = saturatedAdd(sum, bytes);
  sums.byMemory +=
      {isLoad && op.isWeight && !op.isInL2 ? bytes : 0, op.isInL2 ? bytes : 0};
  if (isLoad && !op.isWeight)
    sums.activationBytes = saturatedAdd(sums.activationBytes, bytes);
  const int64_t cycles =
      layer::transferCycles(bytes, chip, dealing.activeCores(), op.isInL2);
  int64_t &row = work.transfers[op.stage][op.row];
  row = saturatedAdd(row, cycles);
  return cycles;
}

/// The slowest of the cores; all of them start and end together.
void GroupCounter::countCores() {
  CoreRun slowest;
  for (int64_t core = 0; core < dealing.activeCores(); ++core) {
    CoreRun run = runCore(dealing.sectionsOf(core));
    if (core == 0 || run.cycles > slowest.cycles)
      slowest = std::move(run);
  }
  count.activeCores = dealing.activeCores();
  count.cycles = slowest.cycles;
  count.waitCycles = slowest.waits;
  count.timeline = std::move(slowest.timeline);
  if (count.activeCores > 1)
    count.cycles =
        saturatedAdd(count.cycles, saturatedMul(2, chip.barrierCycles));
}

/// In loop i of a core the ops of stage s act on its section i - s, where there
/// is one.
CoreRun GroupCounter::runCore(Interval sections) const {
  const auto kindAt = [&](int64_t section) {
    return section < sections.begin || section >= sections.end ? -1
                                                               : kinds[section];
  };
  struct Round {
    int number = 0;
    int64_t cycles = 0, waits = 0;
  };
  std::map<std::array<int, kNumStages>, Round> known;
  CoreRun run;
  report::LocalTimeline &timeline = run.timeline;
  for (int64_t loop = sections.begin; loop < sections.end + kNumStages - 1;
       ++loop) {
    const std::array<int, kNumStages> at = {kindAt(loop), kindAt(loop - 1),
                                            kindAt(loop - 2)};
    auto [it, isNew] = known.try_emplace(at);
    Round &round = it->second;
    if (isNew) {
      round = {int(timeline.kinds.size()), 0, loopWaits(at)};
      timeline.kinds.push_back(loopRows(at));
      for (const report::LocalRowCycles &row : timeline.kinds.back())
        round.cycles = saturatedAdd(round.cycles, row.cycles());
    }
    timeline.rounds.push_back(round.number);
    run.cycles = saturatedAdd(run.cycles, round.cycles);
    run.waits = saturatedAdd(run.waits, round.waits);
  }
  return run;
}

std::vector<report::LocalRowCycles>
GroupCounter::loopRows(const std::array<int, kNumStages> &kinds) const {
  std::vector<report::LocalRowCycles> rows(schedule.numRows);
  for (int64_t row = 0; row < schedule.numRows; ++row) {
    for (int stage = 0; stage < kNumStages; ++stage) {
      if (kinds[stage] < 0)
        continue;
      const SectionWork &work = works[kinds[stage]];
      rows[row].compute =
          saturatedAdd(rows[row].compute, work.compute[stage][row]);
      rows[row].transfers =
          saturatedAdd(rows[row].transfers, work.transfers[stage][row]);
    }
  }
  return rows;
}

/// Within an op one access after the other takes as long again; of two engines
/// the shorter one is waited for.
int64_t
GroupCounter::loopWaits(const std::array<int, kNumStages> &kinds) const {
  const auto cyclesOf = [&](int64_t op) {
    const int kind = kinds[ops[op].stage];
    return kind < 0 ? 0 : works[kind].ofOp[op];
  };
  int64_t total = 0;
  for (const BankWait &wait : waits) {
    int64_t cycles = cyclesOf(wait.compute);
    if (wait.transfer)
      cycles = std::min(cycles, cyclesOf(*wait.transfer));
    total = saturatedAdd(total, cycles);
  }
  return total;
}

std::variant<GroupCount, LocalScheduleError>
countGroup(tpu::GroupOp group, const LocalSchedule &schedule,
           const target::ChipSpec &chip) {
  return GroupCounter(group, schedule, chip).run();
}

} // namespace tpu_mlir::local_report
