//===- TopDialect.cpp - The Top dialect and its structure ops -------------===//

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Top/IR/TopLayerOps.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"

#include "mlir/IR/OpImplementation.h"

#include "tpu_mlir/Dialect/Top/IR/TopDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.cpp.inc"

namespace tpu_mlir::top {

void TopDialect::initialize() {
  registerTopDialectOperations(this);
  addOperations<
#define GET_OP_LIST
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.cpp.inc"
      >();
  // Newer dumps have ops that are not declared here. They have no interface
  // and no traits, so everybody takes them to do anything.
  allowUnknownOperations();
}

} // namespace tpu_mlir::top
