//===- Deploy.h - The stages of model_deploy --------------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_DEPLOY_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_DEPLOY_H

#include "tpu_mlir/tools/model_deploy/Options.h"

namespace tpu_mlir::deploy {

/// Parses, lowers a Top module, assigns and verifies addresses, reports.
/// Writes all output files or none. Returns an ExitCode.
int deploy(const Options &options);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_DEPLOY_H
