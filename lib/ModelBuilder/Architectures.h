//===- Architectures.h - One function a network -----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_MODELBUILDER_ARCHITECTURES_H
#define TPU_MLIR_LIB_MODELBUILDER_ARCHITECTURES_H

#include "tpu_mlir/ModelBuilder/GraphBuilder.h"

namespace tpu_mlir::model_builder {

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
Outputs buildInceptionV3(GraphBuilder &g, const NetworkSize &size);
Outputs buildInceptionV4(GraphBuilder &g, const NetworkSize &size);
Outputs buildNasNetALarge(GraphBuilder &g, const NetworkSize &size);
Outputs buildPnasNet5Large(GraphBuilder &g, const NetworkSize &size);
Outputs buildAmoebaNetA(GraphBuilder &g, const NetworkSize &size);
Outputs buildDarts(GraphBuilder &g, const NetworkSize &size);
Outputs buildRandWire(GraphBuilder &g, const NetworkSize &size);
Outputs buildSwiftNet(GraphBuilder &g, const NetworkSize &size);
Outputs buildSwiftNetA(GraphBuilder &g, const NetworkSize &size);
Outputs buildSwiftNetB(GraphBuilder &g, const NetworkSize &size);
Outputs buildSwiftNetC(GraphBuilder &g, const NetworkSize &size);
Outputs buildNasNetACells(GraphBuilder &g, const NetworkSize &size);
Outputs buildPnasNet5Cells(GraphBuilder &g, const NetworkSize &size);
Outputs buildAmoebaNetACells(GraphBuilder &g, const NetworkSize &size);
Outputs buildDartsCells(GraphBuilder &g, const NetworkSize &size);
Outputs buildChain(GraphBuilder &g, const NetworkSize &size);

/// The mean of each channel, and of these one of 1000 classes.
mlir::Value classify(GraphBuilder &g, mlir::Value x);

} // namespace tpu_mlir::model_builder

#endif // TPU_MLIR_LIB_MODELBUILDER_ARCHITECTURES_H
