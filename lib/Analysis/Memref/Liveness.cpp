//===- Liveness.cpp - Compute the lives of allocated memrefs --------------===//
//
// Intersects what is reachable from an access forwards with what leads to one
// backwards, in ticks of the function.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/Liveness.h"

#include "lib/Analysis/Memref/BlockRows.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace tpu_mlir {

MemrefLiveness::MemrefLiveness(const OpTicks &ticks,
                               const BufferViewFlowAnalysis &flow)
    : ticks(ticks), flow(flow), graph(ticks.root()) {}
MemrefLiveness::~MemrefLiveness() = default;

const BlockRows *MemrefLiveness::rows(Region *region) {
  if (region->hasOneBlock())
    return nullptr;
  auto &slot = rowsOf[region];
  if (!slot)
    slot = std::make_unique<BlockRows>(*region, ticks);
  return slot.get();
}

//===----------------------------------------------------------------------===//
// The two walks
//===----------------------------------------------------------------------===//

namespace {

/// The outermost opaque op around `op` that does not hold the origin, if that
/// is given: to the outside, an access inside it is an access by it.
Operation *opaqueAround(Operation *op, Operation *origin,
                        const OpTicks &ticks) {
  Operation *found = nullptr;
  for (Operation *at = op;
       at != ticks.root() && !(origin && ticks.isAround(at, origin));
       at = at->getParentOp())
    if (isOpaque(at))
      found = at;
  return found;
}

bool isWithin(Value value, Operation *op) {
  Region *region = value.getParentRegion();
  return region && op->isAncestor(region->getParentOp());
}

/// Where one name is alive, added to `ticks` by and by.
class NameWalk {
public:
  NameWalk(Value name, const OpTicks &ticks, MemrefLiveness &liveness,
           std::vector<Interval> &alive)
      : ticks(ticks), liveness(liveness), alive(alive) {
    if (auto result = dyn_cast<OpResult>(name)) {
      home = result.getOwner()->getBlock();
      homeBegin = ticks.range(result.getOwner()).end;
    } else {
      home = cast<BlockArgument>(name).getOwner();
      homeBegin = ticks.range(home).begin;
    }
  }

  /// The name is needed in `block` up to `end`.
  void need(Block *block, int64_t end) {
    push(block, end);
    while (!work.empty()) {
      auto [next, nextEnd] = work.pop_back_val();
      visit(next, nextEnd);
    }
  }

private:
  void push(Block *block, int64_t end) { work.push_back({block, end}); }

  void visit(Block *block, int64_t end) {
    auto [slot, isNew] = reached.try_emplace(block, 0);
    if (!isNew && slot->second >= end)
      return;
    slot->second = end;
    int64_t begin = block == home ? homeBegin : ticks.range(block).begin;
    if (begin < end)
      alive.push_back({begin, end});
    if (block != home && isNew)
      pushPredecessors(block);
  }

  void pushPredecessors(Block *block) {
    block = stepBack(block);
    for (int edge : control.node(control.startOf(block)).in) {
      Operation *via = control.edge(edge).via;
      push(via->getBlock(),
           control.isOpen(via) ? ticks.of(via) + 1 : ticks.range(via).end);
    }
    // The name is defined outside of an op that nothing is known about: such
    // uses have been moved to the op itself, unless that holds the origin.
    Operation *parent = block->getParentOp();
    if (block->isEntryBlock() && parent != ticks.root() &&
        !control.isOpen(parent))
      push(parent->getBlock(), ticks.of(parent) + 1);
  }

  /// Over all rows before a gate that one can go through, but no further than
  /// to after the home of the name.
  Block *stepBack(Block *block) {
    const BlockRows *rows = liveness.rows(block->getParent());
    if (!rows || !rows->isGate(block))
      return block;
    size_t row = rows->rowOf(block);
    size_t first = rows->firstThroughTo(row);
    if (home->getParent() == block->getParent())
      first = std::max(first, rows->rowOf(home) + 1);
    if (first >= row)
      return block;
    alive.push_back({rows->range(first).begin, rows->range(row - 1).end});
    // The row of the gate itself may be a loop.
    for (Block *predecessor : block->getPredecessors())
      if (rows->rowOf(predecessor) == row)
        push(predecessor, ticks.range(predecessor).end);
    return rows->gate(first);
  }

  const OpTicks &ticks;
  MemrefLiveness &liveness;
  const ControlGraph &control = liveness.control();
  std::vector<Interval> &alive;
  Block *home = nullptr;
  int64_t homeBegin = 0;
  llvm::SmallDenseMap<Block *, int64_t, 4> reached;
  SmallVector<std::pair<Block *, int64_t>, 8> work;
};

/// Where control gets to after an access, within the ticks of the first walk.
class ContentWalk {
public:
  ContentWalk(const OpTicks &ticks, MemrefLiveness &liveness,
              const std::vector<Interval> &alive)
      : ticks(ticks), liveness(liveness), alive(alive) {}

