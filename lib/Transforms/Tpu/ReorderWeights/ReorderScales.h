//===- ReorderScales.h - Scales of packed weights, by lanes -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERSCALES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERSCALES_H

#include "tpu_mlir/Quantization/WeightStore.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/Operation.h"

namespace tpu_mlir::reorder_weights {

/// Whether the op is a tpu.A16MatMul whose scales and zero points are weights
/// [columns, groups], row by row.
bool hasScalesInRows(mlir::Operation *op);

/// Gives such an op scales and zero points [lanes, columns / lanes, groups],
/// where column n is row n / lanes of lane n % lanes; or where the chip has
/// `scalePairs` one weight of both, [lanes, columns / lanes, 2 groups]. Columns
/// that are no whole lanes stay as they are. Numbers go through `weights`;
/// null: only types change. O(scales).
void reorderScales(mlir::Operation *op, const target::ChipSpec &chip,
                   quantization::WeightStore *weights);

} // namespace tpu_mlir::reorder_weights

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_REORDERSCALES_H
