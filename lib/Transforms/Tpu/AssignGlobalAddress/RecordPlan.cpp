//===- RecordPlan.cpp - Record a network with its plan --------------------===//
//
// Adds the weights and every input and output by its own name, for generators
// of artefacts.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/AssignGlobalAddress/RecordPlan.h"

#include "lib/Transforms/Tpu/WeightFile/InlineBytes.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir {
namespace {

class Recorder {
public:
  Recorder(ModuleOp module, const GlobalFacts &facts,
           const GlobalProblem &global, const Plan &plan,
           const target::ChipSpec &chip, const WeightRegion &weights)
      : module(module), facts(facts), global(global), chip(chip),
        weights(weights) {
    record.problem = global.problem;
    record.plan = plan;
  }

  FailureOr<GlobalRecord> run() {
    nameInputsAndOutputs();
    if (failed(addWeights()))
      return failure();
    nestWeights();
    measure();
    collectContents();
    const std::vector<Violation> broken =
        validate(record.problem, record.plan, 1);
    if (!broken.empty())
      return emitCodedError(module.getLoc(), ErrorCode::BadRange,
                            "the module cannot be recorded: " +
                                broken.front().message);
    return std::move(record);
  }

private:
  void nameInputsAndOutputs();
  void nameWhole(BufferId buffer);
  void nameValue(Value value, BufferKind kind);
  LogicalResult addCoeff();
  LogicalResult addWeights();
  PoolId poolAt(int64_t address, int64_t sizeBytes) const;
  void nestWeights();
  void measure();
  void collectContents();
  int64_t numSteps() const {
    return std::max<int64_t>(facts.schedule.numSteps(), 1);
  }

  ModuleOp module;
  const GlobalFacts &facts;
  const GlobalProblem &global;
  const target::ChipSpec &chip;
  const WeightRegion weights;
  GlobalRecord record;
  const AliasClass &classOf(BufferId buffer) const {
    return facts.aliases.classes()[global.classOf[buffer]];
  }

  llvm::DenseMap<int64_t, BufferId> bufferOf; ///< By storage class.
  std::vector<Value> wholes; ///< By buffer: what it is called as, or null.
  llvm::DenseSet<std::pair<Value, int>> named;
  /// Of the chip; where there are weights.
  std::optional<PoolId> coeff;
  BufferId firstWeight = 0;
  std::vector<Operation *> weightOps;
};

} // namespace

void Recorder::nameInputsAndOutputs() {
  for (auto [buffer, id] : llvm::enumerate(global.classOf))
    bufferOf[id] = buffer;
  for (Buffer &buffer : record.problem.buffers)
    if (buffer.kind == BufferKind::Input || buffer.kind == BufferKind::Output)
      buffer.kind = BufferKind::Activation;
  for (size_t buffer = 0; buffer < global.classOf.size(); ++buffer)
    nameWhole(buffer);
  for (Value value : facts.inputs)
    nameValue(value, BufferKind::Input);
  for (Value value : facts.outputs)
    nameValue(value, BufferKind::Output);
  for (size_t buffer = 0; buffer < global.classOf.size(); ++buffer)
    if (Value first = classOf(buffer).representative();
        first != wholes[buffer] &&
        !named.contains({first, int(BufferKind::Input)}) &&
        !named.contains({first, int(BufferKind::Output)}))
      nameValue(first, BufferKind::Activation);
}

/// The first value of a class may be a part of it: then the buffer is called as
/// the first one that is all of it, and the part gets a name inside.
void Recorder::nameWhole(BufferId buffer) {
  const AliasClass &aliasClass = classOf(buffer);
  const auto isWhole = [&](Value value) {
    const ValueStorage *storage = facts.aliases.lookup(value);
    return storage->offsetBytes == 0 &&
           storage->sizeBytes == aliasClass.sizeBytes;
  };
  const Value first = aliasClass.representative();
  if (isWhole(first)) {
    wholes.push_back(first);
    return;
  }
  Buffer &root = record.problem.buffers[buffer];
  auto whole = llvm::find_if(aliasClass.values, isWhole);
  if (whole == aliasClass.values.end()) {
    wholes.push_back(Value());
    root.name += "/whole";
    return;
  }
  wholes.push_back(*whole);
  root.name = valueName(*whole);
  root.location = valuePosition(*whole);
}

