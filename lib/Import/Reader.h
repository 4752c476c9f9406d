//===- Reader.h - Files of ONNX as graphs -----------------------*- C++ -*-===//
//
// The only door to libonnx and protobuf: nothing of them passes it, exceptions
// least of all.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_IMPORT_READER_H
#define TPU_MLIR_LIB_IMPORT_READER_H

#include "lib/Import/Graph.h"

#include <functional>

namespace tpu_mlir::importer {

/// What is wrong with a file: "is no ONNX model".
struct ReadError {
  std::string message;
};

/// Whether the op becomes layers by itself: of others the function body is
/// taken where there is one.
using HasRule = std::function<bool(const std::string &op)>;

/// Parses the file, lets the library's checker look at it as long as its
/// opsets are ones the library knows, reads external data, which has to be in
/// the model's folder or below, and puts function bodies in line. O(bytes).
std::variant<Graph, ReadError> readOnnx(const std::string &path,
                                        const HasRule &hasRule);

/// The same of a file whose bytes are there. It has no folder: what would be in
/// other files cannot be read.
std::variant<Graph, ReadError> readOnnxBytes(llvm::StringRef bytes,
                                             const HasRule &hasRule);

/// A file with one tensor (a TensorProto), as ONNX's test data are. `beside`,
/// where there is one, gets the files that keep its numbers.
std::variant<Constant, ReadError>
readTensorProto(const std::string &path,
                std::vector<std::string> *beside = nullptr);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_READER_H
