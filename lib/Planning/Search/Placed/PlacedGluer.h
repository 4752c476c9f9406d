//===- PlacedGluer.h - Putting placed blocks together -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACEDGLUER_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACEDGLUER_H

#include "lib/Planning/Search/Placed/PlacedBlocks.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <random>
#include <unordered_map>

namespace tpu_mlir::planning {

/// Puts blocks of a forest together until nothing fits any more. What fits a
/// pause of another block fills it; then blocks of the same life are piled up,
/// then those are joined that fit no other one, then wheels are looked for, and
/// in the end what could have gone in several ways. Blocks that live all the
/// time stay alone: nothing could be gained.
class PlacedGluer {
public:
  /// `whole`: all the time.
  PlacedGluer(PlacedForest &forest, Interval whole)
      : forest(forest), whole(whole) {}

  /// What is left of `ids`. `seed` 0 goes through them in their order.
  /// Once it is late the rest stays as it is. O(n log n) where few begin or end
  /// at one step.
  std::vector<int32_t> glue(const std::vector<int32_t> &ids, uint64_t seed,
                            llvm::function_ref<bool()> isLate = nullptr);
  /// About 100 ns each.
  int64_t nodes() const { return nodeCount; }

private:
  using Index = std::unordered_map<uint64_t, std::vector<int32_t>>;

  bool glueOnce();
  bool tryFill(int32_t id);
  bool tryPile(int32_t id);
  /// `takeAny`: whatever else would fit. Otherwise a block that could go to
  /// several waits in `ambiguous`.
  bool tryJoin(int32_t id, bool takeAny);
  bool tryJoinAt(int32_t id, int64_t step, bool takeAny, bool &isAmbiguous);
  bool tryWheels(int32_t id);
  bool tryWheelOfAny(const std::vector<int32_t> &hubs);
  bool tryWheel(int32_t hub);
  bool closeWheel(int32_t hub, int32_t d, int32_t c);
  bool isWheelPart(int32_t id) const {
    return forest[id].spans.size() == 1 && !isWhole(id);
  }
  bool isWhole(int32_t id) const {
    const PlacedBlock &block = forest[id];
    return block.spans.size() == 1 && block.spans.front() == whole;
  }

  /// `id` takes the place of `parts`.
  void replace(const std::vector<int32_t> &parts, int32_t id);
  void enter(int32_t id);
  void leave(int32_t id);
  template <typename Use> void forEachKey(int32_t id, Use use);
  /// Those that may be in a bucket, by value: gluing changes it.
  std::vector<int32_t> at(const Index &index, uint64_t key) const;
  static uint64_t keyOf(const std::vector<Interval> &spans);

  PlacedForest &forest;
  const Interval whole;
  Index byBegin, byEnd, byLife, byPause;
  std::vector<char> isRoot; ///< By block, of those that are being glued.
  std::deque<int32_t> waiting, ambiguous;
  int64_t nodeCount = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACEDGLUER_H
