//===- InOrder.cpp - Ops that read before they write ----------------------===//
//
// Which operands the result of an op with the attribute `in_order` lies over,
// and what is wrong when its kernel cannot work there.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Machine.h"
#include "lib/Interpreter/SweepRun.h"

#include "tpu_mlir/Analysis/Cores.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

static StoredTensor storedAt(Interval place, const StorageForm &form,
                             const execution::TensorType &type) {
  return {place, form, type.shape};
}

/// Operands that the op reads in the order of its result, and whose bytes that
/// takes.
static std::vector<OverlappedOperand>
findOverlapped(const Call &call, bool fourN,
               llvm::function_ref<std::optional<StoredTensor>(Value)> placeOf,
               Interval made) {
  std::vector<OverlappedOperand> found;
  const SmallVector<unsigned> swept = tpu::sweptOperands(call.op, fourN);
  if (swept.empty())
    return found;
  const LocalFacts facts = cast<LocalSliceOpInterface>(call.op).getLocalFacts();
  for (unsigned index : swept) {
    auto tensor = placeOf(call.op->getOperand(index));
    if (tensor && call.operand(index) && tensor->place.overlaps(made))
      found.push_back({index, *tensor, facts.operands[index], {}});
  }
  return found;
}

LogicalResult NetworkMachine::reportLate(Operation *op, Value operand,
                                         const Twine &what) {
  if (!reported.insert({op, operand}).second)
    return success();
  const auto describe = [&](Value value) {
    const Interval place = arena->placeOf(idOf(value));
    return llvm::formatv("'{0}' at [{1}, {2})", valueName(value), place.begin,
                         place.end)
        .str();
  };
  emitCodedError(op->getLoc(), ErrorCode::Overwritten,
                 "'" + op->getName().getStringRef() + "' writes " +
                     describe(op->getResult(0)) + " over " + describe(operand) +
                     " in the order of its elements, but " + what);
  return countError();
}

/// `made`: what the op computes where nobody writes over its operands.
LogicalResult NetworkMachine::runInOrder(const Call &call,
                                         const TensorView &made, bool isMixed) {
  Operation *op = call.op;
  // Cores that work at the same time have no order.
  if (!arena || !kernelsInOrder || !op->hasAttr(tpu::kInOrder) ||
      runsOnSeveralCores(op) || op->getNumResults() != 1 ||
      !isInArena(op->getResult(0)))
    return success();
  const auto tensorOf = [&](Value value) -> std::optional<StoredTensor> {
    if (!isStored(value) || !isInArena(value))
      return std::nullopt;
    const TensorId id = idOf(value);
    return storedAt(arena->placeOf(id), forms[id], types[id]);
  };
  const StoredTensor target = *tensorOf(op->getResult(0));
  std::vector<OverlappedOperand> overlapped =
      findOverlapped(call, fourN, tensorOf, target.place);
  if (overlapped.empty())
    return success();
  for (OverlappedOperand &operand : overlapped) {
    std::optional<ForeignByte> foreign;
    operand.stored = arena->read(idOf(op->getOperand(operand.index)), foreign);
  }
  SweepRun sweep(target, overlapped);
  if (const auto late = sweep.findLate())
    return reportLate(op, op->getOperand(late->operand),
                      "element " + Twine(late->element) + " reads byte " +
                          Twine(late->address) +
                          ", which is written over by then");
  if (!isMixed) {
    const int64_t ops =
        cast<LocalSliceOpInterface>(op).getLocalFacts().work.opsPerElement;
    const auto computed = sweep.compute(call, ops);
    if (const auto *error = std::get_if<KernelError>(&computed))
      return emitCodedError(
          op->getLoc(), ErrorCode::NoKernel,
          "the kernel for '" + op->getName().getStringRef() +
              "' cannot compute this one in order: " + error->message);
    if (llvm::ArrayRef(std::get<0>(computed)) != made.bytes)
      return reportLate(op, op->getOperand(overlapped.front().index),
                        "comes to other numbers then");
  }
  for (const OverlappedOperand &operand : overlapped)
    readInOrder.insert({op, op->getOperand(operand.index)});
  ++result.inOrder;
  return success();
}

} // namespace tpu_mlir::interpreter
