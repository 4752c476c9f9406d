//===- Flow.cpp - Build the chains of a function --------------------------===//
//
// Groups blocks into chains and scopes, so that the order of two ops and the
// scope around both are found without a search.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Model/Flow.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/PostOrderIterator.h"

#include <functional>

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

Flow::Flow(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      addRegion(region);
  });
  for (size_t i = 0; i < chains.size(); ++i)
    connect(static_cast<int>(i));
  for (size_t i = 0; i < chains.size(); ++i)
    findOuter(static_cast<int>(i));
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

static bool isCondition(Type type) { return type.isInteger(1); }

/// The last block of a side of a branch that nothing else leads into; null when
/// it goes to several blocks or out of the region.
Block *Flow::endOfSide(Block *side, Block *from) const {
  Block *end = lastBlock.lookup(side);
  bool isSide = end && !end->empty() && side->getSinglePredecessor() == from &&
                isa<BranchOpInterface>(end->back()) &&
                end->getNumSuccessors() == 1;
  return isSide ? end : nullptr;
}

/// All sides of the branch end in the block, and nothing else leads there.
bool Flow::meetAt(BranchOpInterface branch, Block *block) const {
  Block *from = branch->getBlock();
  if (block == from || !lastBlock.contains(block))
    return false;
  SmallVector<Block *> ends;
  for (Block *side : branch->getSuccessors()) {
    if (side == block) {
      ends.push_back(from);
      continue;
    }
    Block *end = endOfSide(side, from);
    if (!end || end->getSuccessor(0) != block)
      return false;
    ends.push_back(end);
  }
  return llvm::all_of(block->getPredecessors(), [&](Block *before) {
    return llvm::is_contained(ends, before);
  });
}

Block *Flow::whereSidesMeet(BranchOpInterface branch) const {
  for (Block *side : branch->getSuccessors()) {
    if (meetAt(branch, side))
      return side;
    Block *end = endOfSide(side, branch->getBlock());
    if (end && meetAt(branch, end->getSuccessor(0)))
      return end->getSuccessor(0);
  }
  return nullptr;
}

/// The block that always comes after `block`, and after no other. Those
/// after it are known.
Block *Flow::next(Block *block) const {
  auto branch =
      block->empty() ? nullptr : dyn_cast<BranchOpInterface>(&block->back());
  if (!branch || branch->getNumSuccessors() == 0)
    return nullptr;
  if (branch->getNumSuccessors() > 1)
    return whereSidesMeet(branch);
  Block *next = branch->getSuccessor(0);
  // Conditions that change their name on the way would be lost in a chain.
  return next->getSinglePredecessor() == block && lastBlock.contains(next) &&
                 llvm::none_of(next->getArgumentTypes(), isCondition)
             ? next
             : nullptr;
}

void Flow::addRegion(Region &region) {
  if (region.empty())
    return;
  llvm::DenseSet<Block *> follows;
  SmallVector<Block *> known;
  for (Block *block : llvm::post_order(&region.front())) {
    Block *after = next(block);
    known.push_back(block);
    lastBlock[block] = after ? lastBlock.lookup(after) : block;
    if (after) {
      nextBlock[block] = after;
      follows.insert(after);
    }
  }
  for (Block &block : region)
    if (!follows.contains(&block))
      addChain(&block);
  for (Block *block : known)
    markSides(block);
}

void Flow::addChain(Block *head) {
  int index = static_cast<int>(chains.size());
  Chain chain;
  chain.head = head;
  int place = 0;
  for (Block *block = head; block; block = nextBlock.lookup(block)) {
    starts[block] = {index, place};
    for (Operation &op : *block) {
      points[&op] = {index, place++};
      chain.last = &op;
    }
  }
  chains.push_back(std::move(chain));
}

void Flow::markSides(Block *block) {
  Block *end = nextBlock.lookup(block);
  if (!end || block->getNumSuccessors() < 2)
    return;
  for (Block *side : block->getSuccessors())
    if (side != end)
      chains[starts[side].chain].branch = &block->back();
}

std::pair<Operation *, unsigned> Flow::lastOfSide(Operation *branch,
                                                  unsigned side) const {
  Block *block = branch->getSuccessor(side);
  if (block == endOfSides(branch))
    return {branch, side};
  return {&lastBlock.lookup(block)->back(), 0};
}

void Flow::connect(int chain) {
  if (!chains[chain].last)
    return;
  for (Block *block : chains[chain].last->getSuccessors()) {
    int to = starts[block].chain;
    if (scopeOf(to) != scopeOf(chain) ||
        llvm::is_contained(chains[chain].after, to))
      continue;
    chains[chain].after.push_back(to);
    chains[to].before.push_back(chain);
  }
}

const void *Flow::scopeOf(int chain) const {
  if (chains[chain].branch)
    return chains[chain].branch;
  return chains[chain].head->getParent();
}

