//===- Groups.cpp - Layers that run from local memory ---------------------===//

#include "lib/Interpreter/Machine.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

/// What a value has to be, without looking whether it is.
llvm::ArrayRef<uint8_t> NetworkMachine::meantBytes(Value value) {
  std::optional<ForeignByte> foreign;
  return isInArena(value) && !options.inValues
             ? readArena(value, foreign)
             : values.read(idOf(value), foreign);
}

void NetworkMachine::noteLoads(Operation *group) {
  for (auto load : group->getRegion(0).front().getOps<tpu::LoadOp>())
    if (Value value = seenThroughLoad(load.getInput()); isStored(value))
      local->note(load, meantBytes(value));
}

/// The group again, from the bytes of local memory; a fault there is reported,
/// and the run goes on with what its layers compute as a whole.
LogicalResult NetworkMachine::runLocally(Operation *group) {
  std::optional<LocalFault> fault = local->run(group, result.groups);
  if (!fault || !reported.insert({fault->op, Value()}).second)
    return success();
  emitCodedError(fault->op->getLoc(), ErrorCode::Overwritten,
                 "in local memory, " + fault->message);
  return countError();
}

/// A group's layers as whole ops on values of their own, straight from what it
/// loads, and then in local memory; what it yields is stored when all of them
/// have run.
LogicalResult NetworkMachine::runGroup(Operation *group) {
  if (local)
    noteLoads(group);
  for (Operation &op : group->getRegion(0).front()) {
    if (failed(runOp(&op)))
      return failure();
  }
  if (local && failed(runLocally(group)))
    return failure();
  Operation *yield = group->getRegion(0).front().getTerminator();
  for (auto [yielded, result] :
       llvm::zip(yield->getOperands(), group->getResults())) {
    if (!isStored(yielded))
      continue;
    FailureOr<llvm::ArrayRef<uint8_t>> bytes = read(yield, yielded);
    if (failed(bytes))
      return failure();
    const std::vector<uint8_t> copy = bytes->vec();
    write(group, result, copy);
  }
  release(yield);
  // What is loaded may be read by every layer.
  for (auto load : group->getRegion(0).front().getOps<tpu::LoadOp>())
    release(load);
  return checkSharing(group, group->getResults());
}

} // namespace tpu_mlir::interpreter
