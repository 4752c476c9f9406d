//===- Graph.h - A model file without its format ----------------*- C++ -*-===//
//
// What the reader makes of a file: plain values, which know neither protobuf
// nor IR. Function bodies are in line, and attributes that a node leaves out
// have the defaults of its schema.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_IMPORT_GRAPH_H
#define TPU_MLIR_LIB_IMPORT_GRAPH_H

#include "tpu_mlir/Import/Constant.h"

#include <map>
#include <memory>
#include <string>

namespace tpu_mlir::importer {

struct Graph;

/// One of ONNX's kinds; what the importer has no use for is monostate.
using Attribute =
    std::variant<std::monostate, int64_t, float, std::string,
                 std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>, std::shared_ptr<const Constant>,
                 std::shared_ptr<const Graph>>;

struct Node {
  std::string op; ///< "Conv"; with its domain where that is not ONNX's.
  std::string name;
  /// Opset in which the op got the meaning that it has here; 0: not known.
  int64_t version = 0;
  /// The opset that the file asks for.
  int64_t opset = 0;
  std::vector<std::string> inputs, outputs; ///< "": not there.
  std::map<std::string, Attribute> attributes;
};

/// An input or output as the file declares it.
struct Declared {
  std::string name;
  DataType type = DataType::Other;
  /// nullopt: no shape; -1: a dimension without a number.
  std::optional<Shape> shape;
  /// What dimensions without a number are called, "" for all others.
  std::vector<std::string> names = {};
};

/// Nodes stand in an order in which they can run.
struct Graph {
  std::vector<Declared> inputs; ///< Without those that are constants.
  std::vector<Declared> outputs;
  std::map<std::string, std::shared_ptr<const Constant>> constants;
  std::vector<Node> nodes;
  /// Of the model: the files beside its own that it has numbers in.
  std::vector<std::string> dataFiles;
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_GRAPH_H
