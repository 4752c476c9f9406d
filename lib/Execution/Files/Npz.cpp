//===- Npz.cpp - Read and write .npz files --------------------------------===//
//
// Parses the headers of numpy arrays in both byte orders and both element
// orders, and converts arrays to typed tensors.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Files/Npz.h"

#include "Npy.h"
#include "Zip.h"
#include "tpu_mlir/Execution/Places.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tpu_mlir::execution {

//===----------------------------------------------------------------------===//
// The header of an array: a literal of Python's
//===----------------------------------------------------------------------===//

/// What follows `'key':`, without blanks in front; empty when it is not there.
static std::string_view valueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  const size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos)
    return {};
  const size_t begin = header.find_first_not_of(' ', colon + 1);
  return begin == std::string_view::npos ? std::string_view()
                                         : header.substr(begin);
}

static std::optional<std::string> readWord(std::string_view text) {
  if (text.empty() || text[0] != '\'')
    return std::nullopt;
  const size_t end = text.find('\'', 1);
  if (end == std::string_view::npos)
    return std::nullopt;
  return std::string(text.substr(1, end - 1));
}

/// "(3, 4)", "(3,)", "()".
static std::optional<Shape> readShape(std::string_view text) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    return std::nullopt;
  Shape shape;
  int64_t number = -1;
  for (char c : text.substr(1, end)) {
    if (c >= '0' && c <= '9') {
      auto shifted = checkedMul(std::max<int64_t>(number, 0), 10);
      auto next = shifted ? checkedAdd(*shifted, c - '0') : shifted;
      if (!next)
        return std::nullopt;
      number = *next;
    } else if (c == ',' || c == ')') {
      if (number >= 0)
        shape.push_back(number);
      number = -1;
    } else if (c != ' ' && c != 'L') {
      return std::nullopt;
    }
  }
  return shape;
}

/// Bytes of an element; nullopt for what is not read.
static std::optional<int64_t> widthOf(std::string_view dtype) {
  if (dtype.size() != 3 ||
      (dtype[0] != '<' && dtype[0] != '>' && dtype[0] != '|'))
    return std::nullopt;
  const char kind = dtype[1];
  const int64_t width = dtype[2] - '0';
  const bool isPower = width == 1 || width == 2 || width == 4 || width == 8;
  if (!isPower || (dtype[0] == '|') != (width == 1))
    return std::nullopt;
  const bool known = ((kind == 'i' || kind == 'u')) ||
                     (kind == 'f' && width > 1) || (kind == 'b' && width == 1);
  return known ? std::optional<int64_t>(width) : std::nullopt;
}

static uint32_t littleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i)
    value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

/// The header and what follows it; nullopt when the entry is no array.
static std::optional<std::pair<std::string_view, std::string_view>>
splitHeader(std::string_view entry) {
  if (entry.size() < 10 || entry.substr(0, 6) != kNpyMagic)
    return std::nullopt;
  const size_t lengthBytes = entry[6] == 1 ? 2 : 4;
  const size_t begin = 8 + lengthBytes;
  if (entry.size() < begin)
    return std::nullopt;
  const uint32_t length = littleEndian(entry.substr(8, lengthBytes));
  if (length > entry.size() - begin)
    return std::nullopt;
  return std::make_pair(entry.substr(begin, length),
                        entry.substr(begin + length));
}

/// The elements with the last dimension fastest; in `data` it is the first.
static std::vector<uint8_t> lastFastest(std::string_view data,
                                        llvm::ArrayRef<int64_t> shape,
                                        int64_t width) {
  std::vector<uint8_t> bytes;
  bytes.reserve(data.size());
  if (data.empty())
    return bytes;
  Shape steps;
  int64_t step = width;
  for (int64_t size : shape) {
    steps.push_back(step);
    step *= size;
  }
  forEachPlace(shape, steps, 0, data.size() / width, [&](int64_t from) {
    bytes.insert(bytes.end(), data.begin() + from, data.begin() + from + width);
  });
  return bytes;
}

static void swapBytes(std::vector<uint8_t> &data, int64_t width) {
  for (auto element = data.begin(); element != data.end(); element += width)
    std::reverse(element, element + width);
}

static std::optional<NpzError> readArray(const ZipEntry &entry,
                                         NpyArray &array) {
  auto fail = [&](const std::string &what) {
    return NpzError{"entry '" + entry.name + "' " + what};
  };
  auto parts = splitHeader(entry.data);
  if (!parts)
    return fail("is no array of numpy");
  auto [header, data] = *parts;
  std::optional<std::string> dtype = readWord(valueOf(header, "descr"));
  std::optional<Shape> shape = readShape(valueOf(header, "shape"));
  const std::string_view order = valueOf(header, "fortran_order");
  const bool isFortran = order.substr(0, 4) == "True";
  if (!dtype || !shape || (!isFortran && order.substr(0, 5) != "False"))
    return fail("has a header that is not understood");
  std::optional<int64_t> width = widthOf(*dtype);
  if (!width)
    return fail("has elements of type '" + *dtype + "', which are not read");
  std::optional<int64_t> elements =
      TensorType{ElementType::U8, *shape}.elements();
  std::optional<int64_t> bytes =
      elements ? checkedMul(*elements, *width) : elements;
  if (!bytes || *bytes != static_cast<int64_t>(data.size()))
    return fail("has " + std::to_string(data.size()) +
                " bytes of data, which is not what its shape says");
  array.name = entry.name;
  if (array.name.size() > 4 &&
      array.name.substr(array.name.size() - 4) == ".npy")
    array.name.resize(array.name.size() - 4);
  array.dtype = std::move(*dtype);
  array.shape = std::move(*shape);
  if (isFortran)
    array.data = lastFastest(data, array.shape, *width);
  else
    array.data.assign(data.begin(), data.end());
  if (array.dtype[0] == '>') {
    swapBytes(array.data, *width);
    array.dtype[0] = '<';
  }
  return std::nullopt;
}

