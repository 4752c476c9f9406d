//===- PackCoefficients.h - One convolution's coefficients ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_PACKCOEFFICIENTS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_PACKCOEFFICIENTS_H

#include "tpu_mlir/Quantization/WeightStore.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/Operation.h"

namespace tpu_mlir::reorder_weights {

/// A convolution with factors among its attributes, for a chip that has them
/// among the coefficients.
bool hasFactors(mlir::Operation *op, const target::ChipSpec &chip);

/// Gives `op` coefficients in the chip's order, when it is a convolution of
/// integers whose filter is a weight [oc, ic / group, kernel ..] of 8 bits and
/// whose factors are attributes; else it stays. Numbers go through `weights`;
/// null: only types change. O(weights).
void packCoefficients(mlir::Operation *op, const target::ChipSpec &chip,
                      quantization::WeightStore *weights);

} // namespace tpu_mlir::reorder_weights

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_PACKCOEFFICIENTS_H
