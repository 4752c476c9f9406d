//===- BuildProblem.cpp - From a module to a planning problem -------------===//

#include "lib/Analysis/Tensor/Overlaps.h"
#include "lib/Analysis/Tensor/UserPins.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Names.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tpu_mlir::planning;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir {

using namespace detail;

static constexpr Named<IoMode> kIoModes[] = {
    {IoMode::Basic, "basic"},      {IoMode::InReuse, "in_reuse"},
    {IoMode::IoAlone, "io_alone"}, {IoMode::IoTag, "io_tag"},
    {IoMode::IoReloc, "io_reloc"},
};

std::optional<IoMode> parseIoMode(StringRef name) {
  return valueIn(kIoModes, name);
}

StringRef ioModeName(IoMode mode) { return nameIn(kIoModes, mode); }

namespace {

class ProblemBuilder {
public:
  ProblemBuilder(ModuleOp module, GlobalFacts &facts,
                 const target::ChipSpec &chip, const WeightRegion &weights,
                 const GlobalPlanOptions &options)
      : module(module), facts(facts), chip(chip), weights(weights),
        options(options) {}

  FailureOr<GlobalProblem> run();

private:
  LogicalResult checkMode();
  LogicalResult shareRequested();
  void chooseMode();
  LogicalResult makePools();
  LogicalResult addUserPools();
  void shareAlignment();
  std::vector<PoolId> candidates(int64_t classId) const;
  PoolId addPool(const Twine &name, RegionRole role, int64_t base,
                 std::optional<int64_t> capacity);
  std::optional<int64_t> capacity(int64_t takenBytes) const;
  LogicalResult placeIo();
  LogicalResult pinIoAlone();
  void pinIoTags();
  LogicalResult addBuffers();
  LogicalResult checkAlignment();
  bool asksForL2(int64_t classId) const;
  int64_t classId(Value value) const {
    return facts.aliases.lookup(value)->classId;
  }
  Buffer makeBuffer(int64_t classId) const;
  int64_t numSteps() const {
    return std::max<int64_t>(facts.schedule.numSteps(), 1);
  }
  int64_t alignment() const {
    return options.alignment.value_or(chip.neuronAlignment);
  }

  ModuleOp module;
  GlobalFacts &facts;
  const target::ChipSpec &chip;
  WeightRegion weights;
  const GlobalPlanOptions &options;
  GlobalProblem global;
  IoClasses io;
  llvm::DenseMap<int64_t, Pin> pins;
  UserPins userPins;
  PoolId neuronPool = 0;
  std::optional<PoolId> privatePool, l2Pool;
  /// Where a neuron tensor may be: the user's pools, then the neuron region.
  std::vector<PoolId> neuronPools;
  int64_t ioBytes = 0, bufferAlignment = 1;
};

} // namespace

LogicalResult ProblemBuilder::checkMode() {
  bool supported = true;
  switch (options.ioMode) {
  case IoMode::Basic:
  case IoMode::InReuse:
    break;
  case IoMode::IoAlone:
    supported = chip.hasIoAlone();
    break;
  case IoMode::IoTag:
    supported = chip.hasIoTags();
    break;
  case IoMode::IoReloc:
    supported = chip.supportsIoReloc;
    break;
  }
  if (supported)
    return success();
  return emitCodedError(module.getLoc(), ErrorCode::ModeNotSupported,
                        "chip '" + chip.name + "' has no I/O mode '" +
                            ioModeName(options.ioMode) +
                            "'; 'basic' and 'in_reuse' work on every chip");
}

LogicalResult ProblemBuilder::shareRequested() {
  if (failed(shareAddresses(module, facts, options.sameAddress)))
    return failure();
  for (Value value : facts.inputs)
    io.inputs.insert(classId(value));
  for (Value value : facts.outputs)
    io.outputs.insert(classId(value));
  llvm::DenseSet<int64_t> seen;
  for (Value value : llvm::concat<Value>(facts.inputs, facts.outputs)) {
    bool isWeight = bool(facts.aliases.classes()[classId(value)].weight);
    if (!isWeight && seen.insert(classId(value)).second)
      io.order.push_back(classId(value));
  }
  return success();
}

