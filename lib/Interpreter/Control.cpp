//===- Control.cpp - Ops that run regions ---------------------------------===//

#include "lib/Interpreter/Machine.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include <cmath>

using namespace mlir;

namespace tpu_mlir::interpreter {

using namespace execution;

/// Each is a level of recursion here.
static constexpr unsigned kMaxDepth = 1000;

static LogicalResult emitCannotRun(Operation *op, const Twine &why) {
  return emitCodedError(op->getLoc(), ErrorCode::NoKernel,
                        "'" + op->getName().getStringRef() +
                            "' cannot be run: " + why);
}

/// The block that runs; null when there is none.
static Block *bodyOf(Region &region) {
  return region.hasOneBlock() && !region.front().empty() ? &region.front()
                                                         : nullptr;
}

LogicalResult NetworkMachine::runRegions(Operation *op) {
  if (++nesting > kMaxDepth)
    return emitCannotRun(op, "regions nest deeper than " + Twine(kMaxDepth));
  const RegionTiming kind = regionTiming(op);
  const bool isOnce = kind == RegionTiming::Exclusive;
  regionDepth += !isOnce;
  LogicalResult outcome = success();
  if (isOnce)
    outcome = runIf(op);
  else if (kind == RegionTiming::Loop)
    outcome = runLoop(op);
  else if (tpu::isParallel(op))
    outcome = runParallel(op);
  else
    outcome = emitCannotRun(op, "what its regions mean is not known");
  --nesting;
  if (!isOnce && --regionDepth == 0)
    for (Region &region : op->getRegions())
      releaseInside(region);
  return outcome;
}

/// Nothing in there is run any more; what it reads others may.
void NetworkMachine::releaseInside(Region &region) {
  region.walk([&](Operation *nested) {
    release(nested);
    auto call = dyn_cast<func::CallOp>(nested);
    auto callee =
        call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    if (callee && !callee.isExternal())
      releaseInside(callee.getBody());
  });
}

//===----------------------------------------------------------------------===//
// Values that change their names
//===----------------------------------------------------------------------===//

/// Where both names have one place nothing is written. What has another place
/// is copied, all of it read before any of it is written; unless all change
/// `atOnce` no copy may hit what is still to be read.
LogicalResult NetworkMachine::handOver(Operation *op, ValueRange from,
                                       ValueRange to, bool atOnce) {
  SmallVector<std::pair<Value, std::vector<uint8_t>>> copies;
  SmallVector<Value> sources;
  for (auto [source, target] : llvm::zip(from, to)) {
    if (!isStored(source) || !isStored(target))
      continue;
    if (types[idOf(source)].bytes() != types[idOf(target)].bytes())
      return emitCannotRun(op, "'" + valueName(source) +
                                   "' is not of the "
                                   "size of '" +
                                   valueName(target) + "', which it becomes");
    FailureOr<llvm::ArrayRef<uint8_t>> bytes = read(op, source);
    if (failed(bytes))
      return failure();
    sources.push_back(source);
    if (!isInArena(source) || !isInArena(target) ||
        arena->placeOf(idOf(source)).begin !=
            arena->placeOf(idOf(target)).begin)
      copies.push_back({target, bytes->vec()});
    else
      pass(source, target);
  }
  for (const auto &[target, bytes] : copies) {
    for (Value source : sources)
      if (!atOnce && isInArena(source) && isInArena(target) &&
          failed(checkPair(op, source, target)))
        return failure();
    write(op, target, bytes);
  }
  return success();
}

/// Whether the first element is not 0; a condition that is not there holds.
FailureOr<bool> NetworkMachine::holds(Operation *reader, Value condition) {
  FailureOr<std::optional<int64_t>> number = readNumber(reader, condition);
  if (failed(number))
    return failure();
  return *number != 0;
}

/// The first element, away from 0 where it is none of the integers; nullopt for
/// a value that is not there.
FailureOr<std::optional<int64_t>> NetworkMachine::readNumber(Operation *reader,
                                                             Value value) {
  if (!isStored(value))
    return std::optional<int64_t>();
  const execution::TensorType &type = types[idOf(value)];
  if (*type.elements() < 1)
    return emitCannotRun(reader, "'" + valueName(value) + "' has no elements");
  FailureOr<llvm::ArrayRef<uint8_t>> bytes = read(reader, value);
  if (failed(bytes))
    return failure();
  if (!isFloat(type.element)) {
    int64_t number = 0;
    readIntegers(type.element, bytes->data(), 0, 1, &number);
    return std::optional(number);
  }
  float number = 0;
  readFloats(type.element, bytes->data(), 0, 1, &number);
  constexpr float kMost = 0x1p62f;
  if (!(number == number))
    return emitCannotRun(reader, "'" + valueName(value) +
                                     "', which says what runs, is NaN");
  number = std::clamp(number, -kMost, kMost);
  return std::optional<int64_t>(number < 0 ? std::floor(number)
                                           : std::ceil(number));
}

void NetworkMachine::writeNumber(Operation *writer, Value value,
                                 int64_t number) {
  if (!isStored(value))
    return;
  execution::Tensor tensor(types[idOf(value)]);
  store(std::vector<int64_t>(tensor.view().elements(), number), tensor.span());
  write(writer, value, tensor.view().bytes);
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

LogicalResult NetworkMachine::runIf(Operation *op) {
  if (op->getNumOperands() < 1 || op->getNumRegions() != 2)
    return emitCannotRun(op, "it has no condition or not two branches");
  FailureOr<bool> condition = holds(op, op->getOperand(0));
  if (failed(condition))
    return failure();
  Block *body = bodyOf(op->getRegion(*condition ? 0 : 1));
  if (!body)
    return op->getNumResults() == 0
               ? success()
               : emitCannotRun(op, "a branch yields nothing");
  Operation *yield = &body->back();
  if (yield->getNumOperands() != op->getNumResults())
    return emitCannotRun(op, "a branch does not yield every result");
  if (failed(runBlock(*body)) ||
      failed(handOver(op, yield->getOperands(), op->getResults(), false)))
    return failure();
  release(yield);
  releaseInside(op->getRegion(*condition ? 1 : 0));
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// How many iterations make the first result that grows with them; 0 where
/// there is none.
static int64_t rowsWanted(Operation *op, unsigned states) {
  Operation &yield = op->getRegion(0).front().back();
  if (op->getNumResults() == states)
    return 0;
  auto all = kernelType(op->getResult(states).getType()),
       one = kernelType(yield.getOperand(states + 1).getType());
  return all && one && *one->bytes() > 0 ? *all->bytes() / *one->bytes() : 0;
}

/// The most that may run. Without a bound the condition has to end the loop.
FailureOr<int64_t> NetworkMachine::iterationsOf(Operation *op,
                                                std::optional<int64_t> bound,
                                                unsigned states) {
  const bool isMadeUp = hasMadeUpNumbers || result.mixed > 0;
  const int64_t most = bound.value_or(INT64_MAX);
  const int64_t made =
      std::max(RunOptions::kMadeUpIterations, rowsWanted(op, states));
  if (isMadeUp && most > made)
    return std::min(made, options.maxIterations);
  if (bound && most > options.maxIterations)
    return emitCannotRun(
        op, "its bound is " + Twine(most) + ", of which at most " +
                Twine(options.maxIterations) + " iterations are run");
  return std::min(most, options.maxIterations);
}

/// Operands are a bound, a condition and states; the body has a counter in
/// front instead of the bound, and yields the condition, the states and, of
/// each iteration, rows of the results that are left.
LogicalResult NetworkMachine::runLoop(Operation *op) {
  Block *body = op->getNumRegions() == 1 ? bodyOf(op->getRegion(0)) : nullptr;
  const unsigned states = std::max<unsigned>(op->getNumOperands(), 2) - 2;
  if (!body || op->getNumOperands() < 2 ||
      body->getNumArguments() != states + 2 ||
      body->back().getNumOperands() != op->getNumResults() + 1 ||
      op->getNumResults() < states)
    return emitCannotRun(op, "operands, arguments of the body, what it yields "
                             "and results are not as many as each other");
  FailureOr<std::optional<int64_t>> bound = readNumber(op, op->getOperand(0));
  FailureOr<bool> goesOn = holds(op, op->getOperand(1));
  if (failed(bound) || failed(goesOn))
    return failure();
  FailureOr<int64_t> most = iterationsOf(op, *bound, states);
  if (failed(most))
    return failure();
  ValueRange carried = ValueRange(body->getArguments()).drop_front();
  if (failed(handOver(op, op->getOperands().drop_front(), carried, true)))
    return failure();
  Rows rows(op->getNumResults() - states);
  iterations.push_back({loopRuns++, 0});
  LogicalResult outcome =
      *goesOn ? runIterations(op, bound->value_or(INT64_MAX), *most, rows)
              : success();
  iterations.pop_back();
  return succeeded(outcome) ? leaveLoop(op, carried.drop_front(), rows)
                            : failure();
}

/// Until the condition fails, or `bound` of them; it is an error, or the end
/// where numbers are made up, that there are more than `most`.
LogicalResult NetworkMachine::runIterations(Operation *op, int64_t bound,
                                            int64_t most, Rows &rows) {
  Block &body = op->getRegion(0).front();
  FailureOr<bool> goesOn = true;
  for (int64_t i = 0; *goesOn && i < bound; ++i) {
    if (i == most && i == options.maxIterations)
      return emitCannotRun(op, "it does not end within " + Twine(i) +
                                   " iterations");
    if (i == most) {
      emitRemark(op->getLoc()) << "the loop is left after " << i
                               << " iterations: how many it has follows from "
                                  "numbers that were not given";
      break;
    }
    iterations.back().second = i;
    writeNumber(op, body.getArgument(0), i);
    if (!isStored(op->getOperand(1)) && i == 0)
      writeNumber(op, body.getArgument(1), 1);
    goesOn = runIteration(op, body, rows);
    if (failed(goesOn))
      return failure();
  }
  return success();
}

/// Whether another one follows.
FailureOr<bool> NetworkMachine::runIteration(Operation *op, Block &body,
                                             Rows &rows) {
  if (failed(runBlock(body)))
    return failure();
  ValueRange yielded = body.back().getOperands();
  ValueRange carried = ValueRange(body.getArguments()).drop_front();
  for (auto [row, value] :
       llvm::zip(rows, yielded.drop_front(carried.size()))) {
    if (!isStored(value))
      continue;
    FailureOr<llvm::ArrayRef<uint8_t>> bytes = read(op, value);
    if (failed(bytes))
      return failure();
    row.insert(row.end(), bytes->begin(), bytes->end());
  }
  FailureOr<bool> goesOn = holds(op, yielded.front());
  if (failed(handOver(op, yielded.take_front(carried.size()), carried, true)))
    return failure();
  return goesOn;
}

LogicalResult NetworkMachine::leaveLoop(Operation *op, ValueRange states,
                                        const Rows &rows) {
  for (auto [bytes, result] :
       llvm::zip(rows, op->getResults().drop_front(states.size())))
    if (isStored(result) &&
        static_cast<int64_t>(bytes.size()) != *types[idOf(result)].bytes())
      return emitCannotRun(op, "its iterations make " + Twine(bytes.size()) +
                                   " B of '" + valueName(result) +
                                   "', not its " +
                                   Twine(*types[idOf(result)].bytes()) + " B");
  if (failed(handOver(op, states, op->getResults().take_front(states.size()),
                      false)))
    return failure();
  for (auto [bytes, result] :
       llvm::zip(rows, op->getResults().drop_front(states.size())))
    if (isStored(result))
      write(op, result, bytes);
  return success();
}

//===----------------------------------------------------------------------===//
// All at once
//===----------------------------------------------------------------------===//

/// What is inside runs in any order: here in that of the text, and then every
/// two accesses are looked at that another order exchanges.
LogicalResult NetworkMachine::runParallel(Operation *op) {
  std::vector<Access> outer = std::exchange(accesses, {});
  ++parallelDepth;
  LogicalResult outcome = success();
  unsigned first = 0;
  for (Region &region : op->getRegions()) {
    Block *body = bodyOf(region);
    if (!body)
      continue;
    ValueRange yielded = body->back().getOperands();
    if (yielded.size() > op->getNumResults() - first)
      outcome = emitCannotRun(op, "its regions yield more than its results");
    if (failed(outcome) || failed(outcome = runBlock(*body)) ||
        failed(outcome = handOver(op, yielded,
                                  op->getResults().drop_front(first), false)))
      break;
    first += yielded.size();
  }
  --parallelDepth;
  if (succeeded(outcome))
    outcome = checkParallel();
  outer.insert(outer.end(), accesses.begin(), accesses.end());
  accesses = parallelDepth > 0 ? std::move(outer) : std::vector<Access>();
  return outcome;
}

void NetworkMachine::noteAccess(Operation *op, Value value, bool isWrite) {
  if (parallelDepth == 0)
    return;
  for (const auto &[bytes, owner] : arena->contentOf(idOf(value)))
    accesses.push_back({op, value, bytes, owner, isWrite, iterations});
}

/// Iterations of one loop follow each other, whatever runs beside them.
bool NetworkMachine::areInTurn(const Iterations &a, const Iterations &b) {
  for (auto [one, other] : llvm::zip(a, b))
    if (one != other)
      return one.first == other.first;
  return false;
}

/// Bytes that one op writes are touched by others only to read what it wrote.
/// Sweep by address, O(n log n + accesses that overlap).
LogicalResult NetworkMachine::checkParallel() {
  std::vector<Access> sorted = accesses;
  llvm::stable_sort(sorted, [](const Access &a, const Access &b) {
    return a.bytes.begin < b.bytes.begin;
  });
  std::vector<const Access *> open;
  for (const Access &access : sorted) {
    llvm::erase_if(open, [&](const Access *other) {
      return other->bytes.end <= access.bytes.begin;
    });
    for (const Access *other : open) {
      if (access.owner == other->owner || !(access.isWrite || other->isWrite) ||
          areInTurn(access.iterations, other->iterations))
        continue;
      const Access &writer = access.isWrite ? access : *other;
      const Access &victim = access.isWrite ? *other : access;
      // The others mostly follow from this one.
      return reportSharing(writer.op, writer.value, victim.value,
                           "which runs at the same time");
    }
    open.push_back(&access);
  }
  return success();
}

} // namespace tpu_mlir::interpreter
