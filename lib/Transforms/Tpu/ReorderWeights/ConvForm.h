//===- ConvForm.h - A convolution's filter in the order of layers -*- C++ -*-=//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_CONVFORM_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_CONVFORM_H

#include "tpu_mlir/Quantization/Packing.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tpu_mlir::reorder_weights {

/// No dimension of a weight is longer.
inline constexpr int64_t kMaxExtent = 65535;

/// Of a convolution whose filter is a weight [oc, ic / group, kernel ..].
struct ConvForm {
  mlir::RankedTensorType filterType;
  llvm::SmallVector<int64_t> kernel;
  int64_t group = 1;
  quantization::FilterShape shape;
  bool isDilated = false;

  /// Which taps count as input channels in blocks of `icParallel`: only those
  /// of neighbouring places, and where all input channels go to all outputs.
  quantization::Fold fold(int64_t icParallel) const;
};

/// [1, lanes, rows, bytes of a row], with the least number of rows of which
/// none is too long.
llvm::SmallVector<int64_t>
shapeOfMerged(const quantization::MergedLayout &layout);

/// nullopt: the filter is no weight, or in another order.
std::optional<ConvForm> readConvForm(mlir::Operation *op);

} // namespace tpu_mlir::reorder_weights

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_REORDERWEIGHTS_CONVFORM_H
