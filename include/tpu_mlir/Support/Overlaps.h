//===- Overlaps.h - Which intervals overlap ---------------------*- C++ -*-===//

#ifndef TPU_MLIR_SUPPORT_OVERLAPS_H
#define TPU_MLIR_SUPPORT_OVERLAPS_H

#include "tpu_mlir/Support/Interval.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tpu_mlir {

/// An interval, and the number of whom it belongs to.
struct OwnedInterval {
  Interval interval;
  size_t owner = 0;
};

/// Calls `meet` with the owners of each two of `intervals` that overlap, once
/// for each such two, in the order in which the later ones of them begin. None
/// is empty. When `meet` returns false it stops and returns false, too.
/// O(n log n + overlaps).
bool forEachOverlap(std::vector<OwnedInterval> intervals,
                    llvm::function_ref<bool(size_t, size_t)> meet);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_OVERLAPS_H
