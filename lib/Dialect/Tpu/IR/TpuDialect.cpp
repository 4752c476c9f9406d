//===- TpuDialect.cpp - The Tpu dialect and its structure ops -------------===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/OpImplementation.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.cpp.inc"

namespace tpu_mlir::tpu {

void TpuDialect::initialize() {
  registerTpuDialectOperations(this);
  addOperations<
#define GET_OP_LIST
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.cpp.inc"
      >();
  registerAttributes();
  // Newer dumps have ops that are not declared here. They have no interface
  // and no traits, so everybody takes them to do anything.
  allowUnknownOperations();
}

} // namespace tpu_mlir::tpu
