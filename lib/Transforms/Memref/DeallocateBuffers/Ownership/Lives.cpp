//===- Lives.cpp - Where owned buffers are alive --------------------------===//

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Lives.h"

using namespace mlir;

namespace tpu_mlir::deallocation {

bool LiveNodes::endsBehind(ChainPlace at) const {
  auto found = ends_.find(at.chain);
  return found != ends_.end() && at.place <= found->second &&
         (at.chain != definition.chain || at.place > definition.place);
}

/// What is alive after an op is so in all of it.
bool LiveNodes::contains(const FlowGraph &graph, int node) const {
  for (std::optional<int> at = node; at; at = graph.behindParent(*at))
    if (endsBehind(graph.placeOf(*at)))
      return true;
  return false;
}

bool BufferLives::isLive(int root, int node) {
  const LiveNodes &nodes = live(root);
  if (answeredRoot != root)
    answers.clear();
  answeredRoot = root;
  llvm::SmallVector<int> asked;
  bool answer = false;
  for (std::optional<int> at = node; at && !answer;
       at = graph.behindParent(*at)) {
    auto known = answers.find(*at);
    if (known != answers.end()) {
      answer = known->second;
      break;
    }
    asked.push_back(*at);
    answer = nodes.endsBehind(graph.placeOf(*at));
  }
  for (int one : asked)
    answers[one] = answer;
  return answer;
}

std::vector<int> LiveNodes::ends(const FlowGraph &graph) const {
  std::vector<int> result;
  for (auto [chain, place] : ends_)
    result.push_back(graph.chain(chain)[place]);
  llvm::sort(result);
  return result;
}

LiveNodes BufferLives::walk(const Root &root, bool writesOnly) const {
  LiveNodes result;
  result.definition = graph.placeOf(root.definition.node);
  std::vector<int> open;
  auto reach = [&](int node) {
    if (node == root.definition.node || !graph.isReachable(node))
      return;
    const ChainPlace at = graph.placeOf(node);
    auto [found, isNew] = result.ends_.try_emplace(at.chain, at.place);
    found->second = std::max(found->second, at.place);
    if (isNew && at.chain != result.definition.chain)
      open.push_back(graph.chain(at.chain).front());
  };
  for (const BufferUse &use : root.uses)
    if (!writesOnly || use.kind == UseKind::Write)
      reach(use.point.node);
  while (!open.empty()) {
    int head = open.back();
    open.pop_back();
    for (int edge : graph.node(head).in)
      reach(graph.edge(edge).from);
  }
  return result;
}

const LiveNodes &BufferLives::live(int root) {
  auto [found, isNew] = liveCache.try_emplace(root);
  if (isNew)
    found->second = walk(owners.roots[root], false);
  return found->second;
}

const LiveNodes &BufferLives::writtenLater(int root) {
  auto [found, isNew] = writeCache.try_emplace(root);
  if (isNew)
    found->second = walk(owners.roots[root], true);
  return found->second;
}

const LiveNodes &BufferLives::writtenElsewhere() {
  if (!elsewhereCache)
    elsewhereCache = walk(owners.elsewhere, true);
  return *elsewhereCache;
}

} // namespace tpu_mlir::deallocation
