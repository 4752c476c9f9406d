//===- PackFloat8.h - Coefficients of convolutions of 8-bit floats -*- C++ -*-//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_PACKFLOAT8_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_PACKFLOAT8_H

#include "tpu_mlir/Quantization/WeightStore.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/Operation.h"

namespace tpu_mlir::reorder_weights {

/// A convolution whose filter is a weight of f8E4M3FN in the order of layers,
/// with a scale for each channel, on a chip that has such floats. Those without
/// scales (f8E5M2) take the numbers of the network's file as they are.
bool hasFloat8Filter(mlir::Operation *op, const target::ChipSpec &chip);

/// Gives such a convolution one coefficient with its scales, biases and filter,
/// lane by lane; else it stays. The scales stay among
/// its attributes, where the kernels find them in f64. Numbers go through
/// `weights`; null: only types change. O(weights).
void packFloat8(mlir::Operation *op, const target::ChipSpec &chip,
                quantization::WeightStore *weights);

} // namespace tpu_mlir::reorder_weights

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_PACKFLOAT8_H
