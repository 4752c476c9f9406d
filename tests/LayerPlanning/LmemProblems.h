//===- LmemProblems.h - Placement problems for tests and benchmarks -------===//

#ifndef TPU_MLIR_TESTS_LAYERPLANNING_LMEMPROBLEMS_H
#define TPU_MLIR_TESTS_LAYERPLANNING_LMEMPROBLEMS_H

#include "tpu_mlir/LayerPlanning/LmemPlacement.h"

#include <random>

namespace tpu_mlir::layer {

/// What randomProblem draws from. Everything is at most what it says.
struct RandomShape {
  int64_t buffers = 7;
  int64_t laneUnits = 10; ///< Of euBytes.
  int64_t euBytes = 4;
  int64_t banks = 4;
  int64_t sizeDivisor = 3; ///< Sizes are at most lane / sizeDivisor.
  int64_t pairsPerBuffer = 3;
  int64_t period = 5;
  bool isCyclic = false;
};

/// The same problem for the same state of `random`. Some lives wrap (cyclic),
/// some buffers lie in place of another, some pairs are listed twice. It passes
/// checkProblem; it may be infeasible.
LmemProblem randomProblem(const RandomShape &shape, std::mt19937_64 &random);

/// The same buffers and pairs in another order. `placeOf[old]` is where a
/// buffer went.
LmemProblem shuffled(const LmemProblem &problem, std::mt19937_64 &random,
                     std::vector<int64_t> *placeOf = nullptr);

/// One of the groups of $TPU_MEMORY_DATA/lmem_groups, and what tpu-mlir made of
/// it.
struct RealGroup {
  LmemProblem problem;
  std::vector<int64_t> addresses;
  int64_t highWaterBytes = 0;
  int64_t rows = 0;
};

/// By name; empty without the data. The files do not say who reads what, so
/// every two buffers that live together are a bank pair of cost 1. Lives are a
/// circle everywhere, as in tpu-mlir.
std::vector<RealGroup> realGroups();

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_TESTS_LAYERPLANNING_LMEMPROBLEMS_H
