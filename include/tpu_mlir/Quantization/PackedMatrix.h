//===- PackedMatrix.h - Matrices in 4 or 8 bits beside floats ---*- C++ -*-===//
//
// A row of a weight is cut into groups; w = (q - zero point) * scale of its
// group. Two elements of 4 bits are a byte, the even one in the low half.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_PACKEDMATRIX_H
#define TPU_MLIR_QUANTIZATION_PACKEDMATRIX_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace tpu_mlir::quantization {

struct PackingRule {
  int bits = 4;           ///< 4 or 8.
  int64_t groupSize = 64; ///< Columns of a group; divides a row.
  /// Zero points in the middle, and scales by the largest number.
  bool isSymmetric = false;
  bool isHalf = true; ///< Scales are f16, else bf16.
};

struct PackedMatrix {
  std::vector<uint8_t> weights;    ///< rows x columns elements.
  std::vector<uint8_t> scales;     ///< A float of 16 bits a group.
  std::vector<uint8_t> zeroPoints; ///< A byte a group.
};

/// `numbers` has `rows` rows; a row has whole groups, and of 4 bits whole
/// bytes. O(numbers).
PackedMatrix packMatrix(llvm::ArrayRef<float> numbers, int64_t rows,
                        const PackingRule &rule);

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_PACKEDMATRIX_H
