//===- Calls.cpp - Calls, on paper ----------------------------------------===//
//
// A function that one place calls runs like the ops around the call. What
// several places call runs once and is recorded: what it demands of memory as
// its caller leaves it, what it changes there, and what it reads and writes for
// the sake of parallel ops around. Another call only repeats the record. So
// functions that each call the next one twice cost what they are long, not what
// they run.
//
// A record does not depend on the call: arguments are owners of their own
// there, which are bound, for each call, to what it passes.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyAddresses/Machine.h"

using namespace mlir;

namespace tpu_mlir::verify_addresses {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Machine::runEntry(func::FuncOp entry) {
  runFunction(entry, [](func::ReturnOp) {});
  runFrames();
}

static func::ReturnOp returnOf(func::FuncOp function) {
  func::ReturnOp last;
  for (Block &block : function.getBody())
    if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator()))
      last = ret;
  return last;
}

void Machine::runFunction(func::FuncOp function,
                          std::function<void(func::ReturnOp)> done) {
  if (!function.getBody().hasOneBlock())
    report(function, {}, ErrorCode::UnknownOp,
           "'" + function.getSymName() +
               "' branches between blocks; only 'If' and 'Loop' ops can be "
               "followed");
  activeFunctions.insert(function);
  SmallVector<Block *> blocks;
  for (Block &block : function.getBody())
    blocks.push_back(&block);
  runBlocks(blocks, [=] {
    done(returnOf(function));
    activeFunctions.erase(function);
  });
}

void Machine::runCall(func::CallOp call, func::FuncOp callee) {
  if (activeFunctions.contains(callee)) {
    report(call, {}, ErrorCode::CyclicCall,
           "call of '" + call.getCallee() + "' closes a cycle of calls");
    // There is no order to run it in: what else could be said is not certain.
    isCyclic = true;
    frames.clear();
    return;
  }
  for (auto [operand, argument] :
       llvm::zip(call.getOperands(), callee.getArguments()))
    pass(call, operand, argument);
  if (numCalls.lookup(callee.getSymNameAttr()) > 1)
    return runRecorded(call, callee);
  runFunction(callee, [=](func::ReturnOp ret) {
    handBack(call, ret, /*isRecorded=*/false);
  });
}

void Machine::handBack(func::CallOp call, func::ReturnOp ret, bool isRecorded) {
  if (!ret)
    return;
  for (auto [returned, result] :
       llvm::zip(ret.getOperands(), call.getResults())) {
    pass(call, returned, result);
    if (!isRecorded || !contents.count(result))
      continue;
    contents[result] = translate(contents[result], &Binding::inCaller);
    for (Piece &piece : contents[result])
      if (auto own = written.find({call, piece.owner}); own != written.end())
        piece.owner = own->second;
  }
}

/// A value handed over without a copy: both have to be at one address.
void Machine::pass(Operation *op, Value from, Value to) {
  if (!isStored(from) || !isStored(to))
    return;
  auto source = getAddress(from.getType()), target = getAddress(to.getType());
  if (!source && !target && to.use_empty())
    return;
  if (source != target)
    report(op, to, ErrorCode::BadRange,
           "'" + valueName(from) +
               "' is passed on without a copy, but the "
               "two ends have different addresses",
           from);
  if (contents.count(from)) {
    Content content = contents[from];
    contents[to] = std::move(content);
  }
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void Machine::runRecorded(func::CallOp call, func::FuncOp callee) {
  for (auto [operand, argument] :
       llvm::zip(call.getOperands(), callee.getArguments()))
    bind(operand, argument);
  const std::shared_ptr<CallRecord> known = records.lookup(callee);
  if (known && (known->isSettled || known->trial == trial)) {
    repeat(call, *known);
    return handBack(call, returnOf(callee), /*isRecorded=*/true);
  }
  auto record = std::make_shared<CallRecord>();
  recordings.push_back(record);
  logs.emplace_back();
  auto around = std::make_shared<std::optional<MemoryMap>>();
  around->swap(memory.change);
  memory.change = MemoryMap::untouched();
  const bool wasUnsettled = isUnsettled;
  isUnsettled = false;
  runFunction(callee, [=](func::ReturnOp ret) {
    endRecord(call, *record, std::move(*around));
    records[callee] = record;
    isUnsettled |= wasUnsettled;
    handBack(call, ret, /*isRecorded=*/true);
  });
}

/// Makes `argument` stand for what it is passed.
void Machine::bind(Value passed, Value argument) {
  if (!isStored(argument))
    return;
  const int64_t owner = ownerId(argument);
  bindings.erase(owner);
  contents.erase(argument);
  auto content = contents.find(passed);
  if (content == contents.end())
    return; // Nobody wrote it; nor is it found in memory.
  int64_t length = 0;
  for (const Piece &piece : content->second)
    length += piece.length;
  bindings[owner] = {content->second,
                     translate(content->second, &Binding::inMemory)};
  contents[argument] = {{owner, 0, length}};
}

/// `pieces` with each argument of a recorded call as what it stands for.
Machine::Content Machine::translate(ArrayRef<Piece> pieces,
                                    Content Binding::*terms) const {
  Content result;
  for (const Piece &piece : pieces) {
    auto binding = bindings.find(piece.owner);
    std::optional<Content> meant;
    if (binding != bindings.end())
      meant = slice(binding->second.*terms, piece.ownerOffset, piece.length);
    llvm::append_range(result, meant.value_or(Content{piece}));
  }
  return result;
}

/// What the call that is recorded has not written itself its caller has to.
void Machine::note(const Demand &demand) {
  if (recordings.empty())
    return;
  const int64_t begin = demand.address;
  for (const Interval &bytes :
       memory.change->findUntouched(begin, begin + demand.piece.length)) {
    const Piece part{demand.piece.owner,
                     demand.piece.ownerOffset + (bytes.begin - begin),
                     bytes.length()};
    recordings.back()->add({demand.op, demand.value, bytes.begin, part});
  }
}

/// Calls `demand` for each demand of a record, in terms of its caller.
void Machine::demandOfCaller(const CallRecord &record,
                             llvm::function_ref<void(const Demand &)> demand) {
  for (const Demand &one : record.demands) {
    int64_t address = one.address;
    for (const Piece &piece : translate(one.piece, &Binding::inCaller)) {
      demand({one.op, one.value, address, piece});
      address += piece.length;
    }
  }
}

/// Completes a record and does to the one around what a repetition would.
void Machine::endRecord(func::CallOp call, CallRecord &record,
                        std::optional<MemoryMap> changeAround) {
  record.change = std::move(*memory.change);
  record.accesses = closeLog();
  record.isSettled = !isUnsettled;
  record.trial = trial;
  recordings.pop_back();
  memory.change = std::move(changeAround);
  demandOfCaller(record, [&](const Demand &demand) { note(demand); });
  change(call, record);
}

void Machine::repeat(func::CallOp call, const CallRecord &record) {
  demandOfCaller(record, [&](const Demand &demand) { expect(demand); });
  for (const Access &access : record.accesses.list)
    log(access);
  change(call, record);
  isUnsettled |= !record.isSettled;
}

/// Does to memory what the function does, for this call.
void Machine::change(func::CallOp call, const CallRecord &record) {
  memory.apply(record.change, [&](int64_t owner) {
    const auto [entry, isNew] =
        written.try_emplace({call, owner}, int64_t(owners.size()));
    if (isNew)
      owners.push_back(Value(owners[owner]));
    return entry->second;
  });
}

} // namespace tpu_mlir::verify_addresses
