//===- CollectLocalReport.h - From layer groups to a report -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_COLLECTLOCALREPORT_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_COLLECTLOCALREPORT_H

#include "tpu_mlir/Report/LocalReport.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir::local_report {

/// What stands in the `tpu.Group`s of one module of functions, whoever put it
/// there, and what the layers outside of them cost: an independent count, which
/// knows nothing of what a planner said (I11).
///
/// A global layer reads each of its operands once and writes its results; an op
/// whose result has to be a view (a reshape) is free; weights, inputs, none,
/// calls and terminators are no layers. What is in regions of ops other than
/// groups is not counted: the op is one layer. Calls are not followed: each
/// function counts once.
///
/// Emits an error and fails when a group cannot be read (E040 to E050). O(ops
/// log ops + sections + what buildLocalProblem takes) for each group.
mlir::FailureOr<report::LocalReport>
collectLocalReport(mlir::ModuleOp module, const target::ChipSpec &chip);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_COLLECTLOCALREPORT_H
