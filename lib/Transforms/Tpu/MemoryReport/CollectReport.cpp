//===- CollectReport.cpp - Collect the memory report of a module ----------===//
//
// Reads addresses and attributes back from the IR, so that it works on modules
// of other compilers, too.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/MemoryReport/CollectReport.h"

#include "lib/Transforms/Tpu/BeyondMemory/BeyondMemory.h"
#include "lib/Transforms/Tpu/MemoryReport/ExplainPeak.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/NetworkValues.h"
#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseSet.h"

#include <numeric>

using namespace mlir;
using namespace tpu_mlir::report;

namespace tpu_mlir::memory_report {

namespace {

class ReportCollector {
public:
  ReportCollector(ModuleOp module, const target::ChipSpec &chip,
                  std::optional<int64_t> gmemBytes)
      : module(module), chip(chip), gmemBytes(gmemBytes) {}

  FailureOr<MemoryReport> run();

private:
  LogicalResult analyze();
  LogicalResult readPlanned(GlobalPlanOptions &options);
  FailureOr<bool> ioLeavesNeurons();
  void mergeSharedInputs(IoMode mode);
  int64_t alignmentInUse() const;
  FailureOr<int64_t> integer(StringRef name, std::optional<int64_t> fallback);
  LogicalResult addRegions();
  void keepPlaces();
  void addBounds();
  LogicalResult addPool(size_t pool);
  void addTensor(Value value);
  void addServed();
  void keepLives();
  void addSteps();
  int64_t boardBytes() const;
  void nameAlias(Value value, TensorRow &row);
  std::string kindOf(Value value) const;
  void findBeyond();
  /// Of storage that lies at `bytes`.
  RegionRow *regionOf(int64_t classId, Interval bytes);
  RegionRow *regionOf(Interval bytes);

  ModuleOp module;
  const target::ChipSpec &chip;
  std::optional<int64_t> gmemBytes;
  GlobalFacts facts;
  GlobalProblem global;
  WeightRegion weights;
  /// Upper ends of the address ranges of report.regions.
  std::vector<int64_t> regionEnds;
  /// Storage beyond the end of its memory: the row of that, never the first.
  llvm::DenseMap<int64_t, size_t> beyond;
  /// By storage class: the steps for which it is kept.
  std::vector<Interval> heldOf;
  llvm::DenseSet<Value> inputs, outputs;
  MemoryReport result;
};

} // namespace

FailureOr<int64_t> ReportCollector::integer(StringRef name,
                                            std::optional<int64_t> fallback) {
  FailureOr<std::optional<int64_t>> read = moduleInteger(module, name);
  if (failed(read))
    return failure();
  if (*read)
    return **read;
  if (fallback)
    return *fallback;
  return emitCodedError(module.getLoc(), ErrorCode::NoAddress,
                        "the module has no '" + name +
                            "': there are no addresses to report");
}

/// An input and an output that stand at one address although both are alive
/// are one piece of storage, as whoever put them there asked for.
void ReportCollector::mergeSharedInputs(IoMode mode) {
  for (Value in : facts.inputs)
    for (Value out : facts.outputs) {
      const ValueStorage first = *facts.aliases.lookup(in);
      const ValueStorage second = *facts.aliases.lookup(out);
      std::optional<int64_t> address = getAddress(in.getType());
      if (!address || address != getAddress(out.getType()) ||
          first.sizeBytes != second.sizeBytes ||
          first.classId == second.classId)
        continue;
      ClassLife &life = facts.lives[first.classId];
      const ClassLife &other = facts.lives[second.classId];
      if (mode == IoMode::InReuse && !life.steps.overlaps(other.steps))
        continue;
      facts.aliases.mergeByRequest(in, out);
      life.steps = {std::min(life.steps.begin, other.steps.begin),
                    std::max(life.steps.end, other.steps.end)};
    }
}

/// The chip's alignment, or what all addresses have in common when that is
/// less: only so much padding belongs to a lower bound.
int64_t ReportCollector::alignmentInUse() const {
  int64_t alignment = chip.neuronAlignment;
  for (Value value : facts.aliases.values()) {
    const ValueStorage *storage = facts.aliases.lookup(value);
    std::optional<int64_t> address = getAddress(value.getType());
    bool isFirst = storage->offsetBytes == 0 &&
                   !facts.aliases.classes()[storage->classId].weight;
    if (address && isFirst)
      alignment = std::gcd(alignment, *address);
  }
  return alignment;
}

/// An input or output outside of the neuron region: those that the I/O mode
/// does not put elsewhere may have been anywhere.
FailureOr<bool> ReportCollector::ioLeavesNeurons() {
  FailureOr<int64_t> base = integer("module.neuron_addr", 0);
  FailureOr<int64_t> size = integer("module.neuron_size", 0);
  if (failed(base) || failed(size))
    return failure();
  Interval neurons = {
      *base,
      checkedAdd(*base, *size).value_or(std::numeric_limits<int64_t>::max())};
  return llvm::any_of(llvm::concat<Value>(facts.inputs, facts.outputs),
                      [&](Value value) {
                        auto address = getAddress(value.getType());
                        return address && !neurons.contains(*address);
                      });
}

/// What the planner recorded; of other compilers' addresses what they show.
LogicalResult ReportCollector::readPlanned(GlobalPlanOptions &options) {
  auto recorded = moduleInteger(module, kNeuronAlign);
  if (failed(recorded))
    return failure();
  if (*recorded && **recorded < 1)
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "attribute '" + kNeuronAlign +
                              "' of the module has to be positive");
  if (*recorded) {
    options.alignment.emplace(**recorded);
    options.poolIo = module->hasAttr(kPoolIo);
    return success();
  }
  FailureOr<bool> poolIo = ioLeavesNeurons();
  if (failed(poolIo))
    return failure();
  options.alignment = alignmentInUse();
  options.poolIo = *poolIo;
  return success();
}

