//===- RegisterUpstream.cpp - MLIR's own dialects -------------------------===//

#include "tpu_mlir/Dialect/RegisterUpstream.h"

#include "mlir/InitAllDialects.h"

namespace tpu_mlir {

void registerUpstreamDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
}

} // namespace tpu_mlir
