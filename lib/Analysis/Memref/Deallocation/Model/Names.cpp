//===- Names.cpp - Classify the uses of memrefs ---------------------------===//
//
// What each op does to a buffer that it is given: reads, writes, frees, stores
// elsewhere or passes on.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Model/Names.h"

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

/// A value that lives in more chains is taken to be live wherever its
/// definition dominates.
static constexpr size_t kMostChains = 4096;
/// Views of views that are followed to see whether they are used for more than
/// reading and writing.
static constexpr int kMostViews = 16;

static bool isMemref(Value value) {
  return isa<BaseMemRefType>(value.getType());
}

SmallVector<Value, 1> viewsOf(Operation *op, Value value) {
  SmallVector<Value, 1> views;
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  if (view && view.getViewSource() == value)
    for (Value result : op->getResults())
      if (isMemref(result))
        views.push_back(result);
  // One view of each operand.
  if (auto distinct = dyn_cast<memref::DistinctObjectsOp>(op))
    for (auto [operand, result] :
         llvm::zip(distinct.getOperands(), distinct.getResults()))
      if (operand == value)
        views.push_back(result);
  return views;
}

//===----------------------------------------------------------------------===//
// What an op does
//===----------------------------------------------------------------------===//

bool movesElement(Operation *op, Value memref) {
  auto store = dyn_cast<memref::StoreOp>(op);
  return isa<memref::LoadOp>(op) ||
         (store && store.getValueToStore() != memref);
}

static void addEffects(Operation *op, Value value, const Callees &callees,
                       Touch &touch) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects && isa<CallOpInterface>(op)) {
    if (callees.uses)
      touch.add(callees.uses(op, value));
    else
      touch.accesses = true;
    return;
  }
  if (!effects) {
    touch.mayAccess |= !isMemoryEffectFree(op);
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects(found);
  for (const MemoryEffects::EffectInstance &effect : found) {
    if (effect.getValue() && effect.getValue() != value)
      continue;
    // What is allocated is something else.
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    touch.accesses = true;
    touch.mayFree |= isa<MemoryEffects::Free>(effect.getEffect());
  }
}

/// An op passes on to what is inside whether it is in an asynchronous one.
static bool isIn(bool around, Operation *op) {
  return !op->hasTrait<OpTrait::IsIsolatedFromAbove>() &&
         (around || isAsynchronous(op));
}

AsynchronousNest::AsynchronousNest(Operation *function)
    : NestFact(function, false, [](bool around, Region &region) {
        return isIn(around, region.getParentOp());
      }) {}

bool AsynchronousNest::contains(Operation *op) { return isIn(around(op), op); }

void Touch::add(const Touch &other) {
  accesses |= other.accesses;
  keeps |= other.keeps;
  mayFree |= other.mayFree;
  mayAccess |= other.mayAccess;
  starts |= other.starts;
}

Touch touchOf(Operation *op, Value value, const Callees &callees,
              AsynchronousNest &asynchronous) {
  Touch touch;
  if (!llvm::is_contained(op->getOperands(), value))
    return touch;
  // It does not say so in its effects.
  touch.mayFree |= isa<bufferization::DeallocOp>(op);
  if (asynchronous.contains(op)) {
    touch.accesses = touch.keeps = true;
    return touch;
  }
  addEffects(op, value, callees, touch);
  if (allocatesBuffer(op) || movesElement(op, value))
    return touch;
  bool returnsNone = llvm::all_of(op->getResults(), [&](OpResult result) {
    if (isPlainType(result.getType()))
      return true;
    Returns returns = callees.returns(result, value);
    return returns == Returns::Never || returns == Returns::Always;
  });
  touch.keeps |=
      mayKeepOperands(op) || (isa<CallOpInterface>(op) && !returnsNone);
  return touch;
}

//===----------------------------------------------------------------------===//
// Where values are used
//===----------------------------------------------------------------------===//

static bool isCondition(Value value) { return value.getType().isInteger(1); }

static bool isBefore(Point a, Point b) {
  return std::pair(a.chain, a.place) < std::pair(b.chain, b.place);
}

/// Somebody decides by it, or hands it on to somebody who may.
static bool decides(Operation *op) {
  return Flow::endsBlock(op) || Flow::isOpen(op) ||
         isa<arith::SelectOp, cf::AssertOp>(op);
}

