//===- Element.h - Elements of tensors as bytes -----------------*- C++ -*-===//
//
// What kernels read and write are bytes, little-endian, one element after the
// other. Floats of 16 and 8 bits are computed in f32: reading one is exact,
// writing one rounds to nearest, ties to even.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_ELEMENT_H
#define TPU_MLIR_EXECUTION_ELEMENT_H

#include <cstdint>
#include <optional>

namespace tpu_mlir::execution {

/// I4 and U4 are packed, two a byte, the element of the even index in the low
/// half; the high half of an odd last byte is 0.
enum class ElementType {
  F32,
  F16,
  BF16,
  F8E4M3, ///< No infinity, one NaN; up to 448.
  F8E5M2, ///< Up to 57,344.
  I4,
  U4,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32
};

/// "f32", "i4", "ui8": as in the text of a module, but for the sign.
const char *nameOf(ElementType type);
/// Bits that one element takes.
int bitsOf(ElementType type);
bool isFloat(ElementType type);
/// The least and the largest number of an integer type.
int64_t leastOf(ElementType type);
int64_t largestOf(ElementType type);
/// Bytes of `elements` elements; nullopt when that leaves 63 bits or
/// `elements` is negative.
std::optional<int64_t> bytesOf(ElementType type, int64_t elements);

/// The f32 that a half or a bfloat16 is. Exact; NaNs stay NaNs.
float halfToFloat(uint16_t bits);
float bfloatToFloat(uint16_t bits);
/// The nearest half or bfloat16, ties to even. What is too large becomes
/// infinity, what is too small a subnormal number or zero, a NaN a quiet one.
uint16_t floatToHalf(float value);
uint16_t floatToBfloat(float value);

/// The largest finite number of a float type of 8 bits, to which what is larger
/// is written.
float largestFloat8(ElementType type);

/// Elements [first, first + count) of what begins at `bytes`, as numbers. f32
/// holds integers of up to 24 bits exactly; others are rounded. O(count).
void readFloats(ElementType type, const uint8_t *bytes, int64_t first,
                int64_t count, float *to);
/// The other way. Integers: to the nearest, ties away from zero, as the
/// toolchain rounds, saturated at the ends of the type; a NaN becomes 0. Of
/// packed types `first` is even; a last half byte is 0. O(count).
void writeFloats(ElementType type, uint8_t *bytes, int64_t first, int64_t count,
                 const float *from);

/// The same for integers, exactly. Reading a float rounds to nearest, ties to
/// even, and saturates; writing saturates, and rounds where a float cannot
/// hold it.
void readIntegers(ElementType type, const uint8_t *bytes, int64_t first,
                  int64_t count, int64_t *to);
void writeIntegers(ElementType type, uint8_t *bytes, int64_t first,
                   int64_t count, const int64_t *from);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_ELEMENT_H
