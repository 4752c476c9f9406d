//===- ReorderWeights.h - Coefficients as the chip reads them ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERWEIGHTS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERWEIGHTS_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"
#include "tpu_mlir/Quantization/WeightStore.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h.inc"

/// The same with the numbers of weights at hand; the options of files are not
/// read.
std::unique_ptr<mlir::Pass>
createReorderWeights(const ReorderWeightsOptions &options,
                     std::shared_ptr<quantization::WeightStore> weights);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERWEIGHTS_H
