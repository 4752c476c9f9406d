//===- GreedyByConflicts.cpp - By conflicts, then by size -----------------===//
//
// Pinned items first; then the others by the number of items that live at the
// same time, most first, ties by size, largest first, then by the higher index;
// each at the lowest offset that is free for it. What has many neighbours is
// hard to place late: it finds a hole only where all of them leave one.
//
// The order is that of `greedy_by_conflicts` of the memory planner of Apache
// TVM (USMP), which stacks above all conflicts and counts on a conflict graph.
// Here conflicts are counted by a sweep (GreedyOrders.h), and FirstFit.h uses
// the gaps and keeps every limit.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/FirstFit.h"
#include "lib/Planning/Strategies/GreedyOrders.h"

namespace tpu_mlir::planning {
namespace {

class GreedyByConflicts final : public Strategy {
public:
  std::string_view name() const override { return "greedy-by-conflicts"; }
  std::string_view summary() const override {
    return "TVM's order by number of conflicts, then by size, each at the "
           "lowest free offset; O(n log^2 n) for networks";
  }
  std::optional<int> autoRank() const override { return 25; }
  size_t autoItemLimit() const override { return 100'000; }
  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    FirstFit firstFit(problem);
    auto offsets =
        firstFit.pack(byConflictsThenSize(problem, firstFit.unpinnedItems()));
    if (!offsets)
      return std::nullopt;
    Packing packing;
    packing.offsets = std::move(*offsets);
    return packing;
  }
};

const RegisterStrategy<GreedyByConflicts> registration;

} // namespace
} // namespace tpu_mlir::planning
