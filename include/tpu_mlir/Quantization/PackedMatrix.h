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
  /// Symmetric with 8 bits: elements have a sign, and zero points are 0.
  bool isSigned = false;
};

struct PackedMatrix {
  std::vector<uint8_t> weights;    ///< rows x columns elements.
  std::vector<uint8_t> scales;     ///< A float of 16 bits a group.
  std::vector<uint8_t> zeroPoints; ///< A byte a group.
};

/// What the chip's lanes hold of `rows` equal rows: row n is row n / lanes of
/// lane n % lanes. `rows` is a multiple of `lanes`. O(bytes).
std::vector<uint8_t> inLanes(llvm::ArrayRef<uint8_t> bytes, int64_t rows,
                             int64_t lanes);

/// Two words of 16 bits for each group, little-endian: the zero point, which is
/// a byte, and the bits of the scale; and back, zero points above 255 as 255.
/// O(groups).
std::vector<uint8_t> pairScales(llvm::ArrayRef<uint8_t> scales,
                                llvm::ArrayRef<uint8_t> zeroPoints);
struct ScalesAndZeroPoints {
  std::vector<uint8_t> scales, zeroPoints;
};
ScalesAndZeroPoints unpairScales(llvm::ArrayRef<uint8_t> pairs);

/// `numbers` has `rows` rows; a row has whole groups, and of 4 bits whole
/// bytes. Numbers that are none count as 0, scales that leave 16 bits are the
/// largest float there. O(numbers).
PackedMatrix packMatrix(llvm::ArrayRef<float> numbers, int64_t rows,
                        const PackingRule &rule);

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_PACKEDMATRIX_H
