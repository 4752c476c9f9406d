//===- Worlds.cpp - Step through the states of a buffer -------------------===//
//
// Applies one op, branch or region to every world of a buffer and merges those
// that have become equal.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Model/Worlds.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <tuple>

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

bool World::operator<(const World &other) const {
  auto key = [](const World &world) {
    return std::tuple(world.point.chain, world.point.place, world.freedBy,
                      world.escaped, world.borrowed, world.atWork);
  };
  if (key(*this) != key(other))
    return key(*this) < key(other);
  if (names != other.names)
    return names < other.names;
  return facts < other.facts;
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

bool Worlds::holds(const World &world, Value value) const {
  if (!value)
    return false;
  int id = names.find(value);
  return id >= 0 && llvm::binary_search(world.names, id);
}

bool Worlds::holdsOperand(const World &world, Operation *op) const {
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return holds(world, operand); });
}

const Names::Use *Worlds::nextUse(const World &world) {
  const Names::Use *first = nullptr;
  for (int name : world.names) {
    const Names::Use *use = names.nextUse(name, world.point);
    if (use && (!first || use->point.place < first->point.place))
      first = use;
  }
  return first;
}

/// Whatever happens in the regions of the op, it is the same world after it.
bool Worlds::isPassedOver(const World &world, Operation *op) {
  return !world.freedBy && !isa<BranchOpInterface>(op) && !names.mayTeach(op) &&
         llvm::all_of(world.names, [&](int name) {
           const Names::Use *use = names.nextUse(name, world.point);
           return !use || use->op != op || use->isPlain;
         });
}

int Worlds::add(World world, Operation *at) {
  auto [found, isNew] = known.try_emplace(world, size());
  if (isNew) {
    open.push_back(size());
    nodes.emplace_back();
    nodes.back().world = std::move(world);
    nodes.back().at = at;
  }
  return found->second;
}

int Worlds::addEnd(World world, Operation *at, const Event *event) {
  nodes.emplace_back();
  WorldNode &node = nodes.back();
  node.endPlace = world.point.place;
  node.freedBy = world.freedBy;
  node.world = std::move(world);
  node.at = at;
  node.end = event ? WorldNode::End::Error : WorldNode::End::Done;
  if (event)
    node.event = *event;
  return size() - 1;
}

/// The world after an edge: what is used there no more is forgotten, what is
/// passed on has new names.
int Worlds::enter(World world, const Edge &edge, Operation *via) {
  World next = world;
  next.point = edge.target;
  next.names.clear();
  next.facts.clear();
  for (int name : world.names)
    if (names.isLive(name, next.point) && !edge.defines(names[name]))
      insertOnce(next.names, name);
  for (const auto &[target, source] : edge.passes) {
    if (target.use_empty())
      continue;
    if (holds(world, source))
      if (int id = names.idOf(target); names.isLive(id, next.point))
        insertOnce(next.names, id);
  }
  passFacts(world, next, edge);
  if (!next.names.empty())
    return add(std::move(next), edge.at);
  if (WorldNode stopped; !passMarkers(next, kChainEnd, stopped)) {
    const int end = addEnd(std::move(next), edge.at, nullptr);
    nodes[end].hasNoEnd = true;
    return end;
  }
  next.facts.clear();
  Event leak = {Fault::Leak, via};
  bool isFreed = next.freedBy, isLeak = !isFreed && !next.escaped;
  int end = addEnd(std::move(next), edge.at, isLeak ? &leak : nullptr);
  nodes[end].isLeft = !isFreed && !isLeak;
  return end;
}

/// Along the edges from an op of control flow.
void Worlds::goOn(const World &world, Operation *op, ArrayRef<Edge> edges,
                  WorldNode &node) {
  bool isTaken = Flow::leadsAnywhere(op) && holdsOperand(world, op);
  if (edges.empty() || (isTaken && world.freedBy))
    return leave(world, op, node);
  Value condition = Flow::conditionOf(op);
  std::optional<bool> is = condition ? truth(world, condition) : std::nullopt;
  SmallVector<int, 2> next;
  for (const Edge &edge : edges) {
    if (is && edge.when && *is != *edge.when)
      continue;
    World side = world;
    side.escaped |= isTaken;
    if ((condition && !is && edge.when &&
         !learn(side, condition, *edge.when)) ||
        !learnPasses(side, edge))
      continue;
    if (edge.leadsOn()) {
      next.push_back(enter(std::move(side), edge, op));
    } else {
      side.point = flow.behind(op);
      next.push_back(addEnd(std::move(side), nullptr, nullptr));
    }
  }
  node.end = WorldNode::End::Goes;
  node.next = std::move(next);
}

