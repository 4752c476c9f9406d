//===- ConvexSearch.h - Groups of layers that are apart in the order ------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_ORDER_CONVEXSEARCH_H
#define TPU_MLIR_LIB_LAYERPLANNING_ORDER_CONVEXSEARCH_H

#include "lib/LayerPlanning/SearchState.h"

namespace tpu_mlir::layer {

/// An order of the layers of `stretch` in which groups cost less than `known`:
/// layers of branches that read the same tensor are next to each other, say.
/// Nullopt: there is none that this search knows. A group may be any convex set
/// of layers that hang together (by a tensor that one makes and another one
/// reads, or that both read), in short stretches any at all.
///
/// A shortest path through what may have run by some time (the order ideals, as
/// in Optimus, 10.1145/3520142): between two of them there is a layer or a
/// group. As in the search along one order groups on the path are planned, and
/// the path is searched again, until all of them are. Layers run before earlier
/// ones by 64 places at most, and by a quarter of that, and so on, where there
/// would be more sets to look at than a budget allows. Stretches of more than
/// 2,000 layers are left alone. O(sets * (their layers + steps from an ideal)),
/// and a draft for each set.
std::optional<LayerRange> orderForGroups(SearchState &state,
                                         const LayerRange &stretch,
                                         const Cost &known);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_ORDER_CONVEXSEARCH_H
