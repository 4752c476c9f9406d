//===- Steps.cpp - What one op makes of a world ---------------------------===//

#include "lib/Analysis/Memref/Deallocation/Model/Worlds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

void Worlds::stepForward(World &world, Operation *op) {
  World before = world;
  for (const auto &[target, source] : flow.edgesOf(op).front().passes)
    if (holds(before, source) && !target.use_empty())
      insertOnce(world.names, names.idOf(target));
}

/// The result is one of the two, and it is known which or it splits the world.
bool Worlds::stepSelect(World &world, Operation *op, WorldNode &node) {
  auto select = cast<arith::SelectOp>(op);
  auto chosen = [&](bool is) {
    return is ? select.getTrueValue() : select.getFalseValue();
  };
  std::optional<bool> is = truth(world, select.getCondition());
  bool both = holds(world, chosen(true)) && holds(world, chosen(false));
  if (is || both) {
    if (holds(world, chosen(is.value_or(true))))
      insertOnce(world.names, names.idOf(select.getResult()));
    return true;
  }
  SmallVector<int, 2> next;
  for (bool side : {true, false}) {
    World split = world;
    split.point = flow.behind(op);
    if (select.getCondition().getType().isInteger(1) &&
        !learn(split, select.getCondition(), side))
      continue;
    if (holds(split, chosen(side)))
      insertOnce(split.names, names.idOf(select.getResult()));
    next.push_back(add(std::move(split), op->getNextNode()));
  }
  node.end = WorldNode::End::Goes;
  node.next = std::move(next);
  return false;
}

/// By a call; `frees` is what is known of each operand alone.
SharedFate Worlds::fateOf(const World &world, Operation *op,
                          Frees frees) const {
  const SharedFate alone = {frees};
  if (frees == Frees::Never || world.freedBy || !callees.sharedFate)
    return alone;
  auto isBuffer = [&](Value value) { return holds(world, value); };
  return callees.sharedFate(op, isBuffer).value_or(alone);
}

/// Of what may be freed. Something that was started may still use it: a
/// possible fault, as nobody knows how long that takes.
bool Worlds::stepFree(World &world, Operation *op, WorldNode &node) {
  Operation *atWork = std::exchange(world.atWork, nullptr);
  world.freedBy = op;
  // In what is started itself nobody knows what comes after what.
  if (!atWork || startedBy(op))
    return true;
  World next = world;
  next.point = flow.behind(op);
  Event event = {Fault::UseAfterFree, atWork, op};
  node.end = WorldNode::End::Goes;
  node.next = {addEnd(next, nullptr, &event)};
  node.next.push_back(add(std::move(next), op->getNextNode()));
  return false;
}

/// False when the world ends there or goes on in others.
bool Worlds::step(World &world, Operation *op, WorldNode &node) {
  auto fault = [&](Fault kind) {
    node.end = WorldNode::End::Error;
    node.event = {kind, op, world.freedBy};
    return false;
  };
  if (isa<memref::DeallocOp>(op)) {
    if (world.freedBy)
      return fault(Fault::FreedTwice);
    if (world.borrowed)
      return fault(Fault::NotOwned);
    return stepFree(world, op, node);
  }
  if (isa<arith::SelectOp>(op))
    return stepSelect(world, op, node);
  bool isView = false;
  Touch touch;
  Frees frees = Frees::Never;
  for (int name : llvm::to_vector(world.names)) {
    const Names::Use *use = names.nextUse(name, world.point);
    if (!use || use->op != op)
      continue;
    for (Value view : viewsOf(op, names[name])) {
      isView = true;
      if (!view.use_empty())
        insertOnce(world.names, names.idOf(view));
    }
    if (isView)
      continue;
    touch.add(touchOf(op, names[name], callees, names.asynchronous));
    frees = std::max(frees, callees.frees(op, names[name]));
  }
  if (isView)
    return true;
  if (Operation *started = startedBy(op); started && touch.keeps)
    world.atWork = started;
  else if (touch.starts)
    world.atWork = op;
  const SharedFate fate = fateOf(world, op, frees);
  if (fate.fault == SharedFate::Fault::Never)
    return stepTouch(world, op, touch, fate.frees, node);
  if (fate.fault == SharedFate::Fault::Always) {
    world.freedBy = op;
    return fault(Fault::UseAfterFree);
  }
  World before = world;
  const bool goesOn = stepTouch(world, op, touch, fate.frees, node);
  return addFault(std::move(before), world, op, goesOn, node);
}

/// The call goes wrong, or does what was found for the node.
bool Worlds::addFault(World before, const World &world, Operation *op,
                      bool goesOn, WorldNode &node) {
  if (node.end == WorldNode::End::Error)
    return false;
  if (goesOn) {
    World next = world;
    next.point = flow.behind(op);
    node.next.push_back(add(std::move(next), op->getNextNode()));
  } else if (node.end == WorldNode::End::Done) {
    int end = addEnd(world, nullptr, nullptr);
    nodes[end].isLost = std::exchange(node.isLost, false);
    nodes[end].hasNoEnd = std::exchange(node.hasNoEnd, false);
    node.next.push_back(end);
  }
  node.end = WorldNode::End::Goes;
  before.point = flow.behind(op);
  before.freedBy = op;
  Event event = {Fault::UseAfterFree, op, op};
  node.next.push_back(addEnd(std::move(before), nullptr, &event));
  return false;
}

