//===- FirstFitDecreasing.cpp - Big ones first, as low as they go ---------===//
//
// Pinned items first; then the others by size, largest first, ties by the
// longer total life, then by index; each at the lowest free offset. Big items
// meet an empty pool, small ones fill the holes between them.
//
// This is the greedy-by-size idea of Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference" (2020), with the lowest instead of
// the tightest hole. Their scan over all placed neighbours is quadratic for any
// problem; FirstFit.h says what takes its place. 100,000 results of a network
// take well below a second.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/FirstFit.h"

#include <algorithm>
#include <tuple>

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
    std::vector<int64_t> life;
    for (const Item &item : problem.items)
      life.push_back(totalLife(item));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tie(problem.items[b].sizeBytes, life[b], a) <
             std::tie(problem.items[a].sizeBytes, life[a], b);
    });
    return order;
  }
};

const RegisterStrategy<FirstFitDecreasing> registration;

} // namespace
} // namespace tpu_mlir::planning
