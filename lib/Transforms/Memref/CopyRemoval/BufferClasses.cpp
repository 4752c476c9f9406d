//===- BufferClasses.cpp - Maintain classes of memrefs that may alias -----===//
//
// Built once from the data flow, then updated as copies are removed.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/CopyRemoval/BufferClasses.h"

#include "lib/Analysis/DefinedValues.h"
#include "lib/Transforms/Memref/CopyRemoval/Effects.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tpu_mlir::copies {

/// Accesses that a question looks at before it gives up.
static constexpr int kLongestSearch = 1000;

BufferClasses::BufferClasses(Operation *function, const CallSummaries &calls,
                             bool argumentsApart)
    : function(function), argumentsApart(argumentsApart), ticks(function),
      flow(function) {
  collectNames();
  collectAccesses(calls);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static int64_t definitionTick(Value value, const OpTicks &ticks) {
  if (Operation *op = value.getDefiningOp())
    return ticks.of(op);
  return ticks.of(cast<BlockArgument>(value).getOwner()->getParentOp());
}

void BufferClasses::addNamed(Value value, bool isFunctionArgument) {
  if (isPlainType(value.getType()))
    return;
  unsigned number = classes.size();
  numbers[value] = number;
  classes.emplace_back();
  Class &made = classes.back();
  made.parent = number;
  made.firstTick = definitionTick(value, ticks);
  if (!isa<BaseMemRefType>(value.getType()))
    made.origins = Unknown | Escaped;
  if (!isFunctionArgument)
    return;
  auto interface = dyn_cast<FunctionOpInterface>(function);
  unsigned index = cast<BlockArgument>(value).getArgNumber();
  bool isAlone =
      argumentsApart || (interface && index < interface.getNumArguments() &&
                         interface.getArgAttr(index, "llvm.noalias"));
  made.origins |= isAlone ? LoneArgument : Argument;
}

void BufferClasses::collectNames() {
  SmallVector<Value> values;
  auto add = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    values.push_back(value);
    addNamed(value, argument && argument.getOwner()->isEntryBlock() &&
                        argument.getOwner()->getParentOp() == function);
  };
  function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { forEachDefined(op, add); });

  DenseSet<Value> hasSource;
  for (Value value : values) {
    auto found = flow.find(value);
    if (found == flow.end() || !numbers.count(value))
      continue;
    // Which order they come in does not matter for the classes.
    for (Value next : found->second)
      if (numbers.count(next) && next != value) {
        hasSource.insert(next);
        unite(numbers[value], numbers[next]);
      }
  }
  for (Value value : values) {
    if (!numbers.count(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<memref::AllocOp, memref::AllocaOp,
                        bufferization::CloneOp>(op))
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner()->isEntryBlock() &&
        argument.getOwner()->getParentOp() == function)
      continue;
    if (!hasSource.contains(value) || flow.mayBeTerminalBuffer(value) ||
        mayBeAnyBuffer(value))
      classes[find(value)].origins |= Unknown;
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void BufferClasses::markAsynchronous(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (numbers.count(operand))
        classes[find(operand)].origins |= Asynchronous | Escaped;
  });
}

void BufferClasses::collectAccesses(const CallSummaries &calls) {
  SmallVector<std::pair<unsigned, BufferAccess>> found;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return;
    if (tpu_mlir::isAsynchronous(op))
      markAsynchronous(op);
    OpEffects effects = effectsOf(op);
    int64_t tick = ticks.of(op);
    for (const OperandAccess &access : effects.accesses)
      if (numbers.count(op->getOperand(access.operand)))
        found.push_back({find(op->getOperand(access.operand)),
                         {tick, access.operand, op, access.writes}});
    if (effects.touchesOthers)
      touching.push_back({tick, op});
    if (leadsElsewhere(op, calls))
      for (Value operand : op->getOperands())
        if (numbers.count(operand))
          classes[find(operand)].origins |= Escaped;
  });
  for (auto &[number, access] : found)
    insert(classes[root(number)], access);
}

