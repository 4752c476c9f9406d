//===- Proto.cpp - Tensors of protobuf ------------------------------------===//

#include "lib/Import/Proto.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "llvm/ADT/StringExtras.h"

#include <climits>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace tpu_mlir::importer {

using onnx::TensorProto;

DataType dataTypeOf(int32_t onnxType) {
  switch (onnxType) {
  case TensorProto::FLOAT:
    return DataType::F32;
  case TensorProto::DOUBLE:
    return DataType::F64;
  case TensorProto::FLOAT16:
    return DataType::F16;
  case TensorProto::BFLOAT16:
    return DataType::BF16;
  case TensorProto::INT8:
    return DataType::I8;
  case TensorProto::UINT8:
    return DataType::U8;
  case TensorProto::INT16:
    return DataType::I16;
  case TensorProto::UINT16:
    return DataType::U16;
  case TensorProto::INT32:
    return DataType::I32;
  case TensorProto::UINT32:
    return DataType::U32;
  case TensorProto::INT64:
    return DataType::I64;
  case TensorProto::UINT64:
    return DataType::U64;
  case TensorProto::BOOL:
    return DataType::Bool;
  default:
    return DataType::Other;
  }
}

bool parseMessage(const std::string &path, google::protobuf::Message &message) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  google::protobuf::io::FileInputStream stream(file);
  stream.SetCloseOnDelete(true);
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  return message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static int64_t widthOf(DataType type) {
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

template <typename Element, typename Number, typename Convert>
static std::vector<Number> unpack(llvm::StringRef bytes, Convert convert) {
  std::vector<Number> numbers(bytes.size() / sizeof(Element));
  for (size_t i = 0; i < numbers.size(); ++i) {
    Element element;
    std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
    numbers[i] = convert(element);
  }
  return numbers;
}

template <typename Element>
static std::vector<int64_t> unpackWhole(llvm::StringRef bytes) {
  return unpack<Element, int64_t>(
      bytes, [](Element e) { return static_cast<int64_t>(e); });
}

/// Elements one after the other, little-endian.
static void readBytes(Constant &result, llvm::StringRef bytes) {
  switch (result.type) {
  case DataType::F32:
    result.numbers = unpack<float, float>(bytes, [](float e) { return e; });
    return;
  case DataType::F64:
    result.numbers = unpack<double, double>(bytes, [](double e) { return e; });
    return;
  case DataType::F16:
    result.numbers = unpack<uint16_t, float>(bytes, execution::halfToFloat);
    return;
  case DataType::BF16:
    result.numbers = unpack<uint16_t, float>(bytes, execution::bfloatToFloat);
    return;
  case DataType::I8:
    result.numbers = unpackWhole<int8_t>(bytes);
    return;
  case DataType::I16:
    result.numbers = unpackWhole<int16_t>(bytes);
    return;
  case DataType::U16:
    result.numbers = unpackWhole<uint16_t>(bytes);
    return;
  case DataType::I32:
    result.numbers = unpackWhole<int32_t>(bytes);
    return;
  case DataType::U32:
    result.numbers = unpackWhole<uint32_t>(bytes);
    return;
  case DataType::I64:
  case DataType::U64:
    result.numbers = unpackWhole<int64_t>(bytes);
    return;
  case DataType::Bool:
    result.numbers = unpack<uint8_t, int64_t>(
        bytes, [](uint8_t e) { return int64_t(e != 0); });
    return;
  default:
    result.numbers = unpackWhole<uint8_t>(bytes);
  }
}

//===----------------------------------------------------------------------===//
// The fields of protobuf
//===----------------------------------------------------------------------===//

/// Where raw_data is not used: small types lie in int32_data, as bits.
static void readFields(Constant &result, const TensorProto &tensor) {
  auto list = [](const auto &field) {
    return std::vector<int64_t>(field.begin(), field.end());
  };
  auto halves = [&](float (*convert)(uint16_t)) {
    std::vector<float> numbers;
    for (int32_t bits : tensor.int32_data())
      numbers.push_back(convert(static_cast<uint16_t>(bits)));
    return numbers;
  };
  switch (result.type) {
  case DataType::F32:
    result.numbers = std::vector<float>(tensor.float_data().begin(),
                                        tensor.float_data().end());
    return;
  case DataType::F64:
    result.numbers = std::vector<double>(tensor.double_data().begin(),
                                         tensor.double_data().end());
    return;
  case DataType::F16:
    result.numbers = halves(execution::halfToFloat);
    return;
  case DataType::BF16:
    result.numbers = halves(execution::bfloatToFloat);
    return;
  case DataType::I64:
    result.numbers = list(tensor.int64_data());
    return;
  case DataType::U32:
  case DataType::U64:
    result.numbers = list(tensor.uint64_data());
    return;
  default:
    result = makeConstant(result.type, result.shape, list(tensor.int32_data()));
  }
}

//===----------------------------------------------------------------------===//
// Other files
//===----------------------------------------------------------------------===//

/// A relative path that does not leave its folder.
static bool staysInside(llvm::StringRef path) {
  if (path.empty() || path.starts_with("/"))
    return false;
  llvm::SmallVector<llvm::StringRef> parts;
  path.split(parts, '/');
  return !llvm::is_contained(parts, "..");
}

static std::variant<std::string, ReadError>
readExternal(const TensorProto &tensor, const std::string &folder,
             int64_t bytes) {
  std::string location;
  int64_t offset = 0, length = bytes;
  for (const auto &entry : tensor.external_data()) {
    const llvm::StringRef value = entry.value();
    if (entry.key() == "location")
      location = entry.value();
    if ((entry.key() == "offset" && value.getAsInteger(10, offset)) ||
        (entry.key() == "length" && value.getAsInteger(10, length)))
      return ReadError{"its " + entry.key() + " is '" + entry.value() + "'"};
  }
  if (!staysInside(location))
    return ReadError{"its data would be in '" + location +
                     "', which is not in the model's folder"};
  if (offset < 0 || length != bytes)
    return ReadError{"its data are " + std::to_string(length) + " bytes at " +
                     std::to_string(offset) + " of '" + location + "', " +
                     std::to_string(bytes) + " are needed"};
  std::ifstream file(folder + "/" + location, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() < 0 ||
      static_cast<int64_t>(file.tellg()) - offset < bytes)
    return ReadError{"its data cannot be read from '" + location + "'"};
  std::string data(bytes, '\0');
  file.seekg(offset);
  file.read(data.data(), bytes);
  if (!file)
    return ReadError{"its data cannot be read from '" + location + "'"};
  return data;
}

//===----------------------------------------------------------------------===//
// readTensor
//===----------------------------------------------------------------------===//

std::variant<Constant, ReadError> readTensor(const TensorProto &tensor,
                                             const std::string &folder) {
  const std::string what = "tensor '" + tensor.name() + "': ";
  Constant result;
  result.type = dataTypeOf(tensor.data_type());
  result.shape.assign(tensor.dims().begin(), tensor.dims().end());
  const std::optional<int64_t> count = elementsOf(result.shape);
  if (!count || *count > INT64_MAX / 8)
    return ReadError{what + "its shape is " + describe(result.shape)};
  // Strings and the like: there, but without numbers.
  if (result.type == DataType::Other)
    return result;
  const int64_t bytes = *count * widthOf(result.type);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    auto data = readExternal(tensor, folder, bytes);
    if (auto *error = std::get_if<ReadError>(&data))
      return ReadError{what + error->message};
    readBytes(result, std::get<std::string>(data));
  } else if (tensor.has_raw_data()) {
    if (static_cast<int64_t>(tensor.raw_data().size()) != bytes)
      return ReadError{what + "it has " +
                       std::to_string(tensor.raw_data().size()) + " bytes, " +
                       std::to_string(bytes) + " are needed"};
    readBytes(result, tensor.raw_data());
  } else {
    readFields(result, tensor);
  }
  if (result.size() != *count)
    return ReadError{what + "it has " + std::to_string(result.size()) +
                     " elements, " + std::to_string(*count) + " are needed"};
  return result;
}

std::variant<Constant, ReadError> readTensorProto(const std::string &path) {
  TensorProto tensor;
  if (!parseMessage(path, tensor))
    return ReadError{"'" + path + "' is no tensor of ONNX"};
  return readTensor(tensor, folderOf(path));
}

} // namespace tpu_mlir::importer
