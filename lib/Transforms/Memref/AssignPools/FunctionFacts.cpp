//===- FunctionFacts.cpp - Collect the buffers of one function ------------===//
//
// Decides which allocs can be planned, and computes their lives and those of
// the arguments.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/AssignPools/FunctionFacts.h"

#include "lib/Analysis/Memref/Sharing/SharingPairs.h"
#include "lib/Transforms/Memref/AssignPools/Joins.h"

#include "tpu_mlir/Analysis/Memref/Census.h"
#include "tpu_mlir/Analysis/Memref/Nests.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"
#include "tpu_mlir/Support/Bytes.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tpu_mlir::pools {

int64_t addCapped(int64_t a, int64_t b) {
  return std::min(checkedAdd(a, b).value_or(kMostAccesses), kMostAccesses);
}

int64_t multiplyCapped(int64_t a, int64_t b) {
  return std::min(checkedMul(a, b).value_or(kMostAccesses), kMostAccesses);
}

void remarkStays(memref::AllocOp alloc, const Twine &why, Operation *op) {
  InFlightDiagnostic remark = emitRemark(alloc.getLoc());
  remark << "buffer stays: " << why;
  if (op)
    remark.attachNote(op->getLoc()) << "here";
}

namespace {

/// How often a region runs: loops whose number of iterations is not known count
/// once.
int64_t timesRun(int64_t around, Region &region) {
  auto loop = dyn_cast<LoopLikeOpInterface>(region.getParentOp());
  auto trips = loop ? loop.getStaticTripCount() : std::nullopt;
  return trips ? multiplyCapped(around, trips->getLimitedValue(kMostAccesses))
               : around;
}

/// The arguments that are memrefs, then what the allocs make.
std::vector<Value> buffersOf(func::FuncOp function) {
  std::vector<Value> result;
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType()))
      result.push_back(argument);
  llvm::append_range(result, resultsOf(allocsIn(function)));
  return result;
}

/// What the caller of an entry does with one of its allocs.
OutsideUse callersUseOf(memref::AllocOp alloc) {
  const int64_t bits = readInteger(alloc->getAttr(kCallersUse)).value_or(0);
  return {(bits & kPutBefore) != 0, (bits & kSeenAfterwards) != 0};
}

class FactCollector {
public:
  FactCollector(const TreeNode &node, const CallTree &tree,
                const CallSummaries &calls, const AllFacts &callees,
                bool remarks)
      : node(node), tree(tree), calls(calls), callees(callees),
        remarks(remarks), ticks(node.function), flow(node.function),
        dominance(node.function), liveness(ticks, flow),
        census(buffersOf(node.function), flow, ticks, dominance, liveness),
        apart(node.function, isApart), times(node.function, 1, timesRun),
        layout(DataLayout::closest(node.function)) {}

  FunctionFacts run();

private:
  struct Candidate {
    memref::AllocOp alloc;
    std::optional<Stay> stay;
    MemrefSize size;
    MemrefUses uses;
  };

  /// At which tick a callee keeps it, and why.
  using Kept = std::optional<std::pair<int64_t, Stay>>;
  /// What is done with some names here and in what is called.
  struct Accesses {
    Kept kept;
    AccessCount count;
    Accessors accessors;
  };

  Candidate examine(memref::AllocOp alloc);
  std::optional<Stay> examineType(Candidate &candidate);
  std::optional<Stay> examineUses(const MemrefUses &uses) const;
  Kept keptBy(const MemrefUses &uses) const;
  Accesses accessesOf(const MemrefUses &uses);
  void summarize();
  void settleDeallocs();
  void collectCalls(FunctionFacts &facts);
  void traceArguments(FunctionFacts &facts);
  void findCallersAllocs();
  Life lifeOf(Value buffer, const MemrefUses &uses, OutsideUse outside);
  Life lifeOfAlloc(memref::AllocOp alloc, const MemrefUses &uses);
  std::optional<CallPart> callPart(func::CallOp call, const MemrefUses &uses,
                                   const std::vector<Interval> &life,
                                   OutsideUse outside) const;
  bool mayBeLiveIn(Operation *call, const std::vector<Interval> &life,
                   OutsideUse outside) const;
  AccessCount count(const MemrefUses &uses);
  Accessors accessorsOf(const MemrefUses &uses) const;

