//===- ProcessorAssign.h - Chip and cores of a module -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_PROCESSORASSIGN_PROCESSORASSIGN_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_PROCESSORASSIGN_PROCESSORASSIGN_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/ProcessorAssign/ProcessorAssign.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/ProcessorAssign/ProcessorAssign.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_PROCESSORASSIGN_PROCESSORASSIGN_H
