//===- Pipelines.h - Named pipelines and the list of passes -----*- C++ -*-===//

#ifndef TPU_MLIR_PIPELINES_PIPELINES_H
#define TPU_MLIR_PIPELINES_PIPELINES_H

#include "tpu_mlir/Pipelines/MemrefPasses.h"
#include "tpu_mlir/Pipelines/NetworkPipelines.h"

namespace tpu_mlir {

/// Every pass and pipeline of the project, and the upstream ones that belong
/// to its workflow (canonicalize, cse).
void registerAllPassesAndPipelines();

} // namespace tpu_mlir

#endif // TPU_MLIR_PIPELINES_PIPELINES_H
