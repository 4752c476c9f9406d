//===- Values.cpp - Reading and writing in both memories ------------------===//

#include "lib/Interpreter/Machine.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuSweeps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

static std::string describePlace(Value value, Interval bytes) {
  return llvm::formatv("'{0}' at [{1}, {2})", valueName(value), bytes.begin,
                       bytes.end)
      .str();
}

LogicalResult NetworkMachine::countError() {
  return failure(++numErrors >= options.maxErrors);
}

LogicalResult NetworkMachine::reportForeign(Operation *reader, Value value,
                                            const ForeignByte &foreign) {
  if (!reported.insert({reader, value}).second)
    return success();
  std::string holder = "was never written";
  if (foreign.holder) {
    Value other = tensors[foreign.holder->tensor];
    holder = "holds '" + valueName(other) + "', written " +
             (foreign.holder->step < 0
                  ? "before the first op"
                  : "in step " + std::to_string(foreign.holder->step));
  }
  InFlightDiagnostic diagnostic = emitCodedError(
      reader->getLoc(), ErrorCode::Overwritten,
      "'" + reader->getName().getStringRef() + "' reads " +
          describePlace(value, arena->placeOf(idOf(value))) + " in step " +
          Twine(step) + ", but byte " + Twine(foreign.address) + " " + holder);
  Value source = foreign.holder ? tensors[foreign.holder->tensor] : value;
  diagnostic.attachNote(source.getLoc())
      << "'" << valueName(source) << "' comes from here";
  diagnostic.report();
  return countError();
}

/// Bytes of the tensor, but not those that its op computes: where it emits no
/// code, and would have to.
LogicalResult NetworkMachine::reportUnlike(Operation *reader, Value value,
                                           int64_t address) {
  if (!reported.insert({reader, value}).second)
    return success();
  InFlightDiagnostic diagnostic = emitCodedError(
      reader->getLoc(), ErrorCode::Overwritten,
      "'" + reader->getName().getStringRef() + "' reads " +
          describePlace(value, arena->placeOf(idOf(value))) + " in step " +
          Twine(step) + ", but byte " + Twine(address) +
          " is not what is computed: nothing writes it, as the tensor is where "
          "others are");
  diagnostic.attachNote(value.getLoc())
      << "'" << valueName(value) << "' comes from here";
  diagnostic.report();
  return countError();
}

/// Not so a Load outside of a layer group, or what a branch yields nothing for.
bool NetworkMachine::isComputed(Value value) {
  if (isInArena(value) && !options.inValues)
    return true; // Its bytes say whose they are.
  std::optional<ForeignByte> foreign;
  return static_cast<int64_t>(values.read(idOf(value), foreign).size()) ==
         *types[idOf(value)].bytes();
}

FailureOr<llvm::ArrayRef<uint8_t>> NetworkMachine::read(Operation *reader,
                                                        Value value) {
  const TensorId id = idOf(value);
  std::optional<ForeignByte> foreign;
  if (!isComputed(value))
    return emitCodedError(reader->getLoc(), ErrorCode::NoKernel,
                          "'" + reader->getName().getStringRef() + "' reads '" +
                              valueName(value) + "', which nothing computes");
  if (!isInArena(value))
    return values.read(id, foreign);
  noteAccess(reader, value, /*isWrite=*/false);
  llvm::ArrayRef<uint8_t> bytes = readArena(value, foreign);
  result.checkedBytes += bytes.size();
  if (foreign && failed(reportForeign(reader, value, *foreign)))
    return failure();
  if (!options.inValues)
    return bytes;
  // Bytes that are from the right write are right: both memories were given the
  // same ones. That they are equal is looked at none the less.
  llvm::ArrayRef<uint8_t> own = values.read(id, foreign);
  if (!foreign && own != bytes && !reported.contains({reader, value})) {
    auto [first, other] = std::mismatch(own.begin(), own.end(), bytes.begin());
    const int64_t at = isPlain(id) ? first - own.begin() : 0;
    if (failed(reportUnlike(reader, value, arena->placeOf(id).begin + at)))
      return failure();
  }
  return own;
}