/// Nobody outside of the op that is around both knows more when it is known.
static bool isOfBlock(Literal condition, Block *block) {
  Operation *op = condition.root ? condition.root.getDefiningOp() : nullptr;
  return condition.root && condition.root.getParentBlock() == block &&
         !(op && Conditions::isLogic(op));
}

static bool isMarkerBefore(const Names::Marker &marker, int place) {
  return marker.place < place;
}

Names::Names(const Flow &flow, Operation *function, const Waits &waits)
    : asynchronous(function), flow(flow), waits(waits), dominance(function),
      logic(function, flow, dominance) {
  llvm::DenseSet<Operation *> around;
  function->walk([&](Operation *op) {
    addMarkers(op);
    Value condition = Flow::conditionOf(op);
    if (!condition)
      return;
    teachers.insert(op);
    if (!isOfBlock(logic.literalOf(condition), op->getBlock()))
      for (; op && around.insert(op).second; op = op->getParentOp())
        teachers.insert(op);
  });
}

/// What waits may do so where nobody looks, as nothing there uses the buffer.
void Names::addMarkers(Operation *op) {
  const bool isWait = waits.is(op);
  if (!isWait && !isa<cf::AssertOp>(op))
    return;
  for (; flow.contains(op); op = isWait ? op->getParentOp() : nullptr) {
    const Point at = flow.pointOf(op);
    std::vector<Marker> &known = markers[at.chain];
    auto place = llvm::lower_bound(known, at.place, isMarkerBefore);
    if (place == known.end() || place->op != op)
      known.insert(place, {at.place, op});
  }
}

ArrayRef<Names::Marker> Names::markersIn(int chain, int from, int until) const {
  auto found = markers.find(chain);
  if (found == markers.end())
    return {};
  const std::vector<Marker> &all = found->second;
  auto first = llvm::lower_bound(all, from, isMarkerBefore);
  auto last = std::lower_bound(first, all.end(), until, isMarkerBefore);
  return ArrayRef(all).slice(first - all.begin(), last - first);
}

bool Names::mayTeach(Operation *op) const {
  return teachers.contains(op) ||
         llvm::any_of(op->getResults(),
                      [](Value result) { return isCondition(result); });
}

int Names::find(Value value) const {
  auto found = ids.find(value);
  return found == ids.end() ? -1 : found->second;
}

int Names::idOf(Value value) {
  auto [found, isNew] =
      ids.try_emplace(value, static_cast<int>(tracked.size()));
  if (isNew) {
    tracked.emplace_back();
    Tracked &entry = tracked.back();
    entry.value = value;
    entry.definition = flow.definition(value);
    entry.scope = flow.scopeOf(entry.definition.chain);
    collectUses(entry);
  }
  return found->second;
}

/// Those that matter: for an i1, also those of what is computed from it.
SmallVector<Operation *> Names::usersOf(Value start) const {
  if (!isCondition(start))
    return SmallVector<Operation *>(start.getUsers());
  SmallVector<Operation *> users;
  SmallVector<Value> open = {start};
  llvm::DenseSet<Value> seen = {start};
  auto addUsersOf = [&](Value name) {
    for (Operation *user : name.getUsers()) {
      if (!Conditions::isLogic(user)) {
        if (decides(user))
          users.push_back(user);
        continue;
      }
      Value root = logic.literalOf(user->getResult(0)).root;
      if (root && seen.insert(root).second)
        open.push_back(root);
    }
  };
  while (!open.empty()) {
    Value root = open.pop_back_val();
    addUsersOf(root);
    llvm::for_each(logic.namesOf(root), addUsersOf);
  }
  return users;
}

/// Of what is used, and of all its views, there is nothing but loads, stores
/// and the like.
bool Names::onlyAccesses(Operation *user, Value value) {
  auto returns = [](OpResult, Value) { return Returns::Unknown; };
  auto frees = [](Operation *, Value) { return Frees::Never; };
  struct Open {
    Operation *op;
    Value value;
    int depth;
  };
  SmallVector<Open> open = {{user, value, 0}};
  while (!open.empty()) {
    auto [op, name, depth] = open.pop_back_val();
    SmallVector<Value, 1> views = viewsOf(op, name);
    for (Value view : views)
      for (Operation *further : view.getUsers())
        open.push_back({further, view, depth + 1});
    if (!views.empty() && depth < kMostViews)
      continue;
    if (isa<CallOpInterface, BranchOpInterface, arith::SelectOp>(op) ||
        Flow::endsBlock(op) || Flow::forks(op) || Flow::isClosed(op))
      return false;
    Touch touch = touchOf(op, name, {returns, frees}, asynchronous);
    if (!views.empty() || touch.keeps || touch.mayFree)
      return false;
  }
  return true;
}

