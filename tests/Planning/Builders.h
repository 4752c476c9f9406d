//===- Builders.h - Literal problems in few words ---------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_PLANNING_BUILDERS_H
#define TPU_MLIR_TESTS_PLANNING_BUILDERS_H

#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

constexpr int64_t kGiB = int64_t(1) << 30;

inline Buffer buffer(std::string name, std::vector<Interval> lifespans,
                     int64_t sizeBytes, int64_t alignment = 1) {
  Buffer b;
  b.name = std::move(name);
  b.lifespans = std::move(lifespans);
  b.sizeBytes = sizeBytes;
  b.alignment = alignment;
  return b;
}

/// One pool called "ddr".
inline Problem problemOf(std::vector<Buffer> buffers,
                         std::optional<int64_t> capacity = std::nullopt) {
  Problem p;
  p.pools = {{"ddr", 0, capacity, 1, 0}};
  p.buffers = std::move(buffers);
  return p;
}

inline SolveResult solveWith(const Problem &problem, std::string strategy) {
  SolveOptions options;
  options.strategy = std::move(strategy);
  return solve(problem, options);
}

/// The offsets of a plan; empty when there is none.
inline std::vector<int64_t> offsetsOf(const SolveResult &result) {
  std::vector<int64_t> offsets;
  if (const auto *plan = std::get_if<Plan>(&result))
    for (const Placement &at : plan->placements)
      offsets.push_back(at.offsetBytes);
  return offsets;
}

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PLANNING_BUILDERS_H
