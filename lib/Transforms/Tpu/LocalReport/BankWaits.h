//===- BankWaits.h - Who waits for whom at a bank ---------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_BANKWAITS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_BANKWAITS_H

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

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_BANKWAITS_H