std::variant<std::vector<NpyArray>, NpzError> readNpz(std::string_view file) {
  auto entries = readZip(file);
  if (auto *error = std::get_if<std::string>(&entries))
    return NpzError{*error};
  std::vector<NpyArray> arrays;
  for (const ZipEntry &entry : std::get<std::vector<ZipEntry>>(entries))
    if (auto error = readArray(entry, arrays.emplace_back()))
      return *error;
  return arrays;
}

std::variant<std::string, NpzError> writeNpz(llvm::ArrayRef<NpyArray> arrays) {
  std::vector<ZipEntry> entries;
  int64_t total = 0;
  for (const NpyArray &array : arrays) {
    if (auto error = checkName(array.name))
      return *error;
    std::string data = npyHeader(array.dtype, array.shape);
    data.append(array.data.begin(), array.data.end());
    total += static_cast<int64_t>(data.size() + 2 * array.name.size()) + 128;
    entries.push_back({array.name + ".npy", std::move(data)});
  }
  if (total >= INT64_C(0xffffffff) || arrays.size() >= 0xffff)
    return NpzError{"the arrays do not fit into one file of 4 GiB"};
  return writeZip(entries);
}

//===----------------------------------------------------------------------===//
// Arrays and tensors
//===----------------------------------------------------------------------===//

const char *dtypeOf(ElementType type) {
  // Half bytes have a whole one each; bfloat16 and floats of 8 bits are no
  // types of numpy.
  static constexpr std::pair<ElementType, const char *> kTypes[] = {
      {ElementType::F32, "<f4"},    {ElementType::F16, "<f2"},
      {ElementType::BF16, "<u2"},   {ElementType::F8E4M3, "|u1"},
      {ElementType::F8E5M2, "|u1"}, {ElementType::I4, "|i1"},
      {ElementType::U4, "|u1"},     {ElementType::I8, "|i1"},
      {ElementType::U8, "|u1"},     {ElementType::I16, "<i2"},
      {ElementType::U16, "<u2"},    {ElementType::I32, "<i4"},
      {ElementType::U32, "<u4"}};
  for (auto [element, name] : kTypes)
    if (element == type)
      return name;
  return "";
}

template <typename Element>
static double elementAt(const std::vector<uint8_t> &data, int64_t index) {
  Element element;
  std::memcpy(&element, data.data() + index * sizeof(Element), sizeof(Element));
  return static_cast<double>(element);
}

/// Exact but for integers beyond 2^53.
static double numberAt(const NpyArray &array, int64_t index) {
  const std::string kind = array.dtype.substr(1);
  if (kind == "f8")
    return elementAt<double>(array.data, index);
  if (kind == "f4")
    return elementAt<float>(array.data, index);
  if (kind == "f2") {
    uint16_t half;
    std::memcpy(&half, array.data.data() + index * 2, 2);
    return halfToFloat(half);
  }
  if (kind == "i8")
    return elementAt<int64_t>(array.data, index);
  if (kind == "i4")
    return elementAt<int32_t>(array.data, index);
  if (kind == "i2")
    return elementAt<int16_t>(array.data, index);
  if (kind == "i1")
    return elementAt<int8_t>(array.data, index);
  if (kind == "u8")
    return elementAt<uint64_t>(array.data, index);
  if (kind == "u4")
    return elementAt<uint32_t>(array.data, index);
  if (kind == "u2")
    return elementAt<uint16_t>(array.data, index);
  return elementAt<uint8_t>(array.data, index);
}

std::variant<std::vector<uint8_t>, NpzError> bytesFor(const TensorType &type,
                                                      const NpyArray &array) {
  const std::optional<int64_t> width = widthOf(array.dtype);
  const int64_t count =
      width ? static_cast<int64_t>(array.data.size()) / *width : -1;
  if (count != type.elements())
    return NpzError{"array '" + array.name + "' is " + describe(array.shape) +
                    ", " + describe(type.shape) + " is needed"};
  if (array.dtype == dtypeOf(type.element) && bitsOf(type.element) >= 8)
    return array.data;
  std::vector<uint8_t> bytes(*type.bytes());
  std::vector<float> floats(isFloat(type.element) ? count : 0);
  std::vector<int64_t> integers(isFloat(type.element) ? 0 : count);
  for (int64_t i = 0; i < count; ++i) {
    const double number = numberAt(array, i);
    if (isFloat(type.element))
      floats[i] = static_cast<float>(number);
    else
      integers[i] = std::isnan(number)
                        ? 0
                        : static_cast<int64_t>(
                              std::clamp(std::round(number), -0x1p62, 0x1p62));
  }
  if (isFloat(type.element))
    writeFloats(type.element, bytes.data(), 0, count, floats.data());
  else
    writeIntegers(type.element, bytes.data(), 0, count, integers.data());
  return bytes;
}

NpyArray arrayOf(std::string name, const TensorView &tensor) {
  NpyArray array{std::move(name), dtypeOf(tensor.type.element),
                 tensor.type.shape, tensor.bytes.vec()};
  if (bitsOf(tensor.type.element) < 8) {
    const std::vector<int64_t> values = integersOf(tensor);
    array.data.assign(values.begin(), values.end());
  }
  return array;
}

} // namespace tpu_mlir::execution
