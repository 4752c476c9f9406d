//===- GreedyBySize.cpp - By size, then by conflicts ----------------------===//
//
// Pinned items first; then the others by size, largest first, ties by the
// number of conflicts, most first, then by the higher index; each at the lowest
// offset that is free for it.
//
// The order is that of `greedy_by_size` of the memory planner of Apache TVM
// (USMP). The original stacks an item above everything it conflicts with; gaps
// below are lost, and with a size limit two items could end up in the same
// bytes. Here FirstFit.h places them: gaps are used, alignment is the item's
// own, and whatever the capacity is, nothing overlaps.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/FirstFit.h"
#include "lib/Planning/Strategies/GreedyOrders.h"

namespace tpu_mlir::planning {
namespace {

class GreedyBySize final : public Strategy {
public:
  std::string_view name() const override { return "greedy-by-size"; }
  std::string_view summary() const override {
    return "TVM's order by size, then by number of conflicts, each at the "
           "lowest free offset; O(n log^2 n) for networks";
  }
  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    FirstFit firstFit(problem);
    auto offsets =
        firstFit.pack(bySizeThenConflicts(problem, firstFit.unpinnedItems()));
    if (!offsets)
      return std::nullopt;
    Packing packing;
    packing.offsets = std::move(*offsets);
    return packing;
  }
};

const RegisterStrategy<GreedyBySize> registration;

} // namespace
} // namespace tpu_mlir::planning
