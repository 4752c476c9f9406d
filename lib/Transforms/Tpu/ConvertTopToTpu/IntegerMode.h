//===- IntegerMode.h - What a lowering to integers is about -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERMODE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERMODE_H

#include "lib/Transforms/Tpu/ConvertTopToTpu/FloatMode.h"

#include "tpu_mlir/Quantization/Scheme.h"
#include "tpu_mlir/Quantization/WeightStore.h"

#include "llvm/ADT/StringMap.h"

#include <memory>

namespace tpu_mlir::lowering {

/// Of what tensors are made that have a range.
enum class Elements {
  Integers,
  F8E4M3, ///< Floats of 8 bits, the largest of which is the range's end.
  F8E5M2, ///< Floats that stand for themselves, with a range or without.
};

/// INT8: tensors with a range are integers where a rule says how.
struct IntegerMode {
  /// "INT8", "F8E4M3", "F8E5M2".
  std::string name = "INT8";
  Elements elements = Elements::Integers;
  quantization::Scheme scheme = quantization::Scheme::Qdm;
  bool asymmetric = false;
  /// Of ops without a rule, and of what has no range.
  FloatMode floats;
  /// By the names of results: ops that stay floats of this kind.
  llvm::StringMap<FloatMode> chosenFloats;
  /// Not INT8 then: matrices of this many bits, and nothing else but floats.
  int packedBits = 0;
  int64_t groupSize = 64; ///< Of these; 0: a row is one group.
  bool isSymmetric = false;
  int64_t lanes = 1; ///< Rows are packed as many at a time.
  /// Numbers of weights: read, and written beside; null when there are none.
  std::shared_ptr<quantization::WeightStore> weights;
};

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERMODE_H