/// Each op once, whose uses are all of that kind.
static void mergeUses(std::vector<Names::Use> &uses) {
  llvm::stable_sort(uses, [](const Names::Use &a, const Names::Use &b) {
    return isBefore(a.point, b.point);
  });
  size_t count = 0;
  for (const Names::Use &use : uses) {
    if (count == 0 || uses[count - 1].op != use.op) {
      uses[count++] = use;
      continue;
    }
    uses[count - 1].isInside |= use.isInside;
    uses[count - 1].isPlain &= use.isPlain;
  }
  uses.erase(uses.begin() + count, uses.end());
}

void Names::collectUses(Tracked &entry) {
  for (Operation *user : usersOf(entry.value)) {
    Operation *op = flow.inScopeOf(entry.definition.chain, user);
    if (!op)
      continue;
    const bool isInside = op != user;
    entry.uses.push_back({flow.pointOf(op), op, isInside,
                          isInside && !isCondition(entry.value) &&
                              onlyAccesses(user, entry.value)});
    entry.isLocal &= entry.uses.back().point.chain == entry.definition.chain;
  }
  mergeUses(entry.uses);
}

/// An op counts in its own chain and, for each op around it, in that one's.
std::vector<Names::Use> Names::collectInnerUses(const Tracked &entry) {
  std::vector<Use> uses;
  llvm::DenseSet<Operation *> inside, notPlain;
  auto forEachAround = [&](Operation *op, auto visit) {
    for (; flow.contains(op) &&
           flow.scopeOf(flow.pointOf(op).chain) != entry.scope;
         op = flow.around(op))
      if (!visit(op))
        return;
  };
  SmallVector<Operation *> users = usersOf(entry.value);
  for (Operation *user : users)
    if (isCondition(entry.value) || !onlyAccesses(user, entry.value))
      forEachAround(user,
                    [&](Operation *op) { return notPlain.insert(op).second; });
  for (Operation *user : users)
    forEachAround(user, [&](Operation *op) {
      if (op != user && !inside.insert(op).second)
        return false;
      uses.push_back({flow.pointOf(op), op, op != user,
                      op != user && !notPlain.contains(op)});
      return true;
    });
  mergeUses(uses);
  return uses;
}

const Names::Use *Names::nextUse(int id, Point point) {
  Tracked &entry = tracked[id];
  const bool isInner = flow.scopeOf(point.chain) != entry.scope;
  if (isInner && !entry.innerUses)
    entry.innerUses = collectInnerUses(entry);
  const std::vector<Use> &uses = isInner ? *entry.innerUses : entry.uses;
  auto use = llvm::lower_bound(uses, point, [](const Use &use, Point point) {
    return isBefore(use.point, point);
  });
  return use != uses.end() && use->point.chain == point.chain ? &*use : nullptr;
}

void Names::collectChains(Tracked &entry) {
  entry.knowsChains = true;
  SmallVector<int> open;
  auto add = [&](int chain) {
    if (chain != entry.definition.chain && entry.liveIn.insert(chain).second)
      open.push_back(chain);
  };
  for (const Use &use : entry.uses)
    add(use.point.chain);
  while (!open.empty() && !entry.isWide) {
    int chain = open.pop_back_val();
    for (int before : flow.before(chain))
      add(before);
    entry.isWide = entry.liveIn.size() > kMostChains;
  }
}

bool Names::isLiveBehind(Tracked &entry, int chain) {
  if (entry.isLocal)
    return false;
  if (!entry.knowsChains)
    collectChains(entry);
  return llvm::any_of(flow.after(chain), [&](int next) {
    if (next == entry.definition.chain)
      return false;
    return entry.isWide ? dominance.dominates(entry.value.getParentBlock(),
                                              flow.headOf(next))
                        : entry.liveIn.contains(next);
  });
}

bool Names::isLive(int id, Point point) {
  Tracked &entry = tracked[id];
  auto at = flow.inScopeOf(entry.definition.chain, point);
  if (!at || (at->chain == entry.definition.chain &&
              at->place < entry.definition.place))
    return false;
  return nextUse(id, *at) || isLiveBehind(entry, at->chain);
}

} // namespace tpu_mlir::verify_deallocation
