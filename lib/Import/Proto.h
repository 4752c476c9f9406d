//===- Proto.h - Tensors of protobuf ----------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_IMPORT_PROTO_H
#define TPU_MLIR_LIB_IMPORT_PROTO_H

#include "lib/Import/Reader.h"

#include "onnx/onnx_pb.h"

namespace tpu_mlir::importer {

DataType dataTypeOf(int32_t onnxType);

/// Reads messages of up to 2 GiB from a file; false for what is none.
bool parseMessage(const std::string &path, google::protobuf::Message &message);

/// The tensor's numbers; data that the model keeps in other files are looked
/// for in `folder`. Errors: types without numbers, sizes that do not fit the
/// data, other files that cannot be read or lie outside of the folder.
std::variant<Constant, ReadError> readTensor(const onnx::TensorProto &tensor,
                                             const std::string &folder);

/// The folder of a file, "." for none.
std::string folderOf(const std::string &path);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_PROTO_H
