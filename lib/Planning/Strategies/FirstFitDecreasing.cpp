//===- FirstFitDecreasing.cpp - Big ones first, as low as they go ---------===//
//
// Pinned items first; then the others by size, largest first, ties in the order
// of the buffers; each at the lowest offset at which no byte belongs to an item
// that is placed and alive at the same time. Big items meet an empty pool,
// small ones fill the holes between them.
//
//     size 12 [5,10)   at  0    nothing is placed yet
//     size 10 [1,6)    at 12    over the 12, which it meets at step 5
//     size  8 [1,4)    at  0    the 12 comes later: the same bytes will do
//
// This is the heuristic with which Wave, the kernel language of iree-org, packs
// the shared memory of a kernel; TFLite, OpenVINO and others place by size as
// well (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", 2020, take the tightest instead of the lowest hole). Lives are
// closed intervals there and half-open ones here. Alignment, pins, partners and
// gaps in lives are additions.
//
// Moving past the placed neighbours one by one is quadratic for any problem;
// FirstFit.h says what takes its place. 100,000 results of a network take well
// below a second.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/FirstFit.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

class FirstFitDecreasing final : public Strategy {
public:
  std::string_view name() const override { return "first-fit-decreasing"; }
  std::string_view summary() const override {
    return "largest first, each at the lowest free offset; O(n log^2 n) for "
           "networks";
  }
  std::optional<int> autoRank() const override { return 20; }
  size_t autoItemLimit() const override { return 100'000; }
  /// As in its source, where sorting is stable.
  bool followsBufferOrder() const override { return true; }

  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    FirstFit firstFit(problem);
    auto offsets = firstFit.pack(bySize(problem, firstFit.unpinnedItems()));
    if (!offsets)
      return std::nullopt;
    Packing packing;
    packing.offsets = std::move(*offsets);
    return packing;
  }

private:
  static std::vector<size_t> bySize(const PackingProblem &problem,
                                    std::vector<size_t> order) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return problem.items[a].sizeBytes > problem.items[b].sizeBytes;
    });
    return order;
  }
};

const RegisterStrategy<FirstFitDecreasing> registration;

} // namespace
} // namespace tpu_mlir::planning
