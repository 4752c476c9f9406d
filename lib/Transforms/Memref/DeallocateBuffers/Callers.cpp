//===- Callers.cpp - Decide whether a copied argument is noticed ----------===//
//
// A copy may stand for an argument only if no caller can tell the two apart.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Callers.h"

#include "lib/Transforms/Memref/DeallocateBuffers/Plan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace tpu_mlir::deallocation {

void Callers::add(Operation *callee, CallOpInterface call) {
  calls[callee][call->getParentOfType<FunctionOpInterface>()].push_back(call);
}

static bool returnsMemref(CallOpInterface call) {
  return llvm::any_of(call->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
}

bool Callers::mayGetCopies(Operation *function) {
  llvm::DenseSet<Operation *> asked = {function};
  SmallVector<Operation *> open = {function};
  while (!open.empty()) {
    Operation *next = open.pop_back_val();
    if (named.contains(next))
      return false;
    auto found = calls.find(next);
    if (found == calls.end())
      continue;
    for (const auto &[caller, inCaller] : found->second) {
      if (!caller || done.contains(caller) || !isUnnoticed(caller, inCaller))
        return false;
      if (llvm::any_of(inCaller, returnsMemref) && asked.insert(caller).second)
        open.push_back(caller);
    }
  }
  return true;
}

namespace {

/// What one function does with buffers that it has given to another one, when
/// the results of calls may be the operands.
class CallerBody {
public:
  using ReturnedBy = llvm::function_ref<const ReturnedBuffer *(OpResult)>;
  CallerBody(Operation *function, CallFacts calls);

  /// Somebody may change a buffer after the call that it got, or returned, or
  /// look at its form.
  bool changesBuffers(CallOpInterface call) {
    return changesOperands(call) || changesResults(call);
  }

private:
  /// Roots that may hold the same buffer at the same time.
  struct Sharers {
    bool isKnown = true;
    /// One is an argument, which may have names that are not known here.
    bool isArgument = false;
    std::vector<int> roots;
  };

  const ReturnedBuffer *guess(OpResult result, ReturnedBy returnedBy);
  void findHandedOn();
  void findChanges();
  const Sharers &sharersOf(int root);
  bool isTracked(int root) const;
  bool changesOperands(CallOpInterface call);
  bool changesResults(CallOpInterface call);
  bool isChangedBehind(int root, ControlPoint at);
  bool isWrittenElsewhereBehind(ControlPoint at);
  bool isUsedBehind(int root, ControlPoint at);
  bool leadsBehind(const LiveNodes &nodes, ControlPoint at) const;

  /// By call; Owners has pointers to them.
  std::map<Operation *, ReturnedBuffer> guesses;
  FlowGraph graph;
  Owners owners;
  BufferLives liveness;
  /// By root: those that it hands buffers to, and those that hand it some.
  std::vector<SmallVector<int, 2>> targets, sources;
  /// By root: where it is written, ascending.
  std::vector<std::vector<ControlPoint>> changes;
  /// What a root hands on may be changed under another name.
  llvm::BitVector leadsToChange;
  llvm::DenseMap<int, Sharers> sharers;
};

} // namespace

CallerBody::CallerBody(Operation *function, CallFacts calls)
    : graph(function),
      owners(function, graph,
             {[&](OpResult result) { return guess(result, calls.returnedBy); },
              calls.module}),
      liveness(graph, owners), targets(owners.roots.size()),
      sources(owners.roots.size()), changes(owners.roots.size()),
      leadsToChange(owners.roots.size()) {
  findHandedOn();
  findChanges();
}

/// Of a function of which nothing is known yet: one of the operands.
const ReturnedBuffer *CallerBody::guess(OpResult result,
                                        ReturnedBy returnedBy) {
  const ReturnedBuffer *known = returnedBy(result);
  if (known && (known->owned || !known->arguments.empty()))
    return known;
  auto call = cast<CallOpInterface>(result.getOwner());
  auto [found, isNew] = guesses.try_emplace(call);
  if (isNew)
    for (auto [index, operand] : llvm::enumerate(call.getArgOperands()))
      if (isa<BaseMemRefType>(operand.getType()))
        found->second.arguments.push_back(index);
  return &found->second;
}

void CallerBody::findHandedOn() {
  for (const PassedOperand &pass : owners.passed)
    for (int root : owners.rootsOf(pass.operand->get()))
      for (int target : pass.targets) {
        targets[root].push_back(target);
        sources[target].push_back(root);
      }
}

void CallerBody::findChanges() {
  SmallVector<int> open;
  for (auto [index, root] : llvm::enumerate(owners.roots)) {
    for (const BufferUse &use : root.uses)
      if (use.kind == UseKind::Write || use.seesForm)
        changes[index].push_back(use.point);
    if (!changes[index].empty())
      open.push_back(static_cast<int>(index));
  }
  while (!open.empty())
    for (int source : sources[open.pop_back_val()])
      if (!leadsToChange.test(source)) {
        leadsToChange.set(source);
        open.push_back(source);
      }
}

/// It has no other names, and nobody frees it under the name of a result.
bool CallerBody::isTracked(int index) const {
  const Root &root = owners.roots[index];
  return root.kind != RootKind::Other && !root.escapes &&
         llvm::none_of(root.uses, [&](const BufferUse &use) {
           return use.kind == UseKind::Dealloc &&
                  use.operand->get() != root.value;
         });
}

/// Whoever may have handed the buffer to `root`, and all that they hand theirs
/// to.
const CallerBody::Sharers &CallerBody::sharersOf(int root) {
  auto [found, isNew] = sharers.try_emplace(root);
  Sharers &result = found->second;
  if (!isNew)
    return result;
  llvm::SetVector<int> seen;
  auto follow = [&](const std::vector<SmallVector<int, 2>> &next) {
    for (size_t i = 0; i < seen.size(); ++i)
      seen.insert_range(next[seen[i]]);
  };
  seen.insert(root);
  follow(sources);
  follow(targets);
  for (int other : seen) {
    result.isKnown &= isTracked(other) &&
                      owners.roots[other].scope == owners.roots[root].scope;
    result.isArgument |= isArgument(owners.roots[other]);
    if (!changes[other].empty() || leadsToChange.test(other))
      result.roots.push_back(other);
  }
  return result;
}

/// Control may go from `at` to the start of one of the nodes.
bool CallerBody::leadsBehind(const LiveNodes &nodes, ControlPoint at) const {
  return llvm::any_of(graph.node(at.node).out, [&](int edge) {
    return nodes.contains(graph, graph.edge(edge).to);
  });
}

bool CallerBody::isChangedBehind(int root, ControlPoint at) {
  if (changes[root].empty())
    return false;
  auto next =
      llvm::upper_bound(changes[root], at, [](ControlPoint a, ControlPoint b) {
        return a.order < b.order;
      });
  return (next != changes[root].end() && next->node == at.node) ||
         leadsBehind(liveness.writtenLater(root), at);
}

bool CallerBody::isWrittenElsewhereBehind(ControlPoint at) {
  return llvm::any_of(owners.elsewhere.uses,
                      [&](const BufferUse &use) {
                        return use.point.node == at.node &&
                               use.point.order > at.order;
                      }) ||
         leadsBehind(liveness.writtenElsewhere(), at);
}

bool CallerBody::isUsedBehind(int root, ControlPoint at) {
  const std::vector<BufferUse> &uses = owners.roots[root].uses;
  auto next =
      llvm::upper_bound(uses, at, [](ControlPoint a, const BufferUse &b) {
        return a.order < b.point.order;
      });
  return (next != uses.end() && next->point.node == at.node) ||
         leadsBehind(liveness.live(root), at);
}

/// Either under a name that has it already, or under one that gets it later.
bool CallerBody::changesOperands(CallOpInterface call) {
  ControlPoint at = graph.pointOf(call);
  if (!graph.isReachable(at.node))
    return false;
  for (Value operand : call.getArgOperands())
    for (int root : owners.rootsOf(operand)) {
      const Sharers &shared = sharersOf(root);
      if (!shared.isKnown || owners.roots[root].scope != graph.scopeOf(call))
        return true;
      if (shared.isArgument && isWrittenElsewhereBehind(at))
        return true;
      for (int other : shared.roots)
        if (isChangedBehind(other, at) ||
            (leadsToChange.test(other) && isUsedBehind(other, at)))
          return true;
    }
  return false;
}

/// Results that are no operands: two of them may be one buffer.
bool CallerBody::changesResults(CallOpInterface call) {
  return llvm::any_of(call->getResults(), [&](Value result) {
    const auto root = owners.rootOf(result);
    return root && (owners.roots[*root].escapes || !changes[*root].empty() ||
                    leadsToChange.test(*root));
  });
}

bool Callers::isUnnoticed(Operation *caller, const Calls &calls) {
  CallerBody body(caller, {returnedBy, module});
  return llvm::none_of(
      calls, [&](CallOpInterface call) { return body.changesBuffers(call); });
}

} // namespace tpu_mlir::deallocation