/// Tags serve whole networks of one subnet whose inputs and outputs are all
/// separate; anything else is planned as 'basic', as runtimes expect.
void ProblemBuilder::chooseMode() {
  global.ioMode = options.ioMode;
  if (options.ioMode != IoMode::IoTag)
    return;
  size_t subnets =
      facts.schedule.functions().size() - facts.schedule.entries().size();
  bool separate = io.order.size() == facts.inputs.size() + facts.outputs.size();
  if (subnets <= 1 && separate)
    return;
  global.ioMode = IoMode::Basic;
  emitRemark(module.getLoc())
      << "I/O mode 'io_tag' falls back to 'basic': "
      << (separate ? "the network has several subnets"
                   : "two inputs or outputs share storage");
}

PoolId ProblemBuilder::addPool(const Twine &name, RegionRole role, int64_t base,
                               std::optional<int64_t> capacityBytes) {
  Pool pool;
  pool.name = name.str();
  pool.baseAddress = base;
  pool.capacityBytes = capacityBytes;
  global.problem.pools.push_back(pool);
  global.regions.push_back({role, base});
  return global.problem.pools.size() - 1;
}

/// What is left of the board's memory, and of one address window.
std::optional<int64_t> ProblemBuilder::capacity(int64_t takenBytes) const {
  std::optional<int64_t> left = chip.windowBytes;
  if (options.gmemBytes) {
    int64_t rest = std::max<int64_t>(0, *options.gmemBytes - takenBytes);
    // A region is as large as its size rounded up: a part of a unit is no use.
    rest -= rest % chip.neuronAlignment;
    left = left ? std::min(*left, rest) : rest;
  }
  return left;
}

LogicalResult ProblemBuilder::pinIoAlone() {
  // Without a base of its own the region is placed once weights are known.
  PoolId pool = addPool("io", RegionRole::Io, chip.ioAloneBase.value_or(0),
                        capacity(weights.sizeBytes));
  for (int64_t id : io.order) {
    pins[id] = {pool, ioBytes};
    auto end = checkedAdd(ioBytes, facts.aliases.classes()[id].sizeBytes);
    end = end ? checkedAlignUp(*end, alignment()) : std::nullopt;
    if (!end)
      return emitCodedError(module.getLoc(), ErrorCode::NoStaticSize,
                            "inputs and outputs need more than 2^63 bytes");
    ioBytes = *end;
  }
  return success();
}

void ProblemBuilder::pinIoTags() {
  SmallVector<int64_t> order = io.order;
  // Tags go to the largest, base registers to the first.
  if (chip.addressForm == AddressForm::Tagged)
    llvm::stable_sort(order, [&](int64_t a, int64_t b) {
      return facts.aliases.classes()[a].sizeBytes >
             facts.aliases.classes()[b].sizeBytes;
    });
  size_t count = std::min(order.size(), chip.ioBases.size());
  for (size_t i = 0; i < count; ++i)
    pins[order[i]] = {addPool("io" + Twine(i), RegionRole::IoTag,
                              chip.ioBases[i], chip.windowBytes),
                      0};
}

LogicalResult ProblemBuilder::placeIo() {
  bool isAlone =
      global.ioMode == IoMode::IoAlone || global.ioMode == IoMode::IoReloc;
  if (chip.addressForm == AddressForm::BaseRegister ||
      global.ioMode == IoMode::IoTag)
    pinIoTags();
  else if (isAlone)
    return pinIoAlone();
  return success();
}

LogicalResult ProblemBuilder::makePools() {
  bool isBaseRegister = chip.addressForm == AddressForm::BaseRegister;
  neuronPool = addPool(isBaseRegister ? "shared" : "neuron", RegionRole::Neuron,
                       0, std::nullopt);
  if (failed(placeIo()))
    return failure();
  // An overflow is certainly more than the board has.
  int64_t taken = checkedAdd(weights.sizeBytes, ioBytes)
                      .value_or(std::numeric_limits<int64_t>::max());
  if (options.gmemBytes && taken > *options.gmemBytes) {
    InFlightDiagnostic diagnostic = emitCodedError(
        module.getLoc(), ErrorCode::DoesNotFit,
        "weights and separate inputs and outputs alone do not fit: they " +
            formatShortage(taken, *options.gmemBytes, /*isPlural=*/true));
    return diagnostic;
  }
  global.problem.pools[neuronPool].capacityBytes = capacity(taken);
  if (isBaseRegister)
    privatePool = addPool("private", RegionRole::Private,
                          chip.privateBase.value_or(0), capacity(taken));
  FailureOr<int64_t> cores = usedCores(module);
  if (failed(cores))
    return failure();
  if (*cores > chip.cores)
    emitRemark(module.getLoc())
        << "'module.cores' is " << *cores << ", but chip '" << chip.name
        << "' has " << chip.cores << ": planned for those";
  FailureOr<int64_t> l2Bytes = usableL2Bytes(module, chip);
  if (failed(l2Bytes))
    return failure();
  if (*l2Bytes > 0)
    l2Pool = addPool("l2", RegionRole::L2, chip.l2Base, *l2Bytes);
  return addUserPools();
}