LogicalResult ReportCollector::analyze() {
  bool fourN = chip.batchLayout == target::BatchLayout::FourN;
  FailureOr<GlobalFacts> found = analyzeModule(module, fourN);
  if (failed(found))
    return failure();
  facts = std::move(*found);
  inputs.insert(facts.inputs.begin(), facts.inputs.end());
  outputs.insert(facts.outputs.begin(), facts.outputs.end());

  FailureOr<int64_t> base = integer("module.coeff_addr", chip.weightBase);
  FailureOr<int64_t> size = integer("module.coeff_size", 0);
  if (failed(base) || failed(size))
    return failure();
  weights = {*base, *size};

  GlobalPlanOptions options;
  auto mode =
      dyn_cast_or_null<StringAttr>(findModuleAttr(module, "module.addr_mode"));
  result.ioMode = mode ? mode.getValue().str() : "basic";
  options.ioMode = parseIoMode(result.ioMode).value_or(IoMode::Basic);
  options.gmemBytes = gmemBytes;
  if (failed(readPlanned(options)))
    return failure();
  mergeSharedInputs(options.ioMode);
  FailureOr<GlobalProblem> problem =
      buildGlobalProblem(module, facts, chip, weights, options);
  if (failed(problem))
    return failure();
  global = std::move(*problem);
  return success();
}

LogicalResult ReportCollector::addPool(size_t pool) {
  RegionRole role = global.regions[pool].role;
  RegionRow row;
  row.name = global.problem.pools[pool].name;
  row.isOnBoard = role != RegionRole::L2 && role != RegionRole::User;
  row.base = global.regions[pool].base;
  std::optional<int64_t> size;
  if (role == RegionRole::Neuron || role == RegionRole::Io) {
    bool isIo = role == RegionRole::Io;
    const auto io = isIo ? relocatedIo(module) : std::nullopt;
    std::optional<int64_t> begin, length;
    if (io || chip.addressForm == target::AddressForm::BaseRegister)
      begin = io ? io->begin : 0;
    if (io)
      length = io->length();
    auto base = integer(isIo ? "module.io_addr" : "module.neuron_addr", begin);
    auto bytes =
        integer(isIo ? "module.io_size" : "module.neuron_size", length);
    if (failed(base) || failed(bytes))
      return failure();
    row.base = *base;
    size.emplace(*bytes);
  } else if (role == RegionRole::Private) {
    auto bytes = integer("module.private_size", 0);
    if (failed(bytes))
      return failure();
    size.emplace(*bytes);
  }
  row.capacityBytes = global.problem.pools[pool].capacityBytes;
  int64_t extent = size.value_or(
      row.capacityBytes.value_or(std::numeric_limits<int64_t>::max()));
  regionEnds.push_back(checkedAdd(row.base, extent)
                           .value_or(std::numeric_limits<int64_t>::max()));
  result.regions.push_back(std::move(row));
  return success();
}

LogicalResult ReportCollector::addRegions() {
  RegionRow coeff;
  coeff.name = "coeff";
  coeff.base = weights.base;
  coeff.capacityBytes = chip.windowBytes;
  if (gmemBytes)
    coeff.capacityBytes =
        std::min(*gmemBytes, chip.windowBytes.value_or(*gmemBytes));
  result.regions.push_back(coeff);
  regionEnds.push_back(weights.base + weights.sizeBytes);
  for (size_t pool = 0; pool < global.problem.pools.size(); ++pool)
    if (failed(addPool(pool)))
      return failure();
  return success();
}

