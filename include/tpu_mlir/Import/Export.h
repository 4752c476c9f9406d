//===- Export.h - Top modules as ONNX ---------------------------*- C++ -*-===//

#ifndef TPU_MLIR_IMPORT_EXPORT_H
#define TPU_MLIR_IMPORT_EXPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <variant>

namespace tpu_mlir::importer {

/// "layer 'x': there is no way to write top.LSTM".
struct ExportError {
  std::string message;
};

/// The network of a flat Top module as a model of ONNX of opset 17: what a
/// GraphBuilder makes, weights without numbers. A layer `name` is the value
/// `name`; one that is several nodes there has them in front, as `name.linear`.
/// Weights get one number each, with which results neither grow nor vanish: one
/// over the number of products of a sum, 1 for factors, 0 for what is added.
/// Errors: another layer. O(layers).
std::variant<std::string, ExportError> exportOnnx(mlir::ModuleOp module);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_IMPORT_EXPORT_H
