//===- Architectures.h - One function a network -----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_ARCHITECTURES_H
#define TPU_MLIR_LIB_MODELBUILDER_ARCHITECTURES_H

#include "tpu_mlir/ModelBuilder/GraphBuilder.h"

namespace tpu_mlir {

/// Checked: within the ranges that Models.h states.
struct NetworkSize {
  int64_t batch = 1;
  int64_t seq = 0;
  int64_t ops = 0;
  uint64_t seed = 0;
};

/// Each appends a whole network, inputs first, and returns its outputs.
using Outputs = llvm::SmallVector<mlir::Value, 3>;

Outputs buildResNet50(GraphBuilder &g, const NetworkSize &size);
Outputs buildMobileNetV2(GraphBuilder &g, const NetworkSize &size);
Outputs buildYoloFpn(GraphBuilder &g, const NetworkSize &size);
Outputs buildUNet(GraphBuilder &g, const NetworkSize &size);
Outputs buildDenseNet121(GraphBuilder &g, const NetworkSize &size);
Outputs buildBertBase(GraphBuilder &g, const NetworkSize &size);
Outputs buildLlamaBlock(GraphBuilder &g, const NetworkSize &size);
Outputs buildChain(GraphBuilder &g, const NetworkSize &size);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_MODELBUILDER_ARCHITECTURES_H