Operation *Flow::around(int chain) const {
  if (chains[chain].branch)
    return chains[chain].branch;
  return chains[chain].head->getParentOp();
}

/// For a chain and those around it. A leap spans as far as the last two before
/// it if these span the same: the binary counter of skew numbers.
void Flow::findOuter(int chain) {
  SmallVector<int> open;
  for (int at = chain; chains[at].depth < 0;) {
    open.push_back(at);
    Operation *op = around(at);
    if (!contains(op))
      break;
    at = pointOf(op).chain;
  }
  for (int at : llvm::reverse(open)) {
    Chain &own = chains[at];
    Operation *op = around(at);
    if (!contains(op)) {
      own.depth = 0;
      own.leap = own.outer = {at, 0};
      continue;
    }
    own.outer = pointOf(op);
    const Chain &outer = chains[own.outer.chain];
    const Chain &leap = chains[outer.leap.chain];
    own.depth = outer.depth + 1;
    const bool isTwice =
        outer.depth > 0 &&
        outer.depth - leap.depth == leap.depth - chains[leap.leap.chain].depth;
    own.leap = isTwice ? leap.leap : own.outer;
  }
}

/// Outwards until there are no more than `depth` chains around it.
Point Flow::climb(Point point, int depth) const {
  while (chains[point.chain].depth > depth) {
    const Chain &at = chains[point.chain];
    point = chains[at.leap.chain].depth >= depth ? at.leap : at.outer;
  }
  return point;
}

std::optional<Point> Flow::inScopeOf(int chain, Point point) const {
  point = climb(point, chains[chain].depth);
  if (scopeOf(point.chain) != scopeOf(chain))
    return std::nullopt;
  return point;
}

Operation *Flow::inScopeOf(int chain, Operation *op) const {
  const int depth = chains[chain].depth;
  const Point below = climb(pointOf(op), depth + 1);
  if (chains[below.chain].depth > depth)
    op = around(below.chain);
  return contains(op) && scopeOf(pointOf(op).chain) == scopeOf(chain) ? op
                                                                      : nullptr;
}

Point Flow::behind(Operation *op) const {
  Point point = pointOf(op);
  return {point.chain, point.place + 1};
}

Point Flow::definition(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return starts.lookup(argument.getOwner());
  return behind(value.getDefiningOp());
}

bool Flow::endsBlock(Operation *op) {
  if (op->getNextNode())
    return false;
  return op->hasTrait<OpTrait::IsTerminator>() || !op->isRegistered();
}

bool Flow::leadsAnywhere(Operation *op) {
  if (!endsBlock(op))
    return false;
  if (op->getNumSuccessors() > 0)
    return !isa<BranchOpInterface>(op);
  Operation *parent = op->getParentOp();
  return !isa<RegionBranchTerminatorOpInterface>(op) ||
         !(isOpen(parent) || isa<FunctionOpInterface>(parent));
}

bool Flow::isOpen(Operation *op) {
  return op->getNumRegions() > 0 && !isOpaque(op);
}

bool Flow::isClosed(Operation *op) {
  return !isa<FunctionOpInterface>(op) && isOpaque(op) &&
         !llvm::all_of(op->getRegions(),
                       [](Region &region) { return region.empty(); });
}

Value Flow::conditionOf(Operation *op) {
  if (auto branch = dyn_cast<cf::CondBranchOp>(op))
    return branch.getCondition();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return branch.getCondition();
  if (auto end = dyn_cast<scf::ConditionOp>(op))
    return end.getCondition();
  return nullptr;
}

/// Of an op that conditionOf() knows.
static bool leadsThere(Operation *op, RegionSuccessor successor) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch ? successor.getSuccessor() == &branch.getThenRegion()
                : successor.getSuccessor() != nullptr;
}

Edge Flow::regionEdge(Operation *parent, RegionSuccessor successor,
                      OperandRange operands) const {
  Edge edge;
  Region *region = successor.getSuccessor();
  edge.target = region ? starts.lookup(&region->front()) : behind(parent);
  edge.at = region ? &region->front().front() : parent->getNextNode();
  ValueRange inputs = successor.getSuccessorInputs();
  llvm::DenseMap<Value, Value> from;
  for (auto [index, input] : llvm::enumerate(inputs))
    if (index < operands.size())
      from[input] = operands[index];
  auto pass = [&](Value target) {
    edge.passes.emplace_back(target, from.lookup(target));
  };
  if (region)
    llvm::for_each(region->front().getArguments(), pass);
  else
    llvm::for_each(parent->getResults(), pass);
  return edge;
}

