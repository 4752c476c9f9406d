//===- GraphWriter.h - Graphs as files of ONNX ------------------*- C++ -*-===//
//
// The way back through the door to libonnx and protobuf.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_IMPORT_WRITE_GRAPHWRITER_H
#define TPU_MLIR_LIB_IMPORT_WRITE_GRAPHWRITER_H

#include "lib/Import/Graph.h"

namespace tpu_mlir::importer {

struct OnnxHeader {
  std::string name; ///< Of the graph.
  int64_t opset = 17;
};

/// A model of ONNX with that graph, in the IR version that came with the opset.
/// Constants are initialisers; one that is filled and has more than 128
/// elements is the result of a ConstantOfShape of an initialiser
/// `<name>__SHAPE`, so that the file stays small. Domains and subgraphs there
/// are none. The same graph gives the same bytes. O(bytes).
std::string writeOnnx(const Graph &graph, const OnnxHeader &header);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_LIB_IMPORT_WRITE_GRAPHWRITER_H
