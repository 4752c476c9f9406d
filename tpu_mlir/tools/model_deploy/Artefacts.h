//===- Artefacts.h - Files for an application -------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_ARTEFACTS_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_ARTEFACTS_H

#include "lib/Transforms/Tpu/AssignGlobalAddress/RecordPlan.h"
#include "tpu_mlir/tools/model_deploy/Outputs.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace tpu_mlir::deploy {

/// Problem and plan of each module of functions.
using Records = llvm::MapVector<mlir::Operation *, GlobalRecord>;

/// From the plan that the module has, and not before the module agrees. Nothing
/// when nobody asks for it.
mlir::LogicalResult makeArtefacts(mlir::ModuleOp module, const Options &options,
                                  Records &records, Outputs &outputs);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_ARTEFACTS_H