  void start(Operation *access) {
    update(access->getBlock(), ticks.of(access));
  }
  void start(Block *block) { update(block, ticks.range(block).begin); }

  std::vector<Interval> run() {
    while (!work.empty())
      visit(work.pop_back_val());
    for (auto &[block, begin] : filledFrom)
      addAlive({begin, ticks.range(block).end});
    return normalize(std::move(life));
  }

private:
  void update(Block *block, int64_t begin) {
    auto [slot, isNew] = filledFrom.try_emplace(block, begin);
    if (!isNew && slot->second <= begin)
      return;
    slot->second = begin;
    work.push_back(block);
  }
  /// The part of the first walk that a tick is in; nullptr: none.
  const Interval *partAt(int64_t tick) const {
    auto after = llvm::upper_bound(
        alive, tick, [](int64_t at, Interval life) { return at < life.begin; });
    if (after == alive.begin() || !std::prev(after)->contains(tick))
      return nullptr;
    return &*std::prev(after);
  }
  void addAlive(Interval part) {
    auto first = llvm::partition_point(
        alive, [&](Interval other) { return other.end <= part.begin; });
    for (; first != alive.end() && first->begin < part.end; ++first)
      life.push_back(
          {std::max(first->begin, part.begin), std::min(first->end, part.end)});
  }
  void enter(Block *block) {
    int64_t begin = ticks.range(block).begin;
    if (const Interval *part = partAt(begin))
      if (!stepOver(block, *part))
        update(block, begin);
  }
  /// Over all rows from a gate on that one can go through and that lie in one
  /// part of the first walk: each of their blocks is reached.
  bool stepOver(Block *block, const Interval &part) {
    const BlockRows *rows = liveness.rows(block->getParent());
    if (!rows || !rows->isGate(block))
      return false;
    size_t first = rows->rowOf(block);
    size_t last = rows->lastThroughFrom(first, part.end);
    if (first == last)
      return false;
    if (!steppedOver.insert(block).second)
      return true;
    life.push_back({rows->range(first).begin, rows->range(last - 1).end});
    enter(rows->gate(last));
    return true;
  }
  void visit(Block *block) {
    if (block->empty())
      return;
    for (int edge : control.node(control.pointOf(&block->back()).node).out) {
      const ControlNode &to = control.node(control.edge(edge).to);
      if (!to.behind)
        enter(to.block);
      else if (int64_t behind = ticks.range(to.behind).end; partAt(behind))
        update(to.block, behind);
    }
  }

  const OpTicks &ticks;
  MemrefLiveness &liveness;
  const ControlGraph &control = liveness.control();
  const std::vector<Interval> &alive;
  llvm::SmallDenseMap<Block *, int64_t, 4> filledFrom;
  llvm::SmallPtrSet<Block *, 4> steppedOver;
  std::vector<Interval> life;
  SmallVector<Block *, 8> work;
};

/// The names that lead to an access, by way of others, and `seen`, if there is
/// one.
llvm::SmallDenseSet<Value, 8> usefulNames(const MemrefUses &uses, Value seen,
                                          const BufferViewFlowAnalysis &flow) {
  llvm::SmallDenseSet<Value, 8> useful;
  if (seen)
    useful.insert(seen);
  for (const MemrefUses::Access &access : uses.accesses)
    useful.insert(access.name);
  // Mostly in the order of their definitions: few rounds from the back.
  for (bool changed = true; changed;) {
    changed = false;
    for (Value name : llvm::reverse(uses.names)) {
      if (useful.contains(name))
        continue;
      auto found = flow.find(name);
      if (found != flow.end() && llvm::any_of(found->second, [&](Value next) {
            return useful.contains(next);
          }))
        changed |= useful.insert(name).second;
    }
  }
  return useful;
}

} // namespace

/// Where names are needed, disjoint.
std::vector<Interval> MemrefLiveness::alive(ArrayRef<Value> names,
                                            const UsersOf &usersOf,
                                            Operation *origin) {
  std::vector<Interval> result;
  for (Value name : names) {
    auto users = usersOf.find(name);
    if (users == usersOf.end())
      continue;
    NameWalk walk(name, ticks, *this, result);
    for (auto [user, end] : users->second) {
      Operation *opaque = opaqueAround(user, origin, ticks);
      if (!opaque)
        walk.need(user->getBlock(), end);
      else if (!isWithin(name, opaque))
        walk.need(opaque->getBlock(), ticks.range(opaque).end);
      // A name inside such an op is part of an access by the op.
      else if (!origin)
        result.push_back(ticks.range(opaque));
    }
  }
  return normalize(std::move(result));
}

Interval MemrefLiveness::span(const MemrefUses &uses) {
  UsersOf usersOf;
  for (const MemrefUses::Access &access : uses.accesses)
    usersOf[access.name].push_back({access.op, ticks.range(access.op).end});
  for (const MemrefForward &forward : uses.forwards)
    usersOf[forward.from].push_back({forward.op, ticks.of(forward.op) + 1});
  std::vector<Interval> parts = alive(uses.names, usersOf, nullptr);
  return parts.empty() ? Interval{}
                       : Interval{parts.front().begin, parts.back().end};
}

