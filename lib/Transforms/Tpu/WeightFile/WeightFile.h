//===- WeightFile.h - Files of a module's weights ---------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_WEIGHTFILE_WEIGHTFILE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_WEIGHTFILE_WEIGHTFILE_H

#include "tpu_mlir/Quantization/WeightStore.h"

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir::weight_files {

/// The file of weights that the module names, if it lies beside `path`, the
/// module's own; "" otherwise.
std::string weightsBeside(mlir::ModuleOp module, llvm::StringRef path);

/// The numbers in `file`. Emits E017 at `module` and fails when they cannot be
/// read.
mlir::FailureOr<std::shared_ptr<quantization::WeightStore>>
openWeights(mlir::ModuleOp module, const std::string &file);

/// The bytes of a file with the weights of `module`, under the names that they
/// have there, or had before: what model_runner looks for. Fails, with E017 at
/// the first weight whose numbers are not in `weights`.
mlir::FailureOr<std::string>
renderWeights(mlir::ModuleOp module, const quantization::WeightStore &weights);

/// The same into a file.
mlir::LogicalResult writeWeights(mlir::ModuleOp module,
                                 const quantization::WeightStore &weights,
                                 const std::string &file);

/// Whether `weights` has the numbers of all of them. O(weights).
bool hasAllWeights(mlir::ModuleOp module,
                   const quantization::WeightStore &weights);

} // namespace tpu_mlir::weight_files

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_WEIGHTFILE_WEIGHTFILE_H
