//===- Conflict.cpp - Which storage is in whose way -----------------------===//

#include "tpu_mlir/Planning/Conflict.h"

#include "tpu_mlir/Support/Overlaps.h"

#include <boost/graph/connected_components.hpp>
#include <boost/pending/disjoint_sets.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

namespace tpu_mlir::planning {
namespace {

using Edge = std::pair<size_t, size_t>;

std::vector<PoolId> poolsOf(const StorageClass &storage) {
  if (storage.pin)
    return {storage.pin->pool};
  return storage.pools;
}

/// For each pool the lifespans of all classes that have bytes and may be there.
std::vector<std::vector<OwnedInterval>>
spansByPool(const std::vector<StorageClass> &classes, size_t pools) {
  std::vector<std::vector<OwnedInterval>> spans(pools);
  for (size_t id = 0; id < classes.size(); ++id) {
    if (classes[id].sizeBytes == 0)
      continue;
    for (PoolId pool : poolsOf(classes[id]))
      for (const Interval &life : classes[id].lifespans)
        spans[pool].push_back({life, id});
  }
  return spans;
}

bool shareAPool(const StorageClass &a, const StorageClass &b) {
  const std::vector<PoolId> first = poolsOf(a), second = poolsOf(b);
  return std::any_of(first.begin(), first.end(), [&](PoolId pool) {
    return std::count(second.begin(), second.end(), pool) > 0;
  });
}

/// The forbidden pairs between classes, smaller index first.
std::vector<Edge> forbiddenEdges(const Problem &problem,
                                 const std::vector<StorageClass> &classes) {
  std::vector<size_t> classOf(problem.buffers.size(), 0);
  for (size_t id = 0; id < classes.size(); ++id) {
    classOf[classes[id].root] = id;
    for (BufferId member : classes[id].members)
      classOf[member] = id;
  }
  std::vector<Edge> edges;
  for (const auto &[first, second] : problem.forbiddenSharing) {
    const auto [a, b] = std::minmax(classOf[first], classOf[second]);
    if (a != b && classes[a].sizeBytes > 0 && classes[b].sizeBytes > 0 &&
        shareAPool(classes[a], classes[b]))
      edges.emplace_back(a, b);
  }
  return edges;
}

/// Edges without doubles, up to a limit.
class EdgeList {
public:
  explicit EdgeList(int64_t limit) : limit(limit) {}
  /// False when there are too many.
  bool add(size_t a, size_t b) {
    edges.push_back(std::minmax(a, b));
    // Twice as many as were different the last time: sorting stays cheap.
    return edges.size() <= 2 * unique + 1024 || tidy();
  }
  bool tidy() {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    unique = edges.size();
    return int64_t(unique) <= limit;
  }
  const std::vector<Edge> &all() const { return edges; }

private:
  const int64_t limit;
  std::vector<Edge> edges;
  size_t unique = 0;
};

std::optional<std::vector<Edge>>
findEdges(const Problem &problem, const std::vector<StorageClass> &classes,
          int64_t maxEdges) {
  EdgeList edges(maxEdges);
  for (const auto &[a, b] : forbiddenEdges(problem, classes))
    if (!edges.add(a, b))
      return std::nullopt;
  for (const auto &spans : spansByPool(classes, problem.pools.size()))
    if (!forEachOverlap(spans, [&](size_t a, size_t b) {
          return a == b || edges.add(a, b);
        }))
      return std::nullopt;
  if (!edges.tidy())
    return std::nullopt;
  return edges.all();
}

/// Groups roots by the number of their component, first come first.
std::vector<std::vector<BufferId>>
grouped(const std::vector<size_t> &componentOf,
        const std::vector<BufferId> &roots) {
  std::vector<std::vector<BufferId>> groups;
  std::vector<size_t> groupOf(roots.size(), roots.size());
  for (size_t i = 0; i < roots.size(); ++i) {
    size_t &group = groupOf[componentOf[i]];
    if (group == roots.size()) {
      group = groups.size();
      groups.emplace_back();
    }
    groups[group].push_back(roots[i]);
  }
  return groups;
}

using Components = boost::disjoint_sets_with_storage<>;

/// Unites each span with the one that ends last among those before it: if it
/// overlaps any of them, then also that one.
void uniteOverlaps(std::vector<OwnedInterval> spans, Components &components) {
  std::sort(spans.begin(), spans.end(),
            [](const OwnedInterval &a, const OwnedInterval &b) {
              return a.interval < b.interval;
            });
  const OwnedInterval *last = nullptr;
  for (const OwnedInterval &span : spans) {
    if (last && span.interval.begin < last->interval.end)
      components.union_set(span.owner, last->owner);
    if (!last || span.interval.end > last->interval.end)
      last = &span;
  }
}

} // namespace

std::variant<ConflictGraph, TooManyConflicts>
buildConflictGraph(const Problem &problem, int64_t maxEdges) {
  const std::vector<StorageClass> classes = foldAliases(problem);
  const auto edges = findEdges(problem, classes, maxEdges);
  if (!edges)
    return TooManyConflicts{maxEdges};
  ConflictGraph graph(edges->begin(), edges->end(), classes.size());
  for (size_t id = 0; id < classes.size(); ++id)
    graph[id].root = classes[id].root;
  return graph;
}

std::vector<std::vector<BufferId>>
connectedComponents(const ConflictGraph &graph) {
  std::vector<size_t> componentOf(num_vertices(graph));
  std::vector<BufferId> roots;
  for (size_t id = 0; id < componentOf.size(); ++id)
    roots.push_back(graph[id].root);
  boost::connected_components(graph, componentOf.data());
  return grouped(componentOf, roots);
}

std::vector<std::vector<BufferId>>
independentComponents(const Problem &problem) {
  const std::vector<StorageClass> classes = foldAliases(problem);
  Components components(classes.size());
  for (const auto &[a, b] : forbiddenEdges(problem, classes))
    components.union_set(a, b);
  for (auto &spans : spansByPool(classes, problem.pools.size()))
    uniteOverlaps(std::move(spans), components);
  std::vector<size_t> componentOf;
  std::vector<BufferId> roots;
  for (size_t id = 0; id < classes.size(); ++id) {
    componentOf.push_back(components.find_set(id));
    roots.push_back(classes[id].root);
  }
  return grouped(componentOf, roots);
}

} // namespace tpu_mlir::planning