/// What the op does to the buffer itself.
bool Worlds::stepTouch(World &world, Operation *op, const Touch &touch,
                       Frees frees, WorldNode &node) {
  if (frees != Frees::Never)
    return stepCall(world, op, frees, node);
  if (touch.mayFree) {
    node.end = WorldNode::End::Done;
    node.isLost = true;
    return false;
  }
  if (world.freedBy && touch.accesses) {
    node.end = WorldNode::End::Error;
    node.event = {Fault::UseAfterFree, op, world.freedBy};
    return false;
  }
  world.escaped |= touch.keeps;
  if (world.freedBy && touch.mayAccess)
    return stepUnknown(world, op, node);
  nameResults(world, op, /*orPerhaps=*/false);
  return stepPerhaps(world, op, node);
}

static bool hasFlag(Operation *op) {
  return llvm::any_of(op->getResultTypes(),
                      [](Type type) { return type.isInteger(1); });
}

/// Results of a call may be the buffer or something else, and no flag beside
/// them says which: each world is one that may be, also that all of them are.
bool Worlds::stepPerhaps(const World &world, Operation *op, WorldNode &node) {
  SmallVector<OpResult, 2> perhaps;
  if (!hasFlag(op))
    llvm::copy_if(op->getResults(), std::back_inserter(perhaps),
                  [&](OpResult result) {
                    return returned(world, result) == Returns::Sometimes;
                  });
  if (perhaps.empty())
    return true;
  auto goWith = [&](ArrayRef<OpResult> results) {
    World next = world;
    next.point = flow.behind(op);
    for (OpResult result : results)
      insertOnce(next.names, names.idOf(result));
    node.next.push_back(add(std::move(next), op->getNextNode()));
  };
  node.end = WorldNode::End::Goes;
  goWith({});
  for (OpResult result : perhaps)
    goWith(result);
  if (perhaps.size() > 1)
    goWith(perhaps);
  return false;
}

/// A call may give it back under another name.
void Worlds::nameResults(World &world, Operation *op, bool orPerhaps) {
  for (OpResult result : op->getResults())
    if (const Returns returns = returned(world, result);
        returns == Returns::Always ||
        (orPerhaps && returns == Returns::Sometimes))
      insertOnce(world.names, names.idOf(result));
}

/// The function that is called frees what it gets.
bool Worlds::stepCall(World &world, Operation *op, Frees frees,
                      WorldNode &node) {
  bool isCertain = frees == Frees::Always && world.borrowed;
  if (world.freedBy || isCertain) {
    node.end = WorldNode::End::Error;
    node.event = {world.freedBy ? Fault::UseAfterFree : Fault::NotOwned, op,
                  world.freedBy};
    return false;
  }
  if (frees == Frees::NoEnd) {
    node.end = WorldNode::End::Done;
    node.hasNoEnd = true;
    return false;
  }
  if (frees == Frees::Returned) {
    // A flag beside it may say that it is not.
    nameResults(world, op, /*orPerhaps=*/!hasFlag(op));
    return true;
  }
  if (frees == Frees::Always)
    return stepFree(world, op, node);
  World kept = world, given = world;
  Operation *atWork = std::exchange(world.atWork, nullptr);
  world.freedBy = op;
  // What is returned was not freed.
  nameResults(given, op, /*orPerhaps=*/true);
  World freed = world;
  freed.point = kept.point = given.point = flow.behind(op);
  Event event = {Fault::NotOwned, op};
  node.end = WorldNode::End::Goes;
  if (frees != Frees::OrReturned)
    node.next.push_back(add(std::move(kept), op->getNextNode()));
  node.next.push_back(add(std::move(given), op->getNextNode()));
  if (atWork) {
    Event late = {Fault::UseAfterFree, atWork, op};
    node.next.push_back(addEnd(freed, nullptr, &late));
  }
  node.next.push_back(world.borrowed
                          ? addEnd(std::move(freed), nullptr, &event)
                          : add(std::move(freed), op->getNextNode()));
  return false;
}

/// Whether the result of a call is the buffer.
Returns Worlds::returned(const World &world, OpResult result) const {
  Returns found = Returns::Never;
  if (!isa<CallOpInterface>(result.getOwner()) || result.use_empty())
    return found;
  for (Value operand : result.getOwner()->getOperands())
    if (holds(world, operand))
      if (Returns returns = callees.returns(result, operand);
          returns != Returns::Unknown)
        found = std::max(found, returns);
  return found;
}

/// An op of which nothing is known may leave the free buffer alone.
bool Worlds::stepUnknown(const World &world, Operation *op, WorldNode &node) {
  World behind = world;
  behind.point = flow.behind(op);
  Event event = {Fault::UseAfterFree, op, world.freedBy};
  node.end = WorldNode::End::Goes;
  node.next = {addEnd(behind, nullptr, &event)};
  node.next.push_back(add(std::move(behind), op->getNextNode()));
  return false;
}

} // namespace tpu_mlir::verify_deallocation