LogicalResult ProblemBuilder::addUserPools() {
  FailureOr<std::vector<Pool>> pools = readPools(module, chip);
  if (failed(pools))
    return failure();
  for (Pool &pool : *pools) {
    Pool coeff; // Not planned here.
    coeff.name = "coeff";
    auto known = llvm::find_if(global.problem.pools, [&](const Pool &other) {
      return other.name == pool.name;
    });
    bool isKnown = known != global.problem.pools.end();
    if (!isKnown && pool.name == "l2")
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "chip '" + chip.name +
                                "' has no L2 (0 B): pool 'l2' cannot be used");
    if (isKnown || pool.name == coeff.name) {
      (isKnown ? *known : coeff).accessCost = pool.accessCost;
      if (options.l2 && isKnown &&
          known - global.problem.pools.begin() == l2Pool)
        neuronPools.push_back(*l2Pool);
      continue;
    }
    if (isRegionName(pool.name))
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "chip '" + chip.name + "' has no region '" +
                                pool.name + "' in I/O mode '" +
                                ioModeName(global.ioMode) +
                                "' that a line could give a cost");
    if (chip.addressForm == AddressForm::BaseRegister &&
        pool.access == PoolAccess::ReadWrite)
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "pool '" + pool.name + "' cannot be added: chip '" +
                                chip.name +
                                "' reaches memory by base registers only, and "
                                "takes pools for weights (access=ro) alone");
    if (pool.alignment == 1)
      pool.alignment = alignment();
    if (pool.access == PoolAccess::ReadWrite) {
      if (failed(checkPoolBase(module.getLoc(), pool)))
        return failure();
      neuronPools.push_back(global.problem.pools.size());
    }
    global.regions.push_back({RegionRole::User, pool.baseAddress});
    global.problem.pools.push_back(std::move(pool));
  }
  neuronPools.push_back(neuronPool);
  shareAlignment();
  return success();
}

/// Each region has an alignment of its own: a buffer has what is common to all.
void ProblemBuilder::shareAlignment() {
  bufferAlignment = alignment();
  for (PoolId pool : neuronPools)
    if (global.regions[pool].role == RegionRole::User)
      bufferAlignment =
          std::gcd(bufferAlignment, global.problem.pools[pool].alignment);
  if (bufferAlignment == alignment())
    return;
  for (auto [pool, region] :
       llvm::zip_equal(global.problem.pools, global.regions))
    if (region.role != RegionRole::User)
      pool.alignment = alignment();
}

/// Scratch that asks for L2 and may be there.
bool ProblemBuilder::asksForL2(int64_t id) const {
  if (!mayBeInL2(facts, io, id))
    return false;
  for (Value value : facts.aliases.classes()[id].values)
    if (auto buffer = value.getDefiningOp<tpu::BufferOp>())
      if (tpu::readEnum<tpu::BufferTypeAttr>(buffer->getAttr("buffer_type")) ==
          tpu::BufferType::L2)
        return true;
  return false;
}

/// Where storage that nobody pins may be, best first; nowhere when it asks for
/// L2 and there is none.
std::vector<PoolId> ProblemBuilder::candidates(int64_t id) const {
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  bool isIo = io.inputs.contains(id) || io.outputs.contains(id);
  bool crosses = crossesFunctions(facts, aliasClass);
  if (chip.addressForm == AddressForm::BaseRegister && (isIo || crosses))
    return {privatePool.value()};
  if (asksForL2(id))
    return l2Pool ? std::vector{*l2Pool} : std::vector<PoolId>();
  if (isIo && !options.poolIo)
    return {neuronPool};
  std::vector<PoolId> pools = neuronPools;
  if (!mayBeInL2(facts, io, id))
    llvm::erase_if(pools, [&](PoolId pool) { return pool == l2Pool; });
  llvm::erase_if(pools, [&](PoolId pool) {
    return !isReached(global.problem.pools[pool], aliasClass.values);
  });
  return pools;
}

