//===- OverlapPair.h - What two groups run for each other -------*- C++ -*-===//
//
//     loops of the first   ... | S: last section  | S + 1: stores |
//                                ^ loads of the second
//     loops of the second                         | 0: loads | 1: section 0 ...
//                                      stores of the first ^
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_GROUPOVERLAP_OVERLAPPAIR_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_GROUPOVERLAP_OVERLAPPAIR_H

#include "lib/Transforms/Tpu/CountGroup/BankWaits.h"
#include "lib/Transforms/Tpu/CountGroup/ShareTransfers.h"

namespace tpu_mlir::group_overlap {

/// Bytes of a lane, and the steps (loop * rows + row) in which the first
/// section takes them and after which the last section is done with them.
struct Buffer {
  Interval bytes;
  int64_t begin = 0, end = 0;
};

/// A group as its neighbours see it: its first and last loops, and who has
/// which bytes then.
struct GroupEnds {
  local_report::CountedGroup counted;
  std::vector<mlir::Operation *> ops; ///< As the schedule's.
  /// What the engines do in the rows of loops 0, 1, S and S + 1.
  std::vector<report::LocalRowCycles> before, first, last, after;
  local_report::GuestWaits firstWaits, lastWaits;
  std::vector<Buffer> buffers;
  std::vector<size_t> bufferOf; ///< Results, by op; none of a store.

  tpu::GroupOp group() const { return counted.op; }
  const LocalSchedule &schedule() const { return counted.schedule; }
};

/// nullopt: the group is not a loop on one core, of a type whose parts are
/// boxes, or it is wrong, which is for tpu-verify-local to say.
/// O(sections + ops * operands).
std::optional<GroupEnds> readEnds(tpu::GroupOp group,
                                  const target::ChipSpec &chip);

/// Moves transfers of two groups, one right after the other, where they cost
/// less: the longest first, into the row that it makes longer by least; of
/// equals the last one for a load, the first one for a store. Says so in the
/// attributes. O(transfers * (rows + buffers)). After tpu-mlir's overlap of
/// groups.
void overlap(GroupEnds &first, GroupEnds &second);

} // namespace tpu_mlir::group_overlap

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_GROUPOVERLAP_OVERLAPPAIR_H