  const TreeNode &node;
  const CallTree &tree;
  const CallSummaries &calls;
  const AllFacts &callees;
  bool remarks;
  OpTicks ticks;
  BufferViewFlowAnalysis flow;
  DominanceInfo dominance;
  MemrefLiveness liveness;
  MemrefCensus census;
  InnermostAround apart;
  /// How often a region runs when the function does.
  NestFact<int64_t> times;
  DataLayout layout;
  /// When all buffers are there in which a caller has put something.
  Interval allPutBefore;
  std::vector<Candidate> candidates;
  /// By class of the census, if that has classes.
  std::vector<Accesses> summaries;
};

} // namespace

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

std::optional<Stay> FactCollector::examineType(Candidate &candidate) {
  memref::AllocOp alloc = candidate.alloc;
  MemRefType type = alloc.getType();
  if (auto stay = sharing::examineShape(alloc))
    return stay;
  if (type.getMemorySpace())
    return Stay{StayReason::MemorySpace};
  auto size = memrefSize(type, layout);
  if (!size)
    return Stay{StayReason::ElementSize};
  candidate.size = *size;
  if (Operation *around = apart.opAround(alloc))
    return Stay{StayReason::UnknownRegion, around};
  return std::nullopt;
}

std::optional<Stay> FactCollector::examineUses(const MemrefUses &uses) const {
  if (uses.escape)
    return uses.escape;
  Kept kept = keptBy(uses);
  return kept ? std::optional(kept->second) : std::nullopt;
}

FactCollector::Candidate FactCollector::examine(memref::AllocOp alloc) {
  Candidate candidate;
  candidate.alloc = alloc;
  candidate.stay = examineType(candidate);
  if (candidate.stay)
    return candidate;
  candidate.uses = census.uses(alloc.getResult());
  candidate.stay = examineUses(candidate.uses);
  return candidate;
}

