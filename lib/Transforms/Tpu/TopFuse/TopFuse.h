//===- TopFuse.h - Layers of a network that are one -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_TOPFUSE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_TOPFUSE_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"

#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/TopFuse/TopFuse.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/TopFuse/TopFuse.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_TOPFUSE_TOPFUSE_H
