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
/// beta -> coeffs = [beta].
void adaptSwish(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// By one number that is not 0.
bool isDivConst(mlir::Operation *top);
/// x / c -> x * (1 / c); c / x -> Reciprocal.
void adaptDivConst(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// With an exponent that is a mode of Active.
bool isActivePow(mlir::Operation *top);
/// x^2 -> SQUARE, x^0.5 -> SQRT.
void adaptPow(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// From ones, in a rank that stays, to a shape that is known.
bool isTiledExpand(mlir::Operation *top);
/// The shapes -> tile.
void adaptExpand(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
bool hasTransposedAxes(mlir::Operation *top);
/// dim0 and dim1 -> order.
void adaptTranspose(mlir::Operation *top, const FloatMode &mode,
                    Recipe &recipe);
/// Start, end and step are there.
bool hasAllOfRange(mlir::Operation *top);
/// alpha -> coeffs = [alpha].
void adaptElu(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// `to` F32 or INT32 decides the type of the result; else it is the mode's.
void adaptCast(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);
/// `weight_keep_f32`: gamma stays f32.
void adaptRmsNorm(mlir::Operation *top, const FloatMode &mode, Recipe &recipe);

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_ADAPTATTRIBUTES_H
