//===- OnnxInput.h - A model of ONNX as a module and its weights -*- C++
//-*-===//

#ifndef TPU_MLIR_TOOLS_ONNXINPUT_ONNXINPUT_H
#define TPU_MLIR_TOOLS_ONNXINPUT_ONNXINPUT_H

#include "tpu_mlir/Execution/Files/NpzWriter.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/OnnxInput/OnnxFlags.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tpu_mlir {

struct OnnxInput {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Beside its place until putInPlace().
  std::unique_ptr<execution::NpzWriter> weights;
  /// "12 weights, 48.9 MiB, in 'net_top_f32_all_weight.npz'".
  std::string summary;
  /// The files that were read beside those of the request.
  std::vector<NamedFile> dataFiles;
};

/// Where the weights of network `name` are: beside `file`, as the module's
/// "module.weight_file" says.
std::string weightFileOf(const std::string &name, const std::string &file);

/// The files that are read; those that these name are in OnnxInput::dataFiles.
std::vector<NamedFile> filesOf(const OnnxRequest &request);

/// Reads the model in file `path` and writes its weights to `weightFile`. Emits
/// one error for the file (E017), or one for each node that cannot be imported
/// (E025), and fails.
mlir::FailureOr<OnnxInput> readOnnxInput(mlir::MLIRContext &context,
                                         const std::string &path,
                                         const std::string &name,
                                         OnnxRequest request,
                                         const std::string &weightFile);

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_ONNXINPUT_ONNXINPUT_H
