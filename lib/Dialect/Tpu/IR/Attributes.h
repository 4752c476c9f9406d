//===- Attributes.h - Attributes of Tpu ops as plain numbers ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_DIALECT_TPU_IR_ATTRIBUTES_H
#define TPU_MLIR_LIB_DIALECT_TPU_IR_ATTRIBUTES_H

#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

namespace tpu_mlir::tpu {

/// Offset and step in every dimension of the operand of a slice; an offset
/// that counts from the end is made to count from the start.
struct SliceStarts {
  llvm::SmallVector<int64_t> offsets, steps;
};

/// From lists that go with `axes`, or with the dimensions when `axes` is
/// empty. nullopt when the lists do not fit `input`, or when some of them are
/// known at run time only.
std::optional<SliceStarts> sliceStarts(SliceOp op,
                                       mlir::RankedTensorType input);

/// Gives ops that work place by place, and layer groups, the interface by which
/// they say so (InPlaceOpInterface). Once, when the ops are there.
void attachUpdates(mlir::MLIRContext *context);

} // namespace tpu_mlir::tpu

#endif // TPU_MLIR_LIB_DIALECT_TPU_IR_ATTRIBUTES_H
