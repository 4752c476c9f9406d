//===- TpuLayerOps4.cpp - A sixth of the generated layers -----------------===//
//
// Split by number only, so that no file takes long to compile.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

#include "mlir/IR/OpImplementation.h"

#define GET_OP_DEFS_4
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.cpp.inc"