/// A buffer has the name of the first value that is all of it. When that is an
/// input or an output, so is the buffer; others get a name inside of it.
void Recorder::nameValue(Value value, BufferKind kind) {
  const ValueStorage *storage = facts.aliases.lookup(value);
  auto found = bufferOf.find(storage->classId);
  if (found == bufferOf.end() || !named.insert({value, int(kind)}).second)
    return;
  const BufferId root = found->second;
  const bool isFirst = wholes[root] == value;
  if (BufferKind &own = record.problem.buffers[root].kind;
      isFirst && own != BufferKind::Input) {
    own = kind;
    return;
  }
  Buffer alias = record.problem.buffers[root];
  // An input that is returned as it is.
  alias.name = valueName(value) + (isFirst ? "/out" : "");
  alias.location = valuePosition(value);
  alias.kind = kind;
  alias.sizeBytes = storage->sizeBytes;
  alias.alignment = 1;
  alias.readSteps.clear();
  alias.accesses = 0; // They are the whole's.
  alias.pin.reset();
  const BufferId member = record.problem.buffers.size();
  record.problem.aliases.push_back({member, root, storage->offsetBytes});
  Placement place = record.plan.placements[root];
  place.offsetBytes += storage->offsetBytes;
  record.plan.placements.push_back(place);
  record.problem.buffers.push_back(std::move(alias));
}

/// The region of the chip; what it costs may stand among the pools.
LogicalResult Recorder::addCoeff() {
  FailureOr<std::vector<Pool>> lines = readUserPools(module);
  if (failed(lines))
    return failure();
  Pool pool;
  pool.name = "coeff";
  pool.baseAddress = weights.base;
  pool.capacityBytes = chip.windowBytes;
  pool.access = PoolAccess::ReadOnly;
  for (const Pool &line : *lines)
    if (line.name == pool.name)
      pool.accessCost = line.accessCost;
  coeff.emplace(record.problem.pools.size());
  record.problem.pools.push_back(pool);
  record.plan.pools.emplace_back();
  return success();
}

/// The read-only pool that holds the address; the one that begins last where
/// pools have no end.
PoolId Recorder::poolAt(int64_t address, int64_t sizeBytes) const {
  if (address >= weights.base &&
      address - weights.base <= weights.sizeBytes - sizeBytes)
    return *coeff;
  PoolId found = *coeff;
  std::optional<int64_t> base;
  for (auto [id, pool] : llvm::enumerate(record.problem.pools)) {
    const int64_t offset = address - pool.baseAddress;
    if (pool.access == PoolAccess::ReadOnly && PoolId(id) != coeff &&
        offset >= 0 && (!base || pool.baseAddress > *base) &&
        (!pool.capacityBytes || offset <= *pool.capacityBytes - sizeBytes)) {
      found = id;
      base.emplace(pool.baseAddress);
    }
  }
  return found;
}

LogicalResult Recorder::addWeights() {
  firstWeight = record.problem.buffers.size();
  module.walk<WalkOrder::PreOrder>([&](top::WeightOp op) {
    if (getAddress(op->getResult(0).getType()))
      weightOps.push_back(op);
  });
  if (weightOps.empty())
    return success();
  if (failed(addCoeff()))
    return failure();
  const bool fourN = chip.batchLayout == target::BatchLayout::FourN;
  FailureOr<std::optional<int64_t>> packed =
      moduleInteger(module, "module.coeff_align");
  if (failed(packed))
    return failure();
  const int64_t unit = (*packed).value_or(chip.weightAlignment);
  for (Operation *op : weightOps) {
    Value value = op->getResult(0);
    auto bytes = cast<MemoryFootprintOpInterface>(op).getResultBytes(0, fourN);
    if (!bytes)
      return emitNoStaticSize(value, "weight ");
    const int64_t address = *getAddress(value.getType());
    const PoolId pool = poolAt(address, *bytes);
    const int64_t offset = address - record.problem.pools[pool].baseAddress;
    Buffer buffer;
    buffer.name = valueName(value);
    buffer.location = valuePosition(value);
    buffer.kind = BufferKind::Weight;
    buffer.sizeBytes = *bytes;
    // Other compilers may know other alignments.
    buffer.alignment = offset % unit == 0 ? unit : 1;
    buffer.lifespans = {{0, numSteps()}};
    buffer.accesses = std::distance(value.use_begin(), value.use_end());
    buffer.pools = {pool};
    record.problem.buffers.push_back(std::move(buffer));
    record.plan.placements.push_back({pool, offset});
  }
  return success();
}