void NetworkMachine::write(Operation *writer, Value value,
                           llvm::ArrayRef<uint8_t> bytes) {
  const TensorId id = idOf(value);
  // A loop reads the states that it carries.
  const bool isRead = !value.use_empty() || isa<BlockArgument>(value);
  if ((!isInArena(value) || options.inValues) && isRead)
    values.write(id, bytes, step);
  if (!isInArena(value))
    return;
  writeArena(value, bytes);
  noteAccess(writer, value, /*isWrite=*/true);
}

llvm::ArrayRef<uint8_t>
NetworkMachine::readArena(Value value, std::optional<ForeignByte> &foreign) {
  const TensorId id = idOf(value);
  llvm::ArrayRef<uint8_t> stored = arena->read(id, foreign);
  if (isPlain(id))
    return stored;
  unpackedReads.push_back(fromStorage(forms[id], stored, *types[id].bytes()));
  return unpackedReads.back();
}

void NetworkMachine::writeArena(Value value, llvm::ArrayRef<uint8_t> bytes) {
  const TensorId id = idOf(value);
  if (isPlain(id))
    arena->write(id, bytes, step);
  else
    arena->write(id, toStorage(forms[id], bytes), step);
}

/// `value` is all of the bytes of `whole`.
bool NetworkMachine::adopt(Value value, Value whole) {
  return arena->adopt(idOf(value),
                      {{idOf(whole), 0, arena->placeOf(idOf(whole)).length()}});
}

/// Where the part begins in the whole, as both are stored.
std::optional<int64_t> NetworkMachine::offsetOf(Operation *op,
                                                const InPlaceEdge &edge) const {
  TensorId whole = idOf(op->getOperand(edge.operand)),
           part = idOf(op->getResult(edge.result));
  if (edge.direction == InPlaceEdge::Direction::OperandInResult)
    std::swap(whole, part);
  return offsetInForm(forms[whole], forms[part], edge.offsetBytes,
                      *types[part].bytes());
}

/// The operands that are not read again give up their bytes.
void NetworkMachine::release(Operation *op) {
  if (regionDepth > 0)
    return;
  for (Value operand : op->getOperands())
    if (isStored(operand) && --uses[idOf(operand)] == 0)
      values.release(idOf(operand));
}

/// A value handed over: the other end is the same bytes.
void NetworkMachine::pass(Value from, Value to) {
  if (!isStored(from) || !isStored(to) || !isComputed(from))
    return;
  const TensorId source = idOf(from), target = idOf(to);
  std::optional<ForeignByte> foreign;
  if (isInArena(to) && isInArena(from))
    adopt(to, from);
  else if (isInArena(to))
    writeArena(to, values.read(source, foreign));
  if (isInArena(to) && !options.inValues)
    return;
  const std::vector<uint8_t> bytes =
      (isInArena(from) && !options.inValues ? readArena(from, foreign)
                                            : values.read(source, foreign))
          .vec();
  values.write(target, bytes, step);
}

/// When the result lies where the op says it can, nothing is written; nor when
/// it has to lie there and does not, as no copy is emitted.
bool NetworkMachine::adoptView(Operation *op, OpResult result) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace || !isInArena(result))
    return false;
  const int64_t bytes = arena->placeOf(idOf(result)).length();
  SmallVector<std::pair<int64_t, Part>> pieces;
  bool isRequired = false;
  for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
    Value operand = op->getOperand(edge.operand);
    if (edge.result != result.getResultNumber() || edge.overwrites ||
        !isInArena(operand))
      continue;
    isRequired |= edge.required;
    std::optional<int64_t> offset = offsetOf(op, edge);
    if (!offset)
      continue;
    if (edge.direction == InPlaceEdge::Direction::ResultInOperand) {
      if (arena->adopt(idOf(result), {{idOf(operand), *offset, bytes}}))
        return true;
      continue;
    }
    pieces.push_back(
        {*offset, {idOf(operand), 0, arena->placeOf(idOf(operand)).length()}});
  }
  if (pieces.empty())
    return isRequired;
  llvm::stable_sort(pieces, llvm::less_first());
  SmallVector<Part> parts = llvm::to_vector(llvm::make_second_range(pieces));
  return arena->adopt(idOf(result), parts) || isRequired;
}

