//===- L2Room.h - What has room in second-level memory ----------*- C++ -*-===//

#ifndef TPU_MLIR_LAYERPLANNING_L2ROOM_H
#define TPU_MLIR_LAYERPLANNING_L2ROOM_H

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

namespace tpu_mlir::layer {

/// A guess, as addresses come later.
struct L2Room {
  /// What then moves from and to global memory itself.
  int64_t globalBytes = 0;
  /// Tensors that were expected in second-level memory and find no room.
  std::vector<TensorId> without;
};

/// Which tensors of `isExpected` (one entry each) are in second-level memory of
/// `l2Bytes` at a time, when groups and global layers of `grouping` run one
/// after the other, each for as long as it is needed: those that move most come
/// first, or most for each byte and step, whichever leaves less. Views, and
/// pieces of a concat that is no copy, are what they are parts of.
/// Fragmentation is not looked at. O(n log n + sum of lives), n of tensors.
L2Room findRoomInL2(const LayerGraph &graph, const Grouping &grouping,
                    const std::vector<bool> &isExpected,
                    const target::ChipSpec &chip, int64_t l2Bytes);

/// searchGroups() where the tensors that the graph says to be in second-level
/// memory may be too many for it. It costs nothing in traffic, so that for that
/// groups would hand on more than there is room for: what finds none is not
/// expected there the next time, twice, and at last nothing is. What moves the
/// fewest bytes, with what has room there, is taken. For other objectives one
/// search.
Grouping searchGroupsInRoom(LayerGraph graph, const std::vector<LayerId> &order,
                            const target::ChipSpec &chip,
                            const SearchOptions &options, int64_t l2Bytes);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_L2ROOM_H
