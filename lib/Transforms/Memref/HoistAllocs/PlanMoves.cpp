//===- PlanMoves.cpp - Plan how far each allocation moves -----------------===//
//
// Checks for each loop that no earlier instance is still in use, and stops
// where sizes are not known.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/HoistAllocs/PlanMoves.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::hoisting {

static bool mayFreeSomething(Operation *op, const CallSummaries &calls) {
  auto call = dyn_cast<CallOpInterface>(op);
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<BaseMemRefType>(operand.getType()) &&
           (mayFree(op, operand) || (call && calls.mayFree(call, operand)));
  });
}

bool freesSomething(Operation *root, const CallSummaries &calls) {
  return root
      ->walk([&](Operation *op) {
        return mayFreeSomething(op, calls) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

MovePlanner::MovePlanner(Operation *function, const CallSummaries &calls,
                         const HoistAllocsOptions &options, bool programFrees)
    : function(function), calls(calls), options(options),
      places(function, dominance), programFrees(programFrees) {}

const MemrefUses &MovePlanner::usesOf(Buffer &buffer) {
  if (!flow)
    flow = std::make_unique<Flow>(function);
  if (!buffer.uses)
    buffer.uses = collectUses(buffer.alloc->getResult(0), flow->names,
                              flow->ticks, dominance, &calls);
  return *buffer.uses;
}

/// By one op, in its block, under its own name.
bool MovePlanner::isFreedHere(const Buffer &buffer) const {
  if (buffer.uses->deallocs.size() != 1)
    return false;
  memref::DeallocOp dealloc = buffer.uses->deallocs.front();
  memref::AllocOp alloc = buffer.alloc;
  return dealloc->getBlock() == alloc->getBlock() &&
         dealloc.getMemref() == alloc.getResult();
}

/// Where anything is freed, what leaves the function is so by who gets it: on
/// the paths on which it is handed out, and no other.
bool MovePlanner::isFreed(Buffer &buffer) {
  if (!programFrees)
    return false;
  const MemrefUses &uses = usesOf(buffer);
  return !uses.deallocs.empty() || uses.escape;
}

BlockLoops *MovePlanner::loopsOf(Region *region) {
  if (region->hasOneBlock())
    return nullptr;
  auto &slot = loops[region];
  if (!slot)
    slot = std::make_unique<BlockLoops>(*region, dominance, postDominance);
  return slot.get();
}

/// Nothing moves out of its regions.
static bool isBorder(Operation *op) {
  return isa<FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::IsIsolatedFromAbove>() || isOpaque(op) ||
         (op->hasTrait<OpTrait::AutomaticAllocationScope>() && !isLoop(op));
}

/// Bounds and step say that there is an iteration.
static bool hasIterations(LoopLikeOpInterface loop) {
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!lower || !upper || !step || lower->size() != 1 || upper->size() != 1 ||
      step->size() != 1)
    return false;
  auto from = getConstantIntValue(lower->front()),
       to = getConstantIntValue(upper->front()),
       by = getConstantIntValue(step->front());
  // Where bounds have no sign, a negative one is large.
  return from && to && by && *by > 0 && *from < *to &&
         (*from >= 0 || !loop->hasAttr("unsignedCmp"));
}

/// Whenever the op runs, control gets into the region.
static bool isAlwaysEntered(Operation *op, Region *region) {
  SmallVector<RegionSuccessor> successors;
  cast<RegionBranchOpInterface>(op).getSuccessorRegions(
      RegionBranchPoint::parent(), successors);
  return !successors.empty() &&
         llvm::all_of(successors, [&](const RegionSuccessor &successor) {
           return successor.getSuccessor() == region;
         });
}

bool MovePlanner::runs(Operation *op, Region *region) const {
  if (isAlwaysEntered(op, region))
    return true;
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  return loop && llvm::is_contained(loop.getLoopRegions(), region) &&
         (options.assumeLoopsRun || hasIterations(loop));
}

const MovePlanner::Exit &MovePlanner::exitOf(Region *region) {
  auto [slot, isNew] = exits.try_emplace(region);
  Exit &exit = slot->second;
  if (!isNew)
    return exit;
  Operation *op = region->getParentOp();
  exit.isBorder = isBorder(op);
  exit.isOfLoop = isLoop(op);
  if (!exit.isBorder)
    exit.isEntered =
        exit.isOfLoop ? runs(op, region) : isAlwaysEntered(op, region);
  return exit;
}

//===----------------------------------------------------------------------===//
// Out of loops, at no cost
//===----------------------------------------------------------------------===//

/// It is handed on or kept. That its own loop hands it on under its own name is
/// seen without all names of it, of which there are many in a row of loops.
bool MovePlanner::escapes(Buffer &buffer) {
  if (!buffer.uses && llvm::any_of(buffer.alloc->getUsers(), [](Operation *op) {
        return endsBlock(op) && op->getNumSuccessors() == 0 &&
               isLoop(op->getParentOp()) && !isOpaque(op->getParentOp());
      }))
    return true;
  return usesOf(buffer).escape.has_value();
}

/// One instance does for all iterations.
bool MovePlanner::oneIsEnough(Buffer &buffer, bool isLoopOfBlocks) {
  if (!options.remarks && escapes(buffer)) {
    buffer.obstacle = "it escapes";
    return false;
  }
  const MemrefUses &uses = usesOf(buffer);
  if (uses.escape)
    buffer.obstacle = describe(*uses.escape);
  else if (!uses.deallocs.empty() && !isFreedHere(buffer))
    buffer.obstacle = "it is not freed at one place in its block";
  else if (!uses.deallocs.empty() && isLoopOfBlocks)
    buffer.obstacle = "it is freed in a loop made of blocks";
  return buffer.obstacle.empty();
}

/// From before `at` to the end of a block before the loop of blocks around it;
/// `at` itself when there is none and it always runs, else nullptr.
Operation *MovePlanner::leaveBlocks(Buffer &buffer, Operation *at,
                                    bool &leftALoop) {
  Block *block = at->getBlock();
  BlockLoops *blocks = loopsOf(block->getParent());
  if (!blocks)
    return at;
  if (blocks->isTangled(block)) {
    buffer.obstacle = "its loop can be entered at several blocks";
    return nullptr;
  }
  CFGLoop *loop = blocks->loopOf(block);
  if (!loop)
    return postDominance.postDominates(block, &block->getParent()->front())
               ? at
               : nullptr;
  if (!oneIsEnough(buffer, /*isLoopOfBlocks=*/true))
    return nullptr;
  if (!blocks->isReachedInEach(loop, block, !options.assumeLoopsRun))
    buffer.obstacle = "not every iteration allocates it";
  Block *before = blocks->before(loop);
  if (!before)
    buffer.obstacle = "no block always runs once before its loop";
  else if (!places.dominates(buffer.sizes, before->getTerminator()))
    buffer.obstacle = "its size is computed in the loop";
  if (!buffer.obstacle.empty())
    return nullptr;
  leftALoop = true;
  return before->getTerminator();
}

/// From before `at`, which always runs when its region does, to before the op
/// around it. nullptr: it has to stay.
Operation *MovePlanner::leaveRegion(Buffer &buffer, Operation *at) {
  Operation *parent = at->getParentOp();
  const Exit &exit = exitOf(at->getParentRegion());
  if (exit.isBorder)
    return nullptr;
  if (!exit.isOfLoop)
    return exit.isEntered ? parent : nullptr;
  if (!exit.isEntered)
    buffer.obstacle = "its loop is not known to run";
  else if (oneIsEnough(buffer, /*isLoopOfBlocks=*/false) &&
           !places.dominates(buffer.sizes, parent))
    buffer.obstacle = "its size is computed in the loop";
  return buffer.obstacle.empty() ? parent : nullptr;
}

/// There is a loop around `at`, which could be left if nothing was between.
static bool isInLoop(Operation *at) {
  for (Operation *op = at->getParentOp(); !isBorder(op); op = op->getParentOp())
    if (isLoop(op))
      return true;
  return false;
}

void MovePlanner::leaveLoops(Buffer &buffer) {
  Operation *at = buffer.alloc, *home = nullptr, *loop = nullptr;
  while (true) {
    bool leftALoop = false;
    Operation *next = leaveBlocks(buffer, at, leftALoop);
    if (leftALoop) {
      at = home = next;
      continue;
    }
    if (!next)
      break;
    next = leaveRegion(buffer, next);
    if (!next)
      break;
    if (exitOf(at->getParentRegion()).isOfLoop)
      home = loop = next;
    at = next;
  }
  if (options.remarks && buffer.obstacle.empty() && isInLoop(at))
    buffer.obstacle = "not every iteration allocates it";
  if (options.remarks && !buffer.obstacle.empty())
    emitRemark(buffer.alloc.getLoc())
        << "allocation stays in a loop: " << buffer.obstacle;
  if (!home)
    return;
  places.moveUp(buffer.alloc, home);
  if (!buffer.uses->deallocs.empty())
    frees.push_back({buffer.uses->deallocs.front(), loop});
}

//===----------------------------------------------------------------------===//
// As far up as the sizes allow
//===----------------------------------------------------------------------===//

/// The highest point in the region of `block` from which the block can get the
/// buffer.
Point MovePlanner::top(Buffer &buffer, Block *block) {
  Region *region = block->getParent();
  bool isHere = buffer.sizes.block && buffer.sizes.block->getParent() == region;
  Point best = isHere ? buffer.sizes : Point{&region->front(), nullptr, false};
  BlockLoops *blocks = loopsOf(region);
  if (!blocks)
    return best;
  Point own = best.block == block ? best : Point{block, nullptr, false};
  if (blocks->isTangled(block))
    return own;
  CFGLoop *loop = blocks->loopOf(block);
  if (CFGLoop *other = blocks->loopOf(best.block)) {
    // Never into a loop: that it would be allocated in.
    if (!other->contains(block) || blocks->isTangled(best.block))
      return own;
  } else if (blocks->isTangled(best.block)) {
    return own;
  }
  if (loop && !loop->contains(best.block) && escapes(buffer))
    return loop->getHeader() == block
               ? own
               : Point{loop->getHeader(), nullptr, false};
  return best;
}

void MovePlanner::goUp(Buffer &buffer) {
  Operation *at = buffer.alloc;
  Point best;
  while (true) {
    Region *region = at->getParentRegion();
    best = top(buffer, at->getBlock());
    Operation *parent = region->getParentOp();
    bool isFirst = best.block == &region->front() && !best.op;
    if (!isFirst || exitOf(region).isBorder ||
        !places.dominates(buffer.sizes, parent))
      break;
    if (exitOf(region).isOfLoop && escapes(buffer))
      break;
    at = parent;
  }
  Operation *home = places.behindAllocs(best);
  bool isThere = home->getBlock() == buffer.alloc->getBlock() &&
                 places.number(buffer.alloc) <= places.number(home);
  if (!isThere)
    places.moveUp(buffer.alloc, home);
}

void MovePlanner::plan(memref::AllocOp alloc) {
  if (!dominance.hasSSADominance(alloc->getBlock()))
    return;
  Buffer buffer{alloc, places.earliest(alloc), std::nullopt, ""};
  if (options.mode == HoistMode::Cost || isFreed(buffer))
    leaveLoops(buffer);
  else
    goUp(buffer);
}

void MovePlanner::apply() {
  places.apply();
  DenseMap<Operation *, Operation *> last;
  for (auto [dealloc, loop] : frees) {
    Operation *&place = last[loop];
    dealloc->moveAfter(place ? place : loop);
    place = dealloc;
  }
}

} // namespace tpu_mlir::hoisting
