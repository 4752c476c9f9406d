//===- ConvertTopToTpu.h - From the Top to the Tpu dialect ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_CONVERTTOPTOTPU_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_CONVERTTOPTOTPU_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"

#include "tpu_mlir/Quantization/WeightStore.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/ConvertTopToTpu/ConvertTopToTpu.h.inc"

/// The same with the numbers of weights at hand: read from `weights`, and what
/// is made of them put there. The options of files of weights are not read.
std::unique_ptr<mlir::Pass>
createConvertTopToTpu(const ConvertTopToTpuOptions &options,
                      std::shared_ptr<quantization::WeightStore> weights);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_CONVERTTOPTOTPU_H
