//===- Import.h - ONNX as Top modules ---------------------------*- C++ -*-===//
//
// Reads a model of ONNX and writes the module that a network of tpu-mlir's
// begins with. Every value in it is f32; what the file says of types at its
// borders is beside the module. Shapes are static and numbers that follow from
// them are computed here.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_IMPORT_IMPORT_H
#define TPU_MLIR_IMPORT_IMPORT_H

#include "tpu_mlir/Execution/Npz.h"
#include "tpu_mlir/Import/Constant.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>

namespace tpu_mlir::importer {

struct ImportOptions {
  /// What the module and the file of weights are called.
  std::string name;
  /// One for each input, in order, or none: as the file says.
  std::vector<Shape> inputShapes;
  /// Values to return instead of the file's outputs.
  std::vector<std::string> outputNames;
  /// Inputs whose value is known: they become weights, and what follows from
  /// them is computed.
  std::map<std::string, Constant> bound;
};

/// An input or output of the network, as the file declares it.
struct Border {
  std::string name;
  DataType type = DataType::Other;
  Shape shape;
};

struct Imported {
  /// Its attributes "module.input_types" and "module.output_types" have the
  /// types of the borders as ONNX names them.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the file of weights has, in the order in which layers read them, f32.
  std::vector<execution::NpyArray> weights;
  std::vector<Border> inputs, outputs;
};

/// Why there is no module.
struct ImportError {
  /// Whether it is about one node, and not about the file as a whole.
  bool isNode = false;
  /// "node 'conv1' (Conv, opset 11) with inputs [1,3,?,?]: ...".
  std::string message;
  /// Inputs whose values would have to be known: see ImportOptions::bound.
  std::vector<std::string> wanted = {};
};

/// The module of the model in file `path`, verified. Errors: a file that is no
/// model or breaks ONNX's rules (one), dimensions without a number, an option
/// that names what is not there, and every node that cannot become layers, all
/// of them at once. O(bytes of the file + nodes).
std::variant<Imported, std::vector<ImportError>>
importOnnx(mlir::MLIRContext &context, const std::string &path,
           const ImportOptions &options);

/// The inputs that the file declares, in order, without those that have a
/// value there; shapes as they are, -1 for a dimension without a number. Errors
/// as above. O(bytes of the file).
std::variant<std::vector<Border>, ImportError>
inputsOf(const std::string &path);

/// The tensor in a file of ONNX (.pb).
std::variant<Constant, ImportError> readTensorFile(const std::string &path);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_IMPORT_IMPORT_H