/// Weights may be the same bytes: those inside another one are aliases of it.
void Recorder::nestWeights() {
  std::vector<BufferId> order;
  for (size_t i = 0; i < weightOps.size(); ++i)
    order.push_back(firstWeight + BufferId(i));
  auto key = [&](BufferId id) {
    const Placement &at = record.plan.placements[id];
    return std::tuple(at.pool, at.offsetBytes,
                      -record.problem.buffers[id].sizeBytes, id);
  };
  llvm::sort(order, [&](BufferId a, BufferId b) { return key(a) < key(b); });
  std::optional<BufferId> root;
  for (BufferId id : order) {
    Buffer &buffer = record.problem.buffers[id];
    const Placement &at = record.plan.placements[id];
    if (root && record.plan.placements[*root].pool == at.pool) {
      const int64_t inside =
          at.offsetBytes - record.plan.placements[*root].offsetBytes;
      if (inside <=
          record.problem.buffers[*root].sizeBytes - buffer.sizeBytes) {
        if (inside % buffer.alignment != 0)
          buffer.alignment = 1;
        record.problem.aliases.push_back({id, *root, inside});
        continue;
      }
    }
    root = id;
  }
}

/// What the weights change in what the plan says of itself.
void Recorder::measure() {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Problem &problem = record.problem;
  Plan &plan = record.plan;
  for (size_t id = firstWeight; id < problem.buffers.size(); ++id) {
    const Placement &at = plan.placements[id];
    int64_t &used = plan.pools[at.pool].usedBytes;
    used =
        std::max(used, checkedAdd(at.offsetBytes, problem.buffers[id].sizeBytes)
                           .value_or(kMost));
  }
  for (auto [id, pool] : llvm::enumerate(problem.pools)) {
    if (pool.access != PoolAccess::ReadOnly)
      continue;
    PoolUse &use = plan.pools[id];
    use.lowerBoundBytes = liveBound(problem, id).bytes;
    if (use.lowerBoundBytes != use.usedBytes && plan.proof != Proof::LimitHit)
      plan.proof = Proof::None;
  }
  plan.accessCost = 0;
  for (auto [id, bytes] : llvm::enumerate(servedByPools(problem, plan))) {
    const int64_t cost =
        checkedMul(bytes, problem.pools[id].accessCost).value_or(kMost);
    plan.accessCost = checkedAdd(plan.accessCost, cost).value_or(kMost);
  }
}

void Recorder::collectContents() {
  for (auto [i, op] : llvm::enumerate(weightOps)) {
    const BufferId id = firstWeight + BufferId(i);
    const Placement &at = record.plan.placements[id];
    const std::string &pool = record.problem.pools[at.pool].name;
    const Buffer &buffer = record.problem.buffers[id];
    auto data = weight_files::inlineBytes(op, buffer.sizeBytes);
    if (!data) {
      record.without.try_emplace(pool, buffer.name);
      record.contents.erase(pool);
    }
    if (record.without.count(pool))
      continue;
    std::string &image = record.contents[pool];
    image.resize(record.plan.pools[at.pool].usedBytes);
    image.replace(at.offsetBytes, data->size(), *data);
  }
}

FailureOr<GlobalRecord> recordPlan(ModuleOp module, const GlobalFacts &facts,
                                   const GlobalProblem &global,
                                   const Plan &plan,
                                   const target::ChipSpec &chip,
                                   const WeightRegion &weights) {
  return Recorder(module, facts, global, plan, chip, weights).run();
}

} // namespace tpu_mlir
