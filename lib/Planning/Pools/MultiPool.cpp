//===- MultiPool.cpp - Which buffers have to leave a pool -----------------===//

#include "lib/Planning/Pools/MultiPool.h"

#include "lib/Planning/Kit/Placing.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// Live sums may leave 63 bits although each size does not.
using Sum = __int128;

/// A complete binary tree over the steps at which lifespans begin or end. Each
/// node knows the largest live sum of its stretch, and the movable items that
/// live during the whole of it but not of its parent's, largest first.
class LiveSums {
public:
  LiveSums(const std::vector<Item> &items, const std::vector<bool> &isMovable,
           const std::vector<size_t> &order)
      : items(items), steps(stepsOf(items)), isGone(items.size(), false),
        rank(items.size()) {
    while (leafCount < int64_t(steps.size()))
      leafCount *= 2;
    nodes.resize(size_t(2 * leafCount));
    for (size_t id : order) {
      rank[id] = nextRank++;
      change(id, items[id].sizeBytes, isMovable[id]);
    }
  }

  Sum largest() const { return nodes[1].largest; }

  /// The first movable item in order that is alive where the sum is largest.
  std::optional<size_t> firstMovableAtPeak() {
    std::optional<size_t> best;
    size_t node = 1;
    while (true) {
      const std::optional<size_t> here = headOf(nodes[node]);
      if (here && (!best || rank[*here] < rank[*best]))
        best = here;
      if (node >= size_t(leafCount))
        return best;
      const Sum rest = nodes[node].largest - nodes[node].ownSum;
      node = nodes[2 * node].largest == rest ? 2 * node : 2 * node + 1;
    }
  }

  void remove(size_t id) {
    isGone[id] = true;
    change(id, -items[id].sizeBytes, false);
  }

private:
  struct Node {
    Sum ownSum = 0; ///< Of items that live during this whole stretch.
    Sum largest = 0;
    std::vector<size_t> movable;
    size_t head = 0; ///< The first in `movable` that may still be there.
  };

  std::optional<size_t> headOf(Node &node) {
    while (node.head < node.movable.size() && isGone[node.movable[node.head]])
      ++node.head;
    if (node.head == node.movable.size())
      return std::nullopt;
    return node.movable[node.head];
  }

  /// Adds `bytes` to the sums of the item's life.
  void change(size_t id, int64_t bytes, bool isNewMovable) {
    for (const Interval &span : items[id].lifespans) {
      const Interval leaves{indexOf(span.begin), indexOf(span.end)};
      change(1, {0, leafCount}, leaves, bytes, isNewMovable ? &id : nullptr);
    }
  }
  int64_t indexOf(int64_t step) const {
    return std::lower_bound(steps.begin(), steps.end(), step) - steps.begin();
  }
  void change(size_t index, Interval stretch, Interval leaves, int64_t bytes,
              const size_t *movable) {
    if (!stretch.overlaps(leaves))
      return;
    Node &node = nodes[index];
    if (leaves.contains(stretch)) {
      node.ownSum += bytes;
      node.largest += bytes;
      if (movable)
        node.movable.push_back(*movable);
      return;
    }
    const int64_t middle = stretch.begin + stretch.length() / 2;
    change(2 * index, {stretch.begin, middle}, leaves, bytes, movable);
    change(2 * index + 1, {middle, stretch.end}, leaves, bytes, movable);
    node.largest = node.ownSum + std::max(nodes[2 * index].largest,
                                          nodes[2 * index + 1].largest);
  }

  const std::vector<Item> &items;
  const std::vector<int64_t> steps;
  std::vector<bool> isGone;
  std::vector<size_t> rank; ///< Place in the order.
  size_t nextRank = 0;
  int64_t leafCount = 1;
  std::vector<Node> nodes; ///< Children of node k: 2k and 2k+1.
};

} // namespace

std::vector<size_t> itemsOverCapacity(const std::vector<Item> &items,
                                      const std::vector<bool> &isMovable,
                                      const std::vector<size_t> &order,
                                      int64_t capacityBytes) {
  LiveSums sums(items, isMovable, order);
  std::vector<size_t> gone;
  while (sums.largest() > capacityBytes) {
    const std::optional<size_t> id = sums.firstMovableAtPeak();
    if (!id)
      break;
    sums.remove(*id);
    gone.push_back(*id);
  }
  std::sort(gone.begin(), gone.end());
  return gone;
}

} // namespace tpu_mlir::planning
