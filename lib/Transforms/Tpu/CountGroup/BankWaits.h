//===- BankWaits.h - Who waits for whom at a bank ---------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_BANKWAITS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_BANKWAITS_H

#include "tpu_mlir/Analysis/Local/Schedule.h"

namespace tpu_mlir::local_report {

/// Two accesses of one row meet in a bank, so that one follows the other: two
/// buffers of ops[compute], or one of them and what ops[transfer] moves.
struct BankWait {
  int64_t compute = 0;
  std::optional<int64_t> transfer;
};

/// One entry for each pair of buffers and row in which it meets, at the
/// addresses of `schedule`. A result that lies on its operand is one buffer
/// with it. Stages are not looked at: whether both act in one round is the
/// caller's business. O(ops^2 * operands).
std::vector<BankWait> findBankWaits(const LocalSchedule &schedule,
                                    const target::ChipSpec &chip);

/// What transfers that are not of the group add when they run in its rows.
class GuestWaits {
public:
  /// `ofOp`: cycles of each op of the schedule, in one of its sections.
  /// O(ops * operands).
  GuestWaits(const LocalSchedule &schedule, const std::vector<int64_t> &ofOp,
             const target::ChipSpec &chip);

  /// Of one that takes `cycles` over these bytes of a lane: each buffer in one
  /// of its banks that an op computes with in that row makes the shorter one
  /// wait. O(buffers of the row).
  int64_t at(int64_t row, Interval bytes, int64_t cycles) const;

private:
  struct Use {
    Interval banks;
    int64_t cycles = 0;
  };
  int64_t bankBytes = 0;              ///< 0: there are no banks.
  std::vector<std::vector<Use>> uses; ///< By row.
};

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_COUNTGROUP_BANKWAITS_H
