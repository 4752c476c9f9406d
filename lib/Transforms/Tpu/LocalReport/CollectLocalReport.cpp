//===- CollectLocalReport.cpp - From layer groups to a report -------------===//

#include "lib/Transforms/Tpu/LocalReport/CollectLocalReport.h"

#include "lib/Analysis/Local/Check/Checks.h"
#include "lib/Analysis/Local/Layers/BuildLayerGraph.h"
#include "lib/Transforms/Tpu/CountGroup/ShareTransfers.h"
#include "lib/Transforms/Tpu/LocalReport/LeastTraffic.h"
#include "lib/Transforms/Tpu/LocalReport/NeedGraph.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/LayerPlanning/CostModel.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;
using namespace tpu_mlir::report;

namespace tpu_mlir::local_report {

namespace {

LocalEngine engineOf(LocalOp::Kind kind) {
  switch (kind) {
  case LocalOp::Kind::Compute:
    return LocalEngine::Compute;
  case LocalOp::Kind::Load:
    return LocalEngine::Load;
  case LocalOp::Kind::Store:
    return LocalEngine::Store;
  }
  return LocalEngine::Compute;
}

/// Sums of what lies below stay far below 2^63.
constexpr int64_t kMaxLaneBytes = int64_t(1) << 40;

/// One group as a row of the report.
class GroupReader {
public:
  GroupReader(tpu::GroupOp group, const target::ChipSpec &chip)
      : group(group), chip(chip), operations(localOps(group)) {}

  /// After run(): the group as it was counted, by itself.
  CountedGroup takeCounted() {
    return {group, std::move(schedule), std::move(counted)};
  }

  FailureOr<LocalGroupRow> run() {
    auto read = readLocalSchedule(group);
    if (const auto *error = std::get_if<LocalScheduleError>(&read))
      return emit(*error);
    schedule = std::get<LocalSchedule>(std::move(read));
    auto count = countGroup(group, schedule, chip);
    if (const auto *error = std::get_if<LocalScheduleError>(&count))
      return emit(*error);
    counted = std::get<GroupCount>(std::move(count));
    local = buildLocalProblem(schedule, chip, chip.localInPlace);
    addresses = currentAddresses(schedule, local);
    findResults();
    setGeneral();
    setCount();
    for (size_t i = 0; i < schedule.ops.size(); ++i)
      addOp(i);
    for (size_t i = 0; i < local.buffers.size(); ++i)
      if (failed(addBuffer(i)))
        return failure();
    findBound();
    countBankConflicts();
    return std::move(row);
  }

private:
  LogicalResult emit(const LocalScheduleError &error) {
    return emitCodedError(error.op->getLoc(), error.code, error.message);
  }

  void setGeneral() {
    row.name = schedule.name;
    if (group->getNumResults() > 0)
      row.location = valuePosition(group->getResult(0));
    if (auto function = group->getParentOfType<func::FuncOp>())
      row.function = function.getSymName().str();
    row.numRows = schedule.numRows;
    row.isLoop = schedule.isCyclic();
    row.sharesTransfers = schedule.sharesTransfers;
    row.numSteps = schedule.numRows;
    if (!row.isLoop)
      for (const LocalBuffer &buffer : local.buffers)
        for (const Interval &life : buffer.lifespans)
          row.numSteps = std::max(row.numSteps, life.end);
  }

  void setCount() {
    row.sections = counted.sections;
    row.activeCores = counted.activeCores;
    row.cost.loadBytes = counted.loadBytes;
    row.cost.storeBytes = counted.storeBytes;
    row.cost.computeCycles = counted.computeCycles;
    row.work = counted.work;
    row.wholeWork = counted.wholeWork;
    row.activationBytes = counted.activationBytes;
    row.wholeActivationBytes = counted.wholeActivationBytes;
  }

  void addOp(size_t index) {
    const LocalOp &from = schedule.ops[index];
    LocalOpRow op;
    op.name = from.name;
    op.op = operations[index]->getName().getStringRef().str();
    op.engine = engineOf(from.kind);
    op.id = from.id;
    op.stage = from.stage;
    op.row = from.row;
    op.step = row.isLoop ? from.row : schedule.step(from);
    op.isHeld = from.isHeld;
    row.numLayers += from.kind == LocalOp::Kind::Compute && !from.keepsScratch;
    row.ops.push_back(std::move(op));
  }

