//===- TopMath.td - Convolution, matrices, elementwise -----*- tablegen -*-===//

#ifndef TPU_MLIR_DIALECT_TOP_IR_TOPMATH_TD
#define TPU_MLIR_DIALECT_TOP_IR_TOPMATH_TD

include "tpu_mlir/Dialect/Top/IR/TopBase.td"

// Convolution, pooling, matrices.
foreach name = ["Convbwd", "MaxPoolWithMask"] in
  def Top_ # name # Op : Top_Named<name>;
foreach name = ["Conv", "Deconv", "ConvBwd_Weight", "ConcatVolume", "DeformConv2D", "AvgPool", "MaxPool",
                "AdaptiveAvgPool", "MaxPoolingIndicesBwd", "MaxUnpool", "PoolMask", "MatMul",
                "A16MatMul", "Einsum", "Mlp"] in
  def Top_ # name # Op : Top_Compute<name>;

// Arithmetic and logic.
foreach name = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Mod", "Pow", "Pow2", "Pow3", "Remainder", "AbsAdd",
                "AddConst", "SubConst", "MulConst", "DivConst", "MaxConst", "MinConst", "BinaryShift",
                "BinaryConstShift", "SquaredDifference", "Compare", "CompareConst", "LogicalAnd", "LogicalOr",
                "BitwiseAnd", "Not", "Where", "MaskedFill"] in
  def Top_ # name # Op : Top_Compute<name>;

// Types.
foreach name = ["Cast", "DtypeCast", "RequantInt", "RequantFp", "DequantInt", "DequantizeLinear",
                "QuantizeLinear"] in
  def Top_ # name # Op : Top_Compute<name>;

// Functions of one operand.
foreach name = ["Abs", "Arccos", "Arcsin", "Arctan", "Arctanh", "Ceil", "Clip", "Cos", "Cosh", "Elu", "Erf", "Exp",
                "Floor", "GELU", "HardSigmoid", "HardSwish", "LeakyRelu", "Log", "LogB", "Lut", "Mish", "Neg",
                "PRelu", "QGELU", "Reciprocal", "Relu", "Relu6", "Round", "Rsqrt", "ScaleLut", "Sigmoid", "SiLU",
                "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh"] in
  def Top_ # name # Op : Top_Compute<name>;

#endif // TPU_MLIR_DIALECT_TOP_IR_TOPMATH_TD
