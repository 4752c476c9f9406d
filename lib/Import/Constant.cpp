//===- Constant.cpp - Numbers that a model file has -----------------------===//

#include "tpu_mlir/Import/Weight.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tpu_mlir::importer {

llvm::StringRef nameOf(DataType type) {
  static const llvm::StringRef kNames[] = {
      "float",          "double",     "float16",
      "bfloat16",       "int8",       "uint8",
      "int16",          "uint16",     "int32",
      "uint32",         "int64",      "uint64",
      "bool",           "other",      "string",
      "complex64",      "complex128", "float8e4m3fn",
      "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",          "int4",       "float4e2m1",
      "float8e8m0",     "uint2",      "int2"};
  return kNames[static_cast<int>(type)];
}

bool isFloat(DataType type) { return type <= DataType::BF16; }

bool fitsInt32(DataType type) {
  return (type >= DataType::I8 && type <= DataType::I32) ||
         type == DataType::Bool;
}

bool hasNumbers(DataType type) { return type < DataType::Other; }

std::optional<int64_t> elementsOf(llvm::ArrayRef<int64_t> shape) {
  if (shape.size() > kMostDims)
    return std::nullopt;
  // Strides are products that do not end at a 0.
  std::optional<int64_t> count = 1;
  bool isEmpty = false;
  for (int64_t dim : shape) {
    isEmpty |= dim == 0;
    count =
        dim < 0 ? std::nullopt : checkedMul(*count, std::max<int64_t>(dim, 1));
    if (!count)
      return std::nullopt;
  }
  return isEmpty ? 0 : count;
}

std::string describe(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t dim : shape.take_front(kMostDims))
    text += (text.size() > 1 ? "," : "") +
            (dim < 0 ? std::string("?") : std::to_string(dim));
  if (shape.size() > kMostDims)
    text += ",.. (" + std::to_string(shape.size()) + " of them)";
  return text + "]";
}

int64_t truncated(double number) {
  if (std::isnan(number))
    return 0;
  if (number >= 0x1p63)
    return INT64_MAX;
  return number < -0x1p63 ? INT64_MIN : static_cast<int64_t>(number);
}

double realOf(DataType type, int64_t whole) {
  return type == DataType::U64
             ? static_cast<double>(static_cast<uint64_t>(whole))
             : static_cast<double>(whole);
}

/// The integer that a float becomes, cut and saturated.
static int64_t wholeOf(DataType type, double number) {
  if (type == DataType::Bool)
    return number != 0;
  if (type == DataType::U64 && number >= 0x1p63)
    return static_cast<int64_t>(
        number >= 0x1p64 ? UINT64_MAX : static_cast<uint64_t>(number));
  return truncated(number);
}

//===----------------------------------------------------------------------===//
// Elements in bytes of others
//===----------------------------------------------------------------------===//

int64_t widthOf(DataType type) {
  switch (type) {
  case DataType::F64:
  case DataType::I64:
  case DataType::U64:
    return 8;
  case DataType::F32:
  case DataType::I32:
  case DataType::U32:
    return 4;
  case DataType::F16:
  case DataType::BF16:
  case DataType::I16:
  case DataType::U16:
    return 2;
  default:
    return 1;
  }
}

template <typename Element>
static Element elementAt(llvm::StringRef bytes, int64_t index) {
  Element element;
  std::memcpy(&element, bytes.data() + index * sizeof(Element),
              sizeof(Element));
  return element;
}

static int64_t wholeAt(DataType type, llvm::StringRef bytes, int64_t index) {
  switch (type) {
  case DataType::I8:
    return elementAt<int8_t>(bytes, index);
  case DataType::I16:
    return elementAt<int16_t>(bytes, index);
  case DataType::U16:
    return elementAt<uint16_t>(bytes, index);
  case DataType::I32:
    return elementAt<int32_t>(bytes, index);
  case DataType::U32:
    return elementAt<uint32_t>(bytes, index);
  case DataType::I64:
  case DataType::U64:
    return elementAt<int64_t>(bytes, index);
  case DataType::Bool:
    return elementAt<uint8_t>(bytes, index) != 0;
  default:
    return elementAt<uint8_t>(bytes, index);
  }
}

static double realAt(DataType type, llvm::StringRef bytes, int64_t index) {
  switch (type) {
  case DataType::F32:
    return elementAt<float>(bytes, index);
  case DataType::F64:
    return elementAt<double>(bytes, index);
  case DataType::F16:
    return execution::halfToFloat(elementAt<uint16_t>(bytes, index));
  case DataType::BF16:
    return execution::bfloatToFloat(elementAt<uint16_t>(bytes, index));
  default:
    return realOf(type, wholeAt(type, bytes, index));
  }
}

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

int64_t Constant::size() const {
  if (auto *filled = std::get_if<Filled>(&numbers))
    return filled->count;
  if (auto *stored = std::get_if<Stored>(&numbers))
    return static_cast<int64_t>(stored->bytes.size()) / widthOf(type);
  if (auto *list = std::get_if<std::vector<float>>(&numbers))
    return static_cast<int64_t>(list->size());
  if (auto *list = std::get_if<std::vector<double>>(&numbers))
    return static_cast<int64_t>(list->size());
  return static_cast<int64_t>(std::get<std::vector<int64_t>>(numbers).size());
}