  LogicalResult addBuffer(size_t index) {
    const planning::Buffer &from = local.problem.buffers[index];
    const auto end = checkedAdd(addresses[index], from.sizeBytes);
    if (addresses[index] < 0 || !end || *end > kMaxLaneBytes)
      return emitCodedError(operations[local.buffers[index].op]->getLoc(),
                            ErrorCode::LocalSize,
                            "'" + from.name + "' has " + Twine(from.sizeBytes) +
                                " bytes at address " + Twine(addresses[index]) +
                                ", beyond any lane");
    LocalBufferRow buffer;
    buffer.name = from.name;
    buffer.kind = kindOf(local.buffers[index]);
    buffer.bytes = {addresses[index], *end};
    buffer.life = local.buffers[index].lifespans;
    buffer.isWrapped = row.isLoop && buffer.life.size() > 1;
    if (isInPlace(index))
      buffer.inPlaceOf = size_t(*bufferBelow(index));
    row.peakBytes = std::max(row.peakBytes, *end);
    row.buffers.push_back(std::move(buffer));
    return success();
  }

  LocalKind kindOf(const LocalBuffer &buffer) const {
    const LocalOp &op = schedule.ops[buffer.op];
    if (buffer.isScratch)
      return LocalKind::Scratch;
    if (op.kind == LocalOp::Kind::Compute)
      return LocalKind::Result;
    if (!grouping::isWeight(operations[buffer.op]->getOperand(0)))
      return LocalKind::Activation;
    return row.isLoop && !op.isHeld ? LocalKind::ReloadedWeight
                                    : LocalKind::Weight;
  }

  /// The buffer that buffer `index` may lie on, on any chip.
  std::optional<int64_t> bufferBelow(size_t index) const {
    const LocalBuffer &buffer = local.buffers[index];
    const auto below = schedule.ops[buffer.op].mayLieOn;
    return buffer.isScratch || !below ? std::nullopt : resultOf[*below];
  }
  bool isInPlace(size_t index) const {
    const auto below = bufferBelow(index);
    return below && addresses[index] == addresses[*below];
  }

  void findResults() {
    resultOf.assign(schedule.ops.size(), std::nullopt);
    for (size_t i = 0; i < local.buffers.size(); ++i)
      if (!local.buffers[i].isScratch)
        resultOf[local.buffers[i].op] = int64_t(i);
  }

  void findBound() {
    const planning::LiveBound bound = planning::liveBound(local.problem, 0);
    row.lowerBoundBytes = bound.bytes;
    row.boundStep = bound.peakStep;
  }

  /// A result that lies on its operand is one buffer with it.
  void countBankConflicts() {
    layer::LmemProblem problem = local.problem;
    llvm::erase_if(problem.bankPairs, [&](const layer::BankPair &pair) {
      const auto lies = [&](int64_t a, int64_t b) {
        return isInPlace(size_t(a)) && bufferBelow(size_t(a)) == b;
      };
      return lies(pair.first, pair.second) || lies(pair.second, pair.first);
    });
    const layer::BankConflicts conflicts =
        layer::countConflicts(problem, addresses);
    row.bankConflicts = conflicts.count;
    row.conflictRows = conflicts.cost;
  }

  tpu::GroupOp group;
  const target::ChipSpec &chip;
  const std::vector<Operation *> operations;
  LocalSchedule schedule;
  LocalProblem local;
  std::vector<int64_t> addresses;
  std::vector<std::optional<int64_t>> resultOf; ///< Buffers, by op.
  GroupCount counted;
  LocalGroupRow row;
};

class ReportCollector {
public:
  ReportCollector(ModuleOp module, const target::ChipSpec &chip,
                  ArrayRef<func::FuncOp> entries)
      : module(module), chip(chip), wiring(module, entries) {}

