//===- TensorPart.cpp - Numbers of a tensor, or of a box of it ------------===//

#include "tpu_mlir/Execution/TensorPart.h"

#include <cstring>

namespace tpu_mlir::execution {

std::string text(const Box &box, const Index5 &whole) {
  static constexpr const char *kNames[] = {"n", "c", "d", "h", "w"};
  std::string result;
  for (int dim = 0; dim < kNumDims; ++dim) {
    if (whole[dim] == 1)
      continue;
    result += (result.empty() ? "" : " ") + std::string(kNames[dim]) + " [" +
              std::to_string(box.lo[dim]) + ", " +
              std::to_string(box.lo[dim] + box.size[dim]) + ")";
  }
  return result.empty() ? "the only element" : result;
}

Index5 TensorShape::strides() const {
  Index5 result;
  int64_t stride = 1;
  for (int dim = kNumDims - 1; dim >= 0; --dim) {
    result[dim] = stride;
    stride *= whole[dim];
  }
  return result;
}

Index5 TensorShape::indexOf(int64_t flat) const {
  Index5 index;
  for (int dim = kNumDims - 1; dim >= 0; --dim) {
    index[dim] = flat % whole[dim];
    flat /= whole[dim];
  }
  return index;
}

/// The dimension along which a row of the box runs: all after it are whole.
static int rowDim(const TensorShape &shape, const Box &box) {
  int dim = kNumDims - 1;
  while (dim > 0 && box.size[dim] == shape.whole[dim])
    --dim;
  return dim;
}

std::vector<Run> runsOf(const TensorShape &shape, const Box &box) {
  const Index5 strides = shape.strides();
  const int inner = rowDim(shape, box);
  const int64_t length = box.size[inner] * strides[inner];
  std::vector<Run> runs;
  if (box.elements() == 0)
    return runs;
  runs.reserve(box.elements() / length);
  int64_t first = 0;
  for (int dim = 0; dim < kNumDims; ++dim)
    first += box.lo[dim] * strides[dim];
  Index5 at{};
  for (int64_t position = 0;; position += length) {
    int64_t flat = first;
    for (int dim = 0; dim < inner; ++dim)
      flat += at[dim] * strides[dim];
    runs.push_back({flat, position, length});
    int dim = inner - 1;
    while (dim >= 0 && ++at[dim] == box.size[dim])
      at[dim--] = 0;
    if (dim < 0)
      return runs;
  }
}

std::optional<TensorBox> tensorBoxOf(const TensorShape &shape, const Box &box) {
  static constexpr Dim kPlain[] = {N, C, H, W};
  static constexpr Dim kDeep[] = {N, C, D, H, W};
  const int rank = static_cast<int>(shape.dims.size());
  TensorBox result;
  if (box == shape.wholeBox()) {
    result.lo.assign(rank, 0);
    result.size.assign(shape.dims.begin(), shape.dims.end());
    return result;
  }
  if (rank > kNumDims)
    return std::nullopt;
  int64_t matched = 1;
  for (int dim = 0; dim < rank; ++dim) {
    const Dim five = rank == kNumDims ? kDeep[dim] : kPlain[dim];
    if (shape.whole[five] != shape.dims[dim])
      return std::nullopt;
    matched *= shape.dims[dim];
    result.lo.push_back(box.lo[five]);
    result.size.push_back(box.size[five]);
  }
  if (matched != shape.elements())
    return std::nullopt;
  return result;
}

Reader::Reader(const TensorPart *part, int resultBits) : part(part) {
  if (!part)
    return;
  foldTo = part->shape.bits > resultBits ? resultBits : 32;
  strides = part->shape.strides();
  total = part->shape.elements();
  innerDim = rowDim(part->shape, part->box);
}

bool Reader::seek(int64_t flat) {
  const Box &box = part->box;
  int64_t rest = flat, position = 0;
  bool inside = flat >= 0 && flat < total;
  for (int dim = 0; dim < innerDim && inside; ++dim) {
    const int64_t at = rest / strides[dim] - box.lo[dim];
    rest %= strides[dim];
    position = position * box.size[dim] + at;
    inside = at >= 0 && at < box.size[dim];
  }
  const int64_t start = box.lo[innerDim] * strides[innerDim];
  const int64_t length = box.size[innerDim] * strides[innerDim];
  if (!inside || rest < start || rest >= start + length) {
    if (!missing)
      missing = flat;
    return false;
  }
  runFlat = flat - rest + start;
  runPosition = position * length;
  runLength = length;
  return true;
}

std::optional<std::string> Reader::complaint() const {
  if (!missing)
    return std::nullopt;
  if (*missing < 0 || *missing >= total)
    return "element " + std::to_string(*missing) + " of a tensor of " +
           std::to_string(total);
  const Index5 &whole = part->shape.whole;
  const Box element{part->shape.indexOf(*missing), {1, 1, 1, 1, 1}};
  return "element " + text(element, whole) + " is not in the stored part " +
         text(part->box, whole);
}

/// Calls `visit` with an element of that many bits: 8, 16, or else 32.
template <typename Visit> static void ofWidth(int bits, Visit visit) {
  if (bits == 8)
    visit(int8_t());
  else if (bits == 16)
    visit(int16_t());
  else
    visit(int32_t());
}

void readElements(const uint8_t *bytes, int bits,
                  llvm::MutableArrayRef<int32_t> values) {
  ofWidth(bits, [&](auto element) {
    for (int32_t &value : values) {
      std::memcpy(&element, bytes, sizeof(element));
      value = element;
      bytes += sizeof(element);
    }
  });
}

void writeElements(llvm::ArrayRef<int32_t> values, int bits, uint8_t *bytes) {
  ofWidth(bits, [&](auto element) {
    for (int32_t value : values) {
      element = static_cast<decltype(element)>(value);
      std::memcpy(bytes, &element, sizeof(element));
      bytes += sizeof(element);
    }
  });
}

} // namespace tpu_mlir::execution
