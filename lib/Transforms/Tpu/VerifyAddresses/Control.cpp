//===- Control.cpp - Ops with regions, on paper ---------------------------===//
//
// What is inside of an op runs from a stack of frames, not from that of the
// program: how deep calls and regions nest is the module's business. An op that
// goes inside pushes frames and leaves word of what is to be done when they
// have run.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/Machine.h"

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

using namespace mlir;

namespace tpu_mlir::verify_addresses {

/// Runs the blocks one after the other, once the op at hand is done with, and
/// then `done`.
void Machine::runBlocks(ArrayRef<Block *> blocks, std::function<void()> done) {
  if (blocks.empty())
    return done();
  for (Block *block : llvm::reverse(blocks)) {
    frames.push_back({block->begin(), block->end(), std::move(done)});
    done = [] {};
  }
}

void Machine::runFrames() {
  while (!frames.empty()) {
    Frame &frame = frames.back();
    if (frame.next != frame.end) {
      runOp(&*frame.next++);
      continue;
    }
    std::function<void()> done = std::move(frame.done);
    frames.pop_back();
    done();
  }
}

static SmallVector<Block *> blocksOf(MutableArrayRef<Region> regions) {
  SmallVector<Block *> blocks;
  for (Region &region : regions)
    for (Block &block : region)
      blocks.push_back(&block);
  return blocks;
}

void Machine::runOp(Operation *op) {
  if (isa<top::NoneOp, top::WeightOp, top::InputOp, tpu::BufferOp>(op))
    return;
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && !callee.isExternal())
      return runCall(call, callee);
  }
  if (op->getNumRegions() == 0 || isa<tpu::GroupOp>(op))
    return runLeaf(op);
  if (isa<tpu::IfOp, top::IfOp>(op))
    return runExclusive(op);
  if (isa<tpu::LoopOp, top::LoopOp>(op))
    return runLoop(op);
  runParallel(op);
}

void Machine::runLeaf(Operation *op) {
  SmallVector<Value> reads = valuesRead(op);
  for (Value value : reads)
    if (auto scratch = value.getDefiningOp<tpu::BufferOp>())
      write(op, value);
  for (Value value : reads)
    read(op, value);
  SmallVector<Value> fresh;
  for (OpResult result : op->getResults())
    if (isStored(result) && !adoptView(op, result))
      fresh.push_back(result);
  checkSharing(op, reads, fresh);
  for (Value result : fresh)
    write(op, result);
  if (isa<tpu::GroupOp>(op))
    finishGroup(op);
}

