//===- Packed.h - Coefficients in the order of a chip -----------*- C++ -*-===//
//
// Compilers put multipliers and shifts beside the biases, and channels where
// the chip wants them. Kernels take a filter, a bias, and factors.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_INTERPRETER_KERNELS_PACKED_H
#define TPU_MLIR_LIB_INTERPRETER_KERNELS_PACKED_H

#include "lib/Interpreter/Kernels/Call.h"
#include "tpu_mlir/Quantization/Packing.h"

namespace tpu_mlir::interpreter {

struct PackedCoefficients {
  execution::TensorType filterType, biasType;
  std::vector<uint8_t> filter, bias;

  execution::TensorView filterView() const { return {filterType, filter}; }
  execution::OptionalView biasView() const {
    if (bias.empty())
      return std::nullopt;
    return execution::TensorView{biasType, bias};
  }
};

/// A convolution of integers whose factors are among its coefficients, which
/// are numbers that count.
bool isPacked(const Call &call);

/// Filter and bias of such a one, its factors in `how`. Errors: coefficients of
/// another size than the call's chip has for the layer.
execution::Outcome unpackCoefficients(const Call &call,
                                      execution::Convolution &how,
                                      PackedCoefficients &to);

/// A convolution of 8-bit floats whose scales and biases are among its
/// coefficients, which are numbers that count.
bool isMergedFloat8(const Call &call);

/// Filter and bias of such a one. Errors: coefficients of another size than the
/// call's chip has for the layer, scales that are not those of the op.
execution::Outcome unpackFloat8(const Call &call,
                                const execution::Convolution &how,
                                PackedCoefficients &to);

/// A filter of 16-bit floats in blocks of input channels.
class BlockedFilter {
public:
  /// As `conv` reads `stored`, for so many output channels and so many input
  /// channels of a group; nullopt: it is in the order of layers, or in one that
  /// is not the chip's (null: not known).
  static std::optional<BlockedFilter> find(mlir::Operation *conv,
                                           const execution::TensorType &stored,
                                           int64_t outputs, int64_t inputs,
                                           const target::ChipSpec *chip);
  /// Of a weight, by the convolution that reads it.
  static std::optional<BlockedFilter> find(mlir::Value weight,
                                           const target::ChipSpec *chip);

  /// [oc, ic / group, kernel ..].
  const execution::TensorType &plainType() const { return plain; }
  std::vector<uint8_t> toPlain(llvm::ArrayRef<uint8_t> stored) const;
  std::vector<uint8_t> toStored(llvm::ArrayRef<uint8_t> filter) const;

private:
  execution::TensorType plain;
  llvm::SmallVector<int64_t> kernel;
  quantization::FilterShape shape; ///< With taps among its inputs.
  quantization::Fold fold = quantization::Fold::None;
  int64_t block = 1;
};

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_KERNELS_PACKED_H
