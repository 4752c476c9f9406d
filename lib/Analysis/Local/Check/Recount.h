//===- Recount.h - The figures of a layer group, counted again --*- C++ -*-===//
//
// I11: what a planner reports has to equal this. Counted from the IR alone.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_RECOUNT_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_RECOUNT_H

#include "lib/Analysis/Local/Check/LocalGroup.h"

namespace tpu_mlir::local {

struct GroupFigures {
  int64_t numSections = 0, numRows = 0;
  /// The largest end of a buffer, in one lane.
  int64_t highWaterBytes = 0;
  /// The most bytes of one lane that are taken in a row; bytes that an
  /// in-place pair shares count once.
  int64_t peakBytes = 0;
  /// The first row of the run in which that is so, and what is alive there, as
  /// indices of members in ascending order.
  int64_t peakTime = 0;
  std::vector<int> peakMembers;
  /// Elements that are copied, in bytes of global memory, over all sections
  /// and without what lanes pad.
  int64_t loadedBytes = 0, storedBytes = 0;
};

/// Of a group that checkGroup() finds right; nullopt when a figure has more
/// than 63 bits. O(rows * buffers log buffers).
std::optional<GroupFigures> recountGroup(const LocalGroup &group);

} // namespace tpu_mlir::local

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_CHECK_RECOUNT_H
