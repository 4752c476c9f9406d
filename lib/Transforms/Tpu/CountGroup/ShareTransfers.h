//===- ShareTransfers.h - Transfers in a neighbour's rows -------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_SHARETRANSFERS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_SHARETRANSFERS_H

#include "lib/Transforms/Tpu/CountGroup/CountGroup.h"

namespace tpu_mlir::local_report {

/// A group and what was counted of it.
struct CountedGroup {
  tpu::GroupOp op;
  LocalSchedule schedule;
  GroupCount count;
};

/// Counts the transfers that two groups, one right after the other, run for
/// each other where they run: loads of the second one in the last loop of the
/// first one that computes, stores of the first one in the first loop of the
/// second one that does. Timelines, cycles and waits change, on one core; what
/// the two groups do not agree about stays where it is. O(rows + ops).
void shareTransfers(CountedGroup &first, CountedGroup &second,
                    const target::ChipSpec &chip);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_SHARETRANSFERS_H
