//===- RecordPlan.h - A network's memory as a problem and its plan --------===//
//
// The planner sees tensors only, one buffer for all that share storage. Who
// makes files for the application needs more: the weights, where the module has
// them, and each input and output by its own name.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_RECORDPLAN_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_RECORDPLAN_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

#include <map>
#include <string>

namespace tpu_mlir {

/// What a module was planned by, and what it got.
struct GlobalRecord {
  planning::Problem problem;
  planning::Plan plan;
  /// What the device needs for this module and those before it: all regions,
  /// rounded up, with what lies between them.
  int64_t boardBytes = 0;
  /// By parameter pool: its bytes, where all that is in it has its data in the
  /// module.
  std::map<std::string, std::string> contents;
  /// By parameter pool without contents: a weight whose data is elsewhere.
  std::map<std::string, std::string> without;
};

/// `plan` is the plan of `global`, whose regions have their bases; weights have
/// addresses. Weights are buffers of a read-only pool, `coeff` or one of the
/// user's; those inside another one are aliases, and so are inputs and outputs
/// that share storage. Emits E013 and fails when the whole is not valid, as
/// with weights that overlap in part. O(ops + weights log weights).
mlir::FailureOr<GlobalRecord>
recordPlan(mlir::ModuleOp module, const GlobalFacts &facts,
           const GlobalProblem &global, const planning::Plan &plan,
           const target::ChipSpec &chip, const WeightRegion &weights);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_RECORDPLAN_H
