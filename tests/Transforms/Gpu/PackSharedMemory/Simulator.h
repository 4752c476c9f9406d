//===- Simulator.h - A workgroup whose threads run apart --------*- C++ -*-===//
//
// Runs a kernel step by step on several threads, in an order that is as unkind
// as one likes. A barrier lets a thread go on when all have come.
//
// Next to the bytes that views have in common, every buffer has elements of its
// own, as it had before it was packed. A store goes to both, a load has to find
// the same store in both. So a difference is a fault of packing, also where the
// kernel has races of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_GPU_PACKSHAREDMEMORY_SIMULATOR_H
#define TPU_MLIR_TESTS_TRANSFORMS_GPU_PACKSHAREDMEMORY_SIMULATOR_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tpu_mlir {

/// Which thread runs next.
struct Schedule {
  enum Kind {
    Random, ///< Any, a step at a time.
    First,  ///< `thread` whenever it can, the others one after the other.
    Last,   ///< `thread` only when no other one can.
  };
  Kind kind = Random;
  int thread = 0;
  uint64_t seed = 0;
};

/// What a run has found; empty strings and zeros are good.
struct RunResult {
  /// Loads that found something else than what was stored there last.
  int64_t wrongLoads = 0;
  /// Bytes that two threads accessed between the same two barriers, one of them
  /// writing, as parts of different buffers.
  int64_t races = 0;
  int64_t loads = 0;
  /// The simulator cannot go on: threads wait at different barriers, or an op
  /// that it does not know.
  std::string stuck;
  /// Views that held a value that was still to be loaded while the other one
  /// was stored to.
  std::set<std::pair<mlir::Operation *, mlir::Operation *>> liveTogether;

  /// Barriers that threads met at.
  std::set<mlir::Operation *> passed;

  bool isGood() const { return wrongLoads == 0 && races == 0 && stuck.empty(); }
};

/// `n`: the value of all arguments of type index; the block id is odd if it is.
RunResult simulate(mlir::gpu::GPUFuncOp kernel, int threads, int64_t n,
                   const Schedule &schedule);

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_TRANSFORMS_GPU_PACKSHAREDMEMORY_SIMULATOR_H