/// Out of the function, or of a region of unknown control flow.
void Worlds::leave(const World &world, Operation *op, WorldNode &node) {
  node.end = WorldNode::End::Done;
  bool isHeld = holdsOperand(world, op);
  if (isa<FunctionOpInterface>(op->getParentOp()))
    for (OpOperand &operand : op->getOpOperands())
      if (holds(world, operand.get()))
        node.returned.push_back(operand.getOperandNumber());
  node.isLeft = !isHeld && !world.freedBy && world.escaped;
  bool ends = op->getNumSuccessors() == 0 &&
              (op->hasTrait<OpTrait::ReturnLike>() ||
               isa<RegionBranchTerminatorOpInterface>(op));
  if (isHeld ? !world.freedBy : world.freedBy || world.escaped || !ends)
    return;
  node.end = WorldNode::End::Error;
  node.event = {isHeld ? Fault::UseAfterFree : Fault::Leak, op, world.freedBy};
}

/// A program stops at a cf.assert that does not hold: false.
bool Worlds::passMarkers(World &world, int until, WorldNode &node) {
  for (const auto &[place, op] :
       names.markersIn(world.point.chain, world.point.place, until)) {
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      if (!learn(world, assertion.getArg(), true)) {
        node.end = WorldNode::End::Done;
        node.hasNoEnd = true;
        return false;
      }
    } else {
      world.atWork = nullptr;
    }
  }
  return true;
}

/// After the last use in a chain.
void Worlds::runOut(World &world, Operation *last, WorldNode &node) {
  if (!passMarkers(world, kChainEnd, node))
    return;
  const bool goesOn = llvm::any_of(
      world.names, [&](int name) { return names.isLive(name, world.point); });
  if (!goesOn) {
    const bool isLeak = !world.freedBy && !world.escaped;
    node.end = isLeak ? WorldNode::End::Error : WorldNode::End::Done;
    node.isLeft = !isLeak && !world.freedBy;
    node.event = {Fault::Leak, last};
    return;
  }
  // Not every region of an op that nobody knows has an end.
  Operation *end = flow.lastOf(world.point.chain);
  const bool isEnd = end && Flow::endsBlock(end);
  Operation *via = isEnd ? end : flow.around(world.point.chain);
  node.endPlace = isEnd ? flow.pointOf(end).place : kChainEnd;
  goOn(world, via, isEnd ? flow.edgesOfEnd(end) : flow.edgesBehindRegion(via),
       node);
}

/// From use to use, to the next op of control flow.
void Worlds::run(int index) {
  World world = nodes[index].world;
  // Steps add nodes, which moves them.
  WorldNode result;
  result.end = WorldNode::End::Open;
  Operation *last = nullptr;
  while (const Names::Use *next = nextUse(world)) {
    // Who learns something may make names, which moves uses.
    const Names::Use use = *next;
    if (!passMarkers(world, use.point.place + !use.isInside, result))
      break;
    Operation *op = last = use.op;
    world.point = flow.pointOf(op);
    bool isLast = op == flow.lastOf(world.point.chain);
    bool isEnd = isLast && Flow::endsBlock(op);
    if (!isEnd && use.isInside && isPassedOver(world, op)) {
      ++world.point.place;
      continue;
    }
    bool isEntered = use.isInside && Flow::isClosed(op);
    if (isEntered && !isEnd && !step(world, op, result))
      break;
    if (isEnd || isEntered || Flow::forks(op)) {
      goOn(world, op,
           isEnd && !isEntered ? flow.edgesOfEnd(op) : flow.edgesOf(op),
           result);
      break;
    }
    if (isa<BranchOpInterface>(op))
      stepForward(world, op);
    else if (!step(world, op, result))
      break;
    ++world.point.place;
  }
  result.endPlace = world.point.place;
  if (result.end == WorldNode::End::Open)
    runOut(world, last, result);
  nodes[index].end = result.end;
  nodes[index].endPlace = result.endPlace;
  nodes[index].freedBy = world.freedBy;
  nodes[index].isLeft = result.isLeft;
  nodes[index].isLost = result.isLost;
  nodes[index].hasNoEnd = result.hasNoEnd;
  nodes[index].returned = std::move(result.returned);
  nodes[index].next = std::move(result.next);
  nodes[index].event = result.event;
}