Buffer ProblemBuilder::makeBuffer(int64_t id) const {
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  const ClassLife &life = facts.lives[id];
  Buffer buffer;
  buffer.name = valueName(aliasClass.representative());
  buffer.location = valuePosition(aliasClass.representative());
  buffer.sizeBytes = aliasClass.sizeBytes;
  buffer.alignment = bufferAlignment;
  buffer.readSteps = life.readSteps;
  if (life.readSteps.empty())
    buffer.accesses = 1; // It is known that nothing reads it.
  bool isInput = io.inputs.contains(id), isOutput = io.outputs.contains(id);
  bool isScratch = aliasClass.representative().getDefiningOp<tpu::BufferOp>();
  buffer.kind = isOutput    ? BufferKind::Output
                : isInput   ? BufferKind::Input
                : isScratch ? BufferKind::Scratch
                            : BufferKind::Activation;
  Interval steps = life.steps;
  auto pin = pins.find(id);
  if (pin != pins.end()) {
    const Pool &pool = global.problem.pools[pin->second.pool];
    auto end = checkedAdd(pin->second.offsetBytes, buffer.sizeBytes);
    // What does not fit there has no place: planning says by how much.
    if (end && *end <= pool.capacityBytes.value_or(*end))
      buffer.pin = pin->second;
    buffer.pools = {pin->second.pool};
    steps = {0, numSteps()};
  } else {
    buffer.pools = candidates(id);
  }
  if (auto wish = userPins.find(id); wish != userPins.end()) {
    auto [pool, offset] = wish->second;
    buffer.pools = {pool};
    if (offset)
      buffer.pin = Pin{pool, *offset};
  }
  if (isInput && global.ioMode != IoMode::InReuse)
    steps = {0, numSteps()};
  if (isOutput)
    steps.end = numSteps();
  buffer.lifespans = {steps};
  return buffer;
}

LogicalResult ProblemBuilder::addBuffers() {
  for (auto [id, aliasClass] : llvm::enumerate(facts.aliases.classes())) {
    if (aliasClass.values.empty() || aliasClass.weight)
      continue;
    Buffer buffer = makeBuffer(id);
    if (buffer.pools.empty()) {
      InFlightDiagnostic diagnostic = emitCodedError(
          aliasClass.values.front().getLoc(), ErrorCode::DoesNotFit,
          "scratch '" + buffer.name + "' asks for L2 memory: it " +
              formatShortage(buffer.sizeBytes, 0) + "; chip '" + chip.name +
              "' has no L2 for it");
      return diagnostic;
    }
    global.problem.buffers.push_back(std::move(buffer));
    global.classOf.push_back(id);
  }
  return success();
}

/// Offsets are multiples of the alignment; addresses are so only in a region
/// that begins at one. Regions without a fixed base will.
LogicalResult ProblemBuilder::checkAlignment() {
  llvm::DenseSet<PoolId> used;
  for (const Buffer &buffer : global.problem.buffers)
    used.insert(buffer.pools.begin(), buffer.pools.end());
  for (PoolId pool = 0; pool < PoolId(global.regions.size()); ++pool) {
    RegionRole role = global.regions[pool].role;
    if (!used.contains(pool) || role == RegionRole::User)
      continue;
    std::optional<int64_t> base = global.regions[pool].base;
    if (role == RegionRole::Neuron)
      base = chip.neuronBase;
    else if (role == RegionRole::Io)
      base = chip.ioAloneBase;
    if (base && *base % alignment() != 0)
      return emitCodedError(
          module.getLoc(), ErrorCode::BadAttribute,
          "alignment " + Twine(alignment()) + " is not possible: on chip '" +
              chip.name + "' region '" + global.problem.pools[pool].name +
              "' begins at " + Twine(*base) + ", which is no multiple of it");
  }
  return success();
}

FailureOr<GlobalProblem> ProblemBuilder::run() {
  if (failed(checkMode()) || failed(shareRequested()))
    return failure();
  chooseMode();
  global.alignment = alignment();
  if (failed(makePools()))
    return failure();
  FailureOr<UserPins> wishes = findUserPins(module, facts, io, global, pins);
  if (failed(wishes))
    return failure();
  userPins = std::move(*wishes);
  if (failed(addBuffers()) || failed(checkAlignment()))
    return failure();
  addOverlaps(facts, chip.batchLayout == target::BatchLayout::FourN, global);
  if (auto name = module.getSymName())
    global.problem.name = name->str();
  return global;
}

FailureOr<GlobalProblem> buildGlobalProblem(ModuleOp module, GlobalFacts &facts,
                                            const target::ChipSpec &chip,
                                            const WeightRegion &weights,
                                            const GlobalPlanOptions &options) {
  return ProblemBuilder(module, facts, chip, weights, options).run();
}

} // namespace tpu_mlir