double Constant::real(int64_t index) const {
  if (auto *list = std::get_if<std::vector<float>>(&numbers))
    return (*list)[index];
  if (auto *list = std::get_if<std::vector<double>>(&numbers))
    return (*list)[index];
  if (auto *list = std::get_if<std::vector<int64_t>>(&numbers))
    return realOf(type, (*list)[index]);
  if (auto *filled = std::get_if<Filled>(&numbers))
    return filled->real;
  return realAt(type, std::get<Stored>(numbers).bytes, index);
}

int64_t Constant::whole(int64_t index) const {
  if (auto *list = std::get_if<std::vector<int64_t>>(&numbers))
    return (*list)[index];
  if (isFloat(type))
    return truncated(real(index));
  if (auto *filled = std::get_if<Filled>(&numbers))
    return filled->whole;
  if (auto *stored = std::get_if<Stored>(&numbers))
    return wholeAt(type, stored->bytes, index);
  return truncated(real(index));
}

void Constant::read(int64_t begin, llvm::MutableArrayRef<float> to) const {
  const auto *stored = std::get_if<Stored>(&numbers);
  if (auto *list = std::get_if<std::vector<float>>(&numbers))
    std::copy_n(list->begin() + begin, to.size(), to.begin());
  else if (auto *filled = std::get_if<Filled>(&numbers))
    std::fill(to.begin(), to.end(), static_cast<float>(filled->real));
  else if (stored && type == DataType::F32)
    std::memcpy(to.data(), stored->bytes.data() + begin * sizeof(float),
                to.size() * sizeof(float));
  else
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<float>(real(begin + static_cast<int64_t>(i)));
}

std::vector<float> Constant::floats() const {
  std::vector<float> result(size());
  read(0, result);
  return result;
}

std::vector<int64_t> Constant::wholes() const {
  std::vector<int64_t> result(size());
  for (int64_t i = 0; i < size(); ++i)
    result[i] = whole(i);
  return result;
}

Constant makeFilled(const Constant &from, int64_t index, Shape shape) {
  const int64_t count = elementsOf(shape).value_or(0);
  return {from.type, std::move(shape),
          Filled{from.real(index), from.whole(index), count}};
}

void forEachPart(const Constant &constant, TakesNumbers take) {
  constexpr int64_t kPart = 1 << 18;
  const int64_t count = constant.size();
  std::vector<float> part;
  for (int64_t begin = 0; begin < count; begin += kPart) {
    part.resize(std::min(count - begin, kPart));
    constant.read(begin, part);
    take(part);
  }
}

void Weight::forEachPart(TakesNumbers take) const {
  parts ? parts(*constant, take) : importer::forEachPart(*constant, take);
}

std::vector<float> Weight::floats() const {
  std::vector<float> all;
  all.reserve(elementsOf(shape).value_or(0));
  forEachPart([&](llvm::ArrayRef<float> part) {
    all.insert(all.end(), part.begin(), part.end());
  });
  return all;
}

/// What is left of an integer in fewer bits.
static int64_t wrapped(DataType type, int64_t number) {
  switch (type) {
  case DataType::Bool:
    return number != 0;
  case DataType::I8:
    return static_cast<int8_t>(number);
  case DataType::U8:
    return static_cast<uint8_t>(number);
  case DataType::I16:
    return static_cast<int16_t>(number);
  case DataType::U16:
    return static_cast<uint16_t>(number);
  case DataType::I32:
    return static_cast<int32_t>(number);
  case DataType::U32:
    return static_cast<uint32_t>(number);
  default:
    return number;
  }
}

static double rounded(DataType type, double number) {
  if (type == DataType::F16)
    return execution::halfToFloat(
        execution::floatToHalf(static_cast<float>(number)));
  if (type == DataType::BF16)
    return execution::bfloatToFloat(
        execution::floatToBfloat(static_cast<float>(number)));
  return number;
}

Constant makeConstant(DataType type, Shape shape,
                      llvm::ArrayRef<double> numbers) {
  if (!isFloat(type)) {
    std::vector<int64_t> wholes;
    wholes.reserve(numbers.size());
    for (double number : numbers)
      wholes.push_back(wholeOf(type, number));
    return makeConstant(type, std::move(shape), std::move(wholes));
  }
  if (type == DataType::F64)
    return {type, std::move(shape), numbers.vec()};
  std::vector<float> floats;
  floats.reserve(numbers.size());
  for (double number : numbers)
    floats.push_back(static_cast<float>(rounded(type, number)));
  return {type, std::move(shape), std::move(floats)};
}

Constant makeConstant(DataType type, Shape shape,
                      std::vector<int64_t> numbers) {
  if (isFloat(type))
    return makeConstant(type, std::move(shape),
                        std::vector<double>(numbers.begin(), numbers.end()));
  for (int64_t &number : numbers)
    number = wrapped(type, number);
  return {type, std::move(shape), std::move(numbers)};
}

} // namespace tpu_mlir::importer
