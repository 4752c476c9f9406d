//===- Classify.cpp - How networks for images of ImageNet end -------------===//

#include "Architectures.h"

namespace tpu_mlir::model_builder {

mlir::Value classify(GraphBuilder &g, mlir::Value x) {
  x = g.globalAvgPool("pool", x);
  const auto shape = GraphBuilder::shapeOf(x);
  x = g.reshape("flatten", x, {shape[0], shape[1]});
  return g.linear("classifier", x, 1000);
}

} // namespace tpu_mlir::model_builder
