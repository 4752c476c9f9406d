//===- PlaceGroup.h - New addresses for one layer group ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNLOCALADDRESS_PLACEGROUP_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNLOCALADDRESS_PLACEGROUP_H

#include "tpu_mlir/Analysis/Local/Schedule.h"

namespace tpu_mlir::local_addresses {

/// Addresses for one group, not written yet.
struct GroupAddresses {
  tpu::GroupOp group;
  LocalSchedule schedule;
  LocalProblem problem;
  layer::LmemPlacement placement;
};

/// Places the buffers of `group`; in place of one another when the chip allows
/// it and it pays. Emits an error and fails when the group cannot be read or
/// does not fit (E001) or got no addresses (E022).
mlir::FailureOr<GroupAddresses> placeGroup(tpu::GroupOp group,
                                           const target::ChipSpec &chip,
                                           const layer::LmemOptions &options);

/// Writes them, and empties the lists of transfers that neighbours run for each
/// other, with a remark when they were not empty.
void applyAddresses(const GroupAddresses &addresses);

} // namespace tpu_mlir::local_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNLOCALADDRESS_PLACEGROUP_H
