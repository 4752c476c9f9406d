//===- FloatMode.h - The precision a network is lowered to ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_FLOATMODE_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_FLOATMODE_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace tpu_mlir::lowering {

/// A lowering without calibration: activations are floats of one type. The
/// modes with a W say in addition how wide the packed weights of A16MatMul
/// are; that is a name only, the packing has happened in the front end.
struct FloatMode {
  enum class Kind { F32, F16, BF16 };

  /// In capitals, as in `module.mode`.
  std::string name;
  Kind kind = Kind::F32;

  /// The type of activations.
  mlir::FloatType type(mlir::MLIRContext *context) const;

  /// Case does not matter. nullopt: no float mode is called so.
  static std::optional<FloatMode> parse(llvm::StringRef text);
  /// "F32, F16, ..." for messages.
  static std::string names();
};

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_FLOATMODE_H