void FactCollector::settleDeallocs() {
  std::vector<FreedBuffer> freed;
  for (Candidate &candidate : candidates)
    freed.push_back(
        {candidate.alloc, &candidate.uses.deallocs, &candidate.stay});
  settleSharedDeallocs(freed, flow, node.function);
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

/// Contents reach a call by way of the op before it: one without regions is in
/// the life then, and of one with regions at least what has an access inside.
bool FactCollector::mayBeLiveIn(Operation *call,
                                const std::vector<Interval> &life,
                                OutsideUse outside) const {
  if (Operation *before = call->getPrevNode())
    return anyOverlap(life, {ticks.range(before)});
  return !call->getBlock()->isEntryBlock() ||
         call->getParentOp() != ticks.root() || outside.putBefore;
}

std::optional<CallPart>
FactCollector::callPart(func::CallOp call, const MemrefUses &uses,
                        const std::vector<Interval> &life,
                        OutsideUse outside) const {
  func::FuncOp callee = tree.callee(call);
  auto facts = callee ? callees.find(callee) : callees.end();
  if (facts == callees.end())
    return std::nullopt;
  // By two ways the contents may come in by one and be read by the other.
  std::optional<unsigned> argument;
  for (OpOperand &operand : call->getOpOperands()) {
    if (!llvm::is_contained(uses.names, operand.get()))
      continue;
    if (argument)
      return std::nullopt;
    argument = operand.getOperandNumber();
  }
  if (!argument || !facts->second.arguments[*argument].isTraced)
    return std::nullopt;
  CallPart part;
  part.tick = ticks.of(call);
  part.callee = callee;
  part.argument = *argument;
  part.liveIn = mayBeLiveIn(call, life, outside);
  part.liveOut = anyOverlap(life, {{part.tick + 1, part.tick + 2}});
  if (part.liveIn && part.liveOut)
    return std::nullopt;
  return part;
}

Life FactCollector::lifeOf(Value buffer, const MemrefUses &uses,
                           OutsideUse outside) {
  Life result;
  result.ticks = liveness.life(buffer, uses, outside);
  // In code that is never reached a use may come before the alloc.
  if (result.ticks.empty()) {
    if (!uses.isNeverAccessed())
      result.ticks = {liveness.hull(buffer, uses)};
    return result;
  }
  int64_t last = 0;
  for (const MemrefUses::Access &access : uses.accesses) {
    auto call = dyn_cast<func::CallOp>(access.op);
    if (!call || ticks.of(call) == last)
      continue;
    last = ticks.of(call);
    if (!anyOverlap(result.ticks, {{last, last + 1}}))
      continue;
    if (auto part = callPart(call, uses, result.ticks, outside))
      result.calls.push_back(*part);
  }
  return result;
}

/// Before the function runs they are all there at once.
void FactCollector::findCallersAllocs() {
  Block &entry = ticks.root()->getRegion(0).front();
  for (auto alloc : entry.getOps<memref::AllocOp>())
    if (callersUseOf(alloc).putBefore)
      allPutBefore = {ticks.of(node.function), ticks.range(alloc).end};
}

Life FactCollector::lifeOfAlloc(memref::AllocOp alloc, const MemrefUses &uses) {
  const OutsideUse outside = callersUseOf(alloc);
  Life life = lifeOf(alloc.getResult(), uses, outside);
  if (outside.putBefore) {
    life.ticks.push_back(allPutBefore);
    life.ticks = normalize(std::move(life.ticks));
  }
  return life;
}

void FactCollector::traceArguments(FunctionFacts &facts) {
  for (BlockArgument buffer : ticks.root()->getRegion(0).getArguments()) {
    ArgumentFacts &argument = facts.arguments.emplace_back();
    if (!isa<MemRefType>(buffer.getType()))
      continue;
    MemrefUses uses = census.uses(buffer);
    Accesses accesses = accessesOf(uses);
    argument.accesses = accesses.count;
    argument.accessors = accesses.accessors;
    if (examineUses(uses) || !uses.deallocs.empty())
      continue;
    argument.isTraced = true;
    for (bool liveIn : {false, true})
      for (bool liveOut : {false, true})
        argument.life[liveIn][liveOut] =
            lifeOf(buffer, uses, {liveIn, liveOut});
    // Contents are there from before the function began.
    for (bool liveOut : {false, true}) {
      std::vector<Interval> &life = argument.life[true][liveOut].ticks;
      life.push_back({1, life.empty() ? 2 : life.front().end});
      life = normalize(std::move(life));
    }
  }
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

AccessCount FactCollector::count(const MemrefUses &uses) {
  AccessCount result;
  for (const MemrefUses::Access &access : uses.accesses) {
    int64_t runs = times.around(access.op);
    bool isElement = isa<memref::LoadOp, memref::StoreOp>(access.op) ||
                     access.op->getName().getStringRef() == "affine.load" ||
                     access.op->getName().getStringRef() == "affine.store";
    AccessCount once{!isElement, isElement};
    auto call = dyn_cast<func::CallOp>(access.op);
    func::FuncOp callee = call ? tree.callee(call) : func::FuncOp();
    auto facts = callee ? callees.find(callee) : callees.end();
    if (facts != callees.end()) {
      once = {};
      for (OpOperand &operand : call->getOpOperands())
        if (operand.get() == access.name)
          once = facts->second.arguments[operand.getOperandNumber()].accesses;
    }
    result.wholes = addCapped(result.wholes, multiplyCapped(runs, once.wholes));
    result.elements =
        addCapped(result.elements, multiplyCapped(runs, once.elements));
  }
  return result;
}

void Accessors::add(const Accessors &other) {
  isRead |= other.isRead;
  isWritten |= other.isWritten;
  std::vector<std::string> both;
  std::set_union(targets.begin(), targets.end(), other.targets.begin(),
                 other.targets.end(), std::back_inserter(both));
  targets = std::move(both);
}

/// What `op` does with `name` itself; all, where it does not say.
static Accessors accessOf(Operation *op, Value name, Operation *function) {
  Accessors result{true, true, {}};
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> onName;
    effects.getEffectsOnValue(name, onName);
    auto has = [&](auto isEffect) { return llvm::any_of(onName, isEffect); };
    result.isRead = has([](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Read>(effect.getEffect());
    });
    result.isWritten = has([](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
  }
  if (auto target = function->getAttrOfType<StringAttr>(kTarget))
    result.targets.push_back(target.getValue().str());
  return result;
}

Accessors FactCollector::accessorsOf(const MemrefUses &uses) const {
  Accessors result;
  for (const MemrefUses::Access &access : uses.accesses) {
    auto call = dyn_cast<func::CallOp>(access.op);
    func::FuncOp callee = call ? tree.callee(call) : func::FuncOp();
    auto facts = callee ? callees.find(callee) : callees.end();
    if (facts == callees.end()) {
      result.add(accessOf(access.op, access.name, node.function));
      continue;
    }
    for (OpOperand &operand : call->getOpOperands())
      if (operand.get() == access.name)
        result.add(
            facts->second.arguments[operand.getOperandNumber()].accessors);
  }
  return result;
}

FactCollector::Kept FactCollector::keptBy(const MemrefUses &uses) const {
  if (uses.summary)
    return summaries[census.classes()->of(uses.names.front())].kept;
  for (const MemrefUses::Access &access : uses.accesses)
    if (auto call = dyn_cast<CallOpInterface>(access.op)) {
      if (calls.mayFree(call, access.name))
        return std::pair(ticks.of(call), Stay{StayReason::MayBeFreed, call});
      if (auto stay = calls.mayKeep(call, access.name))
        return std::pair(ticks.of(call), *stay);
    }
  return std::nullopt;
}

FactCollector::Accesses FactCollector::accessesOf(const MemrefUses &uses) {
  if (uses.summary)
    return summaries[census.classes()->of(uses.names.front())];
  return {keptBy(uses), count(uses), accessorsOf(uses)};
}

/// What is reached by several ways counts several times: it is handed on so
/// often that nobody knows better.
void FactCollector::summarize() {
  if (!census.classes())
    return;
  summaries = census.classes()->fold<Accesses>(
      [&](ArrayRef<Value> names) {
        return accessesOf(census.usesOfNames(names));
      },
      [](Accesses &to, const Accesses &from) {
        to.count.wholes = addCapped(to.count.wholes, from.count.wholes);
        to.count.elements = addCapped(to.count.elements, from.count.elements);
        to.accessors.add(from.accessors);
        if (from.kept && (!to.kept || from.kept->first < to.kept->first))
          to.kept = from.kept;
      });
}

void FactCollector::collectCalls(FunctionFacts &facts) {
  for (func::CallOp call : node.calls)
    if (callees.contains(tree.callee(call)))
      facts.calls.push_back(
          {ticks.of(call), tree.callee(call), times.around(call)});
}

FunctionFacts FactCollector::run() {
  FunctionFacts facts;
  facts.function = node.function;
  facts.numTicks = ticks.range(node.function).end - 1;
  collectCalls(facts);
  summarize();
  traceArguments(facts);
  findCallersAllocs();
  if (remarks)
    remarkOtherAllocs(node.function, "buffer stays");
  node.function->walk<WalkOrder::PreOrder>(
      [&](memref::AllocOp alloc) { candidates.push_back(examine(alloc)); });
  settleDeallocs();
  std::vector<const MemrefUses *> uses;
  for (Candidate &candidate : candidates) {
    if (candidate.stay) {
      if (remarks)
        remarkStays(candidate.alloc,
                    candidate.stay->reason == StayReason::MemorySpace
                        ? "its memory space is not that of the pools"
                        : describe(*candidate.stay),
                    candidate.stay->op);
      continue;
    }
    PoolAlloc planned;
    planned.alloc = candidate.alloc;
    planned.size = candidate.size;
    planned.life = lifeOfAlloc(candidate.alloc, candidate.uses);
    Accesses accesses = accessesOf(candidate.uses);
    planned.accesses = accesses.count;
    // So does the caller, all of it each time.
    const OutsideUse outside = callersUseOf(candidate.alloc);
    planned.accesses.wholes =
        addCapped(planned.accesses.wholes,
                  int64_t(outside.putBefore) + int64_t(outside.seenAfterwards));
    planned.accessors = std::move(accesses.accessors);
    // What nobody accesses is in nobody's way, but it has to be somewhere.
    if (planned.life.ticks.empty())
      planned.life.ticks = {ticks.range(candidate.alloc)};
    planned.deallocs.assign(candidate.uses.deallocs.begin(),
                            candidate.uses.deallocs.end());
    facts.allocs.push_back(std::move(planned));
    uses.push_back(&candidate.uses);
  }
  facts.joins = findJoins(facts.allocs, uses, ticks);
  return facts;
}

FunctionFacts collectFacts(const TreeNode &node, const CallTree &tree,
                           const CallSummaries &calls, const AllFacts &callees,
                           bool remarks) {
  return FactCollector(node, tree, calls, callees, remarks).run();
}

} // namespace tpu_mlir::pools
