//===- Constant.cpp - Numbers that a model file has -----------------------===//

#include "tpu_mlir/Import/Constant.h"

#include "tpu_mlir/Support/Bytes.h"

#include <cmath>

namespace tpu_mlir::importer {

llvm::StringRef nameOf(DataType type) {
  static const llvm::StringRef kNames[] = {
      "float",  "double", "float16", "bfloat16", "int8",   "uint8", "int16",
      "uint16", "int32",  "uint32",  "int64",    "uint64", "bool",  "other"};
  return kNames[static_cast<int>(type)];
}

bool isFloat(DataType type) { return type <= DataType::BF16; }

std::optional<int64_t> elementsOf(llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = 1;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    count = checkedMul(*count, dim);
    if (!count)
      return std::nullopt;
  }
  return count;
}

std::string describe(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t dim : shape)
    text += (text.size() > 1 ? "," : "") +
            (dim < 0 ? std::string("?") : std::to_string(dim));
  return text + "]";
}

int64_t truncated(double number) {
  if (std::isnan(number))
    return 0;
  if (number >= 0x1p63)
    return INT64_MAX;
  return number < -0x1p63 ? INT64_MIN : static_cast<int64_t>(number);
}

int64_t Constant::size() const {
  return std::visit(
      [](const auto &list) { return static_cast<int64_t>(list.size()); },
      numbers);
}

double Constant::real(int64_t index) const {
  return std::visit(
      [&](const auto &list) { return static_cast<double>(list[index]); },
      numbers);
}

int64_t Constant::whole(int64_t index) const {
  if (auto *list = std::get_if<std::vector<int64_t>>(&numbers))
    return (*list)[index];
  return truncated(real(index));
}

std::vector<float> Constant::floats() const {
  if (auto *list = std::get_if<std::vector<float>>(&numbers))
    return *list;
  std::vector<float> result(size());
  for (int64_t i = 0; i < size(); ++i)
    result[i] = static_cast<float>(real(i));
  return result;
}

std::vector<int64_t> Constant::wholes() const {
  std::vector<int64_t> result(size());
  for (int64_t i = 0; i < size(); ++i)
    result[i] = whole(i);
  return result;
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
      wholes.push_back(type == DataType::Bool ? number != 0
                                              : truncated(number));
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
