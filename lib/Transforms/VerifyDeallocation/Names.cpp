#include "lib/Transforms/VerifyDeallocation/Names.h"

#include "tpu_mlir/Analysis/MemrefAliases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

/// A value that lives in more chains is taken to be live wherever its
/// definition dominates.
static constexpr size_t kMostChains = 4096;

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
  return views;
}

//===----------------------------------------------------------------------===//
// What an op does
//===----------------------------------------------------------------------===//

static void addEffects(Operation *op, Value value, Touch &touch) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    bool isCall = isa<CallOpInterface>(op);
    touch.accesses |= isCall;
    touch.mayAccess |= !isCall && !isMemoryEffectFree(op);
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
  addEffects(op, value, touch);
  if (allocatesBuffer(op))
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

/// The op counts in its own chain and, for each op around it, in that one's.
void Names::addUse(Tracked &entry, Operation *user,
                   llvm::DenseSet<Operation *> &inside) {
  for (Operation *op = user; flow.contains(op); op = flow.around(op)) {
    if (op != user && !inside.insert(op).second)
      return;
    Point point = flow.pointOf(op);
    entry.uses.push_back({point, op, op != user});
    if (flow.scopeOf(point.chain) != entry.scope)
      continue;
    entry.isLocal &= point.chain == entry.definition.chain;
    return;
  }
}

static bool isBefore(Point a, Point b) {
  return std::pair(a.chain, a.place) < std::pair(b.chain, b.place);
}

/// Its result says as much as its operands do.
static bool isLogic(Operation *op) {
  return isa<arith::XOrIOp, arith::AndIOp, arith::OrIOp, arith::SelectOp>(op) &&
         op->getResult(0).getType().isInteger(1);
}

/// Somebody decides by it, or hands it on to somebody who may.
static bool decides(Operation *op) {
  return Flow::endsBlock(op) || Flow::isOpen(op) || isa<arith::SelectOp>(op);
}

void Names::collectUses(Tracked &entry) {
  bool isCondition = entry.value.getType().isInteger(1);
  SmallVector<Value> open = {entry.value};
  llvm::DenseSet<Value> seen = {entry.value};
  llvm::DenseSet<Operation *> inside;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (!isCondition || (decides(user) && !isLogic(user)))
        addUse(entry, user, inside);
      else if (isLogic(user) && seen.insert(user->getResult(0)).second)
        open.push_back(user->getResult(0));
    }
  }
  // Of several uses by one op, what is inside comes first and stays.
  llvm::sort(entry.uses, [](const Use &a, const Use &b) {
    return a.op == b.op ? a.isInside > b.isInside : isBefore(a.point, b.point);
  });
  entry.uses.erase(
      std::unique(entry.uses.begin(), entry.uses.end(),
                  [](const Use &a, const Use &b) { return a.op == b.op; }),
      entry.uses.end());
}

const Names::Use *Names::nextUse(int id, Point point) {
  const std::vector<Use> &uses = tracked[id].uses;
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
    if (flow.scopeOf(use.point.chain) == entry.scope)
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
