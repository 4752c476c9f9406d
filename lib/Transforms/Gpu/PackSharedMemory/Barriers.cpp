//===- Barriers.cpp - Find hazards and insert barriers --------------------===//
//
// Data flow over the kernel's graph until nothing changes; then a barrier in
// front of each hazard that is left.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Gpu/PackSharedMemory/Barriers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using llvm::BitVector;

namespace tpu_mlir::shared_memory {

namespace {

class Placer {
public:
  Placer(const SharedBuffers &shared, const SharingBuffers &sharing)
      : graph(*shared.graph()), sharing(sharing),
        count(shared.packable().size()), accesses(graph.nodes().size()),
        allocated(graph.nodes().size()), barrierBefore(graph.nodes().size()),
        reached(graph.nodes().size()),
        before(graph.nodes().size(), {BitVector(count), BitVector(count)}) {
    for (auto [index, buffer] : llvm::enumerate(shared.packable())) {
      for (int64_t node : buffer.accessNodes)
        accesses[node].push_back(index);
      // An attribution is there once.
      if (Operation *alloc = buffer.memref.getDefiningOp())
        allocated[graph.nodeOf(alloc)] = index;
    }
  }

  std::vector<int64_t> run() {
    while (const std::optional<int64_t> hazard = flow())
      barrierBefore.set(placeFor(*hazard));
    std::vector<int64_t> result;
    for (int64_t node = barrierBefore.find_last(); node >= 0;
         node = barrierBefore.find_prev(node)) {
      barrierBefore.reset(node);
      if (!flow())
        continue;
      barrierBefore.set(node);
      result.push_back(node);
    }
    return {result.rbegin(), result.rend()};
  }

private:
  /// What may have happened since the last barrier.
  struct State {
    BitVector accessed;
    /// Accessed, and allocated anew since.
    BitVector renewed;
  };

  void pass(int64_t node, State &state) const;
  std::optional<int64_t> flow();
  bool join(int64_t node, const State &state);
  BitVector sourcesOf(int64_t node) const;
  int64_t placeFor(int64_t hazard);
  bool accessesAny(Operation *op, const BitVector &of) const;
  SmallVector<BitVector> hazardsIn(Operation *op) const;
  bool clears(Operation *op);

  const KernelGraph &graph;
  const SharingBuffers &sharing;
  size_t count;
  std::vector<SmallVector<int64_t, 2>> accesses;
  std::vector<std::optional<int64_t>> allocated;
  BitVector barrierBefore;
  BitVector reached;
  /// In front of each node that control comes to.
  std::vector<State> before;
};

} // namespace

void Placer::pass(int64_t node, State &state) const {
  if (barrierBefore[node] || isa<gpu::BarrierOp>(graph.nodes()[node].op)) {
    state.accessed.reset();
    state.renewed.reset();
  }
  const std::optional<int64_t> alloc = allocated[node];
  if (alloc && state.accessed[*alloc])
    state.renewed.set(*alloc);
  for (int64_t buffer : accesses[node])
    state.accessed.set(buffer);
}

/// Sets `before`. Returns the first node with a hazard, if there is one.
std::optional<int64_t> Placer::flow() {
  const std::vector<KernelNode> &nodes = graph.nodes();
  if (nodes.empty())
    return std::nullopt;
  reached.reset();
  reached.set(0);
  before[0].accessed.reset();
  before[0].renewed.reset();
  // Rounds in the order of the text: one for each level of loops, and one more.
  BitVector dirty(nodes.size());
  dirty.set(0);
  State after;
  while (dirty.any())
    for (int64_t node = dirty.find_first(); node >= 0;
         node = dirty.find_next(node)) {
      dirty.reset(node);
      after = before[node];
      pass(node, after);
      for (int64_t next : nodes[node].successors)
        if (join(next, after))
          dirty.set(next);
    }
  for (size_t node = 0; node < nodes.size(); ++node)
    if (!barrierBefore[node] && sourcesOf(node).any())
      return node;
  return std::nullopt;
}

/// True when `state` is news to the node.
bool Placer::join(int64_t node, const State &state) {
  State &to = before[node];
  if (!reached[node]) {
    reached.set(node);
    to = state;
    return true;
  }
  if (!state.accessed.test(to.accessed) && !state.renewed.test(to.renewed))
    return false;
  to.accessed |= state.accessed;
  to.renewed |= state.renewed;
  return true;
}

/// Buffers whose uses before the node are too near.
BitVector Placer::sourcesOf(int64_t node) const {
  if (accesses[node].empty() || !reached[node])
    return {};
  BitVector sources(count);
  for (int64_t buffer : accesses[node]) {
    BitVector near = sharing[buffer];
    near &= before[node].accessed;
    sources |= near;
    if (before[node].renewed[buffer])
      sources.set(buffer);
  }
  return sources;
}

bool Placer::accessesAny(Operation *op, const BitVector &of) const {
  auto [begin, end] = graph.rangeOf(op);
  for (int64_t node = begin; node < end; ++node)
    for (int64_t buffer : accesses[node])
      if (of[buffer])
        return true;
  return false;
}

/// What the hazards inside each region of `op` come from.
SmallVector<BitVector> Placer::hazardsIn(Operation *op) const {
  SmallVector<BitVector> result;
  for (Region &region : op->getRegions()) {
    BitVector &sources = result.emplace_back(count);
    for (Operation &inner : region.getOps()) {
      auto [begin, end] = graph.rangeOf(&inner);
      for (int64_t node = begin; node < end; ++node)
        if (!barrierBefore[node])
          sources |= sourcesOf(node);
    }
  }
  return result;
}

/// A barrier in front of a branch does for all that is inside: what comes from
/// inside only comes round a loop.
bool Placer::clears(Operation *op) {
  int64_t node = graph.nodeOf(op);
  barrierBefore.set(node);
  flow();
  bool isClear = llvm::none_of(
      hazardsIn(op), [](const BitVector &sources) { return sources.any(); });
  barrierBefore.reset(node);
  flow();
  return isClear;
}

/// As late as possible, but outside of loops, and in front of a branch when
/// both ways are hazards.
int64_t Placer::placeFor(int64_t hazard) {
  int64_t place = hazard;
  BitVector sources = sourcesOf(hazard);
  for (Operation *op = graph.nodes()[hazard].op->getParentOp();
       op != graph.kernel(); op = op->getParentOp()) {
    if (isLoop(op)) {
      // What comes from inside of it needs a barrier inside.
      if (accessesAny(op, sources))
        break;
      place = graph.nodeOf(op);
      continue;
    }
    SmallVector<BitVector> hazards = hazardsIn(op);
    bool isInSeveral = llvm::count_if(hazards, [](const BitVector &sources) {
                         return sources.any();
                       }) > 1;
    if (!isInSeveral || !clears(op))
      continue;
    place = graph.nodeOf(op);
    for (const BitVector &others : hazards)
      sources |= others;
  }
  return barrierBefore[place] ? hazard : place;
}

std::vector<int64_t> placeBarriers(const SharedBuffers &buffers,
                                   const SharingBuffers &sharing) {
  if (!buffers.graph() || buffers.packable().empty())
    return {};
  return Placer(buffers, sharing).run();
}

} // namespace tpu_mlir::shared_memory
