//===- VerifyPlan.h - Does a module have the recorded plan ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYPLAN_VERIFYPLAN_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYPLAN_VERIFYPLAN_H

#include "tpu_mlir/Planning/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/VerifyPlan/VerifyPlan.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/VerifyPlan/VerifyPlan.h.inc"

/// Fails with E013 when the plan is not valid, or says another place or size
/// than the module; `file` is what messages call it. `module` has functions of
/// its own and addresses, or `module.pool_sizes`.
llvm::LogicalResult verifyPlan(mlir::ModuleOp module,
                               const planning::Problem &problem,
                               const planning::Plan &plan,
                               llvm::StringRef file);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYPLAN_VERIFYPLAN_H
