//===- Naming.h - Tensors are named by locations ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_NAMING_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_NAMING_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

#include <string>

namespace tpu_mlir::lowering {

/// "" when the location holds no name.
llvm::StringRef nameOf(mlir::Location location);
/// The name of one result of an op that may have several.
llvm::StringRef nameOf(mlir::Value value);

/// "_bf16", "_i32" and so on; integers that stand for floats "_si8", "_ui8".
std::string typeSuffix(mlir::Type element);

/// `location` under another name; one without a name, or an empty new name,
/// comes back unchanged.
mlir::Location renamed(mlir::Location location, const llvm::Twine &name);

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_NAMING_H
