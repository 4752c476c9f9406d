//===- Proto.h - Tensors of protobuf ----------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_IMPORT_PROTO_H
#define TPU_MLIR_LIB_IMPORT_PROTO_H

#include "lib/Import/Reader.h"

#include "llvm/Support/MemoryBuffer.h"

#include "onnx/onnx_pb.h"

#include <set>

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

/// Takes the name "ai.onnx" from the domain that needs none, as ONNX's checker
/// does not know it by that. False: it has no such name.
bool dropDefaultDomain(onnx::ModelProto &model);

/// The folder of a file, "." for none.
std::string folderOf(const std::string &path);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_PROTO_H