void ReportCollector::findBeyond() {
  const llvm::StringMap<StringRef> memoryOf = readBeyond(module);
  for (auto [id, aliasClass] : llvm::enumerate(facts.aliases.classes()))
    if (!memoryOf.empty() && !aliasClass.values.empty())
      for (auto [row, region] : llvm::enumerate(result.regions))
        if (memoryOf.lookup(valueName(aliasClass.representative())) ==
            region.name)
          beyond[int64_t(id)] = row;
}

RegionRow *ReportCollector::regionOf(int64_t classId, Interval bytes) {
  const size_t row = beyond.lookup(classId);
  return row ? &result.regions[row] : regionOf(bytes);
}

RegionRow *ReportCollector::regionOf(Interval bytes) {
  for (size_t i = 0; i < regionEnds.size(); ++i)
    if (bytes.begin >= result.regions[i].base && bytes.end <= regionEnds[i])
      return &result.regions[i];
  return nullptr;
}

std::string ReportCollector::kindOf(Value value) const {
  if (value.getDefiningOp<top::WeightOp>())
    return "weight";
  if (inputs.contains(value))
    return "input";
  if (outputs.contains(value))
    return "output";
  return value.getDefiningOp<tpu::BufferOp>() ? "scratch" : "activation";
}

/// Names the value that stands for the class when the address agrees with it: a
/// plan of somebody else may have made a copy where a view was possible.
void ReportCollector::nameAlias(Value value, TensorRow &row) {
  const ValueStorage *storage = facts.aliases.lookup(value);
  const AliasClass &aliasClass = facts.aliases.classes()[storage->classId];
  Value first = aliasClass.representative();
  std::optional<int64_t> firstAddress = getAddress(first.getType());
  if (value == first || !firstAddress)
    return;
  int64_t distance =
      storage->offsetBytes - facts.aliases.lookup(first)->offsetBytes;
  if (row.bytes.begin != *firstAddress + distance)
    return;
  row.aliasOf = valueName(first);
  row.aliasOffsetBytes = distance;
}

void ReportCollector::addTensor(Value value) {
  std::optional<int64_t> address = getAddress(value.getType());
  const ValueStorage *storage = facts.aliases.lookup(value);
  if (!address || !checkedAdd(*address, storage->sizeBytes))
    return;
  TensorRow row;
  row.name = valueName(value);
  row.kind = kindOf(value);
  row.bytes = {*address, *address + storage->sizeBytes};
  row.location = valuePosition(value);
  if (row.kind != "weight") {
    row.life = valueLife(facts.schedule, value);
    row.held = heldOf[storage->classId];
  }
  nameAlias(value, row);
  if (RegionRow *region = regionOf(storage->classId, row.bytes)) {
    row.region = region->name;
    region->usedBytes =
        std::max(region->usedBytes, row.bytes.end - region->base);
  }
  result.tensors.push_back(std::move(row));
}

/// A bound is that of a region given what is in it: what has been put elsewhere
/// is no burden to it.
void ReportCollector::keepPlaces() {
  for (auto [buffer, id] :
       llvm::zip_equal(global.problem.buffers, global.classOf)) {
    Value first = facts.aliases.classes()[id].representative();
    std::optional<int64_t> address = getAddress(first.getType());
    const RegionRow *region =
        address
            ? regionOf(id, {*address,
                            *address + facts.aliases.lookup(first)->sizeBytes})
            : nullptr;
    // The first row is that of the weights; the others are the pools.
    if (!region || region == &result.regions.front())
      continue;
    const planning::PoolId pool = region - &result.regions.front() - 1;
    buffer.pools = {pool};
    if (buffer.pin && buffer.pin->pool != pool)
      buffer.pin.reset();
  }
}

/// Weights and regions for inputs and outputs are there for the whole run: what
/// is used is needed.
void ReportCollector::addBounds() {
  for (RegionRow &row : result.regions)
    row.lowerBoundBytes = row.usedBytes;
  const std::vector<int64_t> classic = planning::classicUse(global.problem);
  for (auto [pool, region] : llvm::enumerate(global.regions)) {
    bool isReadOnly =
        global.problem.pools[pool].access == planning::PoolAccess::ReadOnly;
    RegionRow &row = result.regions[pool + 1];
    planning::LiveBound bound =
        planning::liveBound(global.problem, planning::PoolId(pool));
    row.peakStep = bound.peakStep;
    if (!bound.peakSet.empty())
      row.peakOp = describeOp(facts.schedule.opAt(bound.peakStep));
    explainPeak({facts, global, planning::PoolId(pool)}, row);
    if (region.role != RegionRole::Io && region.role != RegionRole::IoTag &&
        !isReadOnly) {
      row.lowerBoundBytes = bound.bytes;
      if (!classic.empty())
        row.classicBytes.emplace(classic[pool]);
    }
  }
}

