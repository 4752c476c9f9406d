//===- ViewOrder.h - Views that divide no stretch ---------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_ORDER_VIEWORDER_H
#define TPU_MLIR_LIB_LAYERPLANNING_ORDER_VIEWORDER_H

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

namespace tpu_mlir::layer {

/// A view between local layers would end a group there, though nothing runs:
///
///     a = conv(x)             a = conv(x)
///     r = view(x)      ->     b = conv(a)
///     b = conv(a)             r = view(x)
///     c = global(r)           c = global(r)
///
/// So it waits behind the stretch, unless the stretch reads it, or nobody does:
/// then it goes in front. A view that the stretch both makes and reads stays,
/// and divides it. Views that are local are part of the stretch, but of a view
/// that waits they wait, too. Nothing moves across a layer that is neither
/// local nor a view.
class ViewOrder {
public:
  /// `order` has each layer of the graph once and has to outlive this.
  /// O(operands).
  ViewOrder(const LayerGraph &graph, const std::vector<LayerId> &order);

  /// The order with views out of the way.
  const std::vector<LayerId> &aside() const { return result; }

  /// Puts each view of a grouping of that order next to where it was, as far as
  /// groups, and layers that have moved, leave room. O(layers).
  void putBack(Grouping &found) const;

private:
  void findRuns();
  void findWaiting();
  void place(LayerId id);
  bool isBetween(LayerId id) const;
  bool needs(LayerId id, const std::vector<char> &which) const;
  void hold(LayerId id, std::vector<LayerId> &where);
  void flush();
  std::vector<char> findGaps(const Grouping &found,
                             const std::vector<LayerId> &others) const;

  const LayerGraph &graph;
  const std::vector<LayerId> &order;
  std::vector<size_t> places; ///< Of layers, in `order`.
  /// Of the local layers and views around a place: where they end, and the last
  /// one that is local.
  std::vector<size_t> ends, lastLocals;
  // Of layers.
  std::vector<char> mayWait; ///< Views that the rest of the run can do without.
  std::vector<char> isHeld;  ///< In the stretch, or behind it.
  std::vector<char> isBehind; ///< Views that wait.
  std::vector<char> isLoose;  ///< Views that are in no stretch.
  std::vector<char> isInFront;
  std::vector<LayerId> front, stretch, behind, result;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_ORDER_VIEWORDER_H
