//===- Proto.h - Tensors of protobuf ----------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_IMPORT_PROTO_H
#define TPU_MLIR_LIB_IMPORT_PROTO_H

#include "lib/Import/Reader.h"

#include "llvm/Support/MemoryBuffer.h"

#include "onnx/onnx_pb.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace tpu_mlir::importer {

DataType dataTypeOf(int32_t onnxType);

/// Reads messages of up to 2 GiB from a file. What went wrong, with the file's
/// name: it cannot be read, or "is no <what>"; "" when nothing did.
std::string parseMessage(const std::string &path,
                         google::protobuf::Message &message,
                         const std::string &what);

/// The files beside a model that keep its data, each mapped once.
class DataFiles {
public:
  /// Files are looked for in `folder`.
  explicit DataFiles(std::string folder) : folder(std::move(folder)) {}

  /// Where the data of a tensor that needs `bytes` lie. Errors: a file that
  /// cannot be read, lies outside of the folder or is too short.
  std::variant<Stored, ReadError> find(const onnx::TensorProto &tensor,
                                       int64_t bytes);

private:
  std::string folder;
  std::map<std::string, std::shared_ptr<const llvm::MemoryBuffer>> mapped;
};

/// The tensor's numbers, which stay where they are as far as that can be:
/// `owner` keeps `tensor` alive. Errors: sizes that do not fit the data, and
/// those of `files`.
std::variant<Constant, ReadError> readTensor(const onnx::TensorProto &tensor,
                                             std::shared_ptr<const void> owner,
                                             DataFiles &files);

/// The same with a 0 in each place that is not named. Errors besides: places
/// that are not there, and more elements than a mistake in a shape should cost.
std::variant<Constant, ReadError>
readSparseTensor(const onnx::SparseTensorProto &tensor,
                 const std::shared_ptr<const void> &owner, DataFiles &files);

/// Where tensors of the model, wherever they stand, say that their numbers are;
/// empty: all have them with them.
std::set<std::string> dataLocations(const onnx::ModelProto &model);

/// The files that these are, beside the model in file `path`.
std::vector<std::string> dataFiles(const std::set<std::string> &locations,
                                   const std::string &path);

/// The domain as keys have it: "" for ONNX's own, whatever it is called.
std::string domainOf(const std::string &domain);

/// Domain, name and overload of a function (since IR version 10; "" where there
/// is but one of that name).
using FunctionKey = std::tuple<std::string, std::string, std::string>;

FunctionKey calledBy(const onnx::NodeProto &node);
/// As messages have it: "'domain.name:overload'".
std::string describe(const FunctionKey &key);

/// A function, and the attributes that calls may leave out (since IR version
/// 9).
struct Function {
  const onnx::FunctionProto *body = nullptr;
  std::vector<onnx::AttributeProto> defaults;
};
using Functions = std::map<FunctionKey, Function>;

/// The functions of the model, which they point into. Errors: two of one key,
/// and attributes whose bytes are none.
std::variant<Functions, ReadError> functionsOf(const onnx::ModelProto &model);

/// Takes the name "ai.onnx" from the domain that needs none, as ONNX's checker
/// does not know it by that. False: it has no such name.
bool dropDefaultDomain(onnx::ModelProto &model);

/// The folder of a file, "." for none.
std::string folderOf(const std::string &path);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_PROTO_H
