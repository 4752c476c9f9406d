#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Names.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tpu_mlir::planning;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir {

static constexpr Named<IoMode> kIoModes[] = {
    {IoMode::Basic, "basic"},      {IoMode::InReuse, "in_reuse"},
    {IoMode::IoAlone, "io_alone"}, {IoMode::IoTag, "io_tag"},
    {IoMode::IoReloc, "io_reloc"},
};

std::optional<IoMode> parseIoMode(StringRef name) {
  return valueIn(kIoModes, name);
}

StringRef ioModeName(IoMode mode) { return nameIn(kIoModes, mode); }

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Inputs: the results of top.Input in argument order, and the arguments that
/// other ops read. Outputs: what the entry returns.
static void collectNetworkValues(GlobalFacts &facts) {
  for (auto entry : facts.schedule.entries()) {
    for (BlockArgument argument : entry.getArguments()) {
      if (facts.aliases.lookup(argument))
        facts.inputs.push_back(argument);
      // Users come in reverse order of their text.
      SmallVector<Operation *> users(argument.getUsers());
      for (Operation *user : llvm::reverse(users))
        if (isa<top::InputOp>(user) && facts.aliases.lookup(user->getResult(0)))
          facts.inputs.push_back(user->getResult(0));
    }
    for (Block &block : entry.getBody())
      if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
        for (Value value : ret.getOperands())
          if (facts.aliases.lookup(value))
            facts.outputs.push_back(value);
  }
}

FailureOr<GlobalFacts> analyzeModule(ModuleOp module, bool fourN) {
  FailureOr<OpSchedule> schedule = OpSchedule::build(module);
  if (failed(schedule))
    return failure();
  GlobalFacts facts;
  facts.schedule = std::move(*schedule);
  FailureOr<BufferAliases> aliases =
      BufferAliases::build(module, facts.schedule, {fourN});
  if (failed(aliases))
    return failure();
  facts.aliases = std::move(*aliases);
  facts.lives = computeLiveRanges(facts.schedule, facts.aliases);
  collectNetworkValues(facts);
  return facts;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

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
  LogicalResult checkUnplaced(const NamedPin &pin);
  const char *whyNotIn(PoolId pool, int64_t id) const;
  LogicalResult addPin(const NamedPin &pin);
  LogicalResult addPins();
  std::vector<PoolId> candidates(int64_t classId) const;
  PoolId addPool(const Twine &name, RegionRole role, int64_t base,
                 std::optional<int64_t> capacity);
  std::optional<int64_t> capacity(int64_t takenBytes) const;
  LogicalResult placeIo();
  LogicalResult pinIoAlone();
  void pinIoTags();
  LogicalResult addBuffers();
  LogicalResult checkAlignment();
  bool crossesFunctions(const AliasClass &aliasClass) const;
  bool mayBeInL2(int64_t classId) const;
  std::optional<PoolId> scratchPool(int64_t classId) const;
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
  /// Network inputs and outputs: one entry a class, in order.
  SmallVector<int64_t> ioClasses;
  llvm::DenseMap<int64_t, Pin> pins;
  /// What the user wants: to be in a pool, or even at an offset there.
  llvm::DenseMap<int64_t, std::pair<PoolId, std::optional<int64_t>>> userPins;
  llvm::DenseSet<int64_t> inputClasses, outputClasses;
  PoolId neuronPool = 0, privatePool = -1, l2Pool = -1;
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
    inputClasses.insert(classId(value));
  for (Value value : facts.outputs)
    outputClasses.insert(classId(value));
  llvm::DenseSet<int64_t> seen;
  for (Value value : llvm::concat<Value>(facts.inputs, facts.outputs)) {
    bool isWeight = bool(facts.aliases.classes()[classId(value)].weight);
    if (!isWeight && seen.insert(classId(value)).second)
      ioClasses.push_back(classId(value));
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
  bool separate =
      ioClasses.size() == facts.inputs.size() + facts.outputs.size();
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
  for (int64_t io : ioClasses) {
    pins[io] = {pool, ioBytes};
    auto end = checkedAdd(ioBytes, facts.aliases.classes()[io].sizeBytes);
    end = end ? checkedAlignUp(*end, alignment()) : std::nullopt;
    if (!end)
      return emitCodedError(module.getLoc(), ErrorCode::NoStaticSize,
                            "inputs and outputs need more than 2^63 bytes");
    ioBytes = *end;
  }
  return success();
}

void ProblemBuilder::pinIoTags() {
  SmallVector<int64_t> order = ioClasses;
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
        neuronPools.push_back(l2Pool);
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

/// A pin of what is in another module is not for this problem; one of what has
/// no place in global memory is for none.
LogicalResult ProblemBuilder::checkUnplaced(const NamedPin &pin) {
  Value found;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp>(op) && op != module)
      return WalkResult::skip();
    for (Value value : op->getResults())
      if (!found && valueName(value) == pin.buffer)
        found = value;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found)
    return success();
  std::string why = "it has no bytes in global memory; leave out the pin";
  if (auto group = found.getDefiningOp()->getParentOfType<tpu::GroupOp>())
    why = "it stays in local memory, inside the layer group of '" +
          valueName(group->getResult(0)) +
          "'; leave out the pin, or make no layer groups, so that its layers "
          "are in global memory";
  return emitCodedError(found.getLoc(), ErrorCode::BadAttribute,
                        "'" + pin.buffer + "' cannot be pinned to '" +
                            pin.pool + "': " + why);
}

