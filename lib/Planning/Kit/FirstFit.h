//===- FirstFit.h - Items in any order, each as low as it goes --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_KIT_FIRSTFIT_H
#define TPU_MLIR_LIB_PLANNING_KIT_FIRSTFIT_H

#include "lib/Planning/Kit/Placing.h"
#include "lib/Planning/Kit/TimeTree.h"

namespace tpu_mlir::planning {

/// Puts pinned items where they have to be, then the others one by one in a
/// given order, each at the lowest offset at which it shares no byte with an
/// item that is already placed and alive at the same time (gaps in lifespans
/// included), nor with a forbidden partner.
///
/// The TimeTree says which bytes are taken; an offset is found by asking its
/// O(log t) sets in turn for their next gap until none objects. Each set is
/// walked once a search, so an item costs what the sets hold below its offset.
/// Networks leave few holes, and their sets are short; lifespans without any
/// pattern leave holes in proportion to their number.
///
/// Items start at multiples of g, the greatest common divisor of all
/// alignments, so the bytes from an item's end to the next multiple of g are of
/// no use to anybody. They are marked as taken as well, which lets neighbours
/// touch and keeps the sets short.
class FirstFit {
public:
  /// Whoever has to come up with a packing does not look at the clock before:
  /// few items are packed then, however late it is.
  static constexpr int64_t kNodesBeforeFirstLook = 24'000;

  explicit FirstFit(const PackingProblem &problem);

  /// Every item that is not pinned, in buffer order.
  std::vector<size_t> unpinnedItems() const;
  /// `order` holds the items of unpinnedItems(). nullopt when offsets leave 63
  /// bits. May be called again with another order.
  std::optional<std::vector<int64_t>> pack(const std::vector<size_t> &order) {
    return pack(order, nullptr, false, kMaxOffset);
  }
  /// The same, but nullopt also when `until` is over before the end. With
  /// `hasToPack` there is a packing all the same: what is left goes on top of
  /// everything, one above the other.
  std::optional<std::vector<int64_t>>
  packUntil(const Deadline &until, const std::vector<size_t> &order,
            bool hasToPack) {
    return pack(order, &until, hasToPack, kMaxOffset);
  }
  /// The same without `hasToPack`; nullopt, too, as soon as an item would end
  /// at `knownBytes` or above: most orders that are no better show it early.
  std::optional<std::vector<int64_t>>
  packBelow(int64_t knownBytes, const Deadline &until,
            const std::vector<size_t> &order) {
    return pack(order, &until, false,
                knownBytes == kMaxOffset ? kMaxOffset : knownBytes - 1);
  }
  /// packUntil() without `hasToPack` around items that have an offset (>= 0) in
  /// `known`: they stay there, and `order` holds the others.
  std::optional<std::vector<int64_t>>
  packAround(const std::vector<int64_t> &known, const Deadline &until,
             const std::vector<size_t> &order);
  /// The last packing has parts for which there was no time.
  bool wasCut() const { return isCut; }
  /// Leaves what has an offset (>= 0) where it is, gives each of `order` the
  /// lowest offset at which it ends at or below `limitBytes`, and -1 to those
  /// that find none.
  void fill(std::vector<int64_t> &known, const std::vector<size_t> &order,
            int64_t limitBytes);
  /// Questions asked to sets since the beginning: a measure of the work done
  /// that does not depend on the machine.
  int64_t nodes() const { return nodeCount; }

private:
  void start(const Deadline *until);
  void placePinned();
  void placeKnown(const std::vector<int64_t> &known);
  int64_t work() const;
  /// Looks at the clock now and then.
  bool isLate();
  /// False when the item would end above the limit, and when it is late.
  bool placeLowest(size_t id, int64_t limitBytes = kMaxOffset);
  std::optional<std::vector<int64_t>> pack(const std::vector<size_t> &order,
                                           const Deadline *until,
                                           bool hasToPack, int64_t limitBytes);
  void put(size_t id, int64_t offset);
  std::optional<int64_t> lowestOffset(size_t id, int64_t limitBytes);
  std::optional<int64_t> lowestFree(std::vector<GapFinder> sets,
                                    const Item &item, int64_t limitBytes);

  const PackingProblem &problem;
  const std::vector<std::vector<int64_t>> partners;
  TimeTree taken;
  std::vector<int64_t> offsets; ///< -1: not placed yet.
  int64_t granule = 0;
  int64_t nodeCount = 0, itemCount = 0;
  int64_t nextLook = 0; ///< By work().
  const Deadline *deadline = nullptr;
  bool isCut = false;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_KIT_FIRSTFIT_H