/// A life as one interval with what others do before and after `region`.
static Interval widened(Interval life, Region &region, OutsideUse outside,
                        const OpTicks &ticks) {
  const Interval all = ticks.range(region.getParentOp());
  if (life.empty())
    life = {all.end - 1, all.end};
  if (outside.putBefore)
    life.begin = all.begin + 1;
  if (outside.seenAfterwards)
    life.end = all.end;
  return life;
}

/// The ops at which control leaves a region.
static SmallVector<Operation *> exitsOf(Region &region) {
  SmallVector<Operation *> exits;
  for (Block &block : region)
    if (!block.empty() && block.back().getNumSuccessors() == 0)
      exits.push_back(&block.back());
  return exits;
}

std::vector<Interval> MemrefLiveness::life(Value buffer, const MemrefUses &uses,
                                           OutsideUse outside) {
  if (uses.isNeverAccessed() && !outside.seenAfterwards)
    return {};
  Region &region = *buffer.getParentRegion();
  if (uses.summary)
    return {widened(uses.summary->life, region, outside, ticks)};
  SmallVector<Operation *> exits;
  if (outside.seenAfterwards)
    exits = exitsOf(region);
  llvm::SmallDenseSet<Value, 8> useful =
      usefulNames(uses, exits.empty() ? Value() : buffer, flow);
  // Whoever accesses it needs it all the time, who hands it on once.
  UsersOf usersOf;
  for (const MemrefUses::Access &access : uses.accesses)
    usersOf[access.name].push_back({access.op, ticks.range(access.op).end});
  for (const MemrefForward &forward : uses.forwards)
    if (useful.contains(forward.from) && leadsOn(forward, useful))
      usersOf[forward.from].push_back({forward.op, ticks.of(forward.op) + 1});

  for (Operation *exit : exits)
    usersOf[buffer].push_back({exit, ticks.of(exit) + 1});

  Operation *origin = ownerOf(buffer);
  std::vector<Interval> needed = alive(uses.names, usersOf, origin);
  ContentWalk content(ticks, *this, needed);
  for (const MemrefUses::Access &access : uses.accesses) {
    Operation *opaque = opaqueAround(access.op, origin, ticks);
    content.start(opaque ? opaque : access.op);
  }
  if (outside.putBefore)
    content.start(&region.front());
  for (Operation *exit : exits)
    content.start(exit);
  return content.run();
}

/// A terminator hands on to several names, a view to one: some of them count.
/// What else a name is handed on to may be much: a buffer has many views.
bool MemrefLiveness::leadsOn(
    const MemrefForward &forward,
    const llvm::SmallDenseSet<Value, 8> &useful) const {
  auto found = flow.find(forward.from);
  if (found == flow.end())
    return false;
  const auto counts = [&](Value next) {
    return useful.contains(next) && found->second.contains(next);
  };
  if (llvm::any_of(forward.op->getResults(), counts))
    return true;
  if (!endsBlock(forward.op))
    return llvm::any_of(forward.op->getRegions(), [&](Region &region) {
      return llvm::any_of(region, [&](Block &block) {
        return llvm::any_of(block.getArguments(), counts);
      });
    });
  Operation *parent = forward.op->getParentOp();
  return llvm::any_of(found->second, [&](Value next) {
    if (!useful.contains(next))
      return false;
    auto argument = dyn_cast<BlockArgument>(next);
    return parent == (argument ? argument.getOwner()->getParentOp()
                               : next.getDefiningOp());
  });
}

Interval MemrefLiveness::hull(Value buffer, const MemrefUses &uses) const {
  if (uses.summary)
    return uses.summary->life;
  Operation *origin = ownerOf(buffer);
  SmallVector<Operation *> touches;
  for (const MemrefUses::Access &access : uses.accesses)
    touches.push_back(access.op);
  for (const MemrefForward &forward : uses.forwards)
    if (endsBlock(forward.op) && forward.op->getNumSuccessors() == 0)
      touches.push_back(forward.op);
  Interval all{std::numeric_limits<int64_t>::max(), 0};
  for (Operation *op : touches)
    all = {std::min(all.begin, ticks.of(op)),
           std::max(all.end, ticks.of(op) + 1)};
  if (touches.empty())
    return {};
  Interval result = all;
  for (Operation *op : touches)
    for (Operation *around = op->getParentOp(); around != ticks.root();
         around = around->getParentOp()) {
      // So is what is around that.
      if (ticks.isAround(around, origin) && ticks.range(around).contains(all))
        break;
      result.begin = std::min(result.begin, ticks.range(around).begin);
      result.end = std::max(result.end, ticks.range(around).end);
    }
  return result;
}

} // namespace tpu_mlir
