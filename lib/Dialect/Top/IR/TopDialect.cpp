//===- TopDialect.cpp - Registration of the Top dialect -------------------===//

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Top/IR/TopLayerOps.h"

#include "tpu_mlir/Dialect/Top/IR/TopDialect.cpp.inc"

namespace tpu_mlir::top {

void TopDialect::initialize() {
  registerTopDialectOperations(this);
  registerStructureOps();
  // Newer dumps have ops that are not declared here. They have no interface
  // and no traits, so everybody takes them to do anything.
  allowUnknownOperations();
}

} // namespace tpu_mlir::top
