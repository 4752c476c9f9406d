//===- Proto.cpp - Tensors of protobuf ------------------------------------===//

#include "lib/Import/Proto.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "google/protobuf/unknown_field_set.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <set>
#include <system_error>
#include <unistd.h>

namespace tpu_mlir::importer {

using onnx::TensorProto;

/// By the numbers of TensorProto, some of which the installed one may not have.
static DataType unreadType(int32_t onnxType) {
  switch (onnxType) {
  case TensorProto::STRING:
    return DataType::Text;
  case TensorProto::COMPLEX64:
    return DataType::Complex64;
  case TensorProto::COMPLEX128:
    return DataType::Complex128;
  default:
    break;
  }
  // From 17 on they follow each other.
  static constexpr DataType kNewer[] = {
      DataType::F8E4M3FN,   DataType::F8E4M3FNUZ, DataType::F8E5M2,
      DataType::F8E5M2FNUZ, DataType::U4,         DataType::I4,
      DataType::F4E2M1,     DataType::F8E8M0,     DataType::U2,
      DataType::I2};
  const int64_t place = int64_t(onnxType) - 17;
  return place >= 0 && place < int64_t(std::size(kNewer)) ? kNewer[place]
                                                          : DataType::Other;
}

DataType dataTypeOf(int32_t onnxType) {
  static constexpr std::pair<TensorProto::DataType, DataType> kTypes[] = {
      {TensorProto::FLOAT, DataType::F32},
      {TensorProto::DOUBLE, DataType::F64},
      {TensorProto::FLOAT16, DataType::F16},
      {TensorProto::BFLOAT16, DataType::BF16},
      {TensorProto::INT8, DataType::I8},
      {TensorProto::UINT8, DataType::U8},
      {TensorProto::INT16, DataType::I16},
      {TensorProto::UINT16, DataType::U16},
      {TensorProto::INT32, DataType::I32},
      {TensorProto::UINT32, DataType::U32},
      {TensorProto::INT64, DataType::I64},
      {TensorProto::UINT64, DataType::U64},
      {TensorProto::BOOL, DataType::Bool}};
  for (auto [onnx, type] : kTypes)
    if (onnx == onnxType)
      return type;
  return unreadType(onnxType);
}

std::string parseMessage(const std::string &path,
                         google::protobuf::Message &message,
                         const std::string &what) {
  const auto cannotRead = [&](int error) {
    return "cannot read '" + path +
           "': " + std::generic_category().message(error);
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return cannotRead(errno);
  google::protobuf::io::FileInputStream stream(file);
  stream.SetCloseOnDelete(true);
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  const bool isRead =
      message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  if (stream.GetErrno() != 0)
    return cannotRead(stream.GetErrno());
  return isRead ? "" : "'" + path + "' is no " + what;
}

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

//===----------------------------------------------------------------------===//
// The fields of protobuf
//===----------------------------------------------------------------------===//

/// Where raw_data is not used: small types lie in int32_data, as bits.
static void readFields(Constant &result, const TensorProto &tensor,
                       std::shared_ptr<const void> owner) {
  auto list = [](const auto &field) {
    return std::vector<int64_t>(field.begin(), field.end());
  };
  // As the machine has them, which is little-endian.
  auto stay = [&](const auto &field) {
    const auto *begin = reinterpret_cast<const char *>(field.data());
    const size_t width = sizeof(*field.data());
    result.numbers = Stored{std::move(owner), {begin, field.size() * width}};
  };
  auto halves = [&](float (*convert)(uint16_t)) {
    std::vector<float> numbers;
    for (int32_t bits : tensor.int32_data())
      numbers.push_back(convert(static_cast<uint16_t>(bits)));
    return numbers;
  };
  switch (result.type) {
  case DataType::F32:
    return stay(tensor.float_data());
  case DataType::F64:
    return stay(tensor.double_data());
  case DataType::F16:
    result.numbers = halves(execution::halfToFloat);
    return;
  case DataType::BF16:
    result.numbers = halves(execution::bfloatToFloat);
    return;
  case DataType::I64:
    return stay(tensor.int64_data());
  case DataType::U64:
    return stay(tensor.uint64_data());
  case DataType::U32:
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

std::variant<Stored, ReadError> DataFiles::find(const TensorProto &tensor,
                                                int64_t bytes) {
  std::string location;
  int64_t offset = 0, length = bytes;
  std::set<std::string> keys;
  for (const auto &entry : tensor.external_data()) {
    const llvm::StringRef value = entry.value();
    if (!keys.insert(entry.key()).second)
      return ReadError{"it says twice what its " + entry.key() + " is"};
    if (entry.key() == "location")
      location = entry.value();
    if ((entry.key() == "offset" && value.getAsInteger(10, offset)) ||
        (entry.key() == "length" && value.getAsInteger(10, length)))
      return ReadError{"its " + entry.key() + " is '" + entry.value() + "'"};
  }
  if (folder.empty() || !staysInside(location) ||
      llvm::StringRef(location).contains('\0'))
    return ReadError{"its data would be in '" + location +
                     "', which is not in the model's folder"};
  if (offset < 0 || length != bytes)
    return ReadError{"its data are " + std::to_string(length) + " bytes at " +
                     std::to_string(offset) + " of '" + location + "', " +
                     std::to_string(bytes) + " are needed"};
  std::shared_ptr<const llvm::MemoryBuffer> &file = mapped[location];
  // A pipe or a device would be waited for, or never end.
  llvm::sys::fs::file_status status;
  if (!file && !llvm::sys::fs::status(folder + "/" + location, status) &&
      llvm::sys::fs::is_regular_file(status))
    if (auto opened = llvm::MemoryBuffer::getFile(
            folder + "/" + location, /*IsText=*/false,
            /*RequiresNullTerminator=*/false))
      file = std::move(*opened);
  if (!file)
    return ReadError{"its data cannot be read from '" + location + "'"};
  const llvm::StringRef all = file->getBuffer();
  if (static_cast<int64_t>(all.size()) - offset < bytes)
    return ReadError{"its data cannot be read from '" + location +
                     "', which has " + std::to_string(all.size()) + " bytes, " +
                     std::to_string(bytes) + " at " + std::to_string(offset) +
                     " are needed"};
  return Stored{file, all.substr(offset, bytes)};
}

//===----------------------------------------------------------------------===//
// readTensor
//===----------------------------------------------------------------------===//

std::variant<Constant, ReadError> readTensor(const TensorProto &tensor,
                                             std::shared_ptr<const void> owner,
                                             DataFiles &files) {
  const std::string what = "tensor '" + tensor.name() + "': ";
  Constant result;
  result.type = dataTypeOf(tensor.data_type());
  result.shape.assign(tensor.dims().begin(), tensor.dims().end());
  const std::optional<int64_t> count = elementsOf(result.shape);
  if (!count || *count > INT64_MAX / 8)
    return ReadError{what + "its shape is " + describe(result.shape)};
  // Strings and the like: there, but without numbers.
  if (!hasNumbers(result.type))
    return result;
  const int64_t bytes = *count * widthOf(result.type);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    auto data = files.find(tensor, bytes);
    if (auto *error = std::get_if<ReadError>(&data))
      return ReadError{what + error->message};
    result.numbers = std::move(std::get<Stored>(data));
  } else if (tensor.has_raw_data()) {
    if (static_cast<int64_t>(tensor.raw_data().size()) != bytes)
      return ReadError{what + "it has " +
                       std::to_string(tensor.raw_data().size()) + " bytes, " +
                       std::to_string(bytes) + " are needed"};
    result.numbers = Stored{std::move(owner), tensor.raw_data()};
  } else {
    readFields(result, tensor, std::move(owner));
  }
  if (result.size() != *count)
    return ReadError{what + "it has " + std::to_string(result.size()) +
                     " elements, " + std::to_string(*count) + " are needed"};
  return result;
}

/// Where each number of a sparse tensor is among its elements: in one list of
/// places, or with a row of coordinates each. nullopt: not in the tensor.
static std::optional<std::vector<int64_t>>
placesOf(const Constant &indices, const Shape &shape, int64_t count) {
  const int64_t rank = static_cast<int64_t>(shape.size());
  const bool isFlat = indices.shape == Shape{count};
  if (!isFlat && indices.shape != Shape{count, rank})
    return std::nullopt;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = isFlat ? indices.whole(i) : 0;
    for (int64_t dim = 0; dim < rank && !isFlat; ++dim) {
      const int64_t at = indices.whole(i * rank + dim);
      if (at < 0 || at >= shape[dim])
        return std::nullopt;
      place = place * shape[dim] + at;
    }
    if (place < 0 || place >= *elementsOf(shape))
      return std::nullopt;
    places.push_back(place);
  }
  return places;
}

std::variant<Constant, ReadError>
readSparseTensor(const onnx::SparseTensorProto &tensor,
                 const std::shared_ptr<const void> &owner, DataFiles &files) {
  const std::string what = "sparse tensor '" + tensor.values().name() + "': ";
  auto values = readTensor(tensor.values(), owner, files),
       indices = readTensor(tensor.indices(), owner, files);
  for (auto *part : {&values, &indices})
    if (auto *error = std::get_if<ReadError>(part))
      return ReadError{what + error->message};
  const Constant &numbers = std::get<Constant>(values);
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const std::optional<int64_t> count = elementsOf(shape);
  // A few bytes must not become gigabytes.
  const int64_t most = (1 << 20) + 1000 * numbers.size();
  if (!count || *count > most || !hasNumbers(numbers.type) ||
      std::get<Constant>(indices).type != DataType::I64)
    return ReadError{what + "its shape is " + describe(shape)};
  const auto places =
      placesOf(std::get<Constant>(indices), shape, numbers.size());
  if (!places)
    return ReadError{what + "its places are not those of " + describe(shape)};
  const bool isReal = isFloat(numbers.type);
  std::vector<double> reals(isReal ? *count : 0);
  std::vector<int64_t> wholes(isReal ? 0 : *count);
  for (auto [i, place] : llvm::enumerate(*places))
    if (isReal)
      reals[place] = numbers.real(static_cast<int64_t>(i));
    else
      wholes[place] = numbers.whole(static_cast<int64_t>(i));
  return isReal ? makeConstant(numbers.type, shape, reals)
                : makeConstant(numbers.type, shape, std::move(wholes));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The texts or messages of a field that came after the library, as bytes.
static std::vector<std::string>
unknownField(const google::protobuf::UnknownFieldSet &fields, int number) {
  std::vector<std::string> found;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField &field = fields.field(i);
    if (field.number() == number &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      found.push_back(field.length_delimited());
  }
  return found;
}

/// As protobuf has it, the last one counts.
static std::string lastOf(const std::vector<std::string> &texts) {
  return texts.empty() ? "" : texts.back();
}

static std::optional<std::vector<onnx::AttributeProto>>
defaultsOf(const onnx::FunctionProto &function) {
  std::vector<onnx::AttributeProto> defaults;
  for (const std::string &bytes : unknownField(function.unknown_fields(), 11))
    if (!defaults.emplace_back().ParseFromString(bytes))
      return std::nullopt;
  return defaults;
}

std::string domainOf(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

FunctionKey calledBy(const onnx::NodeProto &node) {
  return {domainOf(node.domain()), node.op_type(),
          lastOf(unknownField(node.unknown_fields(), 8))};
}

std::string describe(const FunctionKey &key) {
  const auto &[domain, name, overload] = key;
  return "'" + domain + "." + name + (overload.empty() ? "" : ":") + overload +
         "'";
}

std::variant<Functions, ReadError> functionsOf(const onnx::ModelProto &model) {
  Functions functions;
  for (const onnx::FunctionProto &function : model.functions()) {
    const FunctionKey key{domainOf(function.domain()), function.name(),
                          lastOf(unknownField(function.unknown_fields(), 13))};
    auto defaults = defaultsOf(function);
    if (!defaults)
      return ReadError{"an attribute of function " + describe(key) +
                       " cannot be read"};
    if (!functions.try_emplace(key, Function{&function, std::move(*defaults)})
             .second)
      return ReadError{"two functions are called " + describe(key)};
  }
  return functions;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {

/// Goes through all that a model has and keeps where tensors say that their
/// numbers are.
struct DataLocations {
  std::set<std::string> found;

  void add(const onnx::TensorProto &tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
      return;
    found.insert(""); // Also of a tensor that does not say where.
    for (const auto &entry : tensor.external_data())
      if (entry.key() == "location")
        found.insert(entry.value());
  }
  void add(const onnx::SparseTensorProto &tensor) {
    add(tensor.values());
    add(tensor.indices());
  }
  void add(const onnx::AttributeProto &from) {
    add(from.t());
    addAll(from.tensors());
    add(from.sparse_tensor());
    addAll(from.sparse_tensors());
    if (from.has_g())
      add(from.g());
    addAll(from.graphs());
  }
  void add(const onnx::NodeProto &node) { addAll(node.attribute()); }
  void add(const onnx::GraphProto &graph) {
    addAll(graph.initializer());
    addAll(graph.sparse_initializer());
    addAll(graph.node());
  }
  void add(const onnx::FunctionProto &function) {
    addAll(function.node());
    if (auto defaults = defaultsOf(function))
      addAll(*defaults);
  }
  template <typename List> void addAll(const List &list) {
    for (const auto &one : list)
      add(one);
  }
};

} // namespace

std::set<std::string> dataLocations(const onnx::ModelProto &model) {
  DataLocations locations;
  locations.add(model.graph());
  locations.addAll(model.functions());
  return std::move(locations.found);
}

std::vector<std::string> dataFiles(const std::set<std::string> &locations,
                                   const std::string &path) {
  std::vector<std::string> files;
  for (const std::string &location : locations)
    if (!location.empty())
      files.push_back(folderOf(path) + "/" + location);
  return files;
}

std::variant<Constant, ReadError>
readTensorProto(const std::string &path, std::vector<std::string> *beside) {
  auto tensor = std::make_shared<TensorProto>();
  const std::string what = "tensor of ONNX";
  if (std::string error = parseMessage(path, *tensor, what); !error.empty())
    return ReadError{error};
  // As an empty file would be.
  if (tensor->data_type() == TensorProto::UNDEFINED)
    return ReadError{"'" + path + "' is no " + what};
  if (beside) {
    DataLocations locations;
    locations.add(*tensor);
    *beside = dataFiles(locations.found, path);
  }
  DataFiles files(folderOf(path));
  return readTensor(*tensor, tensor, files);
}

static bool dropName(std::string &domain) {
  const bool hasName = domain == "ai.onnx";
  if (hasName)
    domain.clear();
  return hasName;
}
template <typename Nodes> static void dropNames(Nodes &nodes) {
  for (onnx::NodeProto &node : nodes) {
    dropName(*node.mutable_domain());
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        dropNames(*attribute.mutable_g()->mutable_node());
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        dropNames(*graph.mutable_node());
    }
  }
}
bool dropDefaultDomain(onnx::ModelProto &model) {
  bool hasName = false;
  for (auto &import : *model.mutable_opset_import())
    hasName |= dropName(*import.mutable_domain());
  if (!hasName)
    return false;
  dropNames(*model.mutable_graph()->mutable_node());
  for (auto &function : *model.mutable_functions()) {
    for (auto &import : *function.mutable_opset_import())
      dropName(*import.mutable_domain());
    dropNames(*function.mutable_node());
  }
  return true;
}

} // namespace tpu_mlir::importer
