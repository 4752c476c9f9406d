//===- OpSchedule.cpp - Number the ops of a module ------------------------===//
//
// Walks calls and regions in execution order and gives each op its interval of
// steps.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tpu_mlir {

RegionTiming regionTiming(Operation *op) {
  if (op->getNumRegions() == 0 || isa<tpu::GroupOp>(op))
    return RegionTiming::Leaf;
  if (isa<tpu::IfOp, top::IfOp>(op))
    return RegionTiming::Exclusive;
  if (isa<tpu::LoopOp, top::LoopOp>(op))
    return RegionTiming::Loop;
  return RegionTiming::Parallel;
}

/// Ops that emit no instruction and so take no step.
static bool takesNoStep(Operation *op) {
  return isa<top::NoneOp, top::WeightOp, top::InputOp, tpu::BufferOp>(op);
}

/// Walks the module as the machine does, with a stack of its own: depth of
/// calls and regions is the user's business.
class ScheduleBuilder {
public:
  explicit ScheduleBuilder(ModuleOp module) : module(module), symbols(module) {}
  FailureOr<OpSchedule> run();

private:
  /// A list of blocks that is being walked on behalf of `owner` (null: an
  /// entry function).
  struct Frame {
    Operation *owner;
    func::FuncOp function; ///< Set for the frame of a function's body.
    Operation *repeating;  ///< The nearest loop or parallel op around it.
    SmallVector<Block *> blocks;
    size_t block = 0;
    Block::iterator next;
  };

  void push(Operation *owner, func::FuncOp function, MutableArrayRef<Region>);
  LogicalResult walkFrom(func::FuncOp entry);
  LogicalResult visit(Operation *op);
  LogicalResult enterCall(func::CallOp call);
  LogicalResult enter(Operation *call, func::FuncOp function);
  void pop();

  ModuleOp module;
  SymbolTable symbols;
  OpSchedule schedule;
  std::vector<Frame> stack;
  llvm::DenseSet<Operation *> active; ///< Functions on the stack.
  int64_t step = 0;
};

void ScheduleBuilder::push(Operation *owner, func::FuncOp function,
                           MutableArrayRef<Region> regions) {
  Operation *repeating = stack.empty() ? nullptr : stack.back().repeating;
  if (owner && !function && regionTiming(owner) != RegionTiming::Exclusive)
    repeating = owner;
  Frame frame{owner, function, repeating, {}, 0, {}};
  for (Region &region : regions)
    for (Block &block : region)
      frame.blocks.push_back(&block);
  if (!frame.blocks.empty())
    frame.next = frame.blocks.front()->begin();
  stack.push_back(std::move(frame));
}

void ScheduleBuilder::pop() {
  Frame &frame = stack.back();
  if (frame.owner)
    schedule.stepsOf[frame.owner].end = step;
  if (frame.function)
    active.erase(frame.function);
  stack.pop_back();
}

/// Goes into the body of a function.
LogicalResult ScheduleBuilder::enter(Operation *call, func::FuncOp function) {
  if (!function.getBody().hasOneBlock()) {
    emitCodedError(function.getLoc(), ErrorCode::UnknownOp,
                   "'" + function.getSymName() +
                       "' branches between blocks; planning follows 'If' and "
                       "'Loop' ops only");
    return failure();
  }
  schedule.allFunctions.push_back(function);
  active.insert(function);
  push(call, function, function->getRegions());
  return success();
}

LogicalResult ScheduleBuilder::enterCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee)
    return success();
  if (active.contains(callee)) {
    emitCodedError(call.getLoc(), ErrorCode::CyclicCall,
                   "call of '" + call.getCallee() +
                       "' closes a cycle of calls; tensors of a function "
                       "have one address each, so it cannot call itself");
    return failure();
  }
  auto [caller, isFirst] =
      schedule.callerOf.try_emplace(callee, call.getOperation());
  if (!isFirst) {
    auto diagnostic = emitCodedError(
        call.getLoc(), ErrorCode::SeveralCalls,
        "'" + call.getCallee() +
            "' is called from several places, but its tensors have one "
            "address each; give every call its own copy of the function");
    diagnostic.attachNote(caller->second->getLoc()) << "also called here";
    return failure();
  }
  // A declaration has tensors, too: its arguments and results.
  if (callee.isExternal())
    return success();
  schedule.calleeOf[call] = callee;
  return enter(call, callee);
}