  FailureOr<LocalReport> run() {
    report.module = module.getSymName().value_or("").str();
    report.chip = chip.name;
    report.lanes = chip.lanes;
    report.laneBytes = chip.laneBytes;
    report.banks = chip.banks;
    report.euBytes = chip.euBytes;
    report.cores = chip.usedCores;
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody()) {
        if (failed(addGroups(block)))
          return failure();
        addGlobals(block, function.getSymName());
      }
    report.layerByLayerBytes = saturatedAdd(report.layerByLayerBytes,
                                            report.globalCost().trafficBytes());
    report.bound = leastTraffic(module, wiring, chip);
    report.bound.barrierBytes =
        barrierBytes(needGraphOf(module, wiring), keptBytes());
    if (failed(checkBound()))
      return failure();
    return std::move(report);
  }

private:
  LogicalResult addGroups(Block &block) {
    WalkResult walked =
        block.walk<WalkOrder::PreOrder>([&](tpu::GroupOp group) {
          GroupReader reader(group, chip);
          FailureOr<LocalGroupRow> row = reader.run();
          if (failed(row))
            return WalkResult::interrupt();
          row->index = int64_t(report.groups.size());
          report.groups.push_back(std::move(*row));
          addCounted(reader.takeCounted());
          addLayerByLayer(group);
          return WalkResult::skip();
        });
    if (last)
      setTimes(*last, report.groups.back());
    last.reset();
    return failure(walked.wasInterrupted());
  }

  /// How long a group takes is known when the one after it is.
  void addCounted(CountedGroup counted) {
    report.byMemory += counted.count.byMemory;
    if (last && groupBefore(counted.op) == last->op)
      shareTransfers(*last, counted, chip);
    if (last)
      setTimes(*last, report.groups[report.groups.size() - 2]);
    last = std::move(counted);
  }

  static void setTimes(const CountedGroup &counted, LocalGroupRow &row) {
    row.timeline = counted.count.timeline;
    row.cost.cycles = counted.count.cycles;
    row.cost.waitCycles = counted.count.waitCycles;
  }

  /// As if the layers of the group were global.
  void addLayerByLayer(tpu::GroupOp group) {
    for (Block &block : group->getRegion(0)) {
      const grouping::BlockLayers layers = layersOf(block);
      for (size_t i = 0; i < layers.ops.size(); ++i) {
        if (isa<tpu::LoadOp, tpu::StoreOp, tpu::LineBufferOp>(layers.ops[i]))
          continue;
        const layer::Cost cost =
            layer::globalCost(layers.graph, layer::LayerId(i), chip);
        report.layerByLayerBytes =
            saturatedAdd(report.layerByLayerBytes,
                         saturatedAdd(cost.loadBytes, cost.storeBytes));
      }
    }
  }

  /// What local memory of all cores, and L2, can keep at a time.
  int64_t keptBytes() const {
    const int64_t local =
        saturatedMul(saturatedMul(chip.lanes, chip.laneBytes), chip.usedCores);
    return saturatedAdd(local, chip.l2Bytes);
  }

  /// Less than has to move cannot be right, unless a group is wrong: that one
  /// is shown as it stands.
  LogicalResult checkBound() {
    const LocalCost all = report.totalCost();
    if ((report.bound.loadBytes <= all.loadBytes &&
         report.bound.storeBytes <= all.storeBytes) ||
        hasWrongGroup())
      return success();
    return emitCodedError(
        module.getLoc(), ErrorCode::PlanRejected,
        "the traffic was counted wrong: " + Twine(all.loadBytes) +
            " bytes loaded, " + Twine(all.storeBytes) + " stored; at least " +
            Twine(report.bound.loadBytes) + " and " +
            Twine(report.bound.storeBytes) + " have to be");
  }

