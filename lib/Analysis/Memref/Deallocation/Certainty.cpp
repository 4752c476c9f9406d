//===- Certainty.cpp - Separate certain faults from possible ones ---------===//
//
// A fault is reported as certain only if no condition that is not known could
// rule out its path.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Memref/Deallocation/Certainty.h"

using namespace mlir;

namespace tpu_mlir::verify_deallocation {

using End = WorldNode::End;

Certainty::Certainty(const Flow &flow, const Worlds &worlds,
                     DominanceInfo &dominance)
    : flow(flow), worlds(worlds), dominance(dominance) {
  mayFail = worlds.leadingTo([](const WorldNode &node) {
    return node.end == End::Error || node.end == End::Open;
  });
  if (!llvm::is_contained(mayFail, true)) {
    mayFail.clear();
    return;
  }
  before.resize(worlds.size());
  for (int i = 0; i < worlds.size(); ++i)
    for (int next : worlds[i].next)
      before[next].push_back(i);
  doomedToFault = doomed(false);
  doomedToAny = doomed(true);
}

Certainty::Marks Certainty::doomed(bool leaks) const {
  Marks result(worlds.size());
  std::vector<size_t> safeWays(worlds.size());
  std::vector<int> open;
  for (int i = 0; i < worlds.size(); ++i) {
    safeWays[i] = worlds[i].next.size();
    if (worlds[i].end == End::Error &&
        (leaks || worlds[i].event.fault != Fault::Leak))
      open.push_back(i);
  }
  for (int index : open)
    result[index] = true;
  while (!open.empty()) {
    int index = open.back();
    open.pop_back();
    for (int other : before[index])
      if (--safeWays[other] == 0 && !result[other]) {
        result[other] = true;
        open.push_back(other);
      }
  }
  return result;
}

namespace {

/// Stretches of chains where the buffer passes, or may pass once nobody looks
/// any more, without being bound to go wrong.
class SafePassages {
public:
  explicit SafePassages(const Flow &flow) : flow(flow) {}

  void add(const WorldNode &node) {
    Point from = node.world.point;
    if (node.end == End::Goes)
      stretches[from.chain].emplace_back(from.place, node.endPlace);
    else
      flood(from);
  }

  bool covers(Operation *op) const {
    Point point = flow.pointOf(op);
    if (isPassed(point.chain, point.place, point.place))
      return true;
    for (op = flow.around(op); flow.contains(op); op = flow.around(op))
      // What a stretch ends with is entered, not passed.
      if (point = flow.pointOf(op);
          isPassed(point.chain, point.place, point.place + 1))
        return true;
    return false;
  }

private:
  bool isPassed(int chain, int begin, int end) const {
    auto found = stretches.find(chain);
    return found != stretches.end() &&
           llvm::any_of(found->second, [&](std::pair<int, int> stretch) {
             return stretch.first <= begin && end <= stretch.second;
           });
  }

  void flood(Point start) {
    SmallVector<Point> open = {start};
    while (!open.empty()) {
      Point from = open.pop_back_val();
      if (isPassed(from.chain, from.place, kChainEnd))
        continue;
      stretches[from.chain].emplace_back(from.place, kChainEnd);
      for (int next : flow.after(from.chain))
        open.push_back({next, 0});
      // It leaves the regions or sides of the op, or enters another of them.
      Operation *around = flow.around(from.chain);
      if (flow.contains(around))
        open.push_back(flow.pointOf(around));
    }
  }

  const Flow &flow;
  llvm::DenseMap<int, SmallVector<std::pair<int, int>>> stretches;
};

} // namespace

/// Blocks in which one of the worlds is freed or goes wrong, and those around
/// them.
static llvm::DenseSet<Block *> touchedBy(ArrayRef<int> visited,
                                         const Worlds &worlds) {
  llvm::DenseSet<Block *> result;
  auto touch = [&](Operation *op) {
    for (Block *block = op ? op->getBlock() : nullptr;
         block && result.insert(block).second;
         block = block->getParentOp()->getBlock())
      ;
  };
  for (int index : visited) {
    touch(worlds[index].freedBy);
    if (worlds[index].end == End::Error &&
        worlds[index].event.fault != Fault::Leak)
      touch(worlds[index].event.op);
  }
  return result;
}

/// Worlds that are bound to go wrong at a place that the buffer cannot pass
/// otherwise.
std::vector<int> Certainty::anchors(Operation *op, ArrayRef<int> visited,
                                    const Marks &isDoomed) const {
  SafePassages safe(flow);
  for (int index : visited)
    if (!isDoomed[index])
      safe.add(worlds[index]);
  llvm::DenseSet<Block *> touched = touchedBy(visited, worlds);
  auto isOnEdge = [&](Operation *at) {
    for (; flow.contains(at); at = at->getParentOp())
      if (Block *block = at->getBlock();
          block->back().hasAttr(kOnEdge) && !touched.contains(block))
        return true;
    return false;
  };
  std::vector<int> result;
  for (int index : visited)
    if (Operation *at = worlds[index].at;
        isDoomed[index] && at && (!op || dominance.properlyDominates(op, at)) &&
        !safe.covers(at) && !isOnEdge(at))
      result.push_back(index);
  return result;
}

Verdict Certainty::judge(Operation *op, int start) const {
  Verdict verdict;
  if (mayFail.empty() || !mayFail[start])
    return verdict;
  std::vector<int> visited = worlds.reachable({start});
  llvm::DenseSet<int> certain;
  for (const Marks *marks : {&doomedToFault, &doomedToAny}) {
    std::vector<int> sure = (*marks)[start] ? std::vector<int>{start}
                                            : anchors(op, visited, *marks);
    for (int index : worlds.reachable(sure))
      if (marks == &doomedToFault || worlds[index].event.fault == Fault::Leak)
        certain.insert(index);
  }
  verdict.alwaysLeaks = llvm::all_of(visited, [&](int index) {
    const WorldNode &node = worlds[index];
    return node.end == End::Goes ||
           (node.end == End::Error && node.event.fault == Fault::Leak);
  });
  for (int index : visited) {
    verdict.isComplete &= worlds[index].end != End::Open;
    if (worlds[index].end == End::Error)
      (certain.contains(index) ? verdict.certain : verdict.possible)
          .push_back(worlds[index].event);
  }
  return verdict;
}

} // namespace tpu_mlir::verify_deallocation