LogicalResult ScheduleBuilder::visit(Operation *op) {
  schedule.order.push_back(op);
  if (Operation *repeating = stack.back().repeating)
    schedule.repeatingOf[op] = repeating;
  if (takesNoStep(op)) {
    schedule.stepsOf[op] = {step, step};
    return success();
  }
  schedule.stepsOf[op] = {step, step + 1};
  ++step;
  if (auto call = dyn_cast<func::CallOp>(op))
    return enterCall(call);
  if (regionTiming(op) != RegionTiming::Leaf)
    push(op, nullptr, op->getRegions());
  return success();
}

LogicalResult ScheduleBuilder::walkFrom(func::FuncOp entry) {
  schedule.entryFunctions.push_back(entry);
  if (failed(enter(nullptr, entry)))
    return failure();
  while (!stack.empty()) {
    Frame &frame = stack.back();
    while (frame.block < frame.blocks.size() &&
           frame.next == frame.blocks[frame.block]->end())
      if (++frame.block < frame.blocks.size())
        frame.next = frame.blocks[frame.block]->begin();
    if (frame.block >= frame.blocks.size()) {
      pop();
      continue;
    }
    if (failed(visit(&*frame.next++)))
      return failure();
  }
  return success();
}

FailureOr<OpSchedule> ScheduleBuilder::run() {
  llvm::DenseSet<StringAttr> called;
  module.walk([&](func::CallOp call) {
    called.insert(call.getCalleeAttr().getAttr());
  });
  SmallVector<func::FuncOp> entries, rest;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    bool isCalled = called.contains(function.getSymNameAttr());
    (isCalled ? rest : entries).push_back(function);
  }
  llvm::stable_sort(entries, [](func::FuncOp a, func::FuncOp b) {
    return (a.getSymName() == "main") > (b.getSymName() == "main");
  });
  for (auto entry : entries)
    if (failed(walkFrom(entry)))
      return failure();
  // Whoever is called but was not reached hangs on a cycle: find it.
  for (auto function : rest)
    if (!schedule.callerOf.count(function) && failed(walkFrom(function)))
      return failure();
  schedule.numStepsTotal = step;
  return schedule;
}

FailureOr<OpSchedule> OpSchedule::build(ModuleOp module) {
  return ScheduleBuilder(module).run();
}

bool OpSchedule::isEntry(func::FuncOp function) const {
  return !callerOf.count(function);
}

Operation *OpSchedule::enclosing(Operation *op) const {
  Operation *parent = op->getParentOp();
  if (parent && isa<func::FuncOp>(parent))
    return callerOf.lookup(parent);
  return parent && isa<ModuleOp>(parent) ? nullptr : parent;
}

/// What takes no step stands at the next one, and a region ends in an op that
/// takes one: right before an op is not inside of it, in its first region is.
bool OpSchedule::isInside(Operation *op, Operation *outer) const {
  const int64_t begin = steps(op).begin;
  return op != outer && steps(outer).begin < begin && begin < steps(outer).end;
}

OpSchedule::Branches OpSchedule::branchesAround(Operation *op) const {
  Branches result;
  result.schedule = this;
  for (Operation *outer = enclosing(op); outer;
       op = outer, outer = enclosing(outer)) {
    if (regionTiming(outer) != RegionTiming::Exclusive)
      continue;
    Region *region = op->getParentRegion();
    result.branches.push_back({outer,
                               {steps(&region->front().front()).begin,
                                steps(&region->back().back()).end}});
  }
  return result;
}

bool OpSchedule::Branches::exclude(Operation *op) const {
  const auto *common = llvm::partition_point(branches, [&](const Branch &one) {
    return !schedule->isInside(op, one.owner);
  });
  return common != branches.end() &&
         !common->steps.contains(schedule->steps(op).begin);
}

SmallVector<ModuleOp> functionModules(ModuleOp root) {
  SmallVector<ModuleOp> found, open = {root};
  while (!open.empty()) {
    ModuleOp module = open.pop_back_val();
    const SmallVector<ModuleOp> inner(module.getOps<ModuleOp>());
    if (inner.empty() || !module.getOps<func::FuncOp>().empty())
      found.push_back(module);
    // The first one is the next.
    llvm::append_range(open, llvm::reverse(inner));
  }
  return found;
}

bool isDynamicFunction(func::FuncOp function) {
  auto mode = tpu::readEnum<tpu::RunModeAttr>(function->getAttr("mode"));
  return mode && *mode != tpu::RunMode::TPU_STATIC &&
         *mode != tpu::RunMode::UNKNOW;
}

Operation *OpSchedule::opAt(int64_t step) const {
  Operation *found = nullptr;
  for (Operation *op : order)
    if (steps(op).contains(step))
      found = op; // The innermost comes last.
  return found;
}

} // namespace tpu_mlir