/// Whether it is written, and not seen where it is.
bool NetworkMachine::finishResult(Operation *op, unsigned index,
                                  llvm::ArrayRef<uint8_t> bytes) {
  OpResult result = op->getResult(index);
  if (!isStored(result))
    return false;
  if (!adoptView(op, result)) {
    write(op, result, bytes);
    return true;
  }
  if (options.inValues && !result.use_empty())
    values.write(idOf(result), bytes, step);
  return false;
}

bool isScratch(Value value) {
  return isa_and_nonnull<tpu::BufferOp>(value.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// What an op writes and uses
//===----------------------------------------------------------------------===//

/// Operands, and what the ops of a group take from outside; each once.
static SmallVector<Value> valuesUsed(Operation *op) {
  llvm::SmallSetVector<Value, 8> used;
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        used.insert(operand);
  });
  return used.takeVector();
}

/// The op says that it writes the result to bytes of the operand just so. A
/// view is none of these: it is not written at all, or it is not where it says.
bool NetworkMachine::isDeclared(Operation *op, Value operand, Value result) {
  if (result.getDefiningOp() == op && readInOrder.contains({op, operand}))
    return true;
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace || result.getDefiningOp() != op)
    return false;
  const int64_t distance =
      arena->placeOf(idOf(result)).begin - arena->placeOf(idOf(operand)).begin;
  return llvm::any_of(inPlace.getInPlaceEdges(), [&](const InPlaceEdge &edge) {
    return edge.overwrites && op->getOperand(edge.operand) == operand &&
           op->getResult(edge.result) == result &&
           offsetOf(op, edge) == distance;
  });
}

/// G1: what an op writes, its scratch and `results`, shares no byte with what
/// it uses, unless it says so.
LogicalResult NetworkMachine::checkSharing(Operation *op, ValueRange results) {
  SmallVector<Value> reads, written;
  auto add = [&](Value value, SmallVector<Value> &to) {
    if (isStored(value) && isInArena(value))
      to.push_back(value);
  };
  for (Value value : valuesUsed(op))
    add(value, isScratch(value) ? written : reads);
  for (Value value : results)
    add(value, written);
  for (Value to : written) {
    for (Value from : reads)
      if (failed(checkPair(op, from, to)))
        return failure();
    reads.push_back(to); // The next ones do not hit this one, either.
  }
  return success();
}

/// Why an op that does share bytes, if it can, does not share these; "" where
/// there is nothing to say.
static StringRef whyUnshared(Operation *op, Value from, Value to,
                             bool kernelsInOrder) {
  if (to.getDefiningOp() != op)
    return "";
  if (op->hasAttr(tpu::kInOrder) && !kernelsInOrder)
    return ": nothing says that the chip's kernels read before they write";
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace || !op->hasTrait<InPlaceOpInterface::Trait>() ||
      llvm::any_of(inPlace.getInPlaceEdges(), [&](const InPlaceEdge &edge) {
        return op->getOperand(edge.operand) == from &&
               op->getResult(edge.result) == to;
      }))
    return "";
  return ": neither is one run of bytes of the other";
}

LogicalResult NetworkMachine::checkPair(Operation *op, Value from, Value to) {
  const Interval read = arena->placeOf(idOf(from));
  const Interval place = arena->placeOf(idOf(to));
  if (!read.overlaps(place) || isDeclared(op, from, to))
    return success();
  const StringRef why = whyUnshared(op, from, to, kernelsInOrder);
  return reportSharing(op, to, from, "which it uses itself" + why.str());
}

LogicalResult NetworkMachine::reportSharing(Operation *op, Value to, Value from,
                                            StringRef why) {
  if (!reported.insert({op, from}).second)
    return success();
  emitCodedError(op->getLoc(), ErrorCode::Overwritten,
                 "'" + op->getName().getStringRef() + "' writes " +
                     describePlace(to, arena->placeOf(idOf(to))) + " over " +
                     describePlace(from, arena->placeOf(idOf(from))) + ", " +
                     why);
  return countError();
}

} // namespace tpu_mlir::interpreter
