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

#include "tpu_mlir/Import/ImportOptions.h"
#include "tpu_mlir/Import/Weight.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tpu_mlir::importer {

struct Imported {
  /// Its attributes "module.input_types" and "module.output_types" have the
  /// types of the borders as ONNX names them.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the file of weights has, in the order in which layers read them.
  std::vector<Weight> weights;
  std::vector<Border> inputs, outputs;
  /// The files beside the model's own that it has numbers in.
  std::vector<std::string> dataFiles;
};

/// The module of the model in file `path`, verified. Errors: a file that is no
/// model or breaks ONNX's rules (one), dimensions without a number, an option
/// that names what is not there, and every node that cannot become layers, all
/// of them at once. O(bytes of the file + nodes). In memory the file is once
/// while the weights are there; data in other files are mapped.
std::variant<Imported, std::vector<ImportError>>
importOnnx(mlir::MLIRContext &context, const std::string &path,
           const ImportOptions &options);

/// The inputs that the file declares, in order, without those that have a
/// value there; shapes as they are, -1 for a dimension without a number. Errors
/// as above. O(bytes of the file).
std::variant<std::vector<Border>, ImportError>
inputsOf(const std::string &path);

/// The tensor in a file of ONNX (.pb). `beside`, where there is one, gets the
/// files that keep its numbers.
std::variant<Constant, ImportError>
readTensorFile(const std::string &path,
               std::vector<std::string> *beside = nullptr);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_IMPORT_IMPORT_H
