//===- FitStretch.h - Stretches of layers that may run in parts -*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_FITSTRETCH_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_FITSTRETCH_H

#include "tpu_mlir/tools/model_deploy/Recipe.h"

namespace tpu_mlir::deploy {

/// Ways to compute `tensor` of a lowered module in parts: from its layer on to
/// where tensors are small again, alone and with the layers in front that only
/// work for these; along each dimension that can be cut. Empty when its layers
/// have no parts. O(ops of the block).
std::vector<Parts> stretchesAround(mlir::ModuleOp module,
                                   llvm::StringRef tensor);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_FITSTRETCH_H