void BufferClasses::insert(Class &into, const BufferAccess &access) {
  into.all.insert(access);
  if (access.writes)
    into.writes.insert(access);
  if (into.origins)
    visible.insert(access);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

unsigned BufferClasses::root(unsigned number) const {
  while (classes[number].parent != number) {
    classes[number].parent = classes[classes[number].parent].parent;
    number = classes[number].parent;
  }
  return number;
}

unsigned BufferClasses::find(Value memref) const {
  return root(numbers.lookup(memref));
}

unsigned BufferClasses::unite(unsigned a, unsigned b) {
  a = root(a), b = root(b);
  if (a == b)
    return a;
  if (classes[a].all.size() < classes[b].all.size())
    std::swap(a, b);
  Class &into = classes[a], &from = classes[b];
  from.parent = a;
  unsigned origins = into.origins | from.origins;
  into.firstTick = std::min(into.firstTick, from.firstTick);
  if (origins && !into.origins)
    visible.insert(into.all.begin(), into.all.end());
  into.origins = origins;
  for (const BufferAccess &access : from.all)
    insert(into, access);
  from.all.clear();
  from.writes.clear();
  return a;
}

void BufferClasses::forget(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!numbers.count(operand.get()))
      continue;
    BufferAccess access{ticks.of(op), operand.getOperandNumber(), op, false};
    Class &of = classes[find(operand.get())];
    of.all.erase(access);
    of.writes.erase(access);
    visible.erase(access);
  }
}

void BufferClasses::replace(Value from, Value to) {
  unite(numbers.lookup(from), numbers.lookup(to));
  numbers.erase(from);
}

void BufferClasses::addName(Value memref, Value name) {
  numbers[name] = find(memref);
}

bool BufferClasses::isPrivate(Value memref) const {
  return classes[find(memref)].origins == 0;
}

bool BufferClasses::isAsynchronous(Value memref) const {
  return classes[find(memref)].origins & Asynchronous;
}

bool BufferClasses::isInside(Value memref, Operation *op) const {
  const Class &of = classes[find(memref)];
  // Ops inside come after `op`; whether those after it are meant is clear from
  // `memref` itself, which is among them.
  return of.firstTick > ticks.of(op);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// Both classes hold memory that others may have.
bool BufferClasses::mayOverlap(unsigned a, unsigned b) const {
  unsigned first = classes[a].origins, second = classes[b].origins;
  auto both = [&](unsigned left, unsigned right) {
    return ((first & left) && (second & right)) ||
           ((first & right) && (second & left));
  };
  if (both(Unknown, Unknown) || both(Unknown, Escaped) ||
      both(Argument, Argument) || both(Unknown, Argument))
    return true;
  return false;
}

Operation *BufferClasses::visibleAccessIn(unsigned memref, Interval window,
                                          bool writesOnly,
                                          Ignored ignored) const {
  unsigned origins = classes[memref].origins;
  if (!origins)
    return nullptr;
  if (origins & (Argument | Unknown | Escaped)) {
    auto op = llvm::lower_bound(
        touching, window.begin,
        [](const auto &entry, int64_t tick) { return entry.first < tick; });
    if (op != touching.end() && op->first < window.end)
      return op->second;
  }
  int steps = 0;
  for (auto access = visible.lower_bound({window.begin, 0, nullptr, false});
       access != visible.end() && access->tick < window.end; ++access) {
    if (++steps > kLongestSearch)
      return access->op;
    if (writesOnly && !access->writes)
      continue;
    if (mayOverlap(memref, find(access->name())) && !ignored(*access))
      return access->op;
  }
  return nullptr;
}

Operation *BufferClasses::accessIn(Value memref, Interval window,
                                   bool writesOnly, Ignored ignored) const {
  unsigned number = find(memref);
  const Class &of = classes[number];
  const std::set<BufferAccess> &accesses = writesOnly ? of.writes : of.all;
  int steps = 0;
  for (auto access = accesses.lower_bound({window.begin, 0, nullptr, false});
       access != accesses.end() && access->tick < window.end; ++access)
    if (++steps > kLongestSearch || !ignored(*access))
      return access->op;
  return visibleAccessIn(number, window, writesOnly, ignored);
}

} // namespace tpu_mlir::copies