/// Why nobody can pin the class to the pool; null when it can be there.
const char *ProblemBuilder::whyNotIn(PoolId pool, int64_t id) const {
  if (global.problem.pools[pool].access == PoolAccess::ReadOnly)
    return "that one is read-only";
  if (!isReached(global.problem.pools[pool],
                 facts.aliases.classes()[id].values))
    return "not all targets that access it reach that one";
  RegionRole role = global.regions[pool].role;
  if (role == RegionRole::L2 && !mayBeInL2(id))
    return "inputs and outputs of functions, and what the host reads or "
           "writes, cannot be in L2";
  if (role == RegionRole::Io || role == RegionRole::IoTag)
    return "that region is for inputs and outputs, as the I/O mode says";
  return nullptr;
}

/// A pin of a weight is not for this problem.
LogicalResult ProblemBuilder::addPin(const NamedPin &pin) {
  Value found;
  for (Value value : facts.aliases.values())
    if (valueName(value) == pin.buffer) {
      if (value.getDefiningOp<top::WeightOp>())
        return success();
      if (found && classId(found) != classId(value))
        return emitCodedError(value.getLoc(), ErrorCode::BadAttribute,
                              "attribute 'module.pins': several tensors are "
                              "called '" +
                                  pin.buffer + "'");
      found = found ? found : value;
    }
  if (!found)
    return checkUnplaced(pin);
  auto fail = [&](const Twine &why) {
    return emitCodedError(found.getLoc(), ErrorCode::BadAttribute,
                          "'" + pin.buffer + "' cannot be pinned to '" +
                              pin.pool + "': " + why);
  };
  int64_t id = classId(found);
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  if (aliasClass.weight)
    return fail("it is part of weight '" + valueName(aliasClass.weight) + "'");
  if (auto taken = pins.find(id); taken != pins.end())
    return fail("I/O mode '" + ioModeName(global.ioMode) + "' puts it into '" +
                global.problem.pools[taken->second.pool].name + "'");
  FailureOr<PoolId> pool =
      findPool(found.getLoc(), pin, global.problem.pools,
               [&](PoolId one) { return !whyNotIn(one, id); });
  if (failed(pool))
    return failure();
  if (const char *why = whyNotIn(*pool, id))
    return fail(why);
  RegionRole role = global.regions[*pool].role;
  std::optional<int64_t> offset;
  if (pin.offsetBytes) {
    offset = *pin.offsetBytes - facts.aliases.lookup(found)->offsetBytes;
    if (*offset < 0)
      return fail("it is " + Twine(facts.aliases.lookup(found)->offsetBytes) +
                  " bytes inside '" + valueName(aliasClass.representative()) +
                  "', which would begin before the pool");
    Pool place = global.problem.pools[*pool];
    // Those of the chip may leave it to their buffers.
    if (role != RegionRole::User)
      place.alignment = alignment();
    if (failed(checkPinOffset(found.getLoc(), pin, place, *offset,
                              aliasClass.sizeBytes)))
      return failure();
  }
  auto [old, isNew] = userPins.try_emplace(id, *pool, offset);
  if (!isNew && old->second != std::pair(*pool, offset))
    return fail("it shares storage with another tensor that is pinned "
                "elsewhere");
  return success();
}

LogicalResult ProblemBuilder::addPins() {
  FailureOr<std::vector<NamedPin>> requests = readPins(module);
  if (failed(requests))
    return failure();
  for (const NamedPin &pin : *requests)
    if (failed(addPin(pin)))
      return failure();
  return success();
}

/// Lives across functions, or belongs to the host processor.
bool ProblemBuilder::crossesFunctions(const AliasClass &aliasClass) const {
  return llvm::any_of(aliasClass.values, [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function =
          dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      return function && !facts.schedule.isEntry(function);
    }
    return isa<func::CallOp, tpu::GenericCpuOp>(value.getDefiningOp());
  });
}