/// What the ops move, by the region of what they move.
void ReportCollector::addServed() {
  auto add = [&](Value value, int64_t bytes) {
    std::optional<int64_t> address = getAddress(value.getType());
    if (!address || bytes == 0)
      return;
    const ValueStorage *storage = facts.aliases.lookup(value);
    if (RegionRow *region = regionOf(storage->classId,
                                     {*address, *address + storage->sizeBytes}))
      region->servedBytes = checkedAdd(region->servedBytes, bytes)
                                .value_or(std::numeric_limits<int64_t>::max());
  };
  for (auto [buffer, id] :
       llvm::zip_equal(global.problem.buffers, global.classOf))
    add(facts.aliases.classes()[id].representative(),
        planning::servedBytes(buffer));
  for (auto [aliasClass, life] :
       llvm::zip_equal(facts.aliases.classes(), facts.lives))
    if (aliasClass.weight)
      add(aliasClass.weight,
          checkedMul(aliasClass.sizeBytes, life.readSteps.size())
              .value_or(std::numeric_limits<int64_t>::max()));
}

/// As the planner kept them; of storage that needs no plan its life.
void ReportCollector::keepLives() {
  for (const ClassLife &life : facts.lives)
    heldOf.push_back(life.steps);
  for (auto [buffer, id] :
       llvm::zip_equal(global.problem.buffers, global.classOf))
    if (!buffer.lifespans.empty())
      heldOf[id] = {buffer.lifespans.front().begin,
                    buffer.lifespans.back().end};
}

/// The innermost op that runs in each step. Groups have numbers in the order of
/// the text.
void ReportCollector::addSteps() {
  llvm::DenseMap<Operation *, int64_t> groups;
  module.walk<WalkOrder::PreOrder>([&](tpu::GroupOp group) {
    groups.try_emplace(group, int64_t(groups.size()));
    return WalkResult::skip();
  });
  result.steps.resize(size_t(facts.schedule.numSteps()));
  std::vector<Operation *> runs(result.steps.size(), nullptr);
  for (Operation *op : facts.schedule.ops()) {
    const Interval steps = facts.schedule.steps(op);
    if (regionTiming(op) == RegionTiming::Leaf && steps.length() == 1)
      runs[size_t(steps.begin)] = op;
  }
  for (auto [row, op] : llvm::zip_equal(result.steps, runs)) {
    if (!op)
      continue;
    row.op = op->getName().getStringRef().str();
    if (op->getNumResults() > 0)
      row.name = valueName(op->getResult(0));
    if (auto found = groups.find(op); found != groups.end())
      row.group = found->second;
  }
}

/// As the board has to keep the regions: see global_addresses::BoardUse.
int64_t ReportCollector::boardBytes() const {
  const auto rounded = [&](int64_t bytes) {
    return checkedAlignUp(bytes, chip.neuronAlignment)
        .value_or(std::numeric_limits<int64_t>::max());
  };
  int64_t sum = weights.sizeBytes, end = weights.base + weights.sizeBytes;
  for (const RegionRow &row : llvm::drop_begin(result.regions)) {
    if (!row.isOnBoard || row.usedBytes == 0)
      continue;
    sum = saturatedAdd(sum, rounded(row.usedBytes));
    end = std::max(end, saturatedAdd(row.base, rounded(row.usedBytes)));
  }
  const bool isFlat = chip.addressForm == target::AddressForm::Linear;
  return isFlat ? std::max(sum, saturatedSub(end, weights.base)) : sum;
}

/// Stable. Rows are large: each moves once.
static void sortByBytes(std::vector<TensorRow> &rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return rows[a].bytes < rows[b].bytes; });
  std::vector<TensorRow> sorted;
  sorted.reserve(rows.size());
  for (size_t row : order)
    sorted.push_back(std::move(rows[row]));
  rows = std::move(sorted);
}

FailureOr<MemoryReport> ReportCollector::run() {
  if (failed(analyze()) || failed(addRegions()))
    return failure();
  findBeyond();
  result.module = module.getSymName().value_or("").str();
  result.chip = chip.name;
  result.numSteps = facts.schedule.numSteps();
  result.gmemBytes = gmemBytes;
  keepLives();
  addSteps();
  result.tensors.reserve(facts.aliases.values().size());
  for (Value value : facts.aliases.values())
    addTensor(value);
  addServed();
  result.boardBytes = boardBytes();
  keepPlaces();
  addBounds();
  sortByBytes(result.tensors);
  llvm::erase_if(result.regions, [](const RegionRow &row) {
    return row.usedBytes == 0 && row.name != "neuron" && row.name != "coeff";
  });
  return std::move(result);
}

FailureOr<MemoryReport> collectMemoryReport(ModuleOp module,
                                            const target::ChipSpec &chip,
                                            std::optional<int64_t> gmemBytes) {
  return ReportCollector(module, chip, gmemBytes).run();
}

} // namespace tpu_mlir::memory_report