int Worlds::explore(Value buffer, size_t limit, bool isBorrowed, bool isForeign,
                    ArrayRef<Value> others) {
  World first;
  first.point = flow.definition(buffer);
  Operation *op = buffer.getDefiningOp();
  Operation *at = op ? op->getNextNode() : &buffer.getParentBlock()->front();
  first.borrowed = isBorrowed;
  first.escaped = !op || isBorrowed || isForeign;
  if (op) {
    World all = first;
    learnAround(all, op);
    for (int fact : all.facts)
      if (names.isLive(fact / 2, first.point))
        insertOnce(first.facts, fact);
  }
  first.names = {names.idOf(buffer)};
  for (Value other : others)
    insertOnce(first.names, names.idOf(other));
  int start = add(std::move(first), at);
  runOpen(limit);
  postponed.insert(postponed.end(), open.begin(), open.end());
  open.clear();
  return start;
}

void Worlds::finish(size_t limit) {
  open = std::exchange(postponed, {});
  runOpen(limit);
}

void Worlds::runOpen(size_t limit) {
  const size_t most = nodes.size() + limit;
  while (!open.empty() && nodes.size() <= most) {
    int index = open.back();
    open.pop_back();
    run(index);
  }
}

std::vector<int> Worlds::reachable(ArrayRef<int> starts) const {
  std::vector<int> found;
  ++search;
  seenBy.resize(nodes.size());
  auto see = [&](int index) {
    if (std::exchange(seenBy[index], search) != search)
      found.push_back(index);
  };
  llvm::for_each(starts, see);
  for (size_t i = 0; i < found.size(); ++i)
    llvm::for_each(nodes[found[i]].next, see);
  return found;
}

std::vector<bool>
Worlds::leadingTo(llvm::function_ref<bool(const WorldNode &)> isIt) const {
  std::vector<bool> result(nodes.size());
  std::vector<int> reached;
  auto reach = [&](int index) {
    if (!result[index])
      reached.push_back(index);
    result[index] = true;
  };
  for (int i = 0; i < size(); ++i)
    if (isIt(nodes[i]))
      reach(i);
  if (reached.empty())
    return result;
  std::vector<SmallVector<int, 2>> before(nodes.size());
  for (int i = 0; i < size(); ++i)
    for (int next : nodes[i].next)
      before[next].push_back(i);
  while (!reached.empty()) {
    int index = reached.back();
    reached.pop_back();
    llvm::for_each(before[index], reach);
  }
  return result;
}

Frees Worlds::freesFrom(int start) const {
  bool isFreed = false, isKept = false, isReturned = false, isWrong = false,
       hasNoEnd = false;
  for (int index : reachable({start})) {
    const WorldNode &node = nodes[index];
    // There may be anything after it.
    if (node.end == WorldNode::End::Open)
      return Frees::Sometimes;
    if (node.end == WorldNode::End::Error)
      isWrong |= node.freedBy != nullptr;
    else if (node.hasNoEnd)
      hasNoEnd = true;
    else if (node.end == WorldNode::End::Done && node.freedBy)
      isFreed = true;
    else if (node.end == WorldNode::End::Done && !node.returned.empty())
      isReturned = true;
    else
      isKept |= node.end != WorldNode::End::Goes;
  }
  if (!isFreed && !isKept && !isReturned)
    return hasNoEnd ? Frees::NoEnd : isWrong ? Frees::Always : Frees::Never;
  if (!isFreed)
    return hasNoEnd && !isKept ? Frees::Returned : Frees::Never;
  return isKept       ? Frees::Sometimes
         : isReturned ? Frees::OrReturned
                      : Frees::Always;
}

SharedFate::Fault Worlds::faultFrom(int start) const {
  bool fails = false, passes = false;
  for (int index : reachable({start})) {
    const WorldNode::End end = nodes[index].end;
    fails |= end == WorldNode::End::Error || end == WorldNode::End::Open;
    passes |= end == WorldNode::End::Done || end == WorldNode::End::Open;
  }
  return !fails   ? SharedFate::Fault::Never
         : passes ? SharedFate::Fault::Sometimes
                  : SharedFate::Fault::Always;
}

} // namespace tpu_mlir::verify_deallocation
