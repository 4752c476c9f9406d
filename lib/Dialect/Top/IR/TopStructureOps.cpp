//===- TopStructureOps.cpp - Inputs, weights, control flow ----------------===//

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.cpp.inc"

namespace tpu_mlir::top {

void TopDialect::registerStructureOps() {
  addOperations<
#define GET_OP_LIST
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.cpp.inc"
      >();
}

} // namespace tpu_mlir::top
