//===- AdaptAttributes.h - What the rule table cannot say -------*- C++ -*-===//
//
// One small function for each unusual op. It sees the Top op and a recipe
// whose attributes are copied, renamed and translated; it changes the recipe
// only. Defaults are added after it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_ADAPTATTRIBUTES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_ADAPTATTRIBUTES_H

#include "lib/Transforms/Tpu/ConvertTopToTpu/FloatMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/Recipe.h"

namespace tpu_mlir::lowering {

/// Conv -> Conv1D, Conv2D or Conv3D by the length of kernel_shape (tpu.Conv
/// with another one); with_bias.
/// The bias stays f32, but for a depthwise convolution in F16: there the
/// backend multiplies and adds in f16.
void adaptConv(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// Deconv -> Deconv or, with three spatial dimensions, Deconv3D; with_bias.
void adaptDeconv(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// MaxPool, AvgPool -> Pool1D, Pool2D or Pool3D by the length of kernel_shape.
void adaptPool(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// `log` -> LOG_SIGMOID instead of SIGMOID.
void adaptSigmoid(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// `approx_mode` tanh -> TGELU, sigm -> QGELU, else GELU.
void adaptGelu(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// alpha and beta -> coeffs = [beta, alpha].
void adaptHardSigmoid(mlir::Operation *top, const FloatMode &mode,
                      Recipe &recipe);
/// alpha -> coeffs = [alpha].
void adaptElu(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// `to` F32 or INT32 decides the type of the result; else it is the mode's.
void adaptCast(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// `weight_keep_f32`: gamma stays f32.
void adaptRmsNorm(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_ADAPTATTRIBUTES_H
