//===- AdaptAttributes.h - What the rule table cannot say -------*- C++ -*-===//
//
// One small function for each unusual op. It sees the Top op and a recipe
// whose attributes are copied, renamed and translated; it changes the recipe
// only. Defaults are added after it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_CONVERTTOPTOTPU_ADAPTATTRIBUTES_H
#define TPU_MLIR_LIB_TRANSFORMS_CONVERTTOPTOTPU_ADAPTATTRIBUTES_H

#include "lib/Transforms/ConvertTopToTpu/FloatMode.h"
#include "lib/Transforms/ConvertTopToTpu/Recipe.h"

namespace tpu_mlir {

/// Conv -> Conv1D, Conv2D or Conv3D by the length of kernel_shape; with_bias.
/// The bias stays f32, but for a depthwise convolution in F16: there the
/// backend multiplies and adds in f16.
llvm::LogicalResult adaptConv(mlir::Operation *top, const FloatMode &mode,
                              Recipe &recipe);
/// Deconv -> Deconv or, with three spatial dimensions, Deconv3D; with_bias.
llvm::LogicalResult adaptDeconv(mlir::Operation *top, const FloatMode &mode,
                                Recipe &recipe);
/// MaxPool, AvgPool -> Pool1D, Pool2D or Pool3D by the length of kernel_shape.
llvm::LogicalResult adaptPool(mlir::Operation *top, const FloatMode &mode,
                              Recipe &recipe);
/// `log` -> LOG_SIGMOID instead of SIGMOID.
llvm::LogicalResult adaptSigmoid(mlir::Operation *top, const FloatMode &mode,
                                 Recipe &recipe);
/// `approx_mode` tanh -> TGELU, sigm -> QGELU, else GELU.
llvm::LogicalResult adaptGelu(mlir::Operation *top, const FloatMode &mode,
                              Recipe &recipe);
/// alpha and beta -> coeffs = [beta, alpha].
llvm::LogicalResult adaptHardSigmoid(mlir::Operation *top,
                                     const FloatMode &mode, Recipe &recipe);
/// alpha -> coeffs = [alpha].
llvm::LogicalResult adaptElu(mlir::Operation *top, const FloatMode &mode,
                             Recipe &recipe);
/// `to` decides the type of the result. Fails when it names no such type.
llvm::LogicalResult adaptCast(mlir::Operation *top, const FloatMode &mode,
                              Recipe &recipe);
/// `weight_keep_f32`: gamma stays f32.
llvm::LogicalResult adaptRmsNorm(mlir::Operation *top, const FloatMode &mode,
                                 Recipe &recipe);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_CONVERTTOPTOTPU_ADAPTATTRIBUTES_H
