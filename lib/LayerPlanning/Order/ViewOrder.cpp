//===- ViewOrder.cpp - Views that divide no stretch -----------------------===//

#include "lib/LayerPlanning/Order/ViewOrder.h"

#include <algorithm>

namespace tpu_mlir::layer {

ViewOrder::ViewOrder(const LayerGraph &graph, const std::vector<LayerId> &order)
    : graph(graph), order(order), places(graph.layers.size()),
      ends(order.size()), lastLocals(order.size()),
      mayWait(graph.layers.size()), isHeld(graph.layers.size()),
      isBehind(graph.layers.size()), isLoose(graph.layers.size()),
      isInFront(graph.layers.size()) {
  for (size_t i = 0; i < order.size(); ++i)
    places[order[i]] = i;
  findRuns();
  findWaiting();
  for (LayerId id : order)
    place(id);
  flush();
}

void ViewOrder::findRuns() {
  size_t end = order.size(), lastLocal = 0;
  for (size_t i = order.size(); i-- > 0;) {
    const Layer &layer = graph.layers[order[i]];
    if (layer.isLocal()) {
      lastLocal = std::max(lastLocal, i);
    } else if (!layer.isView) {
      end = i;
      lastLocal = 0;
    }
    ends[i] = end;
    lastLocals[i] = lastLocal;
  }
}

void ViewOrder::findWaiting() {
  for (size_t i = order.size(); i-- > 0;) {
    const Layer &layer = graph.layers[order[i]];
    const std::vector<LayerId> &readers = graph.tensors[layer.result].readers;
    mayWait[order[i]] =
        layer.isView &&
        std::all_of(readers.begin(), readers.end(), [&](LayerId reader) {
          return places[reader] >= ends[i] || mayWait[reader];
        });
  }
}

/// What a view is of would be alive for longer if it waited where nobody reads
/// it.
void ViewOrder::place(LayerId id) {
  const Layer &layer = graph.layers[id];
  const bool isRead = !graph.tensors[layer.result].readers.empty();
  if (layer.isLocal() && !needs(id, isBehind)) {
    hold(id, stretch);
  } else if (layer.isLocal() ||
             (isBetween(id) && mayWait[id] && (isRead || needs(id, isHeld)))) {
    hold(id, behind);
    isBehind[id] = isLoose[id] = true;
  } else if (isBetween(id) && !needs(id, isHeld)) {
    front.push_back(id);
    isInFront[id] = isLoose[id] = true;
  } else {
    flush();
    result.push_back(id);
    isLoose[id] = layer.isView;
  }
}

/// A view with layers of the stretch on both sides.
bool ViewOrder::isBetween(LayerId id) const {
  return graph.layers[id].isView && !stretch.empty() &&
         lastLocals[places[id]] > places[id];
}

bool ViewOrder::needs(LayerId id, const std::vector<char> &which) const {
  const std::vector<LayerOperand> &operands = graph.layers[id].operands;
  return std::any_of(
      operands.begin(), operands.end(), [&](const LayerOperand &operand) {
        const LayerId producer = graph.tensors[operand.tensor].producer;
        return producer >= 0 && which[producer];
      });
}

void ViewOrder::hold(LayerId id, std::vector<LayerId> &where) {
  where.push_back(id);
  isHeld[id] = true;
}

void ViewOrder::flush() {
  for (std::vector<LayerId> *part : {&front, &stretch, &behind}) {
    result.insert(result.end(), part->begin(), part->end());
    for (LayerId id : *part)
      isHeld[id] = isBehind[id] = false;
    part->clear();
  }
}

/// In front of which of the others a view may be: where no group is, and all of
/// them are on the side that they were on. True also of both ends.
std::vector<char>
ViewOrder::findGaps(const Grouping &found,
                    const std::vector<LayerId> &others) const {
  std::vector<char> isInside(graph.layers.size());
  for (const GroupPlan &plan : found.groups)
    for (LayerId id : plan.draft.range)
      isInside[id] = true;
  for (const GroupPlan &plan : found.groups)
    isInside[plan.draft.range.front()] = false;
  std::vector<size_t> before = {0}; // Of the others, in the order as it was.
  for (LayerId id : order)
    before.push_back(before.back() + !isLoose[id]);
  std::vector<char> isGap;
  size_t end = 0;
  for (size_t i = 0; i < others.size(); ++i) {
    isGap.push_back(end == i && !isInside[others[i]]);
    end = std::max(end, before[places[others[i]]] + 1);
  }
  isGap.push_back(true);
  return isGap;
}

void ViewOrder::putBack(Grouping &found) const {
  // Views that wait may be local, so that they could be a group.
  for (const GroupPlan &plan : found.groups)
    for (LayerId id : plan.draft.range)
      if (isLoose[id])
        return;
  std::vector<LayerId> others;
  std::copy_if(found.order.begin(), found.order.end(),
               std::back_inserter(others),
               [this](LayerId id) { return !isLoose[id]; });
  const std::vector<char> isGap = findGaps(found, others);
  std::vector<size_t> gapFrom(isGap.size()), gapUpTo(isGap.size());
  for (size_t i = 0; i < isGap.size(); ++i)
    gapUpTo[i] = isGap[i] ? i : gapUpTo[i - 1];
  for (size_t i = isGap.size(); i-- > 0;)
    gapFrom[i] = isGap[i] ? i : gapFrom[i + 1];
  std::vector<std::vector<LayerId>> viewsAt(isGap.size());
  size_t gap = 0;
  for (LayerId id : order)
    if (!isLoose[id])
      ++gap;
    else
      viewsAt[isInFront[id] ? gapUpTo[gap] : gapFrom[gap]].push_back(id);
  found.order.clear();
  for (size_t i = 0; i < viewsAt.size(); ++i) {
    found.order.insert(found.order.end(), viewsAt[i].begin(), viewsAt[i].end());
    if (i < others.size())
      found.order.push_back(others[i]);
  }
}

} // namespace tpu_mlir::layer
