//===- TpuStructureOps.cpp - Groups, transfers, control flow --------------===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.h"

#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.cpp.inc"

namespace tpu_mlir::tpu {

void TpuDialect::registerStructureOps() {
  addOperations<
#define GET_OP_LIST
#include "tpu_mlir/Dialect/Tpu/IR/TpuStructureOps.cpp.inc"
      >();
}

} // namespace tpu_mlir::tpu
