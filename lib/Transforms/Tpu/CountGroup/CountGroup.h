//===- CountGroup.h - What a layer group moves and computes -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_COUNTGROUP_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_COUNTGROUP_H

#include "tpu_mlir/Analysis/Local/Schedule.h"
#include "tpu_mlir/Report/LocalReport.h"

#include <array>

namespace tpu_mlir::local_report {

/// The result of `group` that a store in it makes; null: none.
mlir::Value resultOf(tpu::GroupOp group, mlir::Operation *store);

/// Sums over all sections of one group; what leaves 63 bits is the largest
/// number there is.
struct GroupCount {
  std::array<int64_t, 5> sections{1, 1, 1, 1, 1}; ///< n, c, d, h, w.
  int64_t loadBytes = 0, storeBytes = 0;
  /// Of loadBytes, what is no weight; and the bytes of these tensors, each
  /// once.
  int64_t activationBytes = 0, wholeActivationBytes = 0;
  /// Of the slowest core, and of all.
  int64_t cycles = 0, computeCycles = 0;
  report::TrafficByMemory byMemory;
  int64_t activeCores = 1;
  /// On top of `cycles`, when each access that shares a bank with another one
  /// waits until that one is done; of that core.
  int64_t waitCycles = 0;
  /// Operations of the cost model: of all sections, and of the whole results.
  int64_t work = 0, wholeWork = 0;
  /// Of each op of the schedule in the first section, and in the last one:
  /// cycles without the set-up of a computation.
  std::vector<int64_t> firstCycles, lastCycles;
  /// Row by row; its cycles, and the barriers of several cores, sum up to
  /// `cycles`.
  report::LocalTimeline timeline;
};

/// Counts all transfers in the group's own rows (see shareTransfers()), from
/// `ginfo`, the group's numbers of sections and `schedule` (its own) alone, on
/// chip.usedCores. A transfer moves the extents of its part in the type of the
/// load's result or of what is stored; an op computes its part of its result.
/// Fails when a list of `ginfo` has neither one entry nor one for each section
/// of its dimension, or an extent below 1 (E041), or a tensor has no static
/// size or there are more sections than can be looked at (E040). O(sections * 5
/// + kinds of rounds * (ops + conflicts)).
std::variant<GroupCount, LocalScheduleError>
countGroup(tpu::GroupOp group, const LocalSchedule &schedule,
           const target::ChipSpec &chip);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_COUNTGROUP_H
