//===- ReorderWeights.h - Coefficients as the chip reads them ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERWEIGHTS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERWEIGHTS_H

#include "tpu_mlir/Dialect/Top/IR/TopDialect.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuDialect.h"
#include "tpu_mlir/Quantization/WeightStore.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace tpu_mlir {

#define GEN_PASS_DECL
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tpu/ReorderWeights/ReorderWeights.h.inc"

namespace reorder_weights {

/// What the pass changes in a module.
enum class Reordering {
  None,
  Types,   ///< Those of filters of floats, whose numbers keep their order.
  Numbers, ///< Numbers that others are made of, too.
};
Reordering reorderingOf(mlir::ModuleOp module, const target::ChipSpec &chip);

} // namespace reorder_weights

/// The same with the numbers of weights at hand; the options of files are not
/// read.
std::unique_ptr<mlir::Pass>
createReorderWeights(const ReorderWeightsOptions &options,
                     std::shared_ptr<quantization::WeightStore> weights);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERWEIGHTS_H
