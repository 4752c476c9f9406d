//===- Machine.cpp - Run the ops of a module one by one -------------------===//
//
// Executes functions in order in one of the two memories, hands groups to the
// simulator of local memory, and checks each read.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Machine.h"
#include "lib/Interpreter/RandomData.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

/// Each call is a level of recursion here.
static constexpr unsigned kMaxCallDepth = 1000;

bool takesStep(Operation *op) {
  return !isa<top::NoneOp, top::WeightOp, top::InputOp, tpu::BufferOp,
              tpu::LoadOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

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
    if (local && local->leaveOut(call.op))
      emitRemark(call.op->getLoc())
          << "its numbers are mixed, as " << error->message
          << ", so its layer group is run as whole ops only";
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
  unpackedReads.clear();
  Call call{
      op, {}, {}, options.threads, !options.weights, chip ? &*chip : nullptr};
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
  bool isByExecutor = false;
  call.executor = options.inArena ? nullptr : options.executor;
  call.isByExecutor = &isByExecutor;
  const int64_t mixedBefore = result.mixed;
  if (failed(computeOp(call)) ||
      (!made.empty() && failed(runInOrder(call, made.front().view(),
                                          result.mixed > mixedBefore))))
    return failure();
  result.byExecutor += isByExecutor;
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

} // namespace tpu_mlir::interpreter

namespace tpu_mlir {

FailureOr<RunResult> runModule(ModuleOp module, const RunOptions &options) {
  if (failed(forwardInnerInputs(module)))
    return failure();
  return interpreter::NetworkMachine(module, options).run();
}

} // namespace tpu_mlir