/// What passes from function to function, or to the host, is in global memory,
/// where whoever runs one of them by itself can reach it.
bool ProblemBuilder::mayBeInL2(int64_t id) const {
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  return !inputClasses.contains(id) && !outputClasses.contains(id) &&
         !crossesFunctions(aliasClass) &&
         llvm::none_of(aliasClass.values, [](Value value) {
           return llvm::any_of(value.getUsers(),
                               llvm::IsaPred<tpu::GenericCpuOp>);
         });
}

/// The L2 pool for scratch that asks for it and may be there.
std::optional<PoolId> ProblemBuilder::scratchPool(int64_t id) const {
  if (!mayBeInL2(id))
    return std::nullopt;
  for (Value value : facts.aliases.classes()[id].values)
    if (auto buffer = value.getDefiningOp<tpu::BufferOp>())
      if (tpu::readEnum<tpu::BufferTypeAttr>(buffer->getAttr("buffer_type")) ==
          tpu::BufferType::L2)
        return l2Pool;
  return std::nullopt;
}

/// Where storage that nobody pins may be, best first.
std::vector<PoolId> ProblemBuilder::candidates(int64_t id) const {
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  bool isIo = inputClasses.contains(id) || outputClasses.contains(id);
  bool crosses = crossesFunctions(aliasClass);
  if (chip.addressForm == AddressForm::BaseRegister && (isIo || crosses))
    return {privatePool};
  if (std::optional<PoolId> scratch = scratchPool(id))
    return {*scratch};
  if (isIo && !options.poolIo)
    return {neuronPool};
  std::vector<PoolId> pools = neuronPools;
  if (!mayBeInL2(id))
    llvm::erase(pools, l2Pool);
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
  bool isInput = inputClasses.contains(id),
       isOutput = outputClasses.contains(id);
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
    if (buffer.pools.front() < 0) {
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
  if (failed(makePools()) || failed(addPins()) || failed(addBuffers()) ||
      failed(checkAlignment()))
    return failure();
  if (auto name = module.getSymName())
    global.problem.name = name->str();
  global.alignment = alignment();
  return global;
}

FailureOr<GlobalProblem> buildGlobalProblem(ModuleOp module, GlobalFacts &facts,
                                            const target::ChipSpec &chip,
                                            const WeightRegion &weights,
                                            const GlobalPlanOptions &options) {
  return ProblemBuilder(module, facts, chip, weights, options).run();
}

bool placeRegions(GlobalProblem &global, const planning::Plan &plan,
                  const target::ChipSpec &chip, const WeightRegion &weights) {
  // A multiple of both alignments, though neither has to be one of the other.
  std::optional<int64_t> alignment = checkedMul(
      chip.neuronAlignment / std::gcd(chip.neuronAlignment, global.alignment),
      global.alignment);
  auto end = [&](int64_t base, int64_t bytes) -> std::optional<int64_t> {
    auto sum = checkedAdd(base, bytes);
    return sum && alignment ? checkedAlignUp(*sum, *alignment) : std::nullopt;
  };
  std::optional<int64_t> next = end(weights.base, weights.sizeBytes);
  Region *neuron = nullptr, *io = nullptr;
  int64_t neuronBytes = 0, ioBytes = 0;
  for (size_t i = 0; i < global.regions.size(); ++i) {
    if (global.regions[i].role == RegionRole::Neuron) {
      neuron = &global.regions[i];
      neuronBytes = plan.pools[i].usedBytes;
    } else if (global.regions[i].role == RegionRole::Io) {
      io = &global.regions[i];
      ioBytes = plan.pools[i].usedBytes;
    }
  }
  bool isLinear = chip.addressForm == AddressForm::Linear;
  bool ioIsLast = global.ioMode == IoMode::IoReloc;
  if (chip.addressForm == AddressForm::BaseRegister)
    next = 0;
  if (io && !ioIsLast && isLinear && next) {
    io->base = *next;
    next = end(*next, ioBytes);
  }
  if (!next)
    return false;
  neuron->base = chip.neuronBase.value_or(*next);
  if (io && ioIsLast) {
    auto behind = end(neuron->base, neuronBytes);
    if (!behind)
      return false;
    io->base = *behind;
  }
  for (size_t i = 0; i < global.regions.size(); ++i) {
    global.problem.pools[i].baseAddress = global.regions[i].base;
    if (!checkedAdd(global.regions[i].base, plan.pools[i].usedBytes))
      return false;
  }
  return true;
}

} // namespace tpu_mlir
