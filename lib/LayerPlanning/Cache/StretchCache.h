//===- StretchCache.h - Groups of stretches that were searched before -----===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_CACHE_STRETCHCACHE_H
#define TPU_MLIR_LIB_LAYERPLANNING_CACHE_STRETCHCACHE_H

#include "lib/LayerPlanning/RangeSignature.h"
#include "tpu_mlir/LayerPlanning/StretchMemory.h"
#include "tpu_mlir/Planning/PlanCache.h"

namespace tpu_mlir::layer {

/// What was decided for runs of layers, by all that the search looks at. What
/// comes out of the cache is made anew from the decisions and checked:
/// addresses by the validator, costs by the cost model. What comes out of the
/// memory was found or checked before.
class StretchCache {
public:
  /// All of them outlive it.
  StretchCache(const LayerGraph &graph, const target::ChipSpec &chip,
               const SearchOptions &options, RangeSignatures &signatures,
               planning::PlanCache &cache, StretchMemory &memory)
      : graph(graph), chip(chip), options(options), signatures(signatures),
        cache(cache), memory(memory), planner(graph, chip, options.group) {}

  /// The whole question.
  std::string keyOf(const LayerRange &stretch);
  /// The groups of `stretch`, whose key it is, where they are known.
  std::optional<Grouping> find(const std::string &key,
                               const LayerRange &stretch);
  void add(const std::string &key, const LayerRange &stretch,
           const Grouping &grouping);

private:
  bool isOrder(const LayerRange &order) const;
  std::optional<Grouping> rebuild(std::string_view text,
                                  const LayerRange &stretch) const;

  const LayerGraph &graph;
  const target::ChipSpec &chip;
  const SearchOptions &options;
  RangeSignatures &signatures;
  planning::PlanCache &cache;
  StretchMemory &memory;
  const GroupPlanner planner;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_CACHE_STRETCHCACHE_H
