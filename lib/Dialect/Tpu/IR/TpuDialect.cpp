//===- TpuDialect.cpp - Registration of the Tpu dialect -------------------===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.cpp.inc"

namespace tpu_mlir::tpu {

void TpuDialect::initialize() {
  registerTpuDialectOperations(this);
  registerStructureOps();
  registerAttributes();
  // Newer dumps have ops that are not declared here. They have no interface
  // and no traits, so everybody takes them to do anything.
  allowUnknownOperations();
}

} // namespace tpu_mlir::tpu
