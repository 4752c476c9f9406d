//===- TickOracle.h - Merging by walk order, as others do it ----*- C++ -*-===//
//
// The tick-based merging of intel/graph-compiler, from its description: one
// interval a buffer, from the first access in the order of the text to the last
// one, widened to the loop or branch directly around an access, and an online
// planner. Slow and simple; some of its plans are wrong, and it knows which.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_TRANSFORMS_MEMREF_MERGEALLOC_TICKORACLE_H
#define TPU_MLIR_TESTS_TRANSFORMS_MEMREF_MERGEALLOC_TICKORACLE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>
#include <string>

namespace tpu_mlir {

struct OracleResult {
  /// Bytes of all allocations of static size that are left, merged ones
  /// included, each counted once; the smaller one of its two planners.
  int64_t bytes = 0;
  /// It refuses the function: why. `bytes` is nothing then.
  std::optional<std::string> refusal;
  /// It merges a buffer that escapes, or puts two into the same bytes that are
  /// in use together.
  bool isWrong = false;
};

/// What it makes of `function` with alignment 64.
OracleResult runTickOracle(mlir::Operation *function);

/// Bytes of all memref.allocs of static size in `function`.
int64_t allocatedBytes(mlir::Operation *function);

} // namespace tpu_mlir

#endif // TPU_MLIR_TESTS_TRANSFORMS_MEMREF_MERGEALLOC_TICKORACLE_H
