#include "lib/Interpreter/Machine.h"
#include "lib/Interpreter/RandomData.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/OpSchedule.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tpu_mlir {

using namespace execution;

/// Each call is a level of recursion here.
static constexpr unsigned kMaxCallDepth = 1000;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

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

FailureOr<llvm::ArrayRef<uint8_t>> NetworkMachine::read(Operation *reader,
                                                        Value value) {
  const TensorId id = idOf(value);
  std::optional<ForeignByte> foreign;
  if (!isInArena(value))
    return values.read(id, foreign);
  noteAccess(reader, value, /*isWrite=*/false);
  llvm::ArrayRef<uint8_t> bytes = arena->read(id, foreign);
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
    ForeignByte wrong{first - own.begin(),
                      arena->placeOf(id).begin + (first - own.begin()),
                      std::nullopt};
    if (failed(reportForeign(reader, value, wrong)))
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
  arena->write(id, bytes, step);
  noteAccess(writer, value, /*isWrite=*/true);
}

/// The operands that are not read again give up their bytes.
void NetworkMachine::release(Operation *op) {
  if (regionDepth > 0)
    return;
  for (Value operand : op->getOperands())
    if (isStored(operand) && --uses[idOf(operand)] == 0)
      values.release(idOf(operand));
}

bool takesStep(Operation *op) {
  return !isa<top::NoneOp, top::WeightOp, top::InputOp, tpu::BufferOp,
              tpu::LoadOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A value handed over: the other end is the same bytes.
void NetworkMachine::pass(Value from, Value to) {
  if (!isStored(from) || !isStored(to))
    return;
  const TensorId source = idOf(from), target = idOf(to);
  std::optional<ForeignByte> foreign;
  if (isInArena(to) && isInArena(from))
    arena->adopt(target, {{source, 0, *types[source].bytes()}});
  else if (isInArena(to))
    arena->write(target, values.read(source, foreign), step);
  if (isInArena(to) && !options.inValues)
    return;
  const std::vector<uint8_t> bytes =
      (isInArena(from) && !options.inValues ? arena->read(source, foreign)
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
  const int64_t bytes = *types[idOf(result)].bytes();
  SmallVector<std::pair<int64_t, Part>> pieces;
  bool isRequired = false;
  for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
    Value operand = op->getOperand(edge.operand);
    if (edge.result != result.getResultNumber() || edge.overwrites ||
        !isInArena(operand))
      continue;
    isRequired |= edge.required;
    if (edge.direction == InPlaceEdge::Direction::ResultInOperand) {
      if (arena->adopt(idOf(result),
                       {{idOf(operand), edge.offsetBytes, bytes}}))
        return true;
      continue;
    }
    pieces.push_back(
        {edge.offsetBytes, {idOf(operand), 0, *types[idOf(operand)].bytes()}});
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

static bool isScratch(Value value) {
  return isa_and_nonnull<tpu::BufferOp>(value.getDefiningOp());
}

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

/// The op says that operand and result share bytes just so.
static bool isDeclared(Operation *op, Value operand, int64_t operandAddress,
                       Value result, int64_t resultAddress) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  if (!inPlace || result.getDefiningOp() != op)
    return false;
  const int64_t distance = resultAddress - operandAddress;
  return llvm::any_of(inPlace.getInPlaceEdges(), [&](const InPlaceEdge &edge) {
    const bool isPart =
        edge.direction == InPlaceEdge::Direction::ResultInOperand;
    return op->getOperand(edge.operand) == operand &&
           op->getResult(edge.result) == result &&
           distance == (isPart ? edge.offsetBytes : -edge.offsetBytes);
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

LogicalResult NetworkMachine::checkPair(Operation *op, Value from, Value to) {
  const Interval read = arena->placeOf(idOf(from));
  const Interval place = arena->placeOf(idOf(to));
  return !read.overlaps(place) ||
                 isDeclared(op, from, read.begin, to, place.begin)
             ? success()
             : reportSharing(op, to, from, "which it uses itself");
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

Value seenThroughLoad(Value value) {
  while (auto load = value.getDefiningOp<tpu::LoadOp>())
    value = load.getInput();
  return value;
}

/// The bytes of the operands; scratch is none.
LogicalResult NetworkMachine::readOperands(Call &call) {
  for (Value given : call.op->getOperands()) {
    Value operand = seenThroughLoad(given);
    if (!isStored(operand) || isScratch(operand)) {
      call.operands.push_back(std::nullopt);
      continue;
    }
    FailureOr<llvm::ArrayRef<uint8_t>> bytes = read(call.op, operand);
    if (failed(bytes))
      return failure();
    call.operands.push_back(TensorView{types[idOf(operand)], *bytes});
  }
  return success();
}

/// What an op leaves in its scratch is nothing that anybody may read.
void NetworkMachine::spoilScratch(Operation *op) {
  for (Value operand : op->getOperands())
    if (isStored(operand) && isScratch(operand) && isInArena(operand)) {
      const std::vector<uint8_t> bytes(*types[idOf(operand)].bytes(), 0xCD);
      write(op, operand, bytes);
    }
}

/// What the op says an operand and a result share, they share here, too.
static void copyShared(const Call &call) {
  auto inPlace = dyn_cast<InPlaceOpInterface>(call.op);
  if (!inPlace)
    return;
  for (const InPlaceEdge &edge : inPlace.getInPlaceEdges()) {
    const TensorView *operand = call.operand(edge.operand);
    if (!operand || edge.overwrites)
      continue;
    llvm::MutableArrayRef<uint8_t> to = call.results[edge.result].bytes;
    llvm::ArrayRef<uint8_t> from = operand->bytes;
    const size_t offset = edge.offsetBytes;
    if (edge.direction == InPlaceEdge::Direction::ResultInOperand)
      from = from.drop_front(std::min(offset, from.size()));
    else
      to = to.drop_front(std::min(offset, to.size()));
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
  }
}

/// Numbers that change when a bit of what is read changes.
static void mixResults(const Call &call) {
  uint64_t seed = llvm::xxh3_64bits(call.op->getName().getStringRef());
  for (const TensorView &operand : call.present())
    seed = seed * 0x9e3779b97f4a7c15u ^ llvm::xxh3_64bits(operand.bytes);
  for (const TensorSpan &result : call.results)
    llvm::copy(numbersFrom(++seed, result.type), result.bytes.begin());
}

LogicalResult NetworkMachine::computeOp(const Call &call) {
  StringRef name = call.op->getName().getStringRef();
  const bool isKnown = findKernel(name);
  Outcome error = isKnown ? compute(call) : Outcome(KernelError());
  if (!error)
    return success();
  if (options.mixesUnknown) {
    mixResults(call);
    copyShared(call);
    ++result.mixed;
    return success();
  }
  if (!isKnown)
    return emitCodedError(call.op->getLoc(), ErrorCode::NoKernel,
                          "there is no kernel for '" + name + "'");
  return emitCodedError(call.op->getLoc(), ErrorCode::NoKernel,
                        "the kernel for '" + name +
                            "' cannot compute this one: " + error->message);
}

LogicalResult NetworkMachine::runLeaf(Operation *op) {
  Call call{op, {}, {}, options.threads, !options.weights};
  // Said before anything of it is read.
  if (!options.mixesUnknown && !findKernel(op->getName().getStringRef()))
    return computeOp(call);
  if (failed(readOperands(call)))
    return failure();
  std::vector<execution::Tensor> made;
  made.reserve(op->getNumResults());
  for (Value value : op->getResults()) {
    made.emplace_back(isStored(value) ? types[idOf(value)]
                                      : execution::TensorType());
    call.results.push_back(made.back().span());
  }
  if (failed(computeOp(call)))
    return failure();
  spoilScratch(op);
  SmallVector<Value> written;
  for (auto [index, tensor] : llvm::enumerate(made)) {
    if (options.onTensor)
      options.onTensor(valueName(op->getResult(index)), tensor.view());
    if (finishResult(op, index, tensor.view().bytes))
      written.push_back(op->getResult(index));
  }
  if (local && op->getNumResults() > 0)
    local->note(op, made.front().view().bytes);
  ++result.ops;
  return checkSharing(op, written);
}

LogicalResult NetworkMachine::runCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return emitCodedError(call.getLoc(), ErrorCode::NoKernel,
                          "there is no body of '" + call.getCallee() +
                              "' to run");
  if (++callDepth > kMaxCallDepth)
    return emitCodedError(call.getLoc(), ErrorCode::NoKernel,
                          "calls nest deeper than " + Twine(kMaxCallDepth) +
                              ", which cannot be run");
  for (auto [operand, argument] :
       llvm::zip(call.getOperands(), callee.getArguments()))
    pass(operand, argument);
  if (failed(runBlock(callee.getBody().front())))
    return failure();
  Operation *ret = callee.getBody().front().getTerminator();
  for (auto [returned, result] :
       llvm::zip(ret->getOperands(), call.getResults()))
    pass(returned, result);
  release(ret);
  --callDepth;
  return success();
}

LogicalResult NetworkMachine::runOp(Operation *op) {
  if (!takesStep(op))
    return success();
  ++step;
  LogicalResult outcome = success();
  if (auto call = dyn_cast<func::CallOp>(op))
    outcome = runCall(call);
  else if (isa<tpu::GroupOp>(op))
    outcome = runGroup(op);
  else if (op->getNumRegions() > 0)
    outcome = runRegions(op);
  else
    outcome = runLeaf(op);
  release(op);
  if (options.progress)
    options.progress(std::min(step + 1, numOps), numOps);
  return outcome;
}

LogicalResult NetworkMachine::runBlock(Block &block) {
  for (Operation &op : block)
    if (failed(runOp(&op)))
      return failure();
  return success();
}

LogicalResult NetworkMachine::runEntry(func::FuncOp entry) {
  if (failed(runBlock(entry.getBody().front())))
    return failure();
  Operation *ret = entry.getBody().front().getTerminator();
  for (Value value : ret->getOperands()) {
    if (!isStored(value))
      continue;
    FailureOr<llvm::ArrayRef<uint8_t>> bytes = read(ret, value);
    if (failed(bytes))
      return failure();
    result.outputs.push_back(
        {valueName(value), types[idOf(value)], bytes->vec()});
  }
  return success();
}

FailureOr<RunResult> NetworkMachine::run() {
  FailureOr<OpSchedule> schedule = OpSchedule::build(module);
  if (failed(schedule) || failed(prepare()))
    return failure();
  if (failed(loadWeights()))
    return failure();
  for (func::FuncOp entry : schedule->entries())
    if (failed(loadInputs(entry)))
      return failure();
  for (func::FuncOp entry : schedule->entries())
    if (failed(runEntry(entry)))
      return failure();
  if (numErrors > 0)
    return failure();
  return std::move(result);
}

FailureOr<RunResult> runModule(ModuleOp module, const RunOptions &options) {
  return NetworkMachine(module, options).run();
}

} // namespace tpu_mlir
