//===- RegisterPasses.cpp - The passes of tpuc-opt ------------------------===//

#include "RegisterPasses.h"

#include "mlir/Transforms/Passes.h"

namespace tpu_mlir {

void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
}

} // namespace tpu_mlir