  bool hasWrongGroup() {
    return module
        .walk([&](tpu::GroupOp group) {
          return local::checkGroup(group, chip).empty()
                     ? WalkResult::advance()
                     : WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  /// Of a layer that runs from global memory.
  void addMovedBy(const grouping::BlockLayers &layers, size_t index) {
    const layer::Layer &layer = layers.graph.layers[index];
    for (const layer::GlobalRead &read : globalReads(layers.graph, layer))
      if (Value value = layers.values[read.tensor])
        addByMemory(value, read.bytes,
                    layers.graph.tensors[read.tensor].isParameter);
    std::vector<layer::TensorId> results = layer.moreResults;
    results.push_back(layer.result);
    for (layer::TensorId id : results)
      if (Value value = layers.values[id])
        addByMemory(value, layers.graph.tensors[id].globalBytes,
                    /*isWeight=*/false);
  }

  void addByMemory(Value value, int64_t bytes, bool isWeight) {
    TrafficByMemory moved;
    if (isInL2(value, chip))
      moved.l2Bytes = bytes;
    else if (isWeight)
      moved.weightBytes = bytes;
    report.byMemory += moved;
  }

  /// The layers of a block as they stand there: what could be divided is not.
  grouping::BlockLayers layersOf(Block &block) const {
    grouping::BlockLayers layers = grouping::buildLayers(block, chip);
    for (layer::Layer &layer : layers.graph.layers)
      layer.numPieces = 1;
    return layers;
  }

  layer::Cost addGlobal(const grouping::BlockLayers &layers, size_t index,
                        int64_t activeCores) {
    addMovedBy(layers, index);
    return layer::globalCost(layers.graph, layer::LayerId(index), chip,
                             activeCores);
  }

  /// Pieces, or regions, take turns on the cores: the slowest core counts, and
  /// the barriers around.
  layer::Cost addParallel(Operation *op) {
    std::vector<std::vector<std::pair<size_t, size_t>>> units;
    std::vector<grouping::BlockLayers> blocks;
    const bool areRegions = isa<tpu::GroupParallelOp>(op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        blocks.push_back(layersOf(block));
        const auto &layers = blocks.back().graph.layers;
        if (areRegions)
          units.emplace_back();
        for (size_t i = 0; i < layers.size(); ++i) {
          if (layers[i].isFreeGlobally)
            continue;
          if (!areRegions)
            units.emplace_back();
          units.back().emplace_back(blocks.size() - 1, i);
        }
      }
    const int64_t cores = std::clamp<int64_t>(
        int64_t(units.size()), 1, std::max<int64_t>(1, chip.usedCores));
    layer::Cost sum;
    std::vector<int64_t> cyclesOf(cores);
    for (size_t unit = 0; unit < units.size(); ++unit)
      for (auto [block, index] : units[unit]) {
        const layer::Cost cost = addGlobal(blocks[block], index, cores);
        int64_t &cycles = cyclesOf[unit % cores];
        cycles = saturatedAdd(cycles, cost.cycles);
        sum += cost;
      }
    sum.cycles = *std::max_element(cyclesOf.begin(), cyclesOf.end());
    if (cores > 1)
      sum.cycles = saturatedAdd(sum.cycles, layer::barriersAround(chip));
    return sum;
  }

  void addGlobals(Block &block, StringRef function) {
    const grouping::BlockLayers layers = layersOf(block);
    for (size_t i = 0; i < layers.ops.size(); ++i) {
      Operation *op = layers.ops[i];
      if (isa<tpu::GroupOp, func::CallOp>(op))
        continue;
      const layer::Layer &layer = layers.graph.layers[i];
      if (layer.isFreeGlobally) {
        ++report.numFreeLayers;
        continue;
      }
      const layer::Cost cost =
          tpu::isParallel(op) ? addParallel(op) : addGlobal(layers, i, 1);
      LocalGlobalRow row;
      row.name = layer.name;
      row.op = op->getName().getStringRef().str();
      row.function = function.str();
      row.cost = {cost.loadBytes, cost.storeBytes, cost.cycles,
                  cost.computeCycles};
      row.reason = layer.whyGlobal;
      report.globals.push_back(std::move(row));
    }
  }

  ModuleOp module;
  const target::ChipSpec &chip;
  const Wiring wiring;
  LocalReport report;
  std::optional<CountedGroup> last; ///< The group that was counted last.
};

} // namespace

FailureOr<LocalReport> collectLocalReport(ModuleOp module,
                                          const target::ChipSpec &chip) {
  FailureOr<OpSchedule> schedule = OpSchedule::build(module);
  if (failed(schedule))
    return failure();
  return ReportCollector(module, chip, schedule->entries()).run();
}

} // namespace tpu_mlir::local_report
