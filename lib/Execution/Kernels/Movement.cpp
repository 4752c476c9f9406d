//===- Movement.cpp - Move elements without changing them -----------------===//
//
// Reshape, permute, concat, slice, pad, upsample, tile and gather as copies of
// runs of bytes.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Movement.h"

#include "Spread.h"
#include "tpu_mlir/Support/Bytes.h"

#include <cstring>

namespace tpu_mlir::execution {

using Table = std::vector<int64_t>; ///< Where elements are from; -1: nowhere.

static Shape stepsOf(llvm::ArrayRef<int64_t> shape) {
  Shape steps(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    steps[dim] = steps[dim + 1] * shape[dim + 1];
  return steps;
}

Outcome elementBytes(llvm::ArrayRef<TensorView> operands,
                     const TensorSpan &result, int64_t &bytes) {
  if (Outcome error = check(operands, {result}))
    return error;
  const int bits = bitsOf(result.type.element);
  for (const TensorView &operand : operands)
    if (bitsOf(operand.type.element) != bits)
      return KernelError{std::string("elements of ") +
                         nameOf(operand.type.element) + " are moved to " +
                         nameOf(result.type.element)};
  if (bits < 8)
    return KernelError{"elements of half a byte are not moved one by one"};
  bytes = bits / 8;
  return std::nullopt;
}

template <typename Element>
static void copyRun(const uint8_t *from, int64_t fromStep, uint8_t *to,
                    int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * sizeof(Element),
                from + i * fromStep * static_cast<int64_t>(sizeof(Element)),
                sizeof(Element));
}

/// `count` elements that lie `fromStep` apart, one after the other.
static void copyRun(const uint8_t *from, int64_t fromStep, uint8_t *to,
                    int64_t count, int64_t bytes) {
  if (count == 0)
    return;
  if (fromStep == 1)
    std::memcpy(to, from, count * bytes);
  else if (bytes == 1)
    copyRun<uint8_t>(from, fromStep, to, count);
  else if (bytes == 2)
    copyRun<uint16_t>(from, fromStep, to, count);
  else
    copyRun<uint32_t>(from, fromStep, to, count);
}

Outcome reshape(const TensorView &input, const TensorSpan &result) {
  if (Outcome error = check({input}, {result}))
    return error;
  if (input.bytes.size() != result.bytes.size())
    return KernelError{describe(input.type.shape) + " is seen as " +
                       describe(result.type.shape) + " of another size"};
  if (!input.bytes.empty())
    std::memcpy(result.bytes.data(), input.bytes.data(), input.bytes.size());
  return std::nullopt;
}

/// Where each part begins; nullopt: they do not tile the whole.
static std::optional<std::vector<Shape>>
tilesOf(const TensorType &whole, llvm::ArrayRef<TensorType> parts) {
  const size_t rank = whole.shape.size();
  llvm::SmallVector<size_t> cut; // Dimensions in which parts are smaller.
  for (size_t dim = 0; dim < rank; ++dim)
    if (llvm::any_of(parts, [&](const TensorType &part) {
          return part.shape.size() == rank &&
                 part.shape[dim] != whole.shape[dim];
        }))
      cut.push_back(dim);
  std::vector<Shape> tiles;
  Shape at(rank, 0);
  int64_t elements = 0;
  for (const TensorType &part : parts) {
    if (part.shape.size() != rank)
      return std::nullopt;
    for (size_t dim : cut)
      if (part.shape[dim] > whole.shape[dim] - at[dim] ||
          (dim != cut.back() && part.shape[dim] != 1))
        return std::nullopt;
    tiles.push_back(at);
    elements += *part.elements();
    for (size_t i = cut.size(); i-- > 0;) {
      at[cut[i]] += part.shape[cut[i]];
      if (at[cut[i]] < whole.shape[cut[i]] || i == 0)
        break;
      at[cut[i]] = 0;
    }
  }
  return elements == whole.elements() ? std::optional(tiles) : std::nullopt;
}

/// Calls `each(part, byte in the whole, byte in the part, bytes)` for the rows
/// of all of them.
template <typename Each>
static Outcome forEachTileRow(const TensorType &whole,
                              llvm::ArrayRef<TensorType> parts, Each each) {
  const auto tiles = tilesOf(whole, parts);
  if (!tiles)
    return KernelError{"the parts do not tile " + describe(whole.shape)};
  const int64_t bytes = bitsOf(whole.element) / 8;
  const Shape steps = stepsOf(whole.shape);
  for (size_t i = 0; i < parts.size(); ++i) {
    const Shape &shape = parts[i].shape;
    const int64_t row = (shape.empty() ? 1 : shape.back()) * bytes;
    int64_t begin = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      begin += (*tiles)[i][dim] * steps[dim];
    if (row > 0)
      forEachRow(shape, steps, [&](int64_t from, int64_t to) {
        each(i, (begin + from) * bytes, to * bytes, row);
      });
  }
  return std::nullopt;
}

template <typename Piece>
static std::vector<TensorType> typesOf(llvm::ArrayRef<Piece> pieces) {
  std::vector<TensorType> types;
  for (const Piece &piece : pieces)
    types.push_back(piece.type);
  return types;
}

Outcome deal(const TensorView &input, llvm::ArrayRef<TensorSpan> results) {
  int64_t size = 0;
  for (const TensorSpan &result : results)
    if (Outcome error = elementBytes({input}, result, size))
      return error;
  return forEachTileRow(
      input.type, typesOf(results),
      [&](size_t tile, int64_t from, int64_t to, int64_t bytes) {
        std::memcpy(results[tile].bytes.data() + to, input.bytes.data() + from,
                    bytes);
      });
}

Outcome join(llvm::ArrayRef<TensorView> operands, const TensorSpan &result) {
  int64_t size = 0;
  if (Outcome error = elementBytes(operands, result, size))
    return error;
  return forEachTileRow(
      result.type, typesOf(operands),
      [&](size_t tile, int64_t to, int64_t from, int64_t bytes) {
        std::memcpy(result.bytes.data() + to,
                    operands[tile].bytes.data() + from, bytes);
      });
}

Outcome permute(const TensorView &input, llvm::ArrayRef<int64_t> order,
                const TensorSpan &result) {
  int64_t bytes = 0;
  if (Outcome error = elementBytes({input}, result, bytes))
    return error;
  const Shape own = stepsOf(input.type.shape);
  Shape steps;
  uint64_t seen = 0;
  for (int64_t dim : order)
    if (dim >= 0 && dim < std::min<int64_t>(input.rank(), 64)) {
      steps.push_back(own[dim]);
      seen |= uint64_t(1) << dim;
    }
  bool fits = static_cast<int64_t>(steps.size()) == input.rank() &&
              order.size() == steps.size() && result.rank() == input.rank() &&
              llvm::popcount(seen) == static_cast<int>(order.size());
  for (size_t i = 0; fits && i < order.size(); ++i)
    fits = result.dim(i) == input.dim(order[i]);
  if (!fits)
    return KernelError{"the order does not turn " + describe(input.type.shape) +
                       " into " + describe(result.type.shape)};
  const int64_t length = result.rank() ? result.type.shape.back() : 1;
  forEachRow(result.type.shape, steps, [&](int64_t from, int64_t to) {
    copyRun(input.bytes.data() + from * bytes, steps.empty() ? 1 : steps.back(),
            result.bytes.data() + to * bytes, length, bytes);
  });
  return std::nullopt;
}

Outcome concat(llvm::ArrayRef<TensorView> operands, int64_t axis,
               const TensorSpan &result) {
  int64_t bytes = 0;
  if (Outcome error = elementBytes(operands, result, bytes))
    return error;
  std::optional<int64_t> dim = wholeAxis(axis, result.rank());
  if (!dim)
    return KernelError{"there is no axis " + std::to_string(axis)};
  const int64_t outer = countOf(result.type.shape, 0, *dim);
  const int64_t row = countOf(result.type.shape, *dim, result.rank()) * bytes;
  int64_t begin = 0;
  for (const TensorView &operand : operands) {
    bool fits = operand.rank() == result.rank();
    for (int64_t i = 0; fits && i < result.rank(); ++i)
      fits = i == *dim || operand.dim(i) == result.dim(i);
    const int64_t own =
        fits ? countOf(operand.type.shape, *dim, operand.rank()) * bytes : 0;
    if (!fits || own > row - begin)
      return KernelError{describe(operand.type.shape) + " does not fit into " +
                         describe(result.type.shape)};
    for (int64_t i = 0; own > 0 && i < outer; ++i)
      std::memcpy(result.bytes.data() + i * row + begin,
                  operand.bytes.data() + i * own, own);
    begin += own;
  }
  if (begin != row && outer > 0)
    return KernelError{"the operands do not fill " +
                       describe(result.type.shape)};
  return std::nullopt;
}

/// result[i, j, ..] = input[tables[0][i], tables[1][j], ..]; where a table says
/// nowhere, `fill`. Entries are inside the input or -1.
static void pick(const TensorView &input, llvm::ArrayRef<Table> tables,
                 const uint8_t *fill, const TensorSpan &result, int64_t bytes) {
  const int64_t rank = tables.size();
  const Shape steps = stepsOf(input.type.shape);
  Shape at(rank, 0);
  const int64_t length = rank ? tables.back().size() : 1;
  const int64_t rows = length ? result.elements() / length : 0;
  uint8_t *to = result.bytes.data();
  for (int64_t row = 0; row < rows; ++row) {
    int64_t start = 0;
    bool isOutside = false;
    for (int64_t dim = 0; dim + 1 < rank; ++dim) {
      isOutside |= tables[dim][at[dim]] < 0;
      start += tables[dim][at[dim]] * steps[dim];
    }
    for (int64_t i = 0; i < length; ++i, to += bytes) {
      const int64_t from = rank ? tables.back()[i] : 0;
      std::memcpy(to,
                  isOutside || from < 0
                      ? fill
                      : input.bytes.data() + (start + from) * bytes,
                  bytes);
    }
    for (int64_t dim = rank - 2; dim >= 0; --dim) {
      if (++at[dim] < static_cast<int64_t>(tables[dim].size()))
        break;
      at[dim] = 0;
    }
  }
}

/// One table a dimension, made by `source(dim, index)`, which returns -1 for
/// what is nowhere, and something outside of the input for an error.
template <typename Source>
static Outcome pickBy(const TensorView &input, const TensorSpan &result,
                      const uint8_t *fill, const Source &source) {
  int64_t bytes = 0;
  if (Outcome error = elementBytes({input}, result, bytes))
    return error;
  if (input.rank() != result.rank())
    return KernelError{describe(input.type.shape) + " and " +
                       describe(result.type.shape) +
                       " do not have the same rank"};
  if (result.elements() == 0)
    return std::nullopt;
  std::vector<Table> tables(result.rank());
  for (int64_t dim = 0; dim < result.rank(); ++dim)
    for (int64_t i = 0; i < result.dim(dim); ++i) {
      const int64_t from = source(dim, i);
      if (from < (fill ? -1 : 0) || from >= input.dim(dim))
        return KernelError{"element " + std::to_string(i) + " of dimension " +
                           std::to_string(dim) + " would be element " +
                           std::to_string(from) + " of " +
                           describe(input.type.shape)};
      tables[dim].push_back(from);
    }
  pick(input, tables, fill, result, bytes);
  return std::nullopt;
}

Outcome slice(const TensorView &input, llvm::ArrayRef<int64_t> offsets,
              llvm::ArrayRef<int64_t> steps, const TensorSpan &result) {
  const size_t rank = result.rank();
  if (offsets.size() != rank || steps.size() != rank)
    return KernelError{"offsets or steps do not fit " +
                       describe(result.type.shape)};
  return pickBy(input, result, nullptr, [&](int64_t dim, int64_t i) {
    // What leaves 63 bits is outside of every tensor.
    std::optional<int64_t> far = checkedMul(i, steps[dim]);
    far = far ? checkedAdd(offsets[dim], *far) : far;
    return far.value_or(INT64_MAX);
  });
}

/// Where element `at`, counted from the input's first, is from.
static int64_t padSource(PadMode mode, int64_t at, int64_t size) {
  if (at >= 0 && at < size)
    return at;
  switch (mode) {
  case PadMode::Constant:
    return -1;
  case PadMode::Edge:
    return at < 0 ? 0 : size - 1;
  case PadMode::Reflect:
    return at < 0 ? -at : 2 * size - 2 - at;
  case PadMode::Symmetric:
    return at < 0 ? -at - 1 : 2 * size - 1 - at;
  }
  return -1;
}

Outcome pad(PadMode mode, const TensorView &input,
            llvm::ArrayRef<int64_t> starts, double number,
            const TensorSpan &result) {
  if (starts.size() != result.type.shape.size())
    return KernelError{"the pads do not fit " + describe(result.type.shape)};
  constexpr int64_t kLimit = int64_t(1) << 48;
  for (int64_t start : starts)
    if (start < -kLimit || start > kLimit)
      return KernelError{"a pad of " + std::to_string(start) +
                         " elements makes no sense"};
  uint8_t fill[4] = {};
  const float value = static_cast<float>(number);
  writeFloats(result.type.element, fill, 0, 1, &value);
  return pickBy(input, result, mode == PadMode::Constant ? fill : nullptr,
                [&](int64_t dim, int64_t i) {
                  return padSource(mode, i - starts[dim], input.dim(dim));
                });
}

Outcome upsample(const TensorView &input, llvm::ArrayRef<int64_t> scales,
                 const TensorSpan &result) {
  bool fits = scales.size() == result.type.shape.size() &&
              input.rank() == result.rank();
  for (size_t dim = 0; fits && dim < scales.size(); ++dim)
    fits = scales[dim] >= 1 &&
           result.dim(dim) / scales[dim] == input.dim(dim) &&
           result.dim(dim) % scales[dim] == 0;
  if (!fits)
    return KernelError{"the scales do not turn " + describe(input.type.shape) +
                       " into " + describe(result.type.shape)};
  return pickBy(input, result, nullptr,
                [&](int64_t dim, int64_t i) { return i / scales[dim]; });
}

Outcome tile(const TensorView &input, const TensorSpan &result) {
  if (input.rank() > result.rank())
    return KernelError{describe(input.type.shape) +
                       " has more dimensions than " +
                       describe(result.type.shape)};
  TensorView whole = input;
  whole.type.shape.insert(whole.type.shape.begin(),
                          result.rank() - input.rank(), 1);
  for (int64_t dim = 0; dim < result.rank(); ++dim)
    if (whole.dim(dim) < 1 || result.dim(dim) % whole.dim(dim) != 0)
      return KernelError{describe(input.type.shape) + " does not tile " +
                         describe(result.type.shape)};
  return pickBy(whole, result, nullptr,
                [&](int64_t dim, int64_t i) { return i % whole.dim(dim); });
}

Outcome triangle(bool upper, int64_t diagonal, const TensorView &input,
                 const TensorSpan &result) {
  int64_t bytes = 0;
  if (Outcome error = elementBytes({input}, result, bytes))
    return error;
  if (input.rank() < 2 || input.type.shape != result.type.shape)
    return KernelError{describe(input.type.shape) +
                       " has no matrices of the size of the result's"};
  const int64_t columns = input.dim(input.rank() - 1),
                rows = input.dim(input.rank() - 2), all = result.elements();
  std::memset(result.bytes.data(), 0, result.bytes.size());
  for (int64_t row = 0; columns > 0 && row < all / columns; ++row) {
    const int64_t edge = std::clamp<int64_t>(
        diagonal + row % rows + (upper ? 0 : 1), 0, columns);
    const int64_t first = row * columns + (upper ? edge : 0);
    std::memcpy(result.bytes.data() + first * bytes,
                input.bytes.data() + first * bytes,
                (upper ? columns - edge : edge) * bytes);
  }
  return std::nullopt;
}

Outcome gather(const TensorView &input, const TensorView &indices, int64_t axis,
               const TensorSpan &result) {
  if (Outcome error = check({input, indices}, {result}))
    return error;
  std::optional<int64_t> dim = wholeAxis(axis, input.rank());
  if (!dim)
    return KernelError{"there is no axis " + std::to_string(axis)};
  const Shape &shape = input.type.shape;
  const int64_t outer = countOf(shape, 0, *dim);
  const int64_t inner = countOf(shape, *dim + 1, shape.size());
  std::vector<int64_t> rows = integersOf(indices);
  const int64_t count = rows.size();
  const TensorType picked{input.type.element, {outer, count, inner}};
  if (picked.elements() != result.elements())
    return KernelError{describe(result.type.shape) + " is not what " +
                       describe(indices.type.shape) + " indices pick from " +
                       describe(shape)};
  const int64_t size = shape[*dim];
  for (int64_t &row : rows) {
    if (row < -size || row >= size)
      return KernelError{"index " + std::to_string(row) + " into " +
                         std::to_string(size) + " elements"};
    row += row < 0 ? size : 0;
  }
  TensorView flat = input;
  flat.type.shape = {outer, size, inner};
  TensorSpan flatResult = result;
  flatResult.type.shape = picked.shape;
  int64_t bytes = 0;
  if (Outcome error = elementBytes({flat}, flatResult, bytes))
    return error;
  for (int64_t i = 0; i < outer * count; ++i)
    copyRun(input.bytes.data() +
                (i / count * size + rows[i % count]) * inner * bytes,
            1, result.bytes.data() + i * inner * bytes, inner, bytes);
  return std::nullopt;
}

} // namespace tpu_mlir::execution
