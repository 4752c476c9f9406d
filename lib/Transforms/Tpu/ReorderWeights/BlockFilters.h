//===- BlockFilters.h - Filters of floats in blocks -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_BLOCKFILTERS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_BLOCKFILTERS_H

#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Quantization/WeightStore.h"
#include "tpu_mlir/Target/ChipSpec.h"

namespace tpu_mlir::reorder_weights {

/// It is one that blockFilter() changes.
bool hasPlainFilter(top::WeightOp weight, const target::ChipSpec &chip);

/// A filter of 16-bit floats that nothing but convolutions of one form read
/// becomes [1, oc, 1, row], in blocks of the input channels that `chip`
/// multiplies at once; a depthwise one [1, oc, kh, kw]. It is called after its
/// first reader, and its old name is its `origin`. Numbers that `weights` has
/// are put there under the new name.
void blockFilter(top::WeightOp weight, const target::ChipSpec &chip,
                 quantization::WeightStore *weights);

} // namespace tpu_mlir::reorder_weights

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_BLOCKFILTERS_H
