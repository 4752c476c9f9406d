#include "tpu_mlir/Analysis/BuildProblem.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Planning/PoolFlag.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tpu_mlir::planning;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir {

std::optional<IoMode> parseIoMode(StringRef name) {
  return llvm::StringSwitch<std::optional<IoMode>>(name)
      .Case("basic", IoMode::Basic)
      .Case("in_reuse", IoMode::InReuse)
      .Case("io_alone", IoMode::IoAlone)
      .Case("io_tag", IoMode::IoTag)
      .Case("io_reloc", IoMode::IoReloc)
      .Default(std::nullopt);
}

StringRef ioModeName(IoMode mode) {
  switch (mode) {
  case IoMode::Basic:
    return "basic";
  case IoMode::InReuse:
    return "in_reuse";
  case IoMode::IoAlone:
    return "io_alone";
  case IoMode::IoTag:
    return "io_tag";
  case IoMode::IoReloc:
    return "io_reloc";
  }
  return "";
}

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

FailureOr<std::vector<Pool>> readUserPools(ModuleOp module) {
  std::vector<Pool> result;
  Attribute attribute = findModuleAttr(module, "module.pools");
  if (!attribute)
    return result;
  auto fail = [&](const Twine &message) {
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "attribute 'module.pools': " + message);
  };
  auto lines = dyn_cast<ArrayAttr>(attribute);
  if (!lines)
    return fail("has to be an array of strings");
  for (Attribute line : lines) {
    auto text = dyn_cast<StringAttr>(line);
    if (!text)
      return fail("has to be an array of strings");
    auto parsed = parsePoolFlag(text.getValue());
    if (auto *error = std::get_if<std::string>(&parsed))
      return fail("'" + text.getValue() + "': " + *error);
    Pool &pool = std::get<Pool>(parsed);
    if (llvm::any_of(result,
                     [&](const Pool &other) { return other.name == pool.name; }))
      return fail("two pools are called '" + pool.name + "'");
    result.push_back(std::move(pool));
  }
  return result;
}

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
  LogicalResult shareOne(int64_t input, int64_t output);
  bool isUpdated(Value input, Value output, int64_t step) const;
  void chooseMode();
  LogicalResult makePools();
  LogicalResult addUserPools();
  PoolId addPool(const Twine &name, RegionRole role, int64_t base,
                 std::optional<int64_t> capacity);
  std::optional<int64_t> capacity(int64_t takenBytes) const;
  LogicalResult placeIo();
  LogicalResult pinIoAlone();
  void pinIoTags();
  LogicalResult addBuffers();
  LogicalResult checkAlignment();
  bool crossesFunctions(const AliasClass &aliasClass) const;
  std::optional<PoolId> scratchPool(const AliasClass &aliasClass) const;
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
  llvm::DenseSet<int64_t> inputClasses, outputClasses;
  PoolId neuronPool = 0, privatePool = -1, l2Pool = -1;
  /// Where a neuron tensor may be: the user's pools, then the neuron region.
  std::vector<PoolId> neuronPools;
  int64_t ioBytes = 0;
};

} // namespace

