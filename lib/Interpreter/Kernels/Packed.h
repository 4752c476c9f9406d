//===- Packed.h - Coefficients in the order of a chip -----------*- C++ -*-===//
//
// Compilers put multipliers and shifts beside the biases, and channels where
// the chip wants them. Kernels take a filter, a bias, and factors.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_INTERPRETER_KERNELS_PACKED_H
#define TPU_MLIR_LIB_INTERPRETER_KERNELS_PACKED_H

#include "lib/Interpreter/Kernels/Call.h"

namespace tpu_mlir {

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
/// another size than the chip's, which module.chip names, has for the layer.
execution::Outcome unpackCoefficients(const Call &call,
                                      execution::Convolution &how,
                                      PackedCoefficients &to);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_INTERPRETER_KERNELS_PACKED_H
