//===- Auto.cpp - The best of the others ----------------------------------===//
//
// Runs every strategy that has an autoRank(), lowest rank first, ties by name.
// An answer counts only when the validator accepts it. The lowest high-water
// mark wins, ties go to the one that came first. Meeting the lower bound ends
// the run: nothing can be better.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Packing.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

std::vector<const Strategy *> membersByRank() {
  std::vector<const Strategy *> members;
  for (const Strategy *strategy : StrategyRegistry::all())
    if (strategy->autoRank())
      members.push_back(strategy);
  std::stable_sort(members.begin(), members.end(),
                   [](const Strategy *a, const Strategy *b) {
                     return *a->autoRank() < *b->autoRank();
                   });
  return members;
}

class Auto final : public Strategy {
public:
  std::string_view name() const override { return "auto"; }
  std::string_view summary() const override {
    return "runs the others, cheap ones first, until one meets the lower "
           "bound; the best wins";
  }

  std::optional<Packing> pack(const PackingProblem &problem,
                              const SolveOptions &options) const override {
    std::optional<Packing> best;
    int64_t bestBytes = 0;
    for (const Strategy *member : membersByRank()) {
      std::optional<Packing> packing = member->pack(problem, options);
      if (!packing || !isValidPacking(problem, packing->offsets))
        continue;
      const int64_t bytes = problem.highWater(packing->offsets);
      if (best && bytes >= bestBytes)
        continue;
      bestBytes = bytes;
      best = std::move(packing);
      best->winner = std::string(member->name());
      if (bestBytes <= problem.lowerBoundBytes)
        break;
    }
    return best;
  }
};

const RegisterStrategy<Auto> registration;

} // namespace
} // namespace tpu_mlir::planning