LogicalResult ProblemBuilder::checkMode() {
  bool supported = true;
  switch (options.ioMode) {
  case IoMode::Basic:
  case IoMode::InReuse:
    break;
  case IoMode::IoAlone:
    supported = chip.addressForm == AddressForm::Linear ||
                (chip.addressForm == AddressForm::Tagged && chip.ioAloneBase);
    break;
  case IoMode::IoTag:
    supported =
        chip.addressForm == AddressForm::Tagged && !chip.ioBases.empty();
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

/// True when an op at `step` updates the input in place, so that the output,
/// at the input's address, is what the op makes of it.
bool ProblemBuilder::isUpdated(Value input, Value output, int64_t step) const {
  const ValueStorage *in = facts.aliases.lookup(input);
  const ValueStorage *out = facts.aliases.lookup(output);
  auto updates = [&](Operation *op, const InPlaceEdge &edge) {
    const ValueStorage *read =
        facts.aliases.lookup(op->getOperand(edge.operand));
    const ValueStorage *made =
        facts.aliases.lookup(op->getResult(edge.result));
    return edge.overwrites && read && made && read->classId == in->classId &&
           made->classId == out->classId &&
           read->offsetBytes - in->offsetBytes + edge.offsetBytes ==
               made->offsetBytes - out->offsetBytes &&
           llvm::none_of(op->getOpOperands(), [&](OpOperand &other) {
             const ValueStorage *storage = facts.aliases.lookup(other.get());
             return storage && other.getOperandNumber() != edge.operand &&
                    storage->classId == in->classId;
           });
  };
  for (Value member : facts.aliases.classes()[out->classId].values) {
    Operation *op = member.getDefiningOp();
    auto inPlace = op ? dyn_cast<InPlaceOpInterface>(op) : InPlaceOpInterface();
    if (inPlace && facts.schedule.contains(op) &&
        facts.schedule.steps(op).begin == step &&
        llvm::any_of(inPlace.getInPlaceEdges(), [&](const InPlaceEdge &edge) {
          return updates(op, edge);
        }))
      return true;
  }
  return false;
}

/// Sound when the input has had its last reader before the output is first
/// written, or when that reader updates it in place.
LogicalResult ProblemBuilder::shareOne(int64_t input, int64_t output) {
  auto reject = [&](const Twine &why) {
    return emitCodedError(module.getLoc(), ErrorCode::SameAddressConflict,
                          "input " + Twine(input) + " and output " +
                              Twine(output) + " cannot share an address: " +
                              why);
  };
  if (input < 0 || input >= int64_t(facts.inputs.size()) || output < 0 ||
      output >= int64_t(facts.outputs.size()))
    return reject("the network has " + Twine(facts.inputs.size()) +
                  " inputs and " + Twine(facts.outputs.size()) + " outputs");
  Value in = facts.inputs[input], out = facts.outputs[output];
  const ValueStorage *inStorage = facts.aliases.lookup(in);
  const ValueStorage *outStorage = facts.aliases.lookup(out);
  if (inStorage->classId == outStorage->classId) {
    if (inStorage->offsetBytes == outStorage->offsetBytes)
      return success();
    return reject("'" + valueName(in) + "' and '" + valueName(out) +
                  "' are different parts of one tensor");
  }
  if (inStorage->sizeBytes != outStorage->sizeBytes)
    return reject("'" + valueName(in) + "' has " +
                  formatCount(inStorage->sizeBytes) + " bytes, '" +
                  valueName(out) + "' " + formatCount(outStorage->sizeBytes));
  const ClassLife &inLife = facts.lives[inStorage->classId];
  const ClassLife &outLife = facts.lives[outStorage->classId];
  int64_t lastRead = inLife.readSteps.empty() ? -1 : inLife.readSteps.back();
  for (Value value : {in, out})
    if (facts.aliases.classes()[facts.aliases.lookup(value)->classId].weight)
      return reject("'" + valueName(value) + "' is part of a weight");
  for (Value other : facts.inputs)
    if (facts.aliases.lookup(other)->classId == outStorage->classId)
      return reject("'" + valueName(out) + "' is part of input '" +
                    valueName(other) + "'");
  bool updates = isUpdated(in, out, outLife.steps.begin);
  if (lastRead > outLife.steps.begin ||
      (lastRead == outLife.steps.begin && !updates))
    return reject("'" + valueName(in) + "' is read until step " +
                  Twine(lastRead) + ", and '" + valueName(out) +
                  "' is written from step " + Twine(outLife.steps.begin));
  ClassLife merged = outLife;
  merged.steps = {std::min(inLife.steps.begin, outLife.steps.begin),
                  std::max(inLife.steps.end, outLife.steps.end)};
  merged.readSteps.insert(merged.readSteps.begin(), inLife.readSteps.begin(),
                          inLife.readSteps.end());
  llvm::sort(merged.readSteps);
  merged.readSteps.erase(llvm::unique(merged.readSteps),
                         merged.readSteps.end());
  int64_t into = inStorage->classId;
  facts.aliases.mergeByRequest(in, out);
  facts.lives[into] = std::move(merged);
  return success();
}

LogicalResult ProblemBuilder::shareRequested() {
  for (auto [input, output] : options.sameAddress)
    if (failed(shareOne(input, output)))
      return failure();
  for (Value value : facts.inputs)
    inputClasses.insert(classId(value));
  for (Value value : facts.outputs)
    outputClasses.insert(classId(value));
  llvm::DenseSet<int64_t> seen;
  for (Value value : llvm::concat<Value>(facts.inputs, facts.outputs)) {
    bool isWeight =
        bool(facts.aliases.classes()[classId(value)].weight);
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
  bool separate = ioClasses.size() == facts.inputs.size() + facts.outputs.size();
  if (subnets <= 1 && separate)
    return;
  global.ioMode = IoMode::Basic;
  emitRemark(module.getLoc())
      << "I/O mode 'io_tag' falls back to 'basic': "
      << (separate ? "the network has several subnets"
                   : "two inputs or outputs share storage");
}

PoolId ProblemBuilder::addPool(const Twine &name, RegionRole role,
                               int64_t base,
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
  bool isAlone = global.ioMode == IoMode::IoAlone ||
                 global.ioMode == IoMode::IoReloc;
  if (chip.addressForm == AddressForm::BaseRegister ||
      global.ioMode == IoMode::IoTag)
    pinIoTags();
  else if (isAlone)
    return pinIoAlone();
  return success();
}

LogicalResult ProblemBuilder::makePools() {
  bool isBaseRegister = chip.addressForm == AddressForm::BaseRegister;
  neuronPool = addPool(isBaseRegister ? "shared" : "neuron",
                       RegionRole::Neuron, 0, std::nullopt);
  if (failed(placeIo()))
    return failure();
  // An overflow is certainly more than the board has.
  int64_t taken = checkedAdd(weights.sizeBytes, ioBytes)
                      .value_or(std::numeric_limits<int64_t>::max());
  if (options.gmemBytes && taken > *options.gmemBytes) {
    InFlightDiagnostic diagnostic = emitCodedError(
        module.getLoc(), ErrorCode::DoesNotFit,
        "weights and separate inputs and outputs alone do not fit: need " +
            formatBytes(taken) + ", has " + formatBytes(*options.gmemBytes) +
            ", over by " + formatBytes(taken - *options.gmemBytes));
    return diagnostic;
  }
  global.problem.pools[neuronPool].capacityBytes = capacity(taken);
  if (isBaseRegister)
    privatePool = addPool("private", RegionRole::Private,
                          chip.privateBase.value_or(0), capacity(taken));
  if (chip.l2Bytes > 0)
    l2Pool = addPool("l2", RegionRole::L2, chip.l2Base, chip.l2Bytes);
  return addUserPools();
}

LogicalResult ProblemBuilder::addUserPools() {
  FailureOr<std::vector<Pool>> pools = readUserPools(module);
  if (failed(pools))
    return failure();
  if (!pools->empty() && chip.addressForm == AddressForm::BaseRegister)
    return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                          "chip '" + chip.name +
                              "' reaches memory by base registers only; pools "
                              "cannot be added to it");
  for (const Pool &pool : *pools) {
    auto known = llvm::find_if(global.problem.pools, [&](const Pool &other) {
      return other.name == pool.name;
    });
    if (known != global.problem.pools.end()) {
      known->accessCost = pool.accessCost;
      continue;
    }
    global.problem.pools.push_back(pool);
    global.regions.push_back({RegionRole::User, pool.baseAddress});
    if (pool.access == PoolAccess::ReadWrite)
      neuronPools.push_back(global.problem.pools.size() - 1);
  }
  neuronPools.push_back(neuronPool);
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

/// The L2 pool for scratch that asks for it.
std::optional<PoolId>
ProblemBuilder::scratchPool(const AliasClass &aliasClass) const {
  for (Value value : aliasClass.values)
    if (auto buffer = value.getDefiningOp<tpu::BufferOp>())
      if (auto type = buffer->getAttrOfType<tpu::BufferTypeAttr>("buffer_type"))
        if (type.getValue() == tpu::BufferType::L2)
          return l2Pool;
  return std::nullopt;
}

Buffer ProblemBuilder::makeBuffer(int64_t id) const {
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  const ClassLife &life = facts.lives[id];
  Buffer buffer;
  buffer.name = valueName(aliasClass.representative());
  buffer.location = valuePosition(aliasClass.representative());
  buffer.sizeBytes = aliasClass.sizeBytes;
  buffer.alignment = alignment();
  buffer.readSteps = life.readSteps;
  bool isInput = inputClasses.contains(id), isOutput = outputClasses.contains(id);
  bool isScratch = aliasClass.representative().getDefiningOp<tpu::BufferOp>();
  buffer.kind = isOutput    ? BufferKind::Output
                : isInput   ? BufferKind::Input
                : isScratch ? BufferKind::Scratch
                            : BufferKind::Activation;
  Interval steps = life.steps;
  auto pin = pins.find(id);
  if (pin != pins.end()) {
    buffer.pin = pin->second;
    buffer.pools = {pin->second.pool};
    steps = {0, numSteps()};
  } else if (chip.addressForm == AddressForm::BaseRegister &&
             (isInput || isOutput || crossesFunctions(aliasClass))) {
    buffer.pools = {privatePool};
  } else {
    std::optional<PoolId> scratch = scratchPool(aliasClass);
    if (scratch || isInput || isOutput)
      buffer.pools = {scratch.value_or(neuronPool)};
    else
      buffer.pools = neuronPools;
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
          "scratch '" + buffer.name + "' asks for L2 memory: need " +
              formatBytes(buffer.sizeBytes) + ", has 0 B, over by " +
              formatBytes(buffer.sizeBytes) + "; chip '" + chip.name +
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
    if (!used.contains(pool))
      continue;
    RegionRole role = global.regions[pool].role;
    std::optional<int64_t> base = global.regions[pool].base;
    if (role == RegionRole::Neuron)
      base = chip.neuronBase;
    else if (role == RegionRole::Io)
      base = chip.ioAloneBase;
    if (base && *base % alignment() != 0)
      return emitCodedError(module.getLoc(), ErrorCode::BadAttribute,
                            "alignment " + Twine(alignment()) +
                                " is not possible: on chip '" + chip.name +
                                "' region '" + global.problem.pools[pool].name +
                                "' begins at " + Twine(*base) +
                                ", which is no multiple of it");
  }
  return success();
}

FailureOr<GlobalProblem> ProblemBuilder::run() {
  if (failed(checkMode()) || failed(shareRequested()))
    return failure();
  chooseMode();
  if (failed(makePools()) || failed(addBuffers()) || failed(checkAlignment()))
    return failure();
  if (auto name = module.getSymName())
    global.problem.name = name->str();
  return global;
}

FailureOr<GlobalProblem>
buildGlobalProblem(ModuleOp module, GlobalFacts &facts,
                   const target::ChipSpec &chip, const WeightRegion &weights,
                   const GlobalPlanOptions &options) {
  return ProblemBuilder(module, facts, chip, weights, options).run();
}

bool placeRegions(GlobalProblem &global, const planning::Plan &plan,
                  const target::ChipSpec &chip, const WeightRegion &weights) {
  // A multiple of both alignments, though neither has to be one of the other.
  std::optional<int64_t> alignment = chip.neuronAlignment;
  if (!global.problem.buffers.empty()) {
    int64_t other = global.problem.buffers.front().alignment;
    alignment = checkedMul(*alignment / std::gcd(*alignment, other), other);
  }
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
