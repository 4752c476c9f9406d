//===- UserPins.cpp - Where the user wants tensors ------------------------===//

#include "lib/Analysis/Tensor/UserPins.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

using namespace mlir;
using namespace tpu_mlir::planning;

namespace tpu_mlir::detail {

bool crossesFunctions(const GlobalFacts &facts, const AliasClass &aliasClass) {
  return llvm::any_of(aliasClass.values, [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function =
          dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      return function && !facts.schedule.isEntry(function);
    }
    return isa<func::CallOp, tpu::GenericCpuOp>(value.getDefiningOp());
  });
}

bool mayBeInL2(const GlobalFacts &facts, const IoClasses &io, int64_t id) {
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  return !io.inputs.contains(id) && !io.outputs.contains(id) &&
         !crossesFunctions(facts, aliasClass) &&
         llvm::none_of(aliasClass.values, [](Value value) {
           return llvm::any_of(value.getUsers(),
                               llvm::IsaPred<tpu::GenericCpuOp>);
         });
}

std::optional<int64_t> unalignedInput(const GlobalFacts &facts, int64_t id,
                                      int64_t alignment) {
  for (Value input : facts.inputs) {
    const ValueStorage *storage = facts.aliases.lookup(input);
    if (storage->classId == id && storage->offsetBytes % alignment != 0)
      return storage->offsetBytes;
  }
  return std::nullopt;
}

namespace {

class PinFinder {
public:
  PinFinder(ModuleOp module, const GlobalFacts &facts, const IoClasses &io,
            const GlobalProblem &global,
            const llvm::DenseMap<int64_t, Pin> &taken)
      : module(module), facts(facts), io(io), global(global), taken(taken) {}

  LogicalResult addPin(const NamedPin &pin);

  UserPins pins;

private:
  const char *whyNotIn(PoolId pool, int64_t id) const;
  int64_t classId(Value value) const {
    return facts.aliases.lookup(value)->classId;
  }

  ModuleOp module;
  const GlobalFacts &facts;
  const IoClasses &io;
  const GlobalProblem &global;
  const llvm::DenseMap<int64_t, Pin> &taken;
};

} // namespace

/// A pin of what is in another module is not for this problem; one of what has
/// no place in global memory is for none.
static LogicalResult checkUnplaced(ModuleOp module, const NamedPin &pin) {
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
const char *PinFinder::whyNotIn(PoolId pool, int64_t id) const {
  if (global.problem.pools[pool].access == PoolAccess::ReadOnly)
    return "that one is read-only";
  if (!isReached(global.problem.pools[pool],
                 facts.aliases.classes()[id].values))
    return "not all targets that access it reach that one";
  RegionRole role = global.regions[pool].role;
  if (role == RegionRole::L2 && !mayBeInL2(facts, io, id))
    return "inputs and outputs of functions, and what the host reads or "
           "writes, cannot be in L2";
  if (unalignedInput(facts, id, global.problem.pools[pool].alignment))
    return "the input that shares its address would not begin there at a "
           "multiple of the pool's alignment";
  if (role == RegionRole::Io || role == RegionRole::IoTag)
    return "that region is for inputs and outputs, as the I/O mode says";
  return nullptr;
}

/// A pin of a weight is not for this problem.
LogicalResult PinFinder::addPin(const NamedPin &pin) {
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
    return checkUnplaced(module, pin);
  auto fail = [&](const Twine &why) {
    return emitCodedError(found.getLoc(), ErrorCode::BadAttribute,
                          "'" + pin.buffer + "' cannot be pinned to '" +
                              pin.pool + "': " + why);
  };
  int64_t id = classId(found);
  const AliasClass &aliasClass = facts.aliases.classes()[id];
  if (aliasClass.weight)
    return fail("it is part of weight '" + valueName(aliasClass.weight) + "'");
  if (auto place = taken.find(id); place != taken.end())
    return fail("I/O mode '" + ioModeName(global.ioMode) + "' puts it into '" +
                global.problem.pools[place->second.pool].name + "'");
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
      place.alignment = global.alignment;
    if (failed(checkPinOffset(found.getLoc(), pin, place, *offset,
                              aliasClass.sizeBytes)))
      return failure();
  }
  auto [old, isNew] = pins.try_emplace(id, *pool, offset);
  if (!isNew && old->second != std::pair(*pool, offset))
    return fail("it shares storage with another tensor that is pinned "
                "elsewhere");
  return success();
}

FailureOr<UserPins> findUserPins(ModuleOp module, const GlobalFacts &facts,
                                 const IoClasses &io,
                                 const GlobalProblem &global,
                                 const llvm::DenseMap<int64_t, Pin> &taken) {
  FailureOr<std::vector<NamedPin>> requests = readPins(module);
  if (failed(requests))
    return failure();
  PinFinder finder(module, facts, io, global, taken);
  for (const NamedPin &pin : *requests)
    if (failed(finder.addPin(pin)))
      return failure();
  return std::move(finder.pins);
}

} // namespace tpu_mlir::detail
