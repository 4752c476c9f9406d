//===- RandomData.h - Numbers for weights and inputs ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_RANDOMDATA_H
#define TPU_MLIR_LIB_INTERPRETER_RANDOMDATA_H

#include "tpu_mlir/Execution/Tensor.h"

#include "mlir/IR/Value.h"

namespace tpu_mlir::interpreter {

/// The bytes of a weight or an input: random, the same for the same name, type
/// and seed, of a size that depends on what reads it, so that the numbers of a
/// deep network neither vanish nor grow without bounds: filters by the number
/// of terms of a sum, indices within what they index. O(bytes).
std::vector<uint8_t> randomBytes(mlir::Value value,
                                 const execution::TensorType &type,
                                 uint64_t seed);

/// The same for the same seed and type, of no particular size.
std::vector<uint8_t> numbersFrom(uint64_t seed,
                                 const execution::TensorType &type);

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_RANDOMDATA_H