/// What a group yields has to stand where its result is said to be.
void Machine::finishGroup(Operation *group) {
  if (group->getRegion(0).empty())
    return;
  Operation *yield = group->getRegion(0).front().getTerminator();
  for (auto [yielded, result] :
       llvm::zip(yield->getOperands(), group->getResults()))
    if (isStored(yielded) &&
        getAddress(yielded.getType()) != getAddress(result.getType()))
      report(group, yielded, ErrorCode::BadRange,
             "the group stores '" + valueName(yielded) +
                 "' elsewhere than its result says",
             yielded);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Moves what `yield` yields into the results of `op` from `firstResult` on.
/// With `keepsContent` of a result, in place it is the yielded value itself;
/// else it counts as a value of its own.
void Machine::yieldResults(Operation *yield, Operation *op,
                           unsigned firstResult,
                           llvm::function_ref<bool(unsigned)> keepsContent) {
  SmallVector<Value> copies;
  for (unsigned i = 0; i < yield->getNumOperands(); ++i) {
    Value from = yield->getOperand(i);
    if (firstResult + i >= op->getNumResults() || !isStored(from))
      continue;
    Value to = op->getResult(firstResult + i);
    if (getAddress(from.getType()) != getAddress(to.getType()))
      copies.push_back(to);
    else if (keepsContent(i))
      contents[to] = Content(contents[from]);
    else
      write(op, to);
  }
  // All copies happen after all reads: none may hit a value that is yielded.
  SmallVector<Value> reads;
  for (Value value : yield->getOperands())
    if (isStored(value))
      reads.push_back(value);
  checkSharing(op, reads, copies);
  for (Value to : copies)
    write(op, to);
}

/// The yields of an op's regions; null for a region without.
static SmallVector<Operation *> yieldsOf(Operation *op) {
  SmallVector<Operation *> yields;
  for (Region &region : op->getRegions())
    yields.push_back(region.empty() || region.front().empty()
                         ? nullptr
                         : &region.front().back());
  return yields;
}

/// A result is the yielded value itself only when all branches yield it.
static bool yieldsOne(ArrayRef<Operation *> yields, unsigned i) {
  Value one;
  for (Operation *yield : yields) {
    if (!yield)
      continue;
    if (i >= yield->getNumOperands() || (one && yield->getOperand(i) != one))
      return false;
    one = yield->getOperand(i);
  }
  return true;
}

void Machine::runExclusive(Operation *op) {
  for (Value operand : op->getOperands())
    read(op, operand);
  if (op->getNumRegions())
    runBranch(op, 0, std::make_shared<WatchedMemory>(memory), nullptr);
}

/// Runs region `index` from `before` on, and then the next one; `after` is what
/// the regions so far agree on.
void Machine::runBranch(Operation *op, unsigned index,
                        std::shared_ptr<const WatchedMemory> before,
                        std::shared_ptr<WatchedMemory> after) {
  memory = *before;
  runBlocks(blocksOf(op->getRegion(index)), [=]() mutable {
    const SmallVector<Operation *> yields = yieldsOf(op);
    if (yields[index])
      yieldResults(yields[index], op, 0,
                   [&](unsigned i) { return yieldsOne(yields, i); });
    if (after)
      memory.keepCommon(*after);
    if (index + 1 == op->getNumRegions())
      return;
    after = std::make_shared<WatchedMemory>(std::move(memory));
    runBranch(op, index + 1, before, after);
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Every byte of `source` that `target` takes is one of the value that
/// `target` has had until now: itself, or a view of it.
bool Machine::isOldValueOf(Value source, Value target) {
  std::optional<int64_t> at = getAddress(source.getType());
  std::optional<int64_t> begin = getAddress(target.getType());
  std::optional<int64_t> size = sizeOf(target);
  auto found = contents.find(source);
  if (!at || !begin || !size || found == contents.end())
    return source == target;
  const Interval taken{*begin, *begin + *size};
  for (const Piece &piece : found->second) {
    if (taken.overlaps({*at, *at + piece.length}) &&
        piece.owner != ownerId(target))
      return false;
    *at += piece.length;
  }
  return true;
}

/// Values copied one after the other: none may hit one that is still to be
/// copied, or another copy. Those that are in place already stay. States that
/// become each other, whole or in part, all change at once: that is the loop's
/// own business.
void Machine::checkCopies(Operation *op, ValueRange from, ValueRange to) {
  SmallVector<Value> sources, targets;
  for (auto [source, target] : llvm::zip(from, to)) {
    if (!isStored(source) || !isStored(target))
      continue;
    sources.push_back(source);
    if (getAddress(source.getType()) != getAddress(target.getType()))
      targets.push_back(target);
  }
  checkSharing(op, sources, targets, /*atOnce=*/true);
}

void Machine::writeArguments(Operation *op) {
  for (Block *block : blocksOf(op->getRegions()))
    for (BlockArgument argument : block->getArguments())
      if (isStored(argument))
        write(op, argument);
}

/// The body's arguments are the loop counter, the condition and the states;
/// what the body yields takes the places of all but the counter, and the
/// states become the results.
void Machine::runLoop(Operation *op) {
  for (Value operand : op->getOperands())
    read(op, operand);
  for (Block *block : blocksOf(op->getRegions()))
    checkCopies(op, op->getOperands(), block->getArguments());
  writeArguments(op);
  // What one iteration did not keep, none does.
  for (const Interval &bytes : changedBy[op])
    memory.forget(bytes.begin, bytes.end);
  runIteration(op);
}

/// Runs the body until the memory at its head does not change any more. A loop
/// inside of one that runs for the first time goes once only, so that nests
/// cost no more than twice their ops: the outer one, told that more is to come,
/// runs again.
void Machine::runIteration(Operation *op) {
  auto head = std::make_shared<WatchedMemory>(memory);
  const bool isInner = isTrial, wasUnsettled = isUnsettled;
  trial += !isInner;
  isTrial = true;
  isUnsettled = false;
  runBlocks(blocksOf(op->getRegions()), [=] {
    for (Block *block : blocksOf(op->getRegions()))
      checkYielded(op, *block);
    writeArguments(op);
    std::vector<Interval> lost = head->keepCommon(memory);
    memory = std::move(*head);
    llvm::append_range(changedBy[op], lost);
    const bool changed = !lost.empty() || isUnsettled;
    isTrial = isInner;
    isUnsettled = wasUnsettled || (changed && isInner);
    if (changed && !isInner)
      runIteration(op);
    else
      leaveLoop(op);
  });
}

void Machine::checkYielded(Operation *op, Block &body) {
  if (body.empty() || body.getNumArguments() == 0)
    return;
  ValueRange arguments = body.getArguments();
  ValueRange yielded = body.back().getOperands();
  checkCopies(op, yielded, arguments.drop_front());
  SmallVector<Value> stored;
  llvm::copy_if(yielded, std::back_inserter(stored),
                [&](Value value) { return isStored(value); });
  if (isStored(arguments.front()))
    checkSharing(op, stored, arguments.front(), /*atOnce=*/true);
}

void Machine::leaveLoop(Operation *op) {
  for (Block *block : blocksOf(op->getRegions()))
    if (block->getNumArguments() > 2)
      checkCopies(op, ValueRange(block->getArguments()).drop_front(2),
                  op->getResults());
  writeResults(op);
}

/// Writes the results of an op with regions, which may do so while it still
/// reads its operands (G1).
void Machine::writeResults(Operation *op) {
  SmallVector<Value> reads, fresh;
  llvm::copy_if(op->getOperands(), std::back_inserter(reads),
                [&](Value value) { return isStored(value); });
  llvm::copy_if(op->getResults(), std::back_inserter(fresh),
                [&](Value value) { return isStored(value); });
  checkSharing(op, reads, fresh);
  for (Value result : fresh)
    write(op, result);
}

//===----------------------------------------------------------------------===//
// All at once
//===----------------------------------------------------------------------===//

void Machine::runParallel(Operation *op) {
  logs.emplace_back();
  for (Value operand : op->getOperands())
    read(op, operand);
  writeArguments(op);
  runBlocks(blocksOf(op->getRegions()), [=] {
    unsigned firstResult = 0;
    const bool yieldsResults = tpu::isParallel(op);
    for (Operation *yield : yieldsOf(op))
      if (yieldsResults && yield) {
        yieldResults(yield, op, firstResult, [](unsigned) { return true; });
        firstResult += yield->getNumOperands();
      }
    if (!yieldsResults)
      writeResults(op);
    AccessLog log = closeLog();
    checkParallel(log.list);
  });
}

/// Ops of a parallel region run in any order, but for those that use what
/// others make: bytes that one of them writes belong to that tensor alone, its
/// views and the merges of which it is a piece. Sweep by address,
/// O(k log k + overlaps * views of views).
void Machine::checkParallel(MutableArrayRef<Access> accesses) {
  const auto areApart = [&](const Access &a, const Access &b) {
    const Interval both{std::max(a.bytes.begin, b.bytes.begin),
                        std::min(a.bytes.end, b.bytes.end)};
    return copies->groupOf(a.value) != copies->groupOf(b.value) ||
           (!copies->isMadeOf(a.value, b.value, both) &&
            !copies->isMadeOf(b.value, a.value, both));
  };
  if (!copies)
    copies.emplace(module, symbols, options.fourN, /*updates=*/false);
  llvm::stable_sort(accesses, [](const Access &a, const Access &b) {
    return a.bytes.begin < b.bytes.begin;
  });
  std::vector<const Access *> open;
  for (const Access &access : accesses) {
    llvm::erase_if(open, [&](const Access *other) {
      return other->bytes.end <= access.bytes.begin;
    });
    for (const Access *other : open)
      if (access.bytes.overlaps(other->bytes) &&
          (access.isWrite || other->isWrite) && areApart(access, *other)) {
        const Access &writer = access.isWrite ? access : *other;
        const Access &victim = access.isWrite ? *other : access;
        report(writer.op, writer.value, ErrorCode::Overwritten,
               "'" + writer.op->getName().getStringRef() + "' writes " +
                   describe(writer.value, writer.bytes) + " over " +
                   describe(victim.value, victim.bytes) +
                   ", which runs at the same time",
               victim.value);
        return; // The others mostly follow from this one.
      }
    open.push_back(&access);
  }
}

} // namespace tpu_mlir::verify_addresses