Edge Flow::blockEdge(Operation *op, unsigned index) const {
  Edge edge;
  Block *block = op->getSuccessor(index);
  edge.target = starts.lookup(block);
  edge.at = block->empty() ? nullptr : &block->front();
  auto branch = dyn_cast<BranchOpInterface>(op);
  for (BlockArgument argument : block->getArguments())
    edge.passes.emplace_back(
        argument,
        branch ? branch.getSuccessorOperands(index)[argument.getArgNumber()]
               : Value());
  if (isa<cf::CondBranchOp>(op))
    edge.when = index == 0;
  return edge;
}

/// What its results are comes out of its regions, or it waits to run them: one
/// of them does run.
static bool mayBeSkipped(Operation *closed) {
  return !isAsynchronous(closed) &&
         llvm::all_of(closed->getResultTypes(), isPlainType);
}

/// A loop whose bounds say so.
static bool neverRuns(Operation *loop) {
  auto like = dyn_cast<LoopLikeOpInterface>(loop);
  const auto from = like ? like.getLoopLowerBounds() : std::nullopt;
  const auto to = like ? like.getLoopUpperBounds() : std::nullopt;
  if (!from || !to)
    return false;
  for (auto [first, last] : llvm::zip(*from, *to)) {
    const auto begin = getConstantIntValue(first),
               end = getConstantIntValue(last);
    if (begin && end && *begin >= *end)
      return true;
  }
  return false;
}

SmallVector<Edge, 2> Flow::edgesOf(Operation *op) const {
  if (!isClosed(op))
    return edgesOfEnd(op);
  SmallVector<Edge, 2> edges = edgesBehindRegion(op);
  if (!endsBlock(op) && neverRuns(op))
    return {edges.back()};
  if (!endsBlock(op) && !mayBeSkipped(op))
    edges.pop_back();
  return edges;
}

SmallVector<Edge, 2> Flow::edgesBehindRegion(Operation *closed) const {
  SmallVector<Edge, 2> edges;
  auto add = [&](Point target, ValueRange defined) {
    edges.emplace_back();
    edges.back().target = target;
    for (Value value : defined)
      edges.back().passes.emplace_back(value, Value());
  };
  for (Region &region : closed->getRegions())
    if (!region.empty()) {
      Block &start = region.front();
      add(starts.lookup(&start), start.getArguments());
      edges.back().at = start.empty() ? nullptr : &start.front();
    }
  if (!endsBlock(closed)) {
    add(behind(closed), closed->getResults());
    edges.back().at = closed->getNextNode();
    return edges;
  }
  SmallVector<Edge, 2> further = edgesOfEnd(closed);
  if (further.empty())
    further.emplace_back();
  edges.append(further);
  return edges;
}

/// What a loop of a known number of iterations leads to, from in front of it or
/// from the end of its body: one that has none is not entered, one that has
/// some is, and after its only one it is left.
static void dropByTripCount(Operation *loop, bool isEntry,
                            SmallVectorImpl<RegionSuccessor> &successors) {
  auto like = dyn_cast<LoopLikeOpInterface>(loop);
  const auto count = like ? like.getStaticTripCount() : std::nullopt;
  if (!count || loop->getNumRegions() != 1 || (!isEntry && count->ugt(1)))
    return;
  const bool entersBody = isEntry && !count->isZero();
  const auto isTaken = [&](const RegionSuccessor &successor) {
    return (successor.getSuccessor() != nullptr) == entersBody;
  };
  if (llvm::any_of(successors, isTaken))
    llvm::erase_if(successors, std::not_fn(isTaken));
}

/// Of an open op, or one that ends its block.
SmallVector<Edge, 2> Flow::edgesOfEnd(Operation *op) const {
  SmallVector<Edge, 2> edges;
  if (op->getNumSuccessors() > 0) {
    for (unsigned i = 0; i < op->getNumSuccessors(); ++i)
      edges.push_back(blockEdge(op, i));
    return edges;
  }
  if (endsBlock(op) && isClosed(op->getParentOp()))
    return edgesBehindRegion(op->getParentOp());
  SmallVector<Attribute> constants(op->getNumOperands());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    matchPattern(operand, m_Constant(&constants[index]));
  SmallVector<RegionSuccessor> successors;
  auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  bool opens = isOpen(op);
  if (opens)
    cast<RegionBranchOpInterface>(op).getEntrySuccessorRegions(constants,
                                                               successors);
  else if (terminator && isOpen(op->getParentOp()))
    terminator.getSuccessorRegions(constants, successors);
  dropByTripCount(opens ? op : op->getParentOp(), opens, successors);
  for (RegionSuccessor successor : successors) {
    Region *region = successor.getSuccessor();
    if (region && region->empty())
      continue;
    edges.push_back(regionEdge(
        opens ? op : op->getParentOp(), successor,
        opens ? cast<RegionBranchOpInterface>(op).getEntrySuccessorOperands(
                    successor)
              : terminator.getSuccessorOperands(successor)));
    if (conditionOf(op))
      edges.back().when = leadsThere(op, successor);
  }
  return edges;
}

} // namespace tpu_mlir::verify_deallocation
