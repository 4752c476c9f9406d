//===- GlobalBuffers.cpp - The storage of a module, as buffers ------------===//

#include "lib/Analysis/Tensor/GlobalBuffers.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/UserPools.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tpu_mlir::planning;
using tpu_mlir::target::AddressForm;

namespace tpu_mlir::detail {

namespace {

class BufferMaker {
public:
  BufferMaker(GlobalRequest request, const IoClasses &io,
              const PoolRoles &roles, const UserPins &userPins,
              GlobalProblem &global)
      : request(request), io(io), roles(roles), userPins(userPins),
        global(global) {}

  LogicalResult addBuffers();

private:
  bool asksForL2(int64_t classId) const;
  std::vector<PoolId> candidates(int64_t classId) const;
  BufferKind kindOf(int64_t classId) const;
  void place(int64_t classId, Buffer &buffer) const;
  Interval lifeOf(int64_t classId) const;
  Buffer makeBuffer(int64_t classId) const;

  GlobalRequest request;
  const IoClasses &io;
  const PoolRoles &roles;
  const UserPins &userPins;
  GlobalProblem &global;
};

} // namespace

/// Scratch that asks for L2 and may be there.
bool BufferMaker::asksForL2(int64_t id) const {
  if (!mayBeInL2(request.facts, io, id))
    return false;
  for (Value value : request.facts.aliases.classes()[id].values)
    if (auto buffer = value.getDefiningOp<tpu::BufferOp>())
      if (tpu::readEnum<tpu::BufferTypeAttr>(buffer->getAttr("buffer_type")) ==
          tpu::BufferType::L2)
        return true;
  return false;
}

/// Where storage that nobody pins may be, best first; nowhere when it
/// asks for L2 and there is none.
std::vector<PoolId> BufferMaker::candidates(int64_t id) const {
  const AliasClass &aliasClass = request.facts.aliases.classes()[id];
  bool isIo = io.inputs.contains(id) || io.outputs.contains(id);
  bool crosses = crossesFunctions(request.facts, aliasClass);
  if (request.chip.addressForm == AddressForm::BaseRegister &&
      (isIo || crosses))
    return {roles.privatePool.value()};
  if (asksForL2(id))
    return roles.l2 ? std::vector{*roles.l2} : std::vector<PoolId>();
  if (isIo && !request.options.poolIo)
    return {roles.neuron};
  std::vector<PoolId> pools = roles.neuronPools;
  if (!mayBeInL2(request.facts, io, id))
    llvm::erase_if(pools, [&](PoolId pool) { return pool == roles.l2; });
  llvm::erase_if(pools, [&](PoolId pool) {
    const Pool &place = global.problem.pools[pool];
    return !isReached(place, aliasClass.values) ||
           (isIo && unalignedInput(request.facts, id, place.alignment));
  });
  return pools;
}

BufferKind BufferMaker::kindOf(int64_t id) const {
  if (io.outputs.contains(id))
    return BufferKind::Output;
  if (io.inputs.contains(id))
    return BufferKind::Input;
  const AliasClass &aliasClass = request.facts.aliases.classes()[id];
  return aliasClass.representative().getDefiningOp<tpu::BufferOp>()
             ? BufferKind::Scratch
             : BufferKind::Activation;
}

/// From when to when: whoever runs the network writes an input before its first
/// step, and reads an output after its last; what the I/O mode has a place for
/// is never shared.
Interval BufferMaker::lifeOf(int64_t id) const {
  const Interval whole = {
      0, std::max<int64_t>(request.facts.schedule.numSteps(), 1)};
  Interval steps =
      roles.pins.contains(id) ? whole : request.facts.lives[id].steps;
  if (io.inputs.contains(id) && global.ioMode != IoMode::InReuse)
    steps = whole;
  if (io.outputs.contains(id))
    steps.end = whole.end;
  return steps;
}

/// Where it may be, and where it has to be.
void BufferMaker::place(int64_t id, Buffer &buffer) const {
  if (auto pin = roles.pins.find(id); pin != roles.pins.end()) {
    const Pool &pool = global.problem.pools[pin->second.pool];
    auto end = checkedAdd(pin->second.offsetBytes, buffer.sizeBytes);
    // What does not fit there has no place: planning says by how much.
    if (end && *end <= pool.capacityBytes.value_or(*end))
      buffer.pin = pin->second;
    buffer.pools = {pin->second.pool};
  } else {
    buffer.pools = candidates(id);
  }
  if (auto wish = userPins.find(id); wish != userPins.end()) {
    auto [pool, offset] = wish->second;
    buffer.pools = {pool};
    if (offset)
      buffer.pin = Pin{pool, *offset};
  }
}

Buffer BufferMaker::makeBuffer(int64_t id) const {
  const AliasClass &aliasClass = request.facts.aliases.classes()[id];
  Buffer buffer;
  buffer.name = valueName(aliasClass.representative());
  buffer.location = valuePosition(aliasClass.representative());
  buffer.sizeBytes = aliasClass.sizeBytes;
  buffer.alignment = roles.bufferAlignment;
  buffer.readSteps = request.facts.lives[id].readSteps;
  if (buffer.readSteps.empty())
    buffer.accesses = 1; // It is known that nothing reads it.
  buffer.kind = kindOf(id);
  place(id, buffer);
  buffer.lifespans = {lifeOf(id)};
  return buffer;
}

LogicalResult BufferMaker::addBuffers() {
  for (auto [id, aliasClass] :
       llvm::enumerate(request.facts.aliases.classes())) {
    if (aliasClass.values.empty() || aliasClass.weight)
      continue;
    Buffer buffer = makeBuffer(id);
    if (buffer.pools.empty()) {
      InFlightDiagnostic diagnostic = emitCodedError(
          aliasClass.values.front().getLoc(), ErrorCode::DoesNotFit,
          "scratch '" + buffer.name + "' asks for L2 memory: it " +
              formatShortage(buffer.sizeBytes, 0) + "; chip '" +
              request.chip.name + "' has no L2 for it");
      return diagnostic;
    }
    global.problem.buffers.push_back(std::move(buffer));
    global.classOf.push_back(id);
  }
  return success();
}

LogicalResult addBuffers(GlobalRequest request, const IoClasses &io,
                         const PoolRoles &roles, const UserPins &userPins,
                         GlobalProblem &global) {
  return BufferMaker(request, io, roles, userPins, global).addBuffers();
}

} // namespace tpu_mlir::detail
