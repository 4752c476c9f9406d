//===- Census.cpp - Collect the uses of all buffers at once ---------------===//
//
// Where buffers have names in common, classes of names are visited once
// instead of once for each buffer.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Memref/Census.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

#include "llvm/ADT/SCCIterator.h"

#include <deque>

using namespace mlir;

namespace {

/// A name and those it is handed on to, for LLVM's walk of graphs.
struct FlowNode {
  Value name;
  SmallVector<FlowNode *, 2> next;
};

} // namespace

template <> struct llvm::GraphTraits<FlowNode *> {
  using NodeRef = FlowNode *;
  using ChildIteratorType = SmallVectorImpl<FlowNode *>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->next.begin();
  }
  static ChildIteratorType child_end(NodeRef node) { return node->next.end(); }
};

namespace tpu_mlir {

/// Buffers with at most so many names are always followed through each.
static constexpr size_t kFewNames = 64;
/// So are all, when they have no more names than this and a few times those
/// that are handed on.
static constexpr size_t kManyNames = size_t(1) << 17;
static constexpr size_t kTimesFollowed = 4;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

AliasClasses::AliasClasses(ArrayRef<Value> buffers,
                           const BufferViewFlowAnalysis &flow) {
  std::deque<FlowNode> nodes(1);
  llvm::DenseMap<Value, FlowNode *> nodeOf;
  auto reach = [&](FlowNode &from, Value name) {
    FlowNode *&node = nodeOf[name];
    if (!node)
      node = &nodes.emplace_back(FlowNode{name, {}});
    from.next.push_back(node);
  };
  for (Value buffer : buffers)
    reach(nodes.front(), buffer);
  for (size_t at = 1; at < nodes.size(); ++at)
    if (auto found = flow.find(nodes[at].name); found != flow.end())
      for (Value next : found->second)
        reach(nodes[at], next);

  // What a circle leads to comes before it, the node without a name last.
  for (auto circle = llvm::scc_begin(&nodes.front()); !circle.isAtEnd();
       ++circle) {
    Class one;
    for (FlowNode *node : *circle) {
      one.names.push_back(node->name);
      classOf[node->name] = classes.size();
    }
    for (FlowNode *node : *circle)
      for (FlowNode *next : node->next)
        if (size_t other = of(next->name); other != classes.size())
          one.next.push_back(other);
    llvm::sort(one.next);
    one.next.erase(llvm::unique(one.next), one.next.end());
    if (one.names.front())
      classes.push_back(std::move(one));
  }
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// Numbers results and arguments so that a name which is there whenever another
/// one is defined has a lower number.
static void number(Region &region, llvm::DenseMap<Value, int64_t> &positions,
                   int64_t &next) {
  for (Block *block : getBlocksSortedByDominance(region)) {
    for (BlockArgument argument : block->getArguments())
      positions[argument] = next;
    ++next;
    for (Operation &op : *block) {
      for (Region &inner : op.getRegions())
        number(inner, positions, next);
      for (OpResult result : op.getResults())
        positions[result] = next;
      ++next;
    }
  }
}

MemrefCensus::MemrefCensus(ArrayRef<Value> buffers,
                           const BufferViewFlowAnalysis &flow,
                           const OpTicks &ticks, DominanceInfo &dominance,
                           MemrefLiveness &liveness, const CallSummaries *calls)
    : flow(flow), ticks(ticks), dominance(dominance), liveness(liveness),
      calls(calls) {
  size_t left = kManyNames +
                kTimesFollowed * std::distance(flow.begin(), flow.end()) +
                buffers.size();
  for (Value buffer : buffers)
    left -= countNames(buffer, left);
  if (left > 0)
    return;
  shared = std::make_unique<AliasClasses>(buffers, flow);
  int64_t next = 0;
  for (Region &region : ticks.root()->getRegions())
    number(region, positions, next);
  summaries = shared->fold<NameSummary>(
      [&](ArrayRef<Value> names) { return summarize(names); },
      [&](NameSummary &to, const NameSummary &from) { add(to, from); });
}

/// At most `most`, itself included.
size_t MemrefCensus::countNames(Value buffer, size_t most) const {
  llvm::SmallDenseSet<Value, 8> seen = {buffer};
  SmallVector<Value> open = {buffer};
  while (!open.empty() && seen.size() < most)
    if (auto found = flow.find(open.pop_back_val()); found != flow.end())
      for (Value next : found->second)
        if (seen.insert(next).second)
          open.push_back(next);
  return std::min<size_t>(seen.size(), most);
}

static void widen(Interval &to, Interval by) {
  if (to.empty())
    to = by;
  else if (!by.empty())
    to = {std::min(to.begin, by.begin), std::max(to.end, by.end)};
}

static void keepFirst(std::optional<Stay> &to, const std::optional<Stay> &other,
                      const OpTicks &ticks) {
  auto key = [&](const Stay &stay) {
    return std::pair(stay.op ? ticks.of(stay.op) : 0, stay.reason);
  };
  if (other && (!to || key(*other) < key(*to)))
    to = other;
}

NameSummary MemrefCensus::summarize(ArrayRef<Value> names) {
  MemrefUses own = usesOfNames(names);
  NameSummary result;
  result.escape = own.escape;
  result.deallocs.assign(own.deallocs.begin(), own.deallocs.end());
  result.homes = own.homes(ticks);
  for (Value name : names) {
    int64_t position = positions.lookup(name);
    if (!result.first || position < result.firstPosition) {
      result.first = name;
      result.firstPosition = position;
    }
  }
  if (own.escape)
    return result;
  MemrefUses forwards = own;
  forwards.accesses.clear();
  result.handedOn = liveness.span(forwards);
  // In a circle what is handed on comes back.
  if (names.size() == 1)
    own.forwards.clear();
  if (!own.accesses.empty())
    result.life = liveness.span(own);
  return result;
}

void MemrefCensus::add(NameSummary &to, const NameSummary &from) const {
  keepFirst(to.escape, from.escape, ticks);
  if (!from.life.empty())
    widen(to.life, to.handedOn);
  widen(to.life, from.life);
  widen(to.homes, from.homes);
  if (from.firstPosition < to.firstPosition) {
    to.first = from.first;
    to.firstPosition = from.firstPosition;
  }
  to.deallocs.append(from.deallocs);
  llvm::sort(to.deallocs, [&](Operation *a, Operation *b) {
    return ticks.of(a) < ticks.of(b);
  });
  to.deallocs.erase(llvm::unique(to.deallocs), to.deallocs.end());
}

MemrefUses MemrefCensus::uses(Value buffer) {
  if (!shared || countNames(buffer, kFewNames + 1) <= kFewNames)
    return collectUses(buffer, flow, ticks, dominance, calls);
  const NameSummary &summary = summaries[shared->of(buffer)];
  MemrefUses result;
  result.summary = &summary;
  result.names = {buffer};
  result.escape = summary.escape;
  result.deallocs.assign(summary.deallocs.begin(), summary.deallocs.end());
  // As collectUses() has it: what an earlier run made may go by that name.
  Operation *owner = ownerOf(summary.first);
  if (summary.firstPosition < positions.lookup(buffer))
    keepFirst(result.escape,
              Stay{isLoop(owner) ? StayReason::LoopYield : StayReason::Outlives,
                   owner},
              ticks);
  return result;
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

namespace {

/// Whether deallocs may go, each looked at again only after a buffer stays.
class DeallocJudge {
public:
  DeallocJudge(ArrayRef<FreedBuffer> buffers,
               const BufferViewFlowAnalysis &flow, Operation *function)
      : buffers(buffers), flow(flow), function(function) {
    for (auto [index, buffer] : llvm::enumerate(buffers))
      indexOf[buffer.alloc] = index;
  }

  bool mayGo(memref::DeallocOp dealloc) {
    auto [found, isNew] = verdicts.try_emplace(dealloc);
    Verdict &verdict = found->second;
    if (isNew)
      findBuffers(dealloc, verdict);
    if (verdict.mayGo && verdict.numStays != numStays) {
      verdict.numStays = numStays;
      verdict.mayGo = llvm::all_of(verdict.buffers, [&](size_t index) {
        return !*buffers[index].stay &&
               buffers[index].place == buffers[verdict.buffers.front()].place;
      });
    }
    return verdict.mayGo;
  }
  void buffersStay() { ++numStays; }

private:
  struct Verdict {
    bool mayGo = true;
    size_t numStays = 0;
    SmallVector<size_t> buffers;
  };

  void findBuffers(memref::DeallocOp dealloc, Verdict &verdict) {
    for (Value origin : flow.resolveReverse(dealloc.getMemref())) {
      Operation *op = origin.getDefiningOp();
      bool isOfFunction = !op && ownerOf(origin) == function;
      auto found = indexOf.find(op);
      if (found != indexOf.end())
        verdict.buffers.push_back(found->second);
      if (mayBeAnyBuffer(origin) ||
          ((flow.mayBeTerminalBuffer(origin) || isOfFunction) &&
           found == indexOf.end()))
        verdict.mayGo = false;
    }
  }

  ArrayRef<FreedBuffer> buffers;
  const BufferViewFlowAnalysis &flow;
  Operation *function;
  llvm::DenseMap<Operation *, size_t> indexOf;
  llvm::DenseMap<Operation *, Verdict> verdicts;
  /// Verdicts of another number are old; no verdict has this one.
  size_t numStays = 1;
};

} // namespace

void settleSharedDeallocs(ArrayRef<FreedBuffer> buffers,
                          const BufferViewFlowAnalysis &flow,
                          Operation *function) {
  DeallocJudge judge(buffers, flow, function);
  for (bool changed = true; changed;) {
    changed = false;
    for (const FreedBuffer &buffer : buffers) {
      if (*buffer.stay)
        continue;
      for (memref::DeallocOp dealloc : *buffer.deallocs) {
        memref::AllocOp alloc = buffer.alloc;
        if (dealloc.getMemref() == alloc.getResult() || judge.mayGo(dealloc))
          continue;
        *buffer.stay = Stay{StayReason::FreedWithOthers, dealloc};
        judge.buffersStay();
        changed = true;
        break;
      }
    }
  }
}

} // namespace tpu_mlir
