//===- TensorPart.h - Numbers of a tensor, or of a box of it ----*- C++ -*-===//
//
// Executing a plan and executing whole tensors use the same kernels: these
// read and write tensor parts. A part knows the tensor that it belongs to, so
// that an element keeps its index wherever it is stored.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_TENSORPART_H
#define TPU_MLIR_EXECUTION_TENSORPART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::execution {

/// The five dimensions of local memory, in their order in a flat tensor:
/// n, c, d, h, w.
constexpr int kNumDims = 5;
enum Dim { N, C, D, H, W };
using Index5 = std::array<int64_t, kNumDims>;

/// [lo, lo + size) in each dimension.
struct Box {
  Index5 lo{0, 0, 0, 0, 0};
  Index5 size{1, 1, 1, 1, 1};

  int64_t elements() const {
    return size[N] * size[C] * size[D] * size[H] * size[W];
  }
  bool operator==(const Box &o) const { return lo == o.lo && size == o.size; }
};

/// "n [0, 1) c [0, 64) h [3, 20)": the dimensions that are longer than 1 in
/// `whole`.
std::string text(const Box &box, const Index5 &whole);

/// Which tensor: its shape and element width, and the five dimensions that
/// local memory sees in it. Both orders are row-major, so an element has one
/// flat index.
struct TensorShape {
  std::vector<int64_t> dims;
  Index5 whole{1, 1, 1, 1, 1};
  int bits = 8; ///< 8, 16 or 32.

  int64_t elements() const { return Box{{}, whole}.elements(); }
  Box wholeBox() const { return {{}, whole}; }
  /// Flat elements from one index to the next, in each of the five.
  Index5 strides() const;
  Index5 indexOf(int64_t flat) const;
};

/// The elements of `box`, row-major, as signed numbers of the element's width.
struct TensorPart {
  TensorShape shape;
  Box box;
  std::vector<int32_t> values;

  TensorPart() = default;
  TensorPart(TensorShape shape, Box box)
      : shape(std::move(shape)), box(box), values(box.elements()) {}
  static TensorPart whole(TensorShape shape) {
    Box box = shape.wholeBox();
    return TensorPart(std::move(shape), box);
  }
  bool isWhole() const { return box == shape.wholeBox(); }
};

/// A row of a box: elements `flat`, flat + 1, ... of the tensor, at `position`,
/// position + 1, ... of the box.
struct Run {
  int64_t flat = 0;
  int64_t position = 0;
  int64_t length = 0;
};

/// The box in as few rows as there are, in order of position.
std::vector<Run> runsOf(const TensorShape &shape, const Box &box);

/// One interval for each dimension of the tensor's own type; nullopt when the
/// box is not one in these dimensions.
struct TensorBox {
  llvm::SmallVector<int64_t, 5> lo, size;
};
std::optional<TensorBox> tensorBoxOf(const TensorShape &shape, const Box &box);

/// `value` as a signed number of `bits` bits.
inline int32_t wrapped(uint32_t value, int bits) {
  return bits == 8    ? static_cast<int8_t>(value)
         : bits == 16 ? static_cast<int16_t>(value)
                      : static_cast<int32_t>(value);
}

/// Elements of `bits` (8, 16 or 32) as memory has them, little-endian, and
/// back: as many as there are values.
void readElements(const uint8_t *bytes, int bits,
                  llvm::MutableArrayRef<int32_t> values);
void writeElements(llvm::ArrayRef<int32_t> values, int bits, uint8_t *bytes);

/// Reads elements of a part by their flat index. An element that is not in the
/// part reads as 0 and is remembered: the plan's fault. Wide elements are
/// folded to `resultBits` so that each of their bytes counts.
class Reader {
public:
  Reader() = default;
  Reader(const TensorPart *part, int resultBits);

  bool present() const { return part != nullptr; }
  const TensorShape &shape() const { return part->shape; }
  int64_t elements() const { return total; }

  uint32_t at(int64_t flat) {
    if (static_cast<uint64_t>(flat - runFlat) >=
        static_cast<uint64_t>(runLength))
      if (!seek(flat))
        return 0;
    return folded(part->values[runPosition + (flat - runFlat)]);
  }

  /// What was read and is not there: "element ... is not in ...".
  std::optional<std::string> complaint() const;

private:
  uint32_t folded(int32_t value) const {
    uint32_t bits = static_cast<uint32_t>(value);
    if (foldTo < 32)
      bits ^= bits >> 16;
    if (foldTo < 16)
      bits ^= (bits >> 8) & 0xff;
    return bits;
  }
  bool seek(int64_t flat);

  const TensorPart *part = nullptr;
  int foldTo = 32;
  Index5 strides{};
  int64_t total = 0;
  int innerDim = 0; ///< The run covers all dimensions after this one.
  int64_t runFlat = 0, runPosition = 0, runLength = 0;
  std::optional<int64_t> missing;
};

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_TENSORPART_H
