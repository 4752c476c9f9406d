//===- ConvertTopToTpu.h - From the Top to the Tpu dialect ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_CONVERTTOPTOTPU_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_CONVERTTOPTOTPU_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "mlir/Pass/Pass.h"

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h.inc"

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_CONVERTTOPTOTPU_H
