//===- LiveRanges.cpp - Compute live ranges of storage classes ------------===//
//
// Takes the hull of all writes and reads of a class, widened to whole loops
// and parallel regions where these repeat it.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Tensor/LiveRanges.h"

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace tpu_mlir {

namespace {

/// Steps of one value, from its definition and each of its readers, whose steps
/// are appended to `readSteps`.
class ValueLife {
public:
  ValueLife(const OpSchedule &schedule, Value value,
            std::vector<int64_t> &readSteps)
      : schedule(schedule), value(value), readSteps(readSteps) {
    findDefinition();
    for (Operation *user : value.getUsers())
      addReader(user);
    life.end = std::max(life.end, life.begin + 1);
  }

  Interval life;

private:
  void findDefinition();
  void addReader(Operation *user);
  bool isInside(Operation *owner) const;
  bool runsBody(Operation *op) const {
    auto call = dyn_cast<func::CallOp>(op);
    return call && schedule.callee(call);
  }
  /// The group around an op that runs from local memory.
  Operation *scheduled(Operation *op) const {
    while (op && !schedule.contains(op))
      op = op->getParentOp();
    return op;
  }

  const OpSchedule &schedule;
  Value value;
  std::vector<int64_t> &readSteps;
  /// The innermost op with regions, or call, in which the value is defined.
  Operation *owner = nullptr;
};

} // namespace

void ValueLife::findDefinition() {
  if (Operation *op = value.getDefiningOp()) {
    owner = schedule.enclosing(op);
    Interval steps = schedule.steps(op);
    // A called body has written its results when it returns.
    int64_t begin = runsBody(op) ? steps.end - 1 : steps.begin;
    // Nothing is written before the first of the exclusive regions yields.
    if (regionTiming(op) == RegionTiming::Exclusive &&
        !op->getRegion(0).empty())
      begin = schedule.steps(op->getRegion(0).front().getTerminator()).begin;
    if (isa<tpu::BufferOp>(op) && !value.use_empty()) {
      begin = std::numeric_limits<int64_t>::max();
      for (Operation *user : value.getUsers())
        if (Operation *reader = scheduled(user))
          begin = std::min(begin, schedule.steps(reader).begin);
    }
    life = {begin, begin};
  } else {
    Block *block = value.getParentBlock();
    Operation *parent = block->getParentOp();
    if (isa<func::FuncOp>(parent)) {
      owner = schedule.enclosing(&block->front());
      int64_t begin = owner ? schedule.steps(owner).begin : 0;
      life = {begin, begin};
    } else {
      owner = parent;
      life = {schedule.steps(parent).begin, schedule.steps(parent).begin};
      // Written again before every iteration.
      if (regionTiming(parent) == RegionTiming::Loop)
        life = schedule.steps(parent);
    }
  }
  Operation *around = owner;
  if (owner && regionTiming(owner) != RegionTiming::Loop &&
      regionTiming(owner) != RegionTiming::Parallel)
    around = schedule.repeating(owner);
  for (Operation *op = around; op; op = schedule.repeating(op))
    if (regionTiming(op) == RegionTiming::Parallel) {
      life.begin = std::min(life.begin, schedule.steps(op).begin);
      life.end = std::max(life.end, schedule.steps(op).end);
    }
}

/// An op covers the steps of all that is inside it.
bool ValueLife::isInside(Operation *region) const {
  return owner && schedule.steps(region).contains(schedule.steps(owner));
}

void ValueLife::addReader(Operation *user) {
  user = scheduled(user);
  if (!user)
    return;
  Interval steps = schedule.steps(user);
  // The body of a call reads the argument, not the call itself; a condition is
  // read before any region runs.
  bool readsAtOnce =
      runsBody(user) || regionTiming(user) == RegionTiming::Exclusive;
  int64_t end = readsAtOnce ? steps.begin + 1 : steps.end;
  auto function = dyn_cast<func::FuncOp>(user->getParentOp());
  if (isa<func::ReturnOp>(user) && function && schedule.isEntry(function))
    end = schedule.numSteps();
  for (Operation *op = schedule.repeating(user); op && !isInside(op);
       op = schedule.repeating(op))
    end = std::max(end, schedule.steps(op).end);
  life.end = std::max(life.end, end);
  if (!runsBody(user))
    readSteps.push_back(steps.begin);
}

Interval valueLife(const OpSchedule &schedule, Value value) {
  std::vector<int64_t> readSteps;
  return ValueLife(schedule, value, readSteps).life;
}

std::vector<ClassLife> computeLiveRanges(const OpSchedule &schedule,
                                         const BufferAliases &aliases) {
  std::vector<ClassLife> lives;
  lives.reserve(aliases.classes().size());
  for (const AliasClass &aliasClass : aliases.classes()) {
    ClassLife total;
    total.steps = {std::numeric_limits<int64_t>::max(), 0};
    for (Value value : aliasClass.values) {
      const ValueLife one(schedule, value, total.readSteps);
      total.steps.begin = std::min(total.steps.begin, one.life.begin);
      total.steps.end = std::max(total.steps.end, one.life.end);
      if (value.getDefiningOp<top::InputOp>())
        total.steps.begin = 0;
    }
    llvm::sort(total.readSteps);
    total.readSteps.erase(llvm::unique(total.readSteps), total.readSteps.end());
    if (aliasClass.values.empty())
      total.steps = {0, 0};
    lives.push_back(std::move(total));
  }
  return lives;
}

} // namespace tpu_mlir
